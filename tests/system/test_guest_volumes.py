# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Volumes in real guests: attached, written, exchanged, grown, detached, booted from. The guests' shells tell."""

import contextlib
import os
import re
import subprocess
import tty
import uuid
from xml.etree import ElementTree

import pytest

from nova_lite import concurrency
from nova_lite.objects import block_device
from nova_lite.virt import abilities_volumes
from tests.system import test_libvirt as guests

folder, daemon, images, make_driver = guests.folder, guests.daemon, guests.images, guests.make_driver
pytestmark = guests.pytestmark
MIB = 1024 * 1024
SOCKET_PORT = 22809


def volume_file(folder, name, content, size=4 * MIB):
    path = folder / name
    path.write_bytes(content)
    with open(path, 'r+b') as handle:
        handle.truncate(size)
    path.chmod(0o600)
    return path


def local(path, **more):
    return {'driver_volume_type': 'local', 'serial': str(uuid.uuid4()),
            'data': {'device_path': str(path), 'format': 'raw', 'discard': True}, **more}


@pytest.fixture
def export(folder):
    """export(path): serve a file by NBD as the volume service does; the connection_info."""
    servers = []

    def serve(path):
        port = SOCKET_PORT + len(servers)
        servers.append(subprocess.Popen(['qemu-nbd', '--format=raw', '--persistent', '--shared=0', '--bind=127.0.0.1',
                                         '--port=%d' % port, '--export-name=volume-1', str(path)]))
        concurrency.sleep(0.5)
        return {'driver_volume_type': 'nbd', 'serial': str(uuid.uuid4()), 'data': {
            'name': 'volume-1', 'hosts': ['127.0.0.1'], 'ports': [str(port)], 'format': 'raw'}}
    yield serve
    for server in servers:
        server.terminate()
        server.wait()


class Shell:
    """The shell on a guest's serial console."""

    def __init__(self, host, order):
        self._host, self._order, self._number = host, order, 0
        assert guests.wait_for(lambda: 'ready after' in guests.console(host, order)), guests.console(host, order)
        line = guests.shell('virsh', '-c', guests.URI, 'ttyconsole', order.instance.uuid).strip()
        # Held open: QEMU takes nothing from a line that is closed again.
        self._line = os.open(line, os.O_RDWR | os.O_NONBLOCK | os.O_NOCTTY)
        tty.setraw(self._line)
        concurrency.sleep(2)        # QEMU looks once a second whether somebody is there
        os.write(self._line, b'dmesg -n 1\n')     # the kernel would talk in between
        concurrency.sleep(1)

    def __call__(self, command, seconds=30):
        """What a command prints."""
        self._number += 1
        start, end = 'BEGIN%d' % self._number, 'END%d' % self._number
        # The words are put together by the shell, so that its echo is not taken for them.
        os.write(self._line, ("echo B''%s; %s; echo E''%s\n" % (start[1:], command, end[1:])).encode())
        pattern = re.compile('\n%s\n(.*?)%s' % (start, end), re.DOTALL)
        assert guests.wait_for(lambda: pattern.search(self._said()), seconds), self._said()[-2000:]
        return pattern.search(self._said()).group(1).strip()

    def _said(self):
        with contextlib.suppress(BlockingIOError):
            while os.read(self._line, 65536):
                pass
        return guests.console(self._host, self._order).replace('\r', '')


def disks_of(order, *flags):
    document = guests.shell('virsh', '-c', guests.URI, 'dumpxml', *flags, order.instance.uuid)
    return {disk.find('target').get('dev') for disk in ElementTree.fromstring(document).iterfind('devices/disk')}


def bdm(**fields):
    return block_device.BlockDeviceMapping(source_type='volume', destination_type='volume', **fields)


def test_a_volume_comes_and_goes_in_a_running_guest(make_driver, images, folder, export):
    host = make_driver()
    assert isinstance(host, abilities_volumes.Volumes)
    order = guests.request(images, [])
    guests.spawn(host, order)
    shell = Shell(host, order)
    for make in (local, export):
        path = volume_file(folder, 'vol-%s' % make.__name__, b'from the host\n')
        info = make(path)
        name = host.get_device_name_for_instance(order.instance, [], bdm())
        assert name == '/dev/vdb'
        for _ in range(2):
            host.attach_volume(None, info, order.instance, name, bdm())
        assert disks_of(order) == disks_of(order, '--inactive') == {'vda', 'vdb'}
        assert guests.wait_for(lambda: 'vdb' in shell('ls /sys/block'), 20)
        assert shell('head -n 1 /dev/vdb') == 'from the host'
        assert shell('cat /sys/block/vdb/serial') == info['serial'][:20]
        shell('echo from the guest | dd of=/dev/vdb conv=fsync 2>/dev/null')
        for _ in range(2):
            host.detach_volume(None, info, order.instance, name)
        assert disks_of(order) == disks_of(order, '--inactive') == {'vda'}
        assert 'vdb' not in shell('ls /sys/block')
        assert path.read_bytes().startswith(b'from the guest\n')


def test_a_guest_that_is_off_gets_a_volume_for_its_next_start(make_driver, images, folder):
    host = make_driver()
    order = guests.request(images, [])
    guests.spawn(host, order)
    guests.shell('virsh', '-c', guests.URI, 'destroy', order.instance.uuid)
    info = local(volume_file(folder, 'vol-off', b'while it was off\n'))
    host.attach_volume(None, info, order.instance, '/dev/vdb', bdm())
    guests.shell('virsh', '-c', guests.URI, 'start', order.instance.uuid)
    assert Shell(host, order)('head -n 1 /dev/vdb') == 'while it was off'
    guests.shell('virsh', '-c', guests.URI, 'destroy', order.instance.uuid)
    host.detach_volume(None, info, order.instance, '/dev/vdb')
    assert disks_of(order, '--inactive') == {'vda'}


def test_a_volume_is_exchanged_and_grown_while_the_guest_runs(make_driver, images, folder):
    host = make_driver()
    order = guests.request(images, [])
    guests.spawn(host, order)
    shell = Shell(host, order)
    old, new = volume_file(folder, 'vol-old', b'old\n'), volume_file(folder, 'vol-new', b'')
    larger = volume_file(folder, 'vol-larger', b'', 8 * MIB)
    host.attach_volume(None, local(old), order.instance, '/dev/vdb', bdm())
    assert guests.wait_for(lambda: 'vdb' in shell('ls /sys/block'), 20)
    shell('echo changed | dd of=/dev/vdb conv=fsync 2>/dev/null')
    replacement = local(new)
    host.swap_volume(None, local(old), replacement, order.instance, '/dev/vdb', bdm())
    assert new.read_bytes().startswith(b'changed\n')
    for flags in ((), ('--inactive',)):
        document = guests.shell('virsh', '-c', guests.URI, 'dumpxml', *flags, order.instance.uuid)
        assert str(new) in document and str(old) not in document
    shell('echo after | dd of=/dev/vdb conv=fsync 2>/dev/null')
    assert new.read_bytes().startswith(b'after\n') and old.read_bytes().startswith(b'changed\n')
    host.swap_volume(None, replacement, local(larger), order.instance, '/dev/vdb', bdm())
    assert larger.read_bytes().startswith(b'after\n')
    host.swap_volume(None, local(larger), replacement, order.instance, '/dev/vdb', bdm())
    with open(new, 'r+b') as handle:
        handle.truncate(16 * MIB)
    host.extend_volume(None, replacement, order.instance, '/dev/vdb', 16 * MIB)
    assert guests.wait_for(lambda: shell('cat /sys/block/vdb/size') == str(16 * MIB // 512), 20)
    host.detach_volume(None, replacement, order.instance, '/dev/vdb')
    assert disks_of(order) == {'vda'}


@pytest.mark.parametrize('kind', ['local', 'nbd'])
def test_a_guest_boots_from_a_volume(make_driver, images, folder, export, kind):
    host = make_driver()
    raw = folder / ('vol-boot-%s' % kind)
    guests.shell('qemu-img', 'convert', '-f', 'qcow2', '-O', 'raw', images.path, raw)
    data = volume_file(folder, 'vol-data-%s' % kind, b'beside it\n')
    order = guests.request(images, [], image_ref='', flavor=guests.samples.flavor(root_gb=0))
    order.image = guests.samples.image(id=None, disk_format=None)
    order.block_devices = [bdm(boot_index=0, connection_info=local(raw) if kind == 'local' else export(raw)),
                           bdm(connection_info=local(data))]
    host.default_device_names_for_instance(order.instance, '/dev/vda', order.block_devices)
    guests.spawn(host, order)
    assert Shell(host, order)('head -n 1 /dev/vdb') == 'beside it'
    assert not (folder / 'instances' / order.instance.uuid / 'disk').exists()
    host.destroy(None, order.instance, [], order.block_devices)
    assert guests.leftovers(folder, order) == [] and raw.exists() and data.exists()
