# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""What system tests do with guests that really boot."""

import os
import shutil
import subprocess
import time
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


def wait_until_ready(host, order, times=1):
    """Until the guest said for the n-th time that it started."""
    assert wait_for(lambda: console(host, order).count('ready after') >= times), console(host, order)


def console(host, order):
    try:
        return host.get_console_output(None, order.instance).decode(errors='replace')
    except exception.ConsoleLogNotFound:
        return ''
