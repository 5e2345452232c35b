# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""What is done to a guest after it was made, on libvirt's own test driver; each operation also a second time, and with
parts of the guest gone."""

import dataclasses
import json
import os
import shutil
import subprocess
import types
from xml.etree import ElementTree

import pytest

from nova_lite import exception
from nova_lite.compute import power_state
from nova_lite.objects import block_device
from nova_lite.virt import abilities
from nova_lite.virt.libvirt import settings
from nova_lite.virt.libvirt import transfer
from tests.fixtures import disk_images
from tests.unit.virt import samples
from tests.unit.virt.libvirt import scene

libvirt = pytest.importorskip('libvirt', reason='needs libvirt-python')
pytestmark = pytest.mark.skipif(not disk_images.available(), reason='needs qemu-img')

ABILITIES = [abilities.ConsoleLog, abilities.ImageCache, abilities.Power, abilities.Pause, abilities.Suspend,
             abilities.Rescue, abilities.Snapshots, abilities.AdminPassword, abilities.CrashDump, abilities.Diagnostics,
             abilities.Resize]
HERE = types.SimpleNamespace(source_compute='host', dest_compute='host')
AWAY = types.SimpleNamespace(source_compute='host', dest_compute='other')
SWAP = block_device.BlockDeviceMapping(source_type='blank', guest_format='swap', volume_size=16)
EPHEMERAL = block_device.BlockDeviceMapping(source_type='blank', volume_size=1)
GIB, MIB = 1024 ** 3, 1024 ** 2


def domain(instance):
    return libvirt.open(scene.URI).lookupByUUIDString(instance.uuid)


def tree(instance):
    return ElementTree.fromstring(domain(instance).XMLDesc())


def disks(instance):
    """[(name of the file, dev, format, boot order)…] of a guest."""
    found = []
    for disk in tree(instance).iter('disk'):
        boot = disk.find('boot')
        found.append((os.path.basename(disk.find('source').get('file')), disk.find('target').get('dev'),
                      disk.find('driver').get('type'), boot is not None and boot.get('order')))
    return found


def state(host, instance):
    return host.get_info(instance).state


def size(path, kind='qcow2'):
    done = subprocess.run(['qemu-img', 'info', '-f', kind, '--output=json', path], check=True, capture_output=True)
    return json.loads(done.stdout)['virtual-size']


def reboot(host, instance, kind=abilities.HARD, devices=()):
    host.reboot(None, instance, [], kind, list(devices))


@pytest.mark.parametrize('ability', ABILITIES, ids=lambda item: item.__name__)
def test_the_driver_has_the_ability(host, ability):
    assert isinstance(host, ability)


def test_power_off_and_on(host, images):
    instance = scene.spawn(host, images)
    for _ in range(2):
        host.power_off(instance, timeout=5, retry_interval=1)
        assert state(host, instance) == power_state.SHUTDOWN
    for _ in range(2):
        host.power_on(None, instance, [], [])
        assert state(host, instance) == power_state.RUNNING
    host.power_off(instance)
    assert state(host, instance) == power_state.SHUTDOWN


def test_power_off_of_a_guest_that_does_not_listen(host, images, monkeypatch):
    instance, asked = scene.spawn(host, images), []
    monkeypatch.setattr(host._guests, 'ask_to_shut_down', asked.append)
    host.power_off(instance, timeout=1.2, retry_interval=0.5)
    assert state(host, instance) == power_state.SHUTDOWN
    assert len(asked) in (2, 3)


def test_power_off_of_a_guest_that_libvirt_does_not_know(host, images):
    host.power_off(samples.instance(), timeout=5)
    assert host.list_instance_uuids() == []


def test_a_paused_guest_is_not_asked_to_shut_down(host, images, monkeypatch):
    instance, asked = scene.spawn(host, images), []
    monkeypatch.setattr(host._guests, 'ask_to_shut_down', asked.append)
    host.pause(instance)
    host.power_off(instance, timeout=60)
    assert (state(host, instance), asked) == (power_state.SHUTDOWN, [])


@pytest.mark.parametrize('kind', [abilities.SOFT, abilities.HARD])
def test_reboot(host, images, kind):
    instance = scene.spawn(host, images)
    number = host.get_info(instance).internal_id
    reboot(host, instance, kind)
    info = host.get_info(instance)
    assert info.state == power_state.RUNNING and info.internal_id != number
    host.power_off(instance)
    reboot(host, instance, kind)
    assert state(host, instance) == power_state.RUNNING


def test_a_soft_reboot_becomes_a_hard_one(make_host, images, monkeypatch):
    host = make_host(soft_reboot_seconds=0.4)
    instance = scene.spawn(host, images)
    number = host.get_info(instance).internal_id
    monkeypatch.setattr(host._guests, 'ask_to_shut_down', lambda uuid: None)
    reboot(host, instance, abilities.SOFT)
    info = host.get_info(instance)
    assert info.state == power_state.RUNNING and info.internal_id != number


def test_a_hard_reboot_repairs_what_can_be_replaced(host, images, tmp_path):
    instance = scene.spawn(host, images, flavor=samples.flavor(swap=16), config_drive=True)
    folder = scene.directory(tmp_path, instance)
    before = disks(instance)
    domain(instance).destroy()
    domain(instance).undefine()
    for name in ('libvirt.xml', 'disk.swap', 'disk.config'):
        (folder / name).unlink()
    for path in (tmp_path / 'instances' / '_base').iterdir():
        path.unlink()
    downloads = len(images.downloads)
    reboot(host, instance)
    assert state(host, instance) == power_state.RUNNING
    assert disks(instance) == before
    assert len(images.downloads) == downloads + 1
    assert {path.name for path in folder.iterdir()} == {
        'disk', 'disk.swap', 'disk.config', 'disk.info', 'libvirt.xml'}


@pytest.mark.parametrize('lost', ['disk', 'disk.eph0', 'disk.info', '../_base/ephemeral_1_ext4'])
def test_a_disk_that_is_lost_is_not_replaced_and_the_guest_not_stopped(host, images, tmp_path, lost):
    instance = scene.spawn(host, images, flavor=samples.flavor(ephemeral_gb=1))
    (scene.directory(tmp_path, instance) / lost).unlink()
    with pytest.raises(exception.HypervisorError) as caught:
        reboot(host, instance)
    assert caught.value.message == 'A disk of the instance is missing on its host.'
    assert state(host, instance) == power_state.RUNNING
    with pytest.raises(exception.HypervisorError):
        host.power_off(instance)
        host.power_on(None, instance, [], [])


def test_a_guest_without_files_is_not_made_anew(host):
    with pytest.raises(exception.HypervisorError):
        host.power_on(None, samples.instance(), [], [])


def test_a_guest_keeps_its_format_and_machine_when_the_configuration_changes(make_host, images, tmp_path):
    instance = scene.spawn(make_host(), images)
    path = scene.directory(tmp_path, instance) / 'libvirt.xml'
    later = make_host(images_type='raw', machine_types={'x86_64': 'q35'})
    later._host.facts = dataclasses.replace(later._host.facts, machines=frozenset(('pc', 'q35')))
    reboot(later, instance)
    assert disks(instance) == [('disk', 'vda', 'qcow2', '1')]
    assert ElementTree.parse(path).find('os/type').get('machine') == 'pc'


def test_a_header_that_the_guest_wrote_into_a_raw_disk_means_nothing(make_host, images, tmp_path):
    host = make_host(images_type='raw')
    images.add(samples.IMAGE_ID, bytes(MIB), 'raw')
    instance = scene.spawn(host, images, flavor=samples.flavor(root_gb=0))
    folder = tmp_path / 'bad'
    folder.mkdir()
    bad = disk_images.bad(folder)['backing file'].path.read_bytes()
    path = scene.directory(tmp_path, instance) / 'disk'
    with open(path, 'r+b') as disk:
        disk.write(bad)
    host.power_off(instance)
    later = make_host()         # makes qcow2 disks now
    later.power_on(None, instance, [], [])
    assert disks(instance) == [('disk', 'vda', 'raw', '1')]
    later.power_off(instance)
    for kind in ('raw', 'qcow2'):
        with later.snapshot(None, instance, [], kind) as copy:
            assert disk_images.CANARY not in open(copy.path, 'rb').read()
    disk_info = migrate(later, instance, samples.flavor(root_gb=1))
    instance.flavor = samples.flavor(root_gb=1)
    finish(later, instance, disk_info)
    assert disks(instance) == [('disk', 'vda', 'raw', '1')]
    assert path.stat().st_size == GIB
    with open(path, 'rb') as disk:
        assert disk.read(len(bad)) == bad


def test_pause(host, images):
    instance = scene.spawn(host, images)
    for _ in range(2):
        host.pause(instance)
        assert state(host, instance) == power_state.PAUSED
    for _ in range(2):
        host.unpause(instance)
        assert state(host, instance) == power_state.RUNNING
    host.power_off(instance)
    for act in (host.pause, host.unpause):
        with pytest.raises(exception.InstanceNotRunning):
            act(instance)
        with pytest.raises(exception.InstanceNotFound):
            act(samples.instance())


def test_suspend_and_resume(host, images):
    instance = scene.spawn(host, images)
    for _ in range(2):
        host.suspend(None, instance)
        assert domain(instance).hasManagedSaveImage()
        assert state(host, instance) == power_state.SHUTDOWN
    for _ in range(2):
        host.resume(None, instance, [], [])
        assert state(host, instance) == power_state.RUNNING
    assert not domain(instance).hasManagedSaveImage()


def test_resume_without_saved_memory_starts_the_guest(host, images):
    instance = scene.spawn(host, images)
    host.suspend(None, instance)
    domain(instance).managedSaveRemove()
    host.resume(None, instance, [], [])
    assert state(host, instance) == power_state.RUNNING


def test_suspend_of_a_guest_that_is_off(host, images):
    instance = scene.spawn(host, images)
    host.power_off(instance)
    with pytest.raises(exception.InstanceNotRunning):
        host.suspend(None, instance)


@pytest.mark.parametrize('words, kind', [
    ('write failed: No space left on device', exception.DiskFull), ('secret', exception.HypervisorError)])
def test_suspend_fails(host, images, monkeypatch, words, kind):
    def fail(_):
        raise libvirt.libvirtError(words)
    monkeypatch.setattr(libvirt.virDomain, 'managedSave', fail)
    instance = scene.spawn(host, images)
    with pytest.raises(kind) as caught:
        host.suspend(None, instance)
    assert words not in caught.value.message
    assert state(host, instance) == power_state.RUNNING


def test_a_hard_reboot_drops_saved_memory(host, images):
    instance = scene.spawn(host, images)
    host.suspend(None, instance)
    reboot(host, instance)
    assert state(host, instance) == power_state.RUNNING
    assert not domain(instance).hasManagedSaveImage()


@pytest.fixture
def rescue_image(images):
    def add(**properties):
        return images.add('rescue', b'rescue me' * 100, 'raw', properties=properties)
    return add


def rescue(host, instance, image):
    host.rescue(None, instance, [], image, 'secret', [])


def test_rescue_and_unrescue(host, images, tmp_path, rescue_image):
    instance = scene.spawn(host, images, config_drive=True)
    folder = scene.directory(tmp_path, instance)
    before = disks(instance), set(os.listdir(folder))
    for _ in range(2):
        rescue(host, instance, rescue_image())
        assert disks(instance) == [('disk.rescue', 'vda', 'qcow2', '1'), ('disk', 'vdb', 'qcow2', False),
                                   ('disk.config.rescue', 'hda', 'raw', False)]
        assert b'secret' in (folder / 'disk.config.rescue').read_bytes()
    host.update_images(None, set())
    for _ in range(2):
        host.unrescue(None, instance, [], [])
        assert state(host, instance) == power_state.RUNNING
        assert (disks(instance), set(os.listdir(folder))) == before


@pytest.mark.parametrize('properties, device, dev', [
    ({'hw_rescue_device': 'disk'}, 'disk', 'vdb'), ({'hw_rescue_bus': 'scsi'}, 'disk', 'sda'),
    ({'hw_rescue_device': 'cdrom'}, 'cdrom', 'hdb'), ({'hw_rescue_device': 'cdrom', 'hw_rescue_bus': 'sata'}, 'cdrom',
                                                      'sda')])
def test_stable_rescue(host, images, rescue_image, properties, device, dev):
    instance = scene.spawn(host, images, config_drive=True)
    rescue(host, instance, rescue_image(**properties))
    assert set(disks(instance)) == {('disk', 'vda', 'qcow2', False), ('disk.config', 'hda', 'raw', False),
                                    ('disk.rescue', dev, 'qcow2', '1')}
    assert [item.get('device') for item in tree(instance).iter('disk') if item.find('boot') is not None] == [device]
    host.unrescue(None, instance, [], [])
    assert disks(instance) == [('disk', 'vda', 'qcow2', '1'), ('disk.config', 'hda', 'raw', False)]


@pytest.mark.parametrize('properties', [{'hw_rescue_device': 'floppy'}, {'hw_rescue_bus': 'fdc'}])
def test_a_rescue_device_that_cannot_be_had(host, images, rescue_image, properties):
    instance = scene.spawn(host, images)
    with pytest.raises(exception.InstanceNotRescuable):
        rescue(host, instance, rescue_image(**properties))
    assert state(host, instance) == power_state.RUNNING


def test_a_rescue_image_that_cannot_be_had_leaves_the_guest_running(host, images, rescue_image):
    instance = scene.spawn(host, images)
    image = rescue_image()
    images.damage = 2
    number = host.get_info(instance).internal_id
    with pytest.raises(exception.ImageChecksumMismatch):
        rescue(host, instance, image)
    assert host.get_info(instance).internal_id == number
    rescue(host, instance, image)
    assert disks(instance)[0][0] == 'disk.rescue'


def test_a_rescue_kernel(host, images, tmp_path, rescue_image):
    for name in ('own', 'other'):
        images.add(name, name.encode(), 'aki', container_format='aki')
    instance = scene.spawn(host, images, kernel_id='own')
    folder = scene.directory(tmp_path, instance)
    rescue(host, instance, rescue_image(kernel_id='other'))
    assert tree(instance).findtext('os/kernel') == str(folder / 'kernel.rescue')
    assert (folder / 'kernel.rescue').read_bytes() == b'other'
    host.unrescue(None, instance, [], [])
    assert tree(instance).findtext('os/kernel') == str(folder / 'kernel')
    assert not (folder / 'kernel.rescue').exists()


@pytest.mark.parametrize('backend', ['qcow2', 'raw'])
@pytest.mark.parametrize('extract', [None, 'qcow2', 'raw'])
def test_a_snapshot_of_a_stopped_guest(make_host, images, tmp_path, backend, extract):
    host = make_host(images_type=backend)
    instance = scene.spawn(host, images, flavor=samples.flavor(root_gb=0))
    host.power_off(instance)
    (scene.directory(tmp_path, instance) / 'snapshot-left').mkdir()
    with host.snapshot(None, instance, [], extract) as copy:
        assert copy.disk_format == (extract or backend)
        raw = tmp_path / 'raw'
        subprocess.run(['qemu-img', 'convert', '-f', copy.disk_format, '-O', 'raw', copy.path, raw], check=True)
        assert raw.read_bytes().startswith(b'boot me' * 100)
        if copy.disk_format == 'qcow2':
            done = subprocess.run(['qemu-img', 'info', '-f', 'qcow2', copy.path], check=True, capture_output=True)
            assert b'backing file' not in done.stdout
        assert os.stat(os.path.dirname(copy.path)).st_mode & 0o777 == 0o710
    assert not list(scene.directory(tmp_path, instance).glob('snapshot-*'))


def test_what_a_killed_copy_left_goes_at_the_next_start(make_host, images, tmp_path):
    instance = scene.spawn(make_host(), images)
    left = scene.directory(tmp_path, instance) / 'snapshot-left'
    left.mkdir()
    (left / 'copy').write_bytes(b'x')
    make_host()
    assert not left.exists()


def test_a_copy_is_removed_when_its_user_fails(host, images, tmp_path):
    instance = scene.spawn(host, images)
    host.power_off(instance)
    with pytest.raises(ZeroDivisionError), host.snapshot(None, instance, []):
        raise ZeroDivisionError
    assert not list(scene.directory(tmp_path, instance).glob('snapshot-*'))


@pytest.mark.parametrize('extract, lost, words', [
    ('vmdk', None, 'no copies in the format vmdk'), (None, 'disk.info', 'no root disk')])
def test_a_snapshot_that_cannot_be(host, images, tmp_path, extract, lost, words):
    instance = scene.spawn(host, images)
    if lost:
        (scene.directory(tmp_path, instance) / lost).unlink()
    with pytest.raises(exception.SnapshotNotPossible) as caught, host.snapshot(None, instance, [], extract):
        pass
    assert words in caught.value.message


def test_no_password_without_an_agent(host, images):
    instance = scene.spawn(host, images)
    with pytest.raises(exception.GuestAgentNotEnabled):
        host.set_admin_password(instance, 'secret')


@pytest.mark.parametrize('properties, user', [
    ({}, 'root'), ({'os_type': 'windows'}, 'Administrator'), ({'os_admin_user': 'ada'}, 'ada')])
def test_password(host, images, monkeypatch, properties, user):
    given = []
    monkeypatch.setattr(libvirt.virDomain, 'setUserPassword', lambda _, *values: given.append(values))
    instance = scene.spawn(host, images)
    instance.image_meta = samples.image(properties={'hw_qemu_guest_agent': 'yes'} | properties)
    host.set_admin_password(instance, 'secret')
    assert given == [(user, 'secret')]


def test_a_guest_that_is_off_takes_no_password(host, images):
    instance = scene.spawn(host, images)
    instance.image_meta = samples.image(properties={'hw_qemu_guest_agent': 'yes'})
    host.power_off(instance)
    with pytest.raises(exception.InstanceNotRunning):
        host.set_admin_password(instance, 'secret')


def test_crash_dump(host, images):
    instance = scene.spawn(host, images)
    host.trigger_crash_dump(instance)
    host.power_off(instance)
    with pytest.raises(exception.InstanceNotRunning):
        host.trigger_crash_dump(instance)


def test_diagnostics(host, images):
    instance = scene.spawn(host, images, vifs=[])
    found = host.get_instance_diagnostics(instance)
    assert (found['state'], found['driver'], found['hypervisor']) == ('running', 'libvirt', 'test')
    assert set(found) == {
        'state', 'driver', 'hypervisor', 'hypervisor_os', 'uptime', 'config_drive', 'num_cpus', 'num_nics', 'num_disks',
        'cpu_details', 'nic_details', 'disk_details', 'memory_details'}
    assert isinstance(host.get_diagnostics(instance), dict)
    host.power_off(instance)
    for ask in (host.get_diagnostics, host.get_instance_diagnostics):
        with pytest.raises(exception.InstanceNotRunning):
            ask(instance)


def migrate(host, instance, flavor, devices=(), dest=None):
    info = host.migrate_disk_and_power_off(None, instance, dest, flavor, [], list(devices), timeout=1)
    return json.loads(json.dumps(info))


def finish(host, instance, info, devices=(), **options):
    host.finish_migration(None, HERE, instance, info, [], instance.image_meta, True, list(devices), **options)


def names(tmp_path, instance):
    return sorted(path.name for path in (tmp_path / 'instances').iterdir() if path.name.startswith(instance.uuid))


@pytest.mark.parametrize('backend', ['qcow2', 'raw'])
def test_resize_and_confirm(make_host, images, tmp_path, backend):
    host = make_host(images_type=backend)
    small = samples.flavor(swap=16, ephemeral_gb=1)
    big = samples.flavor(swap=32, ephemeral_gb=2, root_gb=2, memory_mb=256, vcpus=2)
    devices = [EPHEMERAL, SWAP]
    grown = [dataclasses.replace(EPHEMERAL, volume_size=2), dataclasses.replace(SWAP, volume_size=32)]
    instance = scene.spawn(host, images, flavor=small, config_drive=True)
    folder = scene.directory(tmp_path, instance)
    (folder / 'console.log').write_text('before')
    for _ in range(2):
        info = migrate(host, instance, big, devices)
        assert names(tmp_path, instance) == [instance.uuid + '_incoming', instance.uuid + '_resize']
        with pytest.raises(exception.InstanceNotFound):
            host.get_info(instance)
    instance.flavor = big
    for _ in range(2):
        finish(host, instance, info, grown)
        assert state(host, instance) == power_state.RUNNING
        assert names(tmp_path, instance) == [instance.uuid, instance.uuid + '_resize']
    assert {name: size(folder / name, backend) for name in ('disk', 'disk.eph0', 'disk.swap')} == {
        'disk': 2 * GIB, 'disk.eph0': 2 * GIB, 'disk.swap': 32 * MIB}
    found = tree(instance)
    assert (found.findtext('memory'), found.findtext('vcpu')) == (str(256 * 1024), '2')
    assert (folder / 'console.log').read_text() == 'before'
    for _ in range(2):
        host.confirm_migration(None, HERE, instance, [])
        assert names(tmp_path, instance) == [instance.uuid]
        assert state(host, instance) == power_state.RUNNING


def test_resize_and_revert(host, images, tmp_path):
    small, big = samples.flavor(), samples.flavor(root_gb=2, memory_mb=256)
    instance = scene.spawn(host, images, flavor=small)
    info = migrate(host, instance, big)
    instance.flavor = big
    finish(host, instance, info)
    instance.flavor = small
    for _ in range(2):
        host.finish_revert_migration(None, instance, [], HERE, [])
        assert state(host, instance) == power_state.RUNNING
        assert names(tmp_path, instance) == [instance.uuid]
    assert size(scene.directory(tmp_path, instance) / 'disk') == GIB
    assert tree(instance).findtext('memory') == str(128 * 1024)


def test_a_revert_at_any_moment_of_a_migration(host, images, tmp_path, monkeypatch):
    instance = scene.spawn(host, images)
    for place in ('put_aside', 'copy_here', 'take_in', 'grow'):
        files = type(host._files(instance))
        with monkeypatch.context() as patch:
            patch.setattr(files, place, lambda *arguments: 1 / 0)
            with pytest.raises(ZeroDivisionError):
                finish(host, instance, migrate(host, instance, samples.flavor(root_gb=2)))
        host.finish_revert_migration(None, instance, [], HERE, [])
        assert state(host, instance) == power_state.RUNNING
        assert names(tmp_path, instance) == [instance.uuid]


def test_a_migrated_guest_that_was_off_stays_off(host, images):
    instance = scene.spawn(host, images)
    host.power_off(instance)
    finish(host, instance, migrate(host, instance, instance.flavor), power_on=False)
    assert state(host, instance) == power_state.SHUTDOWN
    host.finish_revert_migration(None, instance, [], HERE, [], power_on=False)
    assert state(host, instance) == power_state.SHUTDOWN


@pytest.mark.parametrize('now, then', [
    ({'root_gb': 2}, {'root_gb': 1}), ({'root_gb': 1}, {'root_gb': 0}), ({'ephemeral_gb': 1}, {}),
    ({'root_gb': 2}, {'root_gb': 0})])
def test_disks_do_not_shrink(host, images, tmp_path, now, then):
    instance = scene.spawn(host, images, flavor=samples.flavor(**now))
    with pytest.raises(exception.ResizeError) as caught:
        migrate(host, instance, samples.flavor(**then))
    assert caught.value.message == 'Resize error: Unable to resize disk down.'
    assert state(host, instance) == power_state.RUNNING
    assert names(tmp_path, instance) == [instance.uuid]


def test_a_root_disk_as_large_as_its_image_does_not_shrink(host, images, tmp_path):
    images.add(samples.IMAGE_ID, bytes(2 * GIB // 64), 'raw')
    for root_gb in (0, 1):
        instance = scene.spawn(host, images, flavor=samples.flavor(root_gb=0))
        migrate(host, instance, samples.flavor(root_gb=root_gb))
        assert names(tmp_path, instance) == [instance.uuid + '_incoming', instance.uuid + '_resize']


def test_nobody_goes_back_to_what_a_forgotten_resize_kept(host, images, tmp_path):
    instance = scene.spawn(host, images)
    finish(host, instance, migrate(host, instance, samples.flavor(root_gb=2)))
    instance.flavor = samples.flavor(root_gb=2)
    now = scene.directory(tmp_path, instance) / 'now'
    now.write_text('written since')
    with pytest.raises(exception.ResizeError):
        migrate(host, instance, samples.flavor(root_gb=1))
    host.finish_revert_migration(None, instance, [], HERE, [])
    assert now.exists() and names(tmp_path, instance) == [instance.uuid]
    finish(host, instance, migrate(host, instance, samples.flavor(root_gb=3)))
    assert now.exists()


@pytest.mark.parametrize('finished', [False, True])
def test_destroy_of_a_guest_that_is_being_resized_leaves_nothing(host, images, tmp_path, finished):
    instance = scene.spawn(host, images)
    info = migrate(host, instance, samples.flavor(root_gb=2))
    if finished:
        finish(host, instance, info)
    host.destroy(None, instance, [], [])
    assert names(tmp_path, instance) == []
    assert host.list_instance_uuids() == []


@pytest.fixture
def remote_shell(tmp_path, monkeypatch):
    """Another host that is this one, with its instances elsewhere: what rsync is told to start there runs here."""
    if not shutil.which('rsync'):
        pytest.skip('needs rsync')
    script = tmp_path / 'ssh'
    script.write_text('#!/bin/sh\necho "$1" >>%s\nshift\ncd %s && exec "$@"\n' % (tmp_path / 'asked', tmp_path))
    script.chmod(0o755)
    monkeypatch.setattr(transfer, 'REMOTE_SHELL', str(script))
    return tmp_path / 'asked'


def test_migration_to_another_host(host, make_host, images, tmp_path, remote_shell):
    instance = scene.spawn(host, images, flavor=samples.flavor(swap=16))
    info = migrate(host, instance, samples.flavor(root_gb=2, swap=16), [SWAP], dest='192.0.2.2')
    assert remote_shell.read_text() == '192.0.2.2\n'
    assert names(tmp_path, instance) == [instance.uuid + '_incoming', instance.uuid + '_resize']
    assert host.list_instance_uuids() == [instance.uuid], 'it may be nobody\'s one day'
    # the other host has its own image cache
    elsewhere = tmp_path / 'elsewhere'
    elsewhere.mkdir()
    os.rename(tmp_path / 'instances' / (instance.uuid + '_incoming'), elsewhere / (instance.uuid + '_incoming'))
    other = make_host(instances_path=str(elsewhere))
    instance.flavor = samples.flavor(root_gb=2, swap=16)
    other.finish_migration(None, AWAY, instance, info, [], instance.image_meta, True, [SWAP])
    assert other.list_instance_uuids() == [instance.uuid]
    assert size(elsewhere / instance.uuid / 'disk') == 2 * GIB
    assert disks(instance) == [('disk', 'vda', 'qcow2', '1'), ('disk.swap', 'vdb', 'qcow2', False)]
    domain(instance).destroy()
    host.confirm_migration(None, AWAY, instance, [])
    assert names(tmp_path, instance) == []


def test_a_copy_to_another_host_that_fails_can_be_undone(host, images, tmp_path, remote_shell):
    remote_shell.parent.joinpath('ssh').write_text('#!/bin/sh\nexit 255\n')
    instance = scene.spawn(host, images)
    with pytest.raises(exception.HypervisorError) as caught:
        migrate(host, instance, samples.flavor(root_gb=2), dest='2001:db8::2')
    assert caught.value.message == 'The disks of the instance could not be copied to its new host.'
    host.finish_revert_migration(None, instance, [], AWAY, [])
    assert state(host, instance) == power_state.RUNNING


def test_settings_name_this_host_by_its_address(host):
    assert isinstance(host._settings, settings.Settings) and host._settings.my_ip == '192.0.2.1'
