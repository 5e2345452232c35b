# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Volumes in real guests: attached, written, exchanged, grown, detached, booted from. The guests' shells tell."""

import subprocess
import uuid
from xml.etree import ElementTree

import pytest

from nova_lite import concurrency
from nova_lite.objects import block_device
from nova_lite.virt import abilities_volumes
from tests.system import booted
from tests.unit.virt import samples

pytestmark = pytest.mark.skipif(bool(booted.MISSING), reason='real guests need ' + ', '.join(booted.MISSING))
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


def disks_of(order, *flags):
    document = booted.virsh('dumpxml', *flags, order.instance.uuid)
    return {disk.find('target').get('dev') for disk in ElementTree.fromstring(document).iterfind('devices/disk')}


def bdm(**fields):
    return block_device.BlockDeviceMapping(source_type='volume', destination_type='volume', **fields)


def test_a_volume_comes_and_goes_in_a_running_guest(make_driver, images, folder, export):
    host = make_driver()
    assert isinstance(host, abilities_volumes.Volumes)
    order = booted.request(images, [])
    booted.spawn(host, order)
    shell = booted.Shell(host, order)
    for make in (local, export):
        path = volume_file(folder, 'vol-%s' % make.__name__, b'from the host\n')
        info = make(path)
        name = host.get_device_name_for_instance(order.instance, [], bdm())
        assert name == '/dev/vdb'
        for _ in range(2):
            host.attach_volume(None, info, order.instance, name, bdm())
        assert disks_of(order) == disks_of(order, '--inactive') == {'vda', 'vdb'}
        assert booted.wait_for(lambda: 'vdb' in shell('ls /sys/block'), 20)
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
    order = booted.request(images, [])
    booted.spawn(host, order)
    booted.virsh('destroy', order.instance.uuid)
    info = local(volume_file(folder, 'vol-off', b'while it was off\n'))
    host.attach_volume(None, info, order.instance, '/dev/vdb', bdm())
    booted.virsh('start', order.instance.uuid)
    assert booted.Shell(host, order)('head -n 1 /dev/vdb') == 'while it was off'
    booted.virsh('destroy', order.instance.uuid)
    host.detach_volume(None, info, order.instance, '/dev/vdb')
    assert disks_of(order, '--inactive') == {'vda'}


def test_a_volume_is_exchanged_and_grown_while_the_guest_runs(make_driver, images, folder):
    host = make_driver()
    order = booted.request(images, [])
    booted.spawn(host, order)
    shell = booted.Shell(host, order)
    old, new = volume_file(folder, 'vol-old', b'old\n'), volume_file(folder, 'vol-new', b'')
    larger = volume_file(folder, 'vol-larger', b'', 8 * MIB)
    host.attach_volume(None, local(old), order.instance, '/dev/vdb', bdm())
    assert booted.wait_for(lambda: 'vdb' in shell('ls /sys/block'), 20)
    shell('echo changed | dd of=/dev/vdb conv=fsync 2>/dev/null')
    replacement = local(new)
    host.swap_volume(None, local(old), replacement, order.instance, '/dev/vdb', bdm())
    assert new.read_bytes().startswith(b'changed\n')
    for flags in ((), ('--inactive',)):
        document = booted.virsh('dumpxml', *flags, order.instance.uuid)
        assert str(new) in document and str(old) not in document
    shell('echo after | dd of=/dev/vdb conv=fsync 2>/dev/null')
    assert new.read_bytes().startswith(b'after\n') and old.read_bytes().startswith(b'changed\n')
    host.swap_volume(None, replacement, local(larger), order.instance, '/dev/vdb', bdm())
    assert larger.read_bytes().startswith(b'after\n')
    host.swap_volume(None, local(larger), replacement, order.instance, '/dev/vdb', bdm())
    with open(new, 'r+b') as handle:
        handle.truncate(16 * MIB)
    host.extend_volume(None, replacement, order.instance, '/dev/vdb', 16 * MIB)
    assert booted.wait_for(lambda: shell('cat /sys/block/vdb/size') == str(16 * MIB // 512), 20)
    host.detach_volume(None, replacement, order.instance, '/dev/vdb')
    assert disks_of(order) == {'vda'}


@pytest.mark.parametrize('kind', ['local', 'nbd'])
def test_a_guest_boots_from_a_volume(make_driver, images, folder, export, kind):
    host = make_driver()
    raw = folder / ('vol-boot-%s' % kind)
    booted.shell('qemu-img', 'convert', '-f', 'qcow2', '-O', 'raw', images.path, raw)
    data = volume_file(folder, 'vol-data-%s' % kind, b'beside it\n')
    order = booted.request(images, [], image_ref='', flavor=samples.flavor(root_gb=0))
    order.image = samples.image(id=None, disk_format=None)
    order.block_devices = [bdm(boot_index=0, connection_info=local(raw) if kind == 'local' else export(raw)),
                           bdm(connection_info=local(data))]
    host.default_device_names_for_instance(order.instance, '/dev/vda', order.block_devices)
    booted.spawn(host, order)
    assert booted.Shell(host, order)('head -n 1 /dev/vdb') == 'beside it'
    assert not (folder / 'instances' / order.instance.uuid / 'disk').exists()
    host.destroy(None, order.instance, [], order.block_devices)
    assert booted.leftovers(folder, order) == [] and raw.exists() and data.exists()
