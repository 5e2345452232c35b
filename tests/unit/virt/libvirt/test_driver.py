# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""The whole driver against libvirt's own test driver: the real API and real files, without QEMU or root."""

import os
import subprocess
import sys
import textwrap
import time
import uuid
from xml.etree import ElementTree

import pytest

from nova_lite import concurrency
from nova_lite import exception
from nova_lite.compute import power_state
from tests.fixtures import disk_images
from tests.unit.virt import samples
from tests.unit.virt.libvirt import scene

libvirt = pytest.importorskip('libvirt', reason='needs libvirt-python')
from nova_lite.virt.libvirt import driver as libvirt_driver  # noqa: E402 (only where libvirt is)
from nova_lite.virt.libvirt import events  # noqa: E402
from nova_lite.virt.libvirt import guest  # noqa: E402
from nova_lite.virt.libvirt import settings  # noqa: E402

pytestmark = pytest.mark.skipif(not disk_images.available(), reason='needs qemu-img')
FOREIGN = '<domain type="test"><name>%s</name><memory>1024</memory><os><type>hvm</type></os></domain>'


def test_a_guest_from_spawn_to_destroy(host, images, tmp_path):
    instance = scene.spawn(host, images, config_drive=True, flavor=samples.flavor(swap=8))
    info = host.get_info(instance)
    assert (info.state, info.name, info.uuid) == (power_state.RUNNING, 'instance-0000000a', instance.uuid)
    assert info.internal_id > 0
    files = {path.name: path.stat().st_mode & 0o777 for path in scene.directory(tmp_path, instance).iterdir()}
    assert files == dict.fromkeys(('disk', 'disk.swap', 'disk.config', 'disk.info', 'libvirt.xml'), 0o600)
    assert scene.directory(tmp_path, instance).stat().st_mode & 0o777 == 0o710
    assert host.list_instance_uuids() == [instance.uuid]
    host.destroy(None, instance, [], [])
    assert not scene.directory(tmp_path, instance).exists()
    with pytest.raises(exception.InstanceNotFound):
        host.get_info(instance)
    host.destroy(None, instance, [], [])
    assert host.list_instance_uuids() == []


def test_config_drive_contents(host, images, tmp_path):
    pycdlib = pytest.importorskip('pycdlib')
    instance = scene.spawn(host, images, files=[('/etc/motd', b'hello')])     # brings a config drive along
    path = scene.directory(tmp_path, instance) / 'disk.config'
    assert b'config-2' in path.read_bytes()[0x8000:0x8800]
    iso = pycdlib.PyCdlib()
    iso.open(str(path))
    with iso.open_file_from_iso(rr_path='/openstack/content/0000') as content:
        assert content.read() == b'hello'
    with iso.open_file_from_iso(joliet_path='/openstack/latest/meta_data.json') as content:
        assert instance.uuid.encode() in content.read()
    iso.close()


def test_a_kernel_image(host, images, tmp_path):
    for name in ('kernel', 'ramdisk'):
        images.add(name, name.encode(), 'aki' if name == 'kernel' else 'ari')
    instance = scene.spawn(host, images, kernel_id='kernel', ramdisk_id='ramdisk')
    folder = scene.directory(tmp_path, instance)
    assert (folder / 'kernel').read_bytes() == b'kernel'
    boot = ElementTree.parse(folder / 'libvirt.xml').find('os')
    assert (boot.findtext('kernel'), boot.findtext('initrd')) == (str(folder / 'kernel'), str(folder / 'ramdisk'))


def test_a_failed_build_leaves_nothing_after_destroy(host, images, tmp_path):
    images.damage = 2
    request = scene.make_request(images)
    with pytest.raises(exception.ImageChecksumMismatch):
        host.spawn(None, request)
    host.destroy(None, request.instance, [], [])
    assert os.listdir(tmp_path / 'instances') == ['_base']
    assert os.listdir(tmp_path / 'instances' / '_base') == []


def test_a_name_that_another_cloud_took(host, images):
    direct = libvirt.open(scene.URI)
    direct.defineXML(FOREIGN % 'instance-0000000a')
    instance = scene.spawn(host, images)
    assert host.get_info(instance).name == 'instance-0000000a-' + instance.uuid[:8]
    assert host.list_instance_uuids() == [instance.uuid]


def test_guests_of_another_cloud_are_not_ours(host, images, tmp_path):
    instance = scene.spawn(host, images)
    other = guest.Guests(host._connection, str(tmp_path / 'elsewhere'))
    assert other.ours() == []
    assert guest.Guests(host._connection, str(tmp_path / 'instances')).ours() == [instance.uuid]


def test_a_directory_that_was_left_is_listed(host, tmp_path):
    left = str(uuid.uuid4())
    (tmp_path / 'instances' / left).mkdir()
    (tmp_path / 'instances' / 'locks').mkdir()
    assert host.list_instance_uuids() == [left]


def test_a_guest_whose_directory_is_gone_is_listed_and_can_be_destroyed(host, images, tmp_path):
    instance = scene.spawn(host, images)
    subprocess.run(['rm', '-r', scene.directory(tmp_path, instance)], check=True)
    assert host.list_instance_uuids() == [instance.uuid]
    host.destroy(None, instance, [], [])
    assert host.list_instance_uuids() == []


def test_libvirts_errors_name_the_operation_only(host, images):
    with pytest.raises(exception.HypervisorError) as caught:
        host._guests.start('x', '<domain>secret</domain>')
    assert caught.value.message == 'The hypervisor could not start the guest.'
    assert isinstance(caught.value.__cause__, libvirt.libvirtError)


def test_destroy_waits_for_a_start_that_was_interrupted(host, images, monkeypatch):
    started = concurrency.Event()
    whole = guest._start

    def slow(virt_connection, document):
        time.sleep(0.5)
        whole(virt_connection, document)
    monkeypatch.setattr(guest, '_start', slow)
    request = scene.make_request(images)

    def build():
        started.send()
        host.spawn(None, request)
    thread = concurrency.spawn(build)
    started.wait()
    assert scene.wait_for(lambda: host._guests._locks.held(request.instance.uuid))
    concurrency.interrupt(thread, RuntimeError('stop'))
    host.destroy(None, request.instance, [], [])
    assert host.list_instance_uuids() == []


def test_events(host, images, monkeypatch):
    monkeypatch.setattr(events, 'STOP_DELAY', 0.2)
    seen = []
    host.register_event_listener(lambda event: seen.append((event.uuid, event.state)))
    instance = scene.spawn(host, images)
    assert scene.wait_for(lambda: (instance.uuid, power_state.RUNNING) in seen)
    domain = libvirt.open(scene.URI).lookupByUUIDString(instance.uuid)
    domain.suspend()
    assert scene.wait_for(lambda: (instance.uuid, power_state.PAUSED) in seen)
    domain.destroy()
    domain.create()
    concurrency.sleep(0.5)
    assert (instance.uuid, power_state.SHUTDOWN) not in seen        # it was started again at once
    domain.destroy()
    assert scene.wait_for(lambda: (instance.uuid, power_state.SHUTDOWN) in seen)


def test_one_bad_listener_does_not_silence_the_others(host, images):
    seen = []
    host.register_event_listener(lambda event: 1 / 0)
    host.register_event_listener(lambda event: seen.append(event.uuid))
    instance = scene.spawn(host, images)
    assert scene.wait_for(lambda: instance.uuid in seen)


def test_resources(host):
    found = host.get_available_resource(host.get_available_nodes()[0])
    assert found.vcpus > 0 and found.memory_mb > 0 and found.local_gb >= 0
    assert found.supported_instances == ((host._host.arch, 'test', 'hvm'),)
    assert 'COMPUTE_NODE' in found.traits


def test_console_log(host, images, tmp_path):
    instance = scene.spawn(host, images)
    with pytest.raises(exception.ConsoleLogNotFound):
        host.get_console_output(None, instance)
    log = scene.directory(tmp_path, instance) / 'console.log'
    log.write_bytes(b'new')
    assert host.get_console_output(None, instance) == b'new'
    log.with_name('console.log.0').write_bytes(b'o' * 200000)
    found = host.get_console_output(None, instance)
    assert len(found) == 102400 and found.endswith(b'onew')


def test_update_images_spares_what_disks_lie_on(host, images, tmp_path):
    scene.spawn(host, images)
    base = tmp_path / 'instances' / '_base'
    for path in base.iterdir():
        os.utime(path, (0, 0))
    (base / 'old').write_bytes(b'')
    os.utime(base / 'old', (0, 0))
    kept = set(os.listdir(base)) - {'old'}
    host.update_images(None, set())
    assert set(os.listdir(base)) == kept and kept


def test_device_names(host, images):
    request = scene.make_request(images)
    assert host.default_root_device_name(request.instance, request.image, None) == '/dev/vda'


@pytest.mark.parametrize('options, words', [
    ({'connection_uri': 'test:///no/such/file'}, 'libvirt does not answer'), ({'virt_type': 'kvm'}, 'virt_type')])
def test_a_host_that_cannot_be_used_says_so(tmp_path, images, options, words):
    options = {'connection_uri': scene.URI, 'virt_type': 'test'} | options
    broken = libvirt_driver.LibvirtDriver(settings.Settings(instances_path=str(tmp_path), **options), images)
    with pytest.raises(exception.HypervisorError) as caught:
        broken.init_host('host')
    assert words in caught.value.message


def test_events_cross_into_patched_green_threads(tmp_path):
    """In a process of its own, because the patch of the standard library cannot be taken back."""
    program = textwrap.dedent('''
        from nova_lite import concurrency
        concurrency.patch()
        from nova_lite.virt.libvirt import connection
        door = connection.Connection('test:///default')
        ticks = []
        def tick():
            while True:
                ticks.append(1)
                concurrency.sleep(0.01)
        concurrency.spawn(tick)
        def suspend(virt):
            import time
            time.sleep(0.2)
            virt.lookupByName('test').suspend()
        door.call('suspend', suspend)
        with concurrency.deadline(5, RuntimeError('no event')):
            print(door.mailbox.get()[1], len(ticks) > 5)
    ''')
    done = subprocess.run([sys.executable, '-c', program], capture_output=True, text=True, timeout=60)
    assert done.stdout.split() == [str(power_state.PAUSED), 'True'], done.stderr
