# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Removing an instance: whatever is there of it, and again."""

import pathlib
import re

import pytest

from nova_lite import exception
from nova_lite.compute import task_states
from nova_lite.compute import vm_states
from nova_lite.compute.tasks import delete
from nova_lite.objects import network
from nova_lite.virt.fake import driver as fake_driver
from tests.unit.compute import doubles

POINTS = re.findall(r"faultpoints\.hit\('([\w.]+)'", pathlib.Path(delete.__file__).read_text())


@pytest.fixture
def uuid(world):
    return world.build(world.order()).uuid


def test_nothing_is_left(world, uuid):
    world.delete(uuid)
    record = world.ended(uuid)
    assert (record.vm_state, record.task_state) == (vm_states.DELETED, None) and record.terminated_at
    assert world.leftovers() == [] and uuid not in world.placement.allocations
    assert world.tracker.used(doubles.HOST) == {'memory_mb': 0, 'vcpus': 0, 'local_gb': 0}
    assert (delete.TERMINATE, 'Success') in world.database.events


@pytest.mark.parametrize('point', POINTS)
def test_an_error_shows_and_the_delete_can_be_repeated(world, uuid, fault, point):
    fault(point, 'once raise something secret')
    world.delete(uuid)
    record = world.ended(uuid)
    assert (record.vm_state, record.task_state) == (vm_states.ERROR, None)
    assert record.fault.message == 'RuntimeError' and 'something secret' in record.fault.details
    assert (delete.TERMINATE, 'Error') in world.database.events and world.database.open_events == []
    world.delete(uuid)
    assert world.ended(uuid).deleted
    assert world.leftovers() == []


def test_there_are_three_points():
    assert POINTS == ['compute.before_destroy', 'compute.after_destroy', 'compute.before_deleted']


def test_messages_that_come_twice(make_world):
    world = make_world(fake_driver.Behaviour(destroy_delay=0.05))
    uuid = world.build(world.order()).uuid
    world.delete(uuid)
    for _ in range(3):
        world.manager.terminate_instance(doubles.new_context(), uuid)
    assert world.ended(uuid).deleted
    world.manager.terminate_instance(doubles.new_context(), uuid)
    world.ended(uuid)
    assert world.database.transitions.count('deleted') == 1 and world.leftovers() == []


def test_a_message_for_a_server_that_nobody_deletes_does_nothing(world, uuid):
    world.manager.terminate_instance(doubles.new_context(), uuid)
    assert world.ended(uuid).vm_state == vm_states.ACTIVE
    assert world.driver.list_instance_uuids() == [uuid]


def test_a_message_for_another_hosts_server_does_nothing(world, uuid):
    world.record(uuid).host = 'host2'
    world.delete(uuid)
    assert world.ended(uuid).task_state == task_states.DELETING
    assert world.driver.list_instance_uuids() == [uuid]


def test_placement_that_is_away_delays_nothing(world, uuid):
    world.placement.away = True
    world.delete(uuid)
    assert world.ended(uuid).deleted
    world.placement.away = False
    world.manager._update_available_resource()
    assert uuid not in world.placement.allocations


def test_a_network_that_is_away_fails_the_delete(world, uuid):
    world.network.unreachable = True
    world.delete(uuid)
    assert world.ended(uuid).vm_state == vm_states.ERROR
    world.network.unreachable = False
    world.delete(uuid)
    assert world.ended(uuid).deleted and world.leftovers() == []


def test_a_guest_whose_record_is_gone_already(world, uuid):
    world.record(uuid).deleted = True
    world.manager.terminate_instance(doubles.new_context(), uuid)
    doubles.wait_for(lambda: not world.driver.list_instance_uuids())
    assert uuid not in world.tracker.instance_uuids()


def test_the_users_port_of_a_build_that_never_ended(world):
    request = world.order(host=doubles.HOST)
    world.database.requests[request.instance.uuid].requested_networks = [network.NetworkRequest(port_id='mine')]
    world.network.ports.update(mine=request.instance.uuid, made=request.instance.uuid)
    world.delete(request.instance.uuid)
    world.ended(request.instance.uuid)
    assert world.network.ports == {'mine': ''}


def test_somebody_else_finished_it(world, uuid):
    world.database.before_answer['block_devices_get'] = lambda: world.database._move(uuid, 'deleted', {}, None, None)
    world.delete(uuid)
    world.ended(uuid)
    assert world.database.transitions.count('deleted') == 1 and not world.tracker.instance_uuids()


def test_a_driver_that_cannot(make_world):
    world = make_world(fake_driver.Behaviour(fail_destroy_probability=1.0))
    uuid = world.build(world.order()).uuid
    world.delete(uuid)
    record = world.ended(uuid)
    assert record.vm_state == vm_states.ERROR
    assert record.fault.message == exception.HypervisorError(operation='remove the guest', reason='chance').message
