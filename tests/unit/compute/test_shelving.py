# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Shelving and bringing back: what host, ports, image and records hold after it, and after each failure on the way."""

import pytest

from nova_lite import exception
from nova_lite.compute import power_state
from nova_lite.compute import vm_states
from nova_lite.virt.fake import driver as fake_driver
from tests.unit.compute import doubles
from tests.unit.compute_api import doubles as services

OFFLOADED, SHELVED, ACTIVE = vm_states.SHELVED_OFFLOADED, vm_states.SHELVED, vm_states.ACTIVE


@pytest.fixture
def uuid(world):
    """A server on a host that offloads at once."""
    return world.build(world.order()).uuid


@pytest.fixture
def keeper(make_world):
    """A World whose host keeps what is shelved."""
    return make_world(shelved_offload_time=-1)


def new_image(world):
    return world.glance.add(status='queued', size=None, disk_format=None, container_format=None, visibility='shared')


def states(record):
    return record.vm_state, record.task_state


def shelve(world, uuid):
    image_id = new_image(world)
    return world.operate(uuid, 'shelve', image_id=image_id), image_id


def wanted(world, uuid):
    """unshelve_offloaded, as the conductor hands it to this host."""
    order = world.request(uuid, 'unshelve_offloaded')
    order.data = {'dest_host': doubles.HOST, 'dest_node': doubles.HOST, 'limits': {}}
    world.placement.allocations[uuid] = {'VCPU': 1}
    return order


def bring_back(world, uuid):
    order = wanted(world, uuid)
    world.manager.run_operation(doubles.new_context(), uuid, order.uuid)
    return world.operated(uuid, order)


def guests(world):
    return set(world.driver.list_instance_uuids())


def ports_of(world, uuid):
    return [port for port, owner in world.network.ports.items() if owner == uuid]


def check_offloaded(world, uuid, image_id):
    record = world.record(uuid)
    assert states(record) == (OFFLOADED, None)
    assert (record.host, record.node) == (None, None)
    assert record.system_metadata['shelved_image_id'] == image_id
    assert record.network_info, 'its addresses stay'
    assert [world.network.bound[port] for port in ports_of(world, uuid)] == ['']
    assert world.glance.images[image_id]['status'] == 'active'
    assert uuid not in world.placement.allocations and uuid not in world.tracker.instance_uuids()
    assert guests(world) == set()


def check_active(world, uuid):
    record = world.record(uuid)
    assert states(record) == (ACTIVE, None) and record.power_state == power_state.RUNNING
    assert (record.host, record.node) == (doubles.HOST, doubles.HOST)
    assert not [key for key in record.system_metadata if key.startswith('shelved')]
    assert guests(world) == {uuid} and uuid in world.tracker.instance_uuids()
    assert world.leftovers() == []


def test_its_host_forgets_it_at_once(world, uuid):
    _, image_id = shelve(world, uuid)
    check_offloaded(world, uuid, image_id)
    assert world.database.transitions[-5:] == [
        'shelve_requested', 'shelving_image_pending_upload', 'shelving_image_uploading', 'shelving_offloading',
        'shelve_offloaded']
    assert world.record(uuid).system_metadata['shelved_host'] == doubles.HOST
    assert ('compute_shelve_instance', 'Success') in world.database.events
    assert ('compute_shelve_offload_instance', 'Success') in world.database.events


@pytest.mark.parametrize('vm_state', ['active', 'stopped', 'paused', 'suspended'])
def test_its_host_keeps_it_for_a_while(keeper, vm_state):
    uuid = keeper.build(keeper.order()).uuid
    keeper.record(uuid).vm_state = vm_state
    record, image_id = shelve(keeper, uuid)
    assert states(record) == (SHELVED, None) and record.host == doubles.HOST
    assert record.system_metadata['shelved_image_id'] == image_id
    assert keeper.glance.images[image_id]['status'] == 'active'
    assert guests(keeper) == {uuid} and uuid in keeper.placement.allocations
    assert record.power_state == (power_state.SHUTDOWN if vm_state in ('active', 'paused') else power_state.RUNNING)
    assert states(keeper.operate(uuid, 'unshelve')) == (ACTIVE, None)
    check_active(keeper, uuid)
    assert keeper.glance.images == {}


def test_it_can_be_offloaded_later(keeper):
    uuid = keeper.build(keeper.order()).uuid
    _, image_id = shelve(keeper, uuid)
    keeper.operate(uuid, 'shelve_offload')
    check_offloaded(keeper, uuid, image_id)


def test_a_server_on_a_volume_has_no_image(keeper):
    uuid = keeper.build(keeper.order()).uuid
    record = keeper.operate(uuid, 'shelve', image_id=None)
    assert states(record) == (OFFLOADED, None), 'nothing is gained by keeping it'
    assert keeper.glance.images == {} and record.system_metadata['shelved_image_id'] is None
    bring_back(keeper, uuid)
    check_active(keeper, uuid)


@pytest.mark.parametrize('vm_state', ['active', 'paused', 'stopped'])
def test_a_copy_that_fails_leaves_all_as_it_was(world, uuid, vm_state):
    if vm_state == 'stopped':
        world.operate(uuid, 'stop')
    elif vm_state == 'paused':
        world.operate(uuid, 'pause')
    before = world.record(uuid).power_state
    world.glance.fails, world.glance.failures = '^PUT', [services.Reply(503)]
    record, image_id = shelve(world, uuid)
    assert states(record) == (vm_state, None) and 'does not answer' in record.fault.message
    assert (record.power_state, record.host) == (before, doubles.HOST)
    assert world.glance.images == {} and world.leftovers() == []


def test_an_offload_that_fails_leaves_it_shelved(world, uuid, monkeypatch):
    monkeypatch.setattr(world.driver, 'destroy', lambda *args: (_ for _ in ()).throw(
        exception.HypervisorError('The hypervisor does not let go.')))
    record, image_id = shelve(world, uuid)
    assert states(record) == (SHELVED, None) and record.host == doubles.HOST
    assert record.system_metadata['shelved_image_id'] == image_id
    assert world.glance.images[image_id]['status'] == 'active', 'the only copy that may be left'
    monkeypatch.undo()
    world.operate(uuid, 'shelve_offload')
    check_offloaded(world, uuid, image_id)


@pytest.mark.parametrize('broken', ['bind_to_host', 'delete_allocation_for_instance'])
def test_an_offload_that_fails_when_the_guest_is_gone_is_finished(world, uuid, monkeypatch, broken):
    once = [exception.ServiceUnreachable(service='it', reason='once')]
    door = world.network if broken == 'bind_to_host' else world.placement
    real = getattr(door, broken)
    monkeypatch.setattr(door, broken, lambda *args: (_ for _ in ()).throw(once.pop()) if once else real(*args))
    record, image_id = shelve(world, uuid)
    check_offloaded(world, uuid, image_id)
    assert 'does not answer' in record.fault.message
    bring_back(world, uuid)
    check_active(world, uuid)


def test_an_offload_that_fails_for_good_can_be_repeated(world, uuid):
    world.network.unreachable = True
    record, image_id = shelve(world, uuid)
    assert states(record) == (SHELVED, None) and record.host == doubles.HOST
    world.network.unreachable = False
    world.operate(uuid, 'shelve_offload')
    check_offloaded(world, uuid, image_id)


def test_a_shelving_that_is_given_up_before_it_begins_leaves_no_image(world, uuid):
    order = world.request(uuid, 'shelve', image_id=new_image(world))
    world.database._move(uuid, 'operation_undone', {}, None, None)
    order.abandoned, order.undoing = True, True
    order.fault = doubles.instance_obj.InstanceFault(code=500, message='down')
    world.restart()
    world.manager.init_host()
    world.operated(uuid, order)
    assert world.glance.images == {} and guests(world) == {uuid}


@pytest.mark.parametrize('step', ['power_off', 'snapshot', 'shelve_offload', 'release'])
def test_a_crash_in_any_step_is_gone_on_from(world, uuid, step):
    image_id = new_image(world)
    order = world.request(uuid, 'shelve', image_id=image_id)
    order.step, order.data = step, {'network_info': world.record(uuid).network_info}
    if step in ('shelve_offload', 'release'):
        world.glance.images[image_id]['status'] = 'active'
        marks = {'system_metadata': {'shelved_image_id': image_id}}
        world.database._move(uuid, 'shelving_offloading', marks, None, None)
    world.restart()
    world.manager.init_host()
    world.operated(uuid, order)
    if step == 'release':
        assert states(world.record(uuid)) == (OFFLOADED, None)
    else:
        check_offloaded(world, uuid, image_id)


def test_a_delete_in_the_middle_leaves_no_image(world, uuid):
    image_id = new_image(world)
    order = world.request(uuid, 'shelve', image_id=image_id)
    world.database.before_answer['instance_transition'] = lambda: world.database._move(
        uuid, 'delete_requested', {}, None, None)
    world.manager.run_operation(doubles.new_context(), uuid, order.uuid)
    world.operated(uuid, order)
    assert world.driver.get_info(world.record(uuid)).state == power_state.SHUTDOWN, 'it is not started once more'
    world.manager.terminate_instance(doubles.new_context(), uuid)
    world.ended(uuid)
    assert world.glance.images == {} and world.leftovers() == []


# ---- and back ------------------------------------------------------------------------------------------------

def test_it_comes_back(world, uuid):
    shelve(world, uuid)
    bring_back(world, uuid)
    check_active(world, uuid)
    assert world.glance.images == {}
    assert [world.network.bound[port] for port in ports_of(world, uuid)] == [doubles.HOST]
    assert ('compute_unshelve_instance', 'Success') in world.database.events


def test_an_image_that_cannot_be_deleted_stays(world, uuid):
    _, image_id = shelve(world, uuid)
    world.glance.images[image_id]['protected'] = True
    bring_back(world, uuid)
    check_active(world, uuid)
    assert image_id in world.glance.images


@pytest.mark.parametrize('trouble', ['spawn', 'image', 'network'])
def test_a_failure_leaves_it_offloaded_and_it_can_be_tried_again(make_world, trouble):
    world = make_world(fake_driver.Behaviour())
    uuid = world.build(world.order(name='server')).uuid
    _, image_id = shelve(world, uuid)
    image = world.glance.images[image_id]
    if trouble == 'spawn':
        world.driver._behaviour = fake_driver.Behaviour(fail_spawn_probability=1)
    elif trouble == 'image':
        del world.glance.images[image_id]
    else:
        world.network.unreachable = True
    record = bring_back(world, uuid)
    assert record.fault.message
    assert states(record) == (OFFLOADED, None) or trouble == 'network'
    world.driver._behaviour, world.network.unreachable = fake_driver.Behaviour(), False
    world.glance.images[image_id] = image
    if trouble == 'network':
        return
    check_offloaded(world, uuid, image_id)
    bring_back(world, uuid)
    check_active(world, uuid)


@pytest.mark.parametrize('step', ['instance_claim', 'bind_ports', 'spawn'])
def test_a_crash_on_the_way_back_leaves_it_offloaded(world, uuid, step):
    _, image_id = shelve(world, uuid)
    order = wanted(world, uuid)
    order.step = step
    world.restart()
    world.manager.init_host()
    world.operated(uuid, order)
    check_offloaded(world, uuid, image_id)
    bring_back(world, uuid)
    check_active(world, uuid)


def test_no_room_on_the_host(world, uuid, monkeypatch):
    _, image_id = shelve(world, uuid)

    def full(*args):
        raise exception.ComputeResourcesUnavailable(reason='full')
    monkeypatch.setattr(world.tracker, 'instance_claim', full)
    assert 'full' in bring_back(world, uuid).fault.message
    check_offloaded(world, uuid, image_id)


def test_what_was_given_up_takes_nothing_from_another_host(world, uuid):
    _, image_id = shelve(world, uuid)
    order = wanted(world, uuid)
    order.step, order.abandoned, order.undoing = 'spawn', True, True
    order.fault = doubles.instance_obj.InstanceFault(code=500, message='down')
    world.database._move(uuid, 'operation_undone', {}, None, None)
    world.network.bound = dict.fromkeys(ports_of(world, uuid), 'host2')
    world.restart()
    world.manager.init_host()
    world.operated(uuid, order)
    assert uuid in world.placement.allocations
    assert set(world.network.bound.values()) == {'host2'}
    assert guests(world) == set()


def test_the_conductor_is_asked_for_what_was_shelved_long_ago(make_world):
    asked = []
    for seconds in (-1, 0, 100):
        world = make_world(shelved_offload_time=seconds)
        world.database.offload_old_shelved = lambda ctxt, host, seconds: asked.append((host, seconds))
        for name, interval, function in world.manager.periodic_tasks():
            if name == '_poll_shelved_instances' and interval:
                function()
    assert asked == [(doubles.HOST, 0), (doubles.HOST, 100)]
