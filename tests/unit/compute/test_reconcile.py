# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""What nova-compute finds when it starts: deletes and builds cut short, strangers, guests that stopped meanwhile."""

import pytest

from nova_lite import exception
from nova_lite.compute import manager
from nova_lite.compute import power_state
from nova_lite.compute import task_states
from nova_lite.compute import vm_states
from nova_lite.compute.tasks import build
from nova_lite.objects import network
from nova_lite.virt.fake import driver as fake_driver
from tests.unit.compute import doubles


def start_again(world):
    world.restart()
    world.manager.init_host()


def half_built(world, task_state):
    """A build that a kill cut short: with a guest and a port, whatever its task_state says."""
    uuid = world.build(world.order()).uuid
    record = world.record(uuid)
    record.vm_state, record.task_state = vm_states.BUILDING, task_state
    world.database.open_events += [build.WHOLE, build.SPAWN]
    world.database.rescheduled.clear()
    return uuid


@pytest.mark.parametrize('task_state, step', [
    (None, '_do_build_and_run_instance'), (task_states.NETWORKING, '_build_networks_for_instance'),
    (task_states.BLOCK_DEVICE_MAPPING, '_prep_block_device'), (task_states.SPAWNING, 'spawn')])
def test_a_build_cut_short_is_undone_and_handed_back(world, task_state, step):
    uuid = half_built(world, task_state)
    start_again(world)
    [(instance_uuid, host, fault, retry)] = world.database.rescheduled
    assert (instance_uuid, host, retry) == (uuid, doubles.HOST, True)
    assert 'nova-compute was restarted during step %s' % step in fault.message
    assert world.leftovers() == [] and (build.WHOLE, 'Error') in world.database.events
    assert world.database.failed_requests == ['req-first'], 'it belongs to the request that began it'


def test_a_build_whose_order_is_lost_ends_in_error(world):
    uuid = half_built(world, task_states.SPAWNING)
    world.database.requests.clear()
    start_again(world)
    record = world.record(uuid)
    assert (record.vm_state, record.task_state) == (vm_states.ERROR, None)
    assert 'restarted during step spawn' in record.fault.message
    assert world.driver.list_instance_uuids() == [] and not world.network.ports


def test_the_users_port_of_a_build_cut_short_is_unbound(world):
    uuid = half_built(world, task_states.NETWORKING)
    world.record(uuid).network_info = []
    world.network.ports = {'mine': uuid, 'made': uuid}
    world.database.requests[uuid].requested_networks = [network.NetworkRequest(port_id='mine')]
    start_again(world)
    assert world.network.ports == {'mine': ''}


def test_a_delete_cut_short_is_finished(world):
    uuid = world.build(world.order()).uuid
    world.database._move(uuid, 'delete_requested', {}, None, None)
    start_again(world)
    assert world.record(uuid).deleted and world.leftovers() == [] and uuid not in world.placement.allocations


def test_a_delete_of_a_failed_server_is_finished(world):
    uuid = world.order(vm_state=vm_states.ERROR, task_state=task_states.DELETING, host=doubles.HOST).instance.uuid
    start_again(world)
    assert world.record(uuid).deleted


def test_guests_without_a_server_of_this_host_are_removed(world):
    deleted, moved, own = (world.build(world.order(name)).uuid for name in ('deleted', 'moved', 'own'))
    world.record(deleted).deleted = True
    world.record(moved).host = 'host2'
    start_again(world)
    assert world.driver.list_instance_uuids() == [own]
    assert world.record(own).vm_state == vm_states.ACTIVE


@pytest.mark.parametrize('action', ['log', 'noop'])
def test_guests_without_a_server_may_be_left(make_world, action):
    world = make_world(running_deleted_instance_action=action)
    uuid = world.build(world.order()).uuid
    world.record(uuid).deleted = True
    start_again(world)
    world.manager._cleanup_running_deleted_instances()
    assert world.driver.list_instance_uuids() == [uuid]


def test_the_periodic_look_removes_strangers_and_leaves_builds(make_world):
    world = make_world(fake_driver.Behaviour(spawn_delay=0.05))
    stranger = world.build(world.order()).uuid
    world.record(stranger).deleted = True
    request = world.order()
    world.manager.build_and_run_instance(doubles.new_context(), request)
    doubles.wait_for(lambda: world.record(request.instance.uuid).task_state == task_states.SPAWNING)
    world.manager._cleanup_running_deleted_instances()
    assert stranger not in world.driver.list_instance_uuids()
    assert world.ended(request.instance.uuid).vm_state == vm_states.ACTIVE


def test_a_guest_that_stopped_meanwhile(world):
    uuid = world.build(world.order()).uuid
    world.driver.set_power_state(uuid, power_state.SHUTDOWN)
    start_again(world)
    assert (world.record(uuid).vm_state, world.record(uuid).power_state) == (vm_states.STOPPED, power_state.SHUTDOWN)


def test_one_broken_record_does_not_stop_the_others(world, monkeypatch):
    broken, cut_short = world.build(world.order()).uuid, half_built(world, None)
    get_info = fake_driver.FakeDriver.get_info

    def breaks(self, instance):
        if instance.uuid == broken:
            raise RuntimeError('broken')
        return get_info(self, instance)
    monkeypatch.setattr(fake_driver.FakeDriver, 'get_info', breaks)
    start_again(world)
    assert [item[0] for item in world.database.rescheduled] == [cut_short]
    assert world.record(broken).vm_state == vm_states.ACTIVE


def test_a_network_that_is_away_does_not_keep_a_build_here(world):
    uuid = half_built(world, task_states.SPAWNING)
    world.network.unreachable = True
    start_again(world)
    assert [item[0] for item in world.database.rescheduled] == [uuid]
    assert world.leftovers() == ['port of %s' % uuid]


def test_it_waits_for_conductor_and_placement(world, monkeypatch):
    monkeypatch.setattr(manager, 'FIRST_PAUSE', 0.01)
    waited = []

    def somebody_comes(seconds):
        waited.append(seconds)
        world.database.away = len(waited) < 5
        world.placement.away = len(waited) < 10
    world.database.away = world.placement.away = True
    world.conductor._patience = 0
    world.restart()
    monkeypatch.setattr(manager.concurrency, 'sleep', somebody_comes)
    world.manager.init_host()
    assert len(waited) >= 10 and world.placement.updates == 2


def test_no_heartbeat_before_the_host_is_in_order(world):
    assert 'service_report' not in world.database.calls
    world.manager.report()
    assert world.database.calls[-1] == 'service_report'


def test_a_lost_heartbeat_raises_nothing(world):
    world.database.away = True
    world.manager.report()


def test_stopping_lets_builds_end(make_world):
    world = make_world(fake_driver.Behaviour(spawn_delay=0.05))
    request = world.order()
    world.manager.build_and_run_instance(doubles.new_context(), request)
    world.manager.stop()
    assert world.record(request.instance.uuid).vm_state == vm_states.ACTIVE


@pytest.mark.parametrize('error', [exception.HypervisorError(operation='connect', reason='no socket'), OSError('full')])
def test_it_waits_for_the_hypervisor(world, monkeypatch, error):
    monkeypatch.setattr(manager, 'FIRST_PAUSE', 0.01)
    world.restart()
    init_host, tries = world.driver.init_host, []

    def comes_late(host):
        tries.append(host)
        if len(tries) < 3:
            raise error
        init_host(host)
    monkeypatch.setattr(world.driver, 'init_host', comes_late)
    world.manager.init_host()
    assert len(tries) == 3
