# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Resize on one host, there and back, with the real tracker and the fake driver."""

import dataclasses
import uuid as uuid_module

import pytest

from nova_lite import context
from nova_lite.compute import power_state
from nova_lite.compute.tasks import orphans
from nova_lite.objects import block_device
from nova_lite.objects import flavor
from nova_lite.objects import migration as migration_obj
from nova_lite.virt import block_device as virt_block_device
from tests.unit.compute import doubles

HOST = doubles.HOST
LARGER = flavor.Flavor(id=2, flavorid='2', name='m1.small', memory_mb=1024, vcpus=2, root_gb=2)


@pytest.fixture
def uuid(world):
    world.manager.init_host()
    return world.build(world.order()).uuid


def migration_of(world, uuid, **fields):
    record = world.record(uuid)
    values = {'source_compute': HOST, 'source_node': HOST, 'dest_compute': HOST, 'dest_node': HOST,
              'old_vm_state': record.vm_state, 'status': 'pre-migrating', 'project_id': 'p', 'user_id': 'u', **fields}
    return migration_obj.Migration(uuid=str(uuid_module.uuid4()), instance_uuid=uuid, migration_type='resize',
                                   old_flavor=record.flavor, new_flavor=LARGER, **values)


def place(world, migration, flavor):
    instance = dataclasses.replace(world.record(migration.instance_uuid), flavor=flavor, node=HOST)
    world.database.places = [migration_obj.Place(migration_uuid=migration.uuid, instance=instance)]


def resize(world, uuid, **fields):
    migration = migration_of(world, uuid, **fields)
    allocations = world.placement.allocations
    allocations[migration.uuid], allocations[uuid] = allocations[uuid], {'MEMORY_MB': 1024}
    record = world.operate(uuid, 'resize', data={
        'migration': migration, 'dest_node': HOST, 'limits': {}, 'allocation': {'MEMORY_MB': 1024}},
        migration=migration)
    return record, migration


def states(record):
    return record.vm_state, record.task_state


def used(world):
    return world.tracker.used(HOST)['memory_mb']


def test_there_and_confirmed(world, uuid):
    record, migration = resize(world, uuid)
    assert states(record) == ('resized', None)
    assert (record.flavor.flavorid, record.host, record.power_state) == ('2', HOST, power_state.RUNNING)
    assert used(world) == 128 + 1024, 'both are kept until it is confirmed'
    place(world, migration, migration.old_flavor)
    world.tracker.update_available_resource(context.admin_context())
    assert used(world) == 128 + 1024
    record = world.operate(uuid, 'confirm_resize', migration=migration)
    world.database.places = []
    assert states(record) == ('active', None)
    world.tracker.update_available_resource(context.admin_context())
    assert used(world) == 1024
    assert world.placement.allocations == {uuid: {'MEMORY_MB': 1024}}
    assert world.driver._guests.uuids() == [uuid]
    assert world.leftovers() == []


def test_there_and_back(world, uuid):
    _, migration = resize(world, uuid)
    record = world.operate(uuid, 'revert_resize', migration=migration)
    assert states(record) == ('active', None)
    assert record.flavor.flavorid == '1'
    world.tracker.update_available_resource(context.admin_context())
    assert used(world) == 128
    assert world.placement.allocations == {uuid: {'VCPU': 1}}
    assert world.driver._guests.uuids() == [uuid]


def test_swap_and_ephemeral_disk_are_those_of_the_flavor(world, uuid, monkeypatch):
    def sizes(swap, ephemeral):
        return [dataclasses.replace(device, volume_size=size) for device, size in (
            (block_device.BlockDeviceMapping(boot_index=0, uuid='root'), None),
            (block_device.BlockDeviceMapping(source_type='blank', guest_format='swap', uuid='swap'), swap),
            (block_device.BlockDeviceMapping(source_type='blank', uuid='ephemeral'), ephemeral)) if size != 0]
    before = sizes(16, 1)
    world.record(uuid).flavor = dataclasses.replace(world.record(uuid).flavor, swap=16, ephemeral_gb=1)
    monkeypatch.setitem(globals(), 'LARGER', dataclasses.replace(LARGER, swap=32, ephemeral_gb=2))
    world.database.devices[uuid] = before
    _, migration = resize(world, uuid)
    assert world.database.devices[uuid] == sizes(32, 2)
    world.operate(uuid, 'revert_resize', migration=migration)
    assert world.database.devices[uuid] == before
    monkeypatch.setattr(world.driver, 'finish_migration', lambda *args, **kwargs: 1 / 0)
    resize(world, uuid)
    assert world.database.devices[uuid] == before


def test_a_flavor_without_swap_has_none():
    small, large = (dataclasses.replace(LARGER, swap=size) for size in (0, 64))
    devices = [block_device.BlockDeviceMapping(source_type='blank', guest_format='swap', volume_size=64),
               block_device.BlockDeviceMapping(source_type='volume', destination_type='volume', volume_size=64)]
    assert virt_block_device.for_flavor(devices, large, small) == devices[1:]


def test_a_server_that_was_off_stays_off(world, uuid):
    world.operate(uuid, 'stop')
    record, migration = resize(world, uuid)
    assert record.power_state == power_state.SHUTDOWN
    assert states(world.operate(uuid, 'revert_resize', migration=migration)) == ('stopped', None)
    _, migration = resize(world, uuid)
    assert states(world.operate(uuid, 'confirm_resize', migration=migration)) == ('stopped', None)


def test_no_room_at_the_destination(world, uuid):
    migration = migration_of(world, uuid)
    world.placement.allocations[migration.uuid] = world.placement.allocations.pop(uuid)
    record = world.operate(uuid, 'resize', data={
        'migration': migration, 'dest_node': HOST, 'limits': {'memory_mb': 512}, 'allocation': {}},
        migration=migration)
    assert states(record) == ('active', None)
    assert 'Insufficient compute resources' in record.fault.message
    assert world.placement.allocations == {uuid: {'VCPU': 1}}, 'given back to the instance'
    assert world.driver.get_info(record).state == power_state.RUNNING
    assert used(world) == 128
    assert world.leftovers() == []


@pytest.mark.parametrize('method', ['migrate_disk_and_power_off', 'finish_migration'])
def test_a_driver_that_fails(world, uuid, monkeypatch, method):
    def fail(*args, **kwargs):
        raise RuntimeError('disk on fire')
    monkeypatch.setattr(world.driver, method, fail)
    record, migration = resize(world, uuid)
    assert states(record) == ('active', None)
    assert record.flavor.flavorid == '1' and record.fault.message == 'RuntimeError'
    assert world.driver.get_info(record).state == power_state.RUNNING
    assert world.placement.allocations == {uuid: {'VCPU': 1}}
    assert world.driver._guests.uuids() == [uuid]


@pytest.mark.parametrize('operation, method, end', [
    ('confirm_resize', 'confirm_migration', 'active'), ('revert_resize', 'finish_revert_migration', 'active')])
def test_what_fails_can_be_asked_for_again(world, uuid, monkeypatch, operation, method, end):
    _, migration = resize(world, uuid)

    def fail(*args, **kwargs):
        raise RuntimeError('disk on fire')
    with monkeypatch.context() as patch:
        patch.setattr(world.driver, method, fail)
        record = world.operate(uuid, operation, migration=migration)
    assert states(record) == ('resized', None) and record.fault.message == 'RuntimeError'
    assert states(world.operate(uuid, operation, migration=migration)) == (end, None)


def test_the_guest_of_the_way_back_is_no_orphan(world, uuid):
    _, migration = resize(world, uuid)
    world.record(uuid).host = 'host2'
    place(world, migration, migration.old_flavor)
    orphans.find_and_reap(world.tools, [])
    assert world.driver.list_instance_uuids() == [uuid]
    world.database.places = []
    orphans.find_and_reap(world.tools, [])
    assert world.driver.list_instance_uuids() == []
