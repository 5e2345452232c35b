# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Live migration and evacuation as one host of the two does them: what it leaves, and what it gives up."""

import dataclasses

import pytest

from nova_lite import context
from nova_lite import exception
from nova_lite.compute import power_state
from nova_lite.objects import migration as migration_obj
from tests.unit.compute import doubles
from tests.unit.compute import test_resize

HOST, OTHER = doubles.HOST, 'host2'


@pytest.fixture
def uuid(world):
    world.manager.init_host()
    return world.build(world.order()).uuid


def begin(world, uuid, name, migration, **data):
    allocations = world.placement.allocations
    allocations[migration.uuid], allocations[uuid] = allocations[uuid], {'MEMORY_MB': 128}
    order = world.request(uuid, name, data={
        'migration': migration, 'dest_node': HOST, 'limits': {}, 'allocation': {'MEMORY_MB': 128}, **data},
        migration=migration)
    world.manager.run_operation(doubles.new_context(), uuid, order.uuid)
    world.operated(uuid, order)
    return order


def goes(world, uuid):
    return dataclasses.replace(test_resize.migration_of(world, uuid), new_flavor=world.record(uuid).flavor,
                               dest_compute=OTHER, dest_node=OTHER, migration_type=migration_obj.LIVE_MIGRATION)


def carry_on(world, uuid, order, step):
    """The other host has done a step."""
    order.host, order.step = HOST, step
    world.manager.run_operation(doubles.new_context(), uuid, order.uuid)
    return world.operated(uuid, order)


def test_the_guest_leaves(world, uuid):
    migration = goes(world, uuid)
    order = begin(world, uuid, 'live_migrate', migration)
    assert (order.host, order.step) == (OTHER, 'check_can_live_migrate')
    carry_on(world, uuid, order, 'pre_live_migration')
    assert (order.host, order.step) == (OTHER, 'migrate_ports')
    assert world.driver.list_instance_uuids() == []
    order.data['power_state'] = power_state.RUNNING
    record = carry_on(world, uuid, order, 'post_live_migration_at_destination')
    assert (record.vm_state, record.task_state, record.host, record.power_state) == (
        'active', None, OTHER, power_state.RUNNING)
    assert world.placement.allocations == {uuid: {'MEMORY_MB': 128}}
    assert world.tracker.instance_uuids() == set()
    assert set(world.network.bound.values()) == {OTHER}


def test_one_that_is_aborted_runs_on(world, uuid, monkeypatch):
    order = begin(world, uuid, 'live_migrate', goes(world, uuid))

    def copy(*args):
        world.manager.abort_live_migration(None, uuid, order.uuid, 7)
        doubles.manager.concurrency.sleep(5)
    monkeypatch.setattr(world.driver, 'live_migration', copy)
    carry_on(world, uuid, order, 'pre_live_migration')
    assert (order.host, order.undoing, order.data['aborted']) == (OTHER, True, True)
    assert order.fault.message == 'Live migration 7 was aborted.'
    record = carry_on(world, uuid, order, 'check_can_live_migrate')
    assert (record.vm_state, record.task_state, record.host) == ('active', None, HOST)
    assert world.driver.get_info(record).state == power_state.RUNNING
    assert world.placement.allocations == {uuid: {'VCPU': 1}}


def test_a_crash_after_the_guest_has_left(world, uuid):
    order = begin(world, uuid, 'live_migrate', goes(world, uuid))
    world.driver._guests.remove(uuid)
    order.host, order.step = HOST, 'live_migration'
    world.restart()
    world.manager.init_host()
    world.operated(uuid, order)
    assert (order.host, order.step, order.undoing) == (OTHER, 'migrate_ports', False)


def test_hurried_on(world, uuid):
    world.manager.force_live_migration(doubles.new_context(), uuid)
    doubles.wait_for(lambda: uuid in world.driver._hurried)
    reports = []
    world.driver.live_migration(None, world.record(uuid), OTHER, [], [], reports.append)
    assert reports == [] and world.driver.list_instance_uuids() == []
    with pytest.raises(exception.InstanceNotFound):
        world.driver.live_migration_force_complete(world.record(uuid))


def comes(world, uuid):
    """A server whose guest was on the other host, which is down."""
    world.driver._guests.remove(uuid)
    world.tracker.free(uuid)
    world.record(uuid).host = OTHER
    return dataclasses.replace(test_resize.migration_of(world, uuid), new_flavor=world.record(uuid).flavor,
                               source_compute=OTHER, source_node=OTHER, migration_type=migration_obj.EVACUATION)


@pytest.mark.parametrize('off, state, power', [
    (False, 'active', power_state.RUNNING), (True, 'stopped', power_state.SHUTDOWN)])
def test_an_evacuated_guest_is_made_anew(world, uuid, off, state, power):
    begin(world, uuid, 'evacuate', comes(world, uuid), off=off)
    record = world.record(uuid)
    assert (record.vm_state, record.task_state, record.host, record.power_state) == (state, None, HOST, power)
    assert world.driver.get_info(record).state == power
    assert world.placement.allocations == {uuid: {'MEMORY_MB': 128}}
    assert set(world.network.bound.values()) == {HOST}
    world.tracker.update_available_resource(context.admin_context())
    assert world.tracker.used(HOST)['memory_mb'] == 128


def test_one_that_cannot_be_made_stays_where_it_was(world, uuid, monkeypatch):
    def fail(*args):
        raise exception.ImageNotFound(image_id='image-1')
    monkeypatch.setattr(world.driver, 'spawn', fail)
    begin(world, uuid, 'evacuate', comes(world, uuid))
    record = world.record(uuid)
    assert (record.vm_state, record.task_state, record.host) == ('active', None, OTHER)
    assert record.fault.message == 'Image image-1 could not be found.'
    assert world.driver.list_instance_uuids() == [] and world.tracker.used(HOST)['memory_mb'] == 0
    assert world.placement.allocations == {uuid: {'VCPU': 1}}
    assert set(world.network.bound.values()) == {OTHER}
