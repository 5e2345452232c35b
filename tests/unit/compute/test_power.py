# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Records follow what the hypervisor says of the guests, but never while somebody works on them."""

import pytest

from nova_lite.compute import manager
from nova_lite.compute import power_state
from nova_lite.compute import task_states
from nova_lite.compute import vm_states
from nova_lite.compute.tasks import power
from tests.unit.compute import doubles


@pytest.fixture
def uuid(world, monkeypatch):
    monkeypatch.setattr(manager, 'DEBOUNCE', 0.02)
    return world.build(world.order()).uuid


def state(world, uuid):
    record = world.record(uuid)
    return record.vm_state, record.task_state, record.power_state


def test_a_guest_that_shuts_itself_down_and_is_started_behind_our_back(world, uuid):
    world.driver.set_power_state(uuid, power_state.SHUTDOWN)
    doubles.wait_for(lambda: state(world, uuid) == (vm_states.STOPPED, None, power_state.SHUTDOWN), 2)
    world.driver.set_power_state(uuid, power_state.RUNNING)
    doubles.wait_for(lambda: state(world, uuid) == (vm_states.ACTIVE, None, power_state.RUNNING), 2)


def test_a_reboot_is_no_stop(world, uuid):
    world.driver.set_power_state(uuid, power_state.SHUTDOWN)
    world.driver.set_power_state(uuid, power_state.RUNNING)
    doubles.wait_for(lambda: not world.manager._events and not world.tools.locks.held(uuid))
    assert 'guest_stopped' not in world.database.transitions


def test_not_while_a_task_is_under_way(world, uuid):
    world.record(uuid).task_state = task_states.DELETING
    world.driver.set_power_state(uuid, power_state.SHUTDOWN)
    doubles.wait_for(lambda: not world.manager._events)
    world.manager._sync_power_states()
    assert state(world, uuid) == (vm_states.ACTIVE, task_states.DELETING, power_state.RUNNING)


def test_not_while_somebody_holds_the_lock(world, uuid):
    world.driver.set_power_state(uuid, power_state.SHUTDOWN)
    with world.tools.locks.hold(uuid):
        power.sync(world.tools, uuid)
    assert state(world, uuid)[0] == vm_states.ACTIVE


def test_only_differences_cost_a_call(world, uuid):
    world.database.calls.clear()
    world.manager._sync_power_states()
    assert world.database.calls == ['instance_get_all_by_host']


def test_a_paused_guest_changes_the_power_state_only(world, uuid):
    world.driver.set_power_state(uuid, power_state.PAUSED)
    world.manager._sync_power_states()
    assert state(world, uuid) == (vm_states.ACTIVE, None, power_state.PAUSED)


def test_a_guest_that_is_gone_is_an_error(world, uuid):
    world.driver.destroy(None, world.record(uuid), [], [])
    world.manager._sync_power_states()
    assert state(world, uuid) == (vm_states.ERROR, None, power_state.NOSTATE)
    assert world.record(uuid).fault.message == power.LOST
    world.manager._sync_power_states()
    assert world.database.transitions.count('guest_lost') == 1


def test_an_event_for_a_server_that_is_gone_does_nothing(world, uuid):
    world.record(uuid).deleted = True
    world.driver.set_power_state(uuid, power_state.SHUTDOWN)
    doubles.wait_for(lambda: not world.manager._events and not world.tools.locks.held(uuid))
    assert 'guest_stopped' not in world.database.transitions


def test_events_can_be_switched_off(make_world, monkeypatch):
    monkeypatch.setattr(manager, 'DEBOUNCE', 0.01)
    world = make_world(handle_lifecycle_events=False)
    uuid = world.build(world.order()).uuid
    world.driver.set_power_state(uuid, power_state.SHUTDOWN)
    manager.concurrency.sleep(0.05)
    assert state(world, uuid)[0] == vm_states.ACTIVE
