# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Another password, an interrupt, counters: what is done inside a guest that runs, with the fake driver."""

import pytest

from nova_lite import exception
from nova_lite.compute.tasks import diagnostics
from tests.unit.compute import doubles


@pytest.fixture
def uuid(world):
    return world.build(world.order()).uuid


def test_a_password_is_handed_to_the_guest(world, uuid, monkeypatch):
    told = []
    monkeypatch.setattr(world.driver, 'set_admin_password', lambda instance, password: told.append(password))
    record = world.operate(uuid, 'set_admin_password', password='new')
    assert told == ['new']
    assert (record.vm_state, record.task_state, record.fault) == ('active', None, None)
    assert ('compute_set_admin_password', 'Success') in world.database.events
    assert world.leftovers() == []


def test_a_guest_that_does_not_take_the_password_goes_on(world, uuid, monkeypatch):
    def refuse(instance, password):
        raise exception.InstancePasswordSetFailed(instance=instance.uuid, reason='the agent does not answer')
    monkeypatch.setattr(world.driver, 'set_admin_password', refuse)
    record = world.operate(uuid, 'set_admin_password', password='new')
    assert (record.vm_state, record.task_state) == ('active', None)
    assert 'the agent does not answer' in record.fault.message and 'new' not in record.fault.message


def test_an_interrupt(world, uuid):
    assert world.operate(uuid, 'trigger_crash_dump').vm_state == 'active'
    assert ('compute_trigger_crash_dump', 'Success') in world.database.events


def test_an_interrupt_of_a_guest_that_is_off(world, uuid):
    world.driver.power_off(world.record(uuid))
    record = world.operate(uuid, 'trigger_crash_dump')
    assert 'is not running' in record.fault.message
    assert world.leftovers() == []


@pytest.mark.parametrize('versioned, field', [(False, 'cpu0_time'), (True, 'cpu_details')])
def test_counters(world, uuid, versioned, field):
    assert field in diagnostics.get_diagnostics(world.tools, world.record(uuid), versioned)


def test_no_counters_of_a_guest_that_is_off(world, uuid):
    world.driver.power_off(world.record(uuid))
    with pytest.raises(exception.InstanceInvalidState) as caught:
        diagnostics.get_diagnostics(world.tools, world.record(uuid), False)
    assert "Cannot 'get_diagnostics'" in caught.value.message and 'power state shutdown' in caught.value.message
    with pytest.raises(exception.InstanceInvalidState):
        diagnostics.get_diagnostics(world.tools, doubles.new_instance(), False)


def test_a_reset_server_leaves_nothing_under_way(world, uuid):
    order = world.request(uuid, 'set_admin_password', password='new')
    world.record(uuid).task_state = None
    order.abandoned = order.undoing = True
    order.fault = doubles.instance_obj.InstanceFault(code=500, message='The state of the server was reset.')
    world.manager.run_operation(doubles.new_context(), uuid, order.uuid)
    world.operated(uuid, order)
    assert world.leftovers() == []
