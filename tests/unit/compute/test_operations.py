# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Operations on built servers, carried out and undone: with a real manager and fake driver, and invented operations."""

import pytest

from nova_lite import exception
from nova_lite.compute import operations
from nova_lite.compute import transitions
from nova_lite.compute.tasks import steps
from nova_lite.compute.tasks.operations import operation
from nova_lite.compute.tasks.operations import registry
from tests.unit.compute import doubles

OTHER = 'host2'


class Crash(BaseException):
    """The process ends."""


class Invented(operation.ServerOperation):
    """Three steps that note what is done; `trouble` is what the step of that name raises, once."""

    event, notification, finished = 'compute_invented', 'invented', 'stopped'
    log, trouble, hosts = [], {}, {}

    def steps(self):
        return [self._step(name) for name in ('first', 'second', 'third')]

    def _step(self, name):
        on = (lambda: self.hosts[name]) if name in self.hosts else None
        return steps.Step(name, lambda: self._do(name), lambda exc: self._note('undo ' + name), on=on)

    def _do(self, name):
        self._note(name)
        self.data[name] = 'known'
        if name in self.trouble:
            raise self.trouble.pop(name)

    def _note(self, what):
        self.log.append(what)
        if what in self.trouble:
            raise self.trouble[what]


@pytest.fixture
def invented(monkeypatch):
    """The operation `invented`, which begins and ends as stop does."""
    monkeypatch.setitem(registry.OPERATIONS, 'invented', Invented)
    monkeypatch.setitem(operations.SPECS, 'invented', operations.Spec('stop_requested', 'invented'))
    monkeypatch.setattr(Invented, 'log', [])
    monkeypatch.setattr(Invented, 'trouble', {})
    monkeypatch.setattr(Invented, 'hosts', {})
    return Invented


@pytest.fixture
def uuid(world):
    return world.build(world.order()).uuid


def states(record):
    return record.vm_state, record.task_state


def test_there_is_a_class_for_every_operation():
    assert set(registry.OPERATIONS) == set(operations.SPECS)


@pytest.mark.parametrize('name', sorted(operations.SPECS))
def test_the_states_of_every_operation_fit_together(name):
    made = registry.OPERATIONS[name]
    requested, finished = (transitions.get(event) for event in (operations.SPECS[name].requested, made.finished))
    during = {requested.target(vm, None) for vm in requested.vm_states}
    for vm_state, task_state in during:
        undone = transitions.get(made.undone)
        assert undone.allows(vm_state, task_state)
        assert undone.target(vm_state, task_state)[1] is None, 'nothing is under way afterwards'
    assert finished.to_task is (None if requested.to_task else transitions.KEEP)
    assert made.event.startswith('compute_')


def test_all_steps_in_order(world, uuid, invented):
    assert states(world.operate(uuid, 'invented')) == ('stopped', None)
    assert invented.log == ['first', 'second', 'third']
    assert ('compute_invented', 'Success') in world.database.events
    assert [event for _, event, _ in world.legacy.sent[-2:]] == [
        'compute.instance.invented.start', 'compute.instance.invented.end']
    assert world.leftovers() == []


def test_a_step_that_fails_is_undone_with_those_before_it(world, uuid, invented):
    invented.trouble['second'] = RuntimeError('secret')
    record = world.operate(uuid, 'invented')
    assert states(record) == ('active', None)
    assert invented.log == ['first', 'second', 'undo second', 'undo first']
    assert record.fault.message == 'RuntimeError' and 'secret' in record.fault.details
    assert ('compute_invented', 'Error') in world.database.events
    assert world.legacy.sent[-1][1] == 'compute.instance.invented.error'
    assert world.leftovers() == []


def test_what_cannot_be_undone_ends_in_error(world, uuid, invented):
    invented.trouble |= {'second': RuntimeError('x'), 'undo first': RuntimeError('y')}
    assert states(world.operate(uuid, 'invented')) == ('error', None)
    assert invented.log.count('undo first') == steps.UNDO_TRIES
    assert world.leftovers() == []


def crash(world, uuid, invented, step):
    """Begin the operation and have the process end in a step. :returns: the Operation"""
    order = world.request(uuid, 'invented')
    order.step, order.data = step, {'first': 'known'}
    world.database.open_events.append('compute_invented')
    return order


def test_after_a_crash_it_goes_on_where_it_was(world, uuid, invented):
    order = crash(world, uuid, invented, 'second')
    world.restart()
    world.manager.init_host()
    assert states(world.operated(uuid, order)) == ('stopped', None)
    assert invented.log == ['second', 'third']
    assert ('compute_invented', 'Success') in world.database.events
    assert world.leftovers() == []


def test_after_a_crash_what_cannot_go_on_is_undone(world, uuid, invented, monkeypatch):
    monkeypatch.setitem(operations.SPECS, 'invented', operations.Spec('stop_requested', 'invented', resumes=False))
    order = crash(world, uuid, invented, 'second')
    world.restart()
    world.manager.init_host()
    record = world.operated(uuid, order)
    assert states(record) == ('active', None)
    assert invented.log == ['undo second', 'undo first']
    assert 'restarted during step second' in record.fault.message
    assert world.leftovers() == []


def test_the_same_message_again_does_nothing(world, uuid, invented):
    order = world.request(uuid, 'invented')
    for _ in range(2):
        world.manager.run_operation(doubles.new_context(), uuid, order.uuid)
    world.operated(uuid, order)
    world.manager.run_operation(doubles.new_context(), uuid, order.uuid)
    world.operated(uuid, order)
    assert invented.log == ['first', 'second', 'third']


def test_a_delete_in_the_middle_undoes_it_quietly(world, uuid, invented):
    order = world.request(uuid, 'invented')
    invented.trouble['second'] = exception.OperationFailed(operation='x', reason='y')
    world.database._move(uuid, 'delete_requested', {}, None, None)
    world.manager.run_operation(doubles.new_context(), uuid, order.uuid)
    record = world.operated(uuid, order)
    assert states(record) == ('active', 'deleting')
    assert 'undo first' in invented.log


def test_past_its_deadline_it_is_undone(world, uuid, invented):
    order = crash(world, uuid, invented, 'second')
    world.manager.abort_operation(doubles.new_context(), uuid, order.uuid)
    record = world.operated(uuid, order)
    assert states(record) == ('active', None)
    assert 'did not finish in time' in record.fault.message
    assert invented.log == ['undo second', 'undo first']


def test_a_step_of_another_host_is_left_to_it(world, uuid, invented):
    invented.hosts['second'] = OTHER
    order = world.request(uuid, 'invented')
    world.manager.run_operation(doubles.new_context(), uuid, order.uuid)
    world.operated(uuid, order)
    assert invented.log == ['first']
    assert (order.host, order.step, order.data) == (OTHER, 'first', {'first': 'known'})
    world.manager.run_operation(doubles.new_context(), uuid, order.uuid)    # a late message
    world.operated(uuid, order)
    assert invented.log == ['first']
    order.host, order.step = doubles.HOST, 'second'     # the other one hands it back
    world.manager.run_operation(doubles.new_context(), uuid, order.uuid)
    assert states(world.operated(uuid, order)) == ('stopped', None)
    assert invented.log == ['first', 'third']


def test_undoing_goes_back_over_the_hosts(world, uuid, invented):
    invented.hosts['second'] = OTHER
    order = crash(world, uuid, invented, 'second')
    order.host = doubles.HOST
    invented.trouble['third'] = exception.OperationFailed(operation='x', reason='y')
    world.manager.run_operation(doubles.new_context(), uuid, order.uuid)
    world.operated(uuid, order)
    assert invented.log == ['third', 'undo third']
    assert order.host == OTHER and order.undoing and order.step == 'second'
    order.host, order.step = doubles.HOST, 'first'      # the other one has undone its step
    world.manager.run_operation(doubles.new_context(), uuid, order.uuid)
    assert states(world.operated(uuid, order)) == ('active', None)
    assert invented.log[-1] == 'undo first'
    assert world.leftovers() == []


def test_what_was_given_up_while_the_host_was_away_is_cleaned_up(world, uuid, invented):
    order = crash(world, uuid, invented, 'second')
    world.database._move(uuid, 'operation_undone', {}, None, None)
    order.abandoned, order.undoing = True, True
    order.fault = world.database.instances[uuid].fault or doubles.instance_obj.InstanceFault(code=500, message='down')
    world.restart()
    world.manager.init_host()
    assert states(world.operated(uuid, order)) == ('active', None)
    assert invented.log == ['undo second', 'undo first']
    world.database.open_events.clear()
    assert world.leftovers() == []


def test_what_a_delete_elsewhere_did_not_see_goes_when_the_operation_ends(world, uuid, invented, monkeypatch):
    order = world.request(uuid, 'invented')
    monkeypatch.setattr(invented, 'forget', lambda self: self._note('forget'))

    def deleted_elsewhere(exc):
        record = world.database.instances[uuid]
        record.vm_state, record.deleted = 'deleted', True
        raise exc
    monkeypatch.setattr(invented, '_do', lambda self, name: deleted_elsewhere(exception.InstanceNotFound(
        instance_id=uuid)) if name == 'second' else self._note(name))
    world.manager.run_operation(doubles.new_context(), uuid, order.uuid)
    doubles.wait_for(lambda: 'forget' in invented.log)
    assert uuid not in world.driver.list_instance_uuids()
