# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""The fake hypervisor: guests that outlive the service, delays and faults on demand; and how a driver is found."""

import dataclasses
import pathlib
import time

import pytest

from nova_lite import exception
from nova_lite.compute import power_state
from nova_lite.image import glance
from nova_lite.objects import block_device
from nova_lite.objects import image_meta
from nova_lite.virt import driver as virt_driver
from nova_lite.virt import loader
from nova_lite.virt.fake import driver as fake_driver
from nova_lite.virt.fake import guests
from nova_lite.virt.fake import lifecycle
from tests.unit.compute import doubles


def new_driver(directory, host='h', **behaviour):
    made = fake_driver.FakeDriver(directory, fake_driver.Behaviour(**behaviour))
    made.init_host(host)
    return made


def spawn(driver, **fields):
    instance = doubles.new_instance(**fields)
    driver.spawn(None, virt_driver.SpawnRequest(
        instance=instance, image=image_meta.ImageMeta(id='i', name='cirros'), network_info=[], block_devices=[]))
    return instance


def test_guests_outlive_the_driver(tmp_path):
    first = new_driver(tmp_path)
    kept, gone = spawn(first), spawn(first)
    first.set_power_state(kept.uuid, power_state.SHUTDOWN)
    first.destroy(None, gone, [], [])
    second = new_driver(tmp_path)
    assert second.list_instance_uuids() == [kept.uuid]
    assert second.get_info(kept).state == power_state.SHUTDOWN
    with pytest.raises(exception.InstanceNotFound):
        second.get_info(gone)
    assert new_driver(tmp_path, 'other').list_instance_uuids() == []


def test_a_journal_cut_short_by_a_kill(tmp_path):
    instance = spawn(new_driver(tmp_path))
    journal = tmp_path / 'h.journal'
    journal.write_text(journal.read_text() + '{"uuid": "cut')
    again = new_driver(tmp_path)
    assert again.list_instance_uuids() == [instance.uuid]
    spawn(again)
    assert len(guests.load(journal)) == 2


def test_the_journal_is_short_after_a_start(tmp_path):
    driver = new_driver(tmp_path)
    for _ in range(50):
        driver.destroy(None, spawn(driver), [], [])
    assert len((tmp_path / 'h.journal').read_text().splitlines()) == 100
    new_driver(tmp_path)
    assert (tmp_path / 'h.journal').read_text() == ''


def test_destroy_again_is_fine(tmp_path):
    driver = new_driver(tmp_path)
    instance = spawn(driver)
    for _ in range(3):
        driver.destroy(None, instance, [], [])
    assert driver.list_instance_uuids() == []


@pytest.mark.parametrize('behaviour, fields', [
    ({'fail_spawn_probability': 1.0}, {}), ({'fail_spawn_hosts': ('h',)}, {}),
    ({'fail_spawn_pattern': '^bad'}, {'name': 'bad-one'}), ({'fail_spawn_pattern': 'cirros'}, {})])
def test_faults(tmp_path, behaviour, fields):
    driver = new_driver(tmp_path, **behaviour)
    with pytest.raises(exception.HypervisorError):
        spawn(driver, **fields)
    assert driver.list_instance_uuids() == []


def test_faults_of_others(tmp_path):
    driver = new_driver(tmp_path, fail_spawn_hosts=('other',), fail_spawn_pattern='^bad')
    instance = spawn(driver, name='good')
    assert driver.list_instance_uuids() == [instance.uuid]


def test_delays(tmp_path):
    driver = new_driver(tmp_path, spawn_delay=0.05, destroy_delay=0.05)
    started = time.monotonic()
    instance = spawn(driver)
    spawned = time.monotonic()
    driver.destroy(None, instance, [], [])
    assert 0.05 <= spawned - started < 1 and 0.05 <= time.monotonic() - spawned < 1


OPERATIONS = {
    'power_off': lambda driver, instance: driver.power_off(instance),
    'power_on': lambda driver, instance: driver.power_on(None, instance, [], []),
    'reboot': lambda driver, instance: driver.reboot(None, instance, [], 'HARD', []),
    'pause': lambda driver, instance: driver.pause(instance),
    'unpause': lambda driver, instance: driver.unpause(instance),
    'suspend': lambda driver, instance: driver.suspend(None, instance),
    'resume': lambda driver, instance: driver.resume(None, instance, [], []),
    'rescue': lambda driver, instance: driver.rescue(None, instance, [], None, 'secret', []),
    'unrescue': lambda driver, instance: driver.unrescue(None, instance, [], []),
    'snapshot': lambda driver, instance: snapshot(driver, instance),
    'set_admin_password': lambda driver, instance: driver.set_admin_password(instance, 'secret'),
    'trigger_crash_dump': lambda driver, instance: driver.trigger_crash_dump(instance),
    'get_diagnostics': lambda driver, instance: driver.get_diagnostics(instance),
    'get_instance_diagnostics': lambda driver, instance: driver.get_instance_diagnostics(instance),
    'migrate_disk_and_power_off': lambda driver, instance: driver.migrate_disk_and_power_off(
        None, instance, None, instance.flavor, [], []),
    'finish_migration': lambda driver, instance: driver.finish_migration(
        None, None, instance, {}, [], None, True, []),
    'finish_revert_migration': lambda driver, instance: driver.finish_revert_migration(None, instance, [], None, []),
    'confirm_migration': lambda driver, instance: driver.confirm_migration(None, None, instance, []),
}


def snapshot(driver, instance):
    with driver.snapshot(None, instance, []) as copy:
        assert pathlib.Path(copy.path).exists()
    assert not pathlib.Path(copy.path).exists()


@pytest.mark.parametrize('operation', OPERATIONS)
def test_an_operation_twice_and_with_a_fault(tmp_path, operation):
    instance = spawn(new_driver(tmp_path))
    broken = new_driver(tmp_path, fail_operations={operation: 1.0})
    before = broken.get_info(instance)
    with pytest.raises(exception.HypervisorError):
        OPERATIONS[operation](broken, instance)
    assert broken.get_info(instance) == before
    driver = new_driver(tmp_path)
    for _ in range(2):
        OPERATIONS[operation](driver, instance)
    driver.destroy(None, instance, [], [])
    assert new_driver(tmp_path)._guests.uuids() == []


def test_every_operation_is_tried():
    assert set(OPERATIONS) == {name for name in vars(lifecycle.Lifecycle) if not name.startswith('_')}


def test_states_of_a_guest(tmp_path):
    driver = new_driver(tmp_path)
    instance = spawn(driver)
    for operation, state in (('pause', power_state.PAUSED), ('unpause', power_state.RUNNING),
                             ('suspend', power_state.SHUTDOWN), ('resume', power_state.RUNNING),
                             ('power_off', power_state.SHUTDOWN), ('power_on', power_state.RUNNING)):
        OPERATIONS[operation](driver, instance)
        assert driver.get_info(instance).state == state
    driver.power_off(instance)
    for operation in ('pause', 'unpause', 'suspend', 'get_diagnostics'):
        with pytest.raises(exception.InstanceNotRunning):
            OPERATIONS[operation](driver, instance)


def test_a_guest_between_two_flavors_is_listed_still(tmp_path):
    driver = new_driver(tmp_path)
    instance = spawn(driver)
    OPERATIONS['migrate_disk_and_power_off'](driver, instance)
    assert driver.list_instance_uuids() == driver.list_traces()[0] == [instance.uuid], 'it may be nobody\'s one day'
    OPERATIONS['finish_revert_migration'](driver, instance)
    assert driver.list_instance_uuids() == [instance.uuid]
    with pytest.raises(exception.ResizeError):
        driver.migrate_disk_and_power_off(None, instance, None, dataclasses.replace(instance.flavor, root_gb=0), [], [])


def test_device_names(tmp_path):
    driver = new_driver(tmp_path)
    devices = [block_device.BlockDeviceMapping(boot_index=0, device_name='/dev/vda'),
               block_device.BlockDeviceMapping(), block_device.BlockDeviceMapping(device_name='/dev/vdb'),
               block_device.BlockDeviceMapping()]
    driver.default_device_names_for_instance(None, '/dev/vda', devices)
    assert [bdm.device_name for bdm in devices] == ['/dev/vda', '/dev/vdc', '/dev/vdb', '/dev/vdd']


def test_a_directory_that_cannot_be_written(tmp_path):
    (tmp_path / 'file').write_text('')
    with pytest.raises(exception.HypervisorError):
        new_driver(tmp_path / 'file' / 'fake')


def test_by_configuration(conf, tmp_path):
    conf.set_override('state_path', str(tmp_path))
    conf.set_override('vcpus', 3, 'fake')
    conf.set_override('fail_spawn_hosts', ['h'], 'fake')
    conf.set_override('fail_operations', {'reboot': 0.5}, 'fake')
    driver = loader.load('fake.FakeDriver', conf, glance.API(None))
    driver.init_host('h')
    assert driver.get_available_resource('h').vcpus == 3 and (tmp_path / 'fake' / 'h.journal').exists()
    with pytest.raises(exception.HypervisorError):
        spawn(driver)
    same = loader.load('nova_lite.virt.fake.driver.FakeDriver', conf, None)
    assert isinstance(same, fake_driver.FakeDriver)


@pytest.mark.parametrize('name', ['fake.NoDriver', 'nothing.Driver', 'FakeDriver', '', 'no.such.module.Driver'])
def test_no_such_driver(conf, name):
    with pytest.raises(loader.DriverNotUsable) as caught:
        loader.load(name, conf, None)
    assert name in str(caught.value)
