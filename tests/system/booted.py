# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""What system tests do with guests that really boot."""

import contextlib
import itertools
import os
import re
import shutil
import subprocess
import time
import tty
import uuid

from nova_lite import concurrency
from nova_lite import exception
from nova_lite.virt import driver
from tests.unit.virt import samples

URI = 'qemu:///system'
BOOT_SECONDS = 240      # a few seconds where nothing else runs
TAG = 'nlt%d' % (os.getpid() % 100000)      # names of this run's bridge, namespace and links
_PATH = os.environ['PATH'] + ':/usr/sbin:/sbin'
TOOLS = ('virsh', 'qemu-img', 'dnsmasq', 'ip', 'ebtables', 'mcopy')
MISSING = ['root'] * bool(os.getuid()) + [tool for tool in TOOLS if not shutil.which(tool, path=_PATH)]


def shell(*command, check=True, **options):
    return subprocess.run(list(map(str, command)), check=check, capture_output=True, text=True, timeout=60,
                          env=os.environ | {'PATH': _PATH}, **options).stdout


def virsh(*command, **options):
    return shell('virsh', '-q', '-c', URI, *command, **options)


def request(images, vifs, **changes):
    image = images.get(None, samples.IMAGE_ID)
    instance = samples.instance(**{'uuid': str(uuid.uuid4()), 'image_meta': image} | changes)
    return driver.SpawnRequest(instance, image, vifs, [])


def spawn(host, order):
    host.prepare_for_spawn(order.instance)
    host.prepare_networks_before_block_device_mapping(order.instance, order.network_info)
    host.spawn(None, order)


def wait_for(condition, seconds=BOOT_SECONDS):
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if condition():
            return True
        concurrency.sleep(0.3)
    return False


def console(host, order):
    try:
        return host.get_console_output(None, order.instance).decode(errors='replace')
    except exception.ConsoleLogNotFound:
        return ''


def _starts(host, order):
    """How often a guest was ready, by all that is left of its log: what a user is shown ends sooner."""
    try:
        with open(host._settings.instance_path(order.instance.uuid, 'console.log'), 'rb') as log:
            return log.read().count(b'ready after')
    except FileNotFoundError:
        return 0


def leftovers(folder, order):
    chains = shell('ebtables', '-t', 'nat', '-L')
    found = [item.devname for item in order.network_info
             if os.path.exists('/sys/class/net/' + item.devname) or item.devname in chains]
    found += [str(path) for path in (folder / 'instances').iterdir() if path.name == order.instance.uuid]
    return found + [order.instance.uuid] * (order.instance.uuid in virsh('list', '--all', '--uuid'))


class Shell:
    """The shell on a guest's serial console, as long as the guest runs; `starts`: how often it has started by then."""

    numbers = itertools.count()

    def __init__(self, host, order, starts=1):
        self._host, self._order = host, order
        assert wait_for(lambda: _starts(host, order) >= starts), console(host, order)
        line = virsh('ttyconsole', order.instance.uuid).strip()
        # Held open: QEMU takes nothing from a line that is closed again.
        self._line = os.open(line, os.O_RDWR | os.O_NONBLOCK | os.O_NOCTTY)
        tty.setraw(self._line)
        concurrency.sleep(2)        # QEMU looks once a second whether somebody is there
        os.write(self._line, b'dmesg -n 1\n')     # the kernel would talk in between
        concurrency.sleep(1)

    def __call__(self, command, seconds=30):
        """What a command prints."""
        number = next(self.numbers)
        start, end = 'BEGIN%d' % number, 'END%d' % number
        # The words are put together by the shell, so that its echo is not taken for them.
        os.write(self._line, ("echo B''%s; %s; echo E''%s\n" % (start[1:], command, end[1:])).encode())
        pattern = re.compile('\n%s\n(.*?)%s' % (start, end), re.DOTALL)
        assert wait_for(lambda: pattern.search(self._said()), seconds), self._said()[-2000:]
        return pattern.search(self._said()).group(1).strip()

    def close(self):
        os.close(self._line)

    def _said(self):
        with contextlib.suppress(BlockingIOError):
            while os.read(self._line, 65536):
                pass
        return console(self._host, self._order).replace('\r', '')
