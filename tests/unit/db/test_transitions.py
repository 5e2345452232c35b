# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""State changes: each starts from the states of the table and no others, from the host that has the build, and once."""

import itertools
import threading
import uuid

import pytest

from nova_lite import exception
from nova_lite.compute import task_states
from nova_lite.compute import transitions
from nova_lite.compute import vm_states
from nova_lite.db import actions
from nova_lite.db import block_devices
from nova_lite.db import build_requests
from nova_lite.db import instances
from nova_lite.db import models
from nova_lite.objects import instance as instance_obj
from tests.fixtures import records
from tests.fixtures import sql

TASK_STATES = (*task_states.BUILD, task_states.DELETING)
STATES = list(itertools.product(sorted(vm_states.ALL - {vm_states.DELETED}), TASK_STATES))
FAULT = instance_obj.InstanceFault(code=500, message='It broke.', details='on host1')


def put(db, uuid_, vm_state, task_state, host='host1'):
    records.set_columns(db, uuid_, vm_state=vm_state, task_state=task_state, host=host, scheduled_host='host1')


def values_for(event):
    return {'host': 'host1', 'node': 'host1'} if event == 'build_started' else {}


# ---- the table -----------------------------------------------------------------------------------------------

@pytest.mark.parametrize('event', transitions.TRANSITIONS)
def test_an_event_starts_from_the_states_of_the_table_and_no_others(db, instance, event):
    rule = transitions.get(event)
    for vm_state, task_state in STATES:
        put(db, instance.uuid, vm_state, task_state)
        records.set_columns(db, instance.uuid, deleted=False)
        if rule.allows(vm_state, task_state):
            after = instances.transition(db, instance.uuid, event, values_for(event))
            assert (after.vm_state, after.task_state) == rule.target(vm_state, task_state)
            continue
        kind = (exception.UnexpectedDeletingTaskStateError if task_state == task_states.DELETING
                else exception.UnexpectedTaskStateError)
        with pytest.raises(exception.UnexpectedTaskStateError) as caught:
            instances.transition(db, instance.uuid, event, values_for(event))
        assert type(caught.value) is kind
        assert repr(vm_state) in caught.value.message and repr(task_state) in caught.value.message
        kept = instances.get(db, instance.uuid)
        assert (kept.vm_state, kept.task_state) == (vm_state, task_state)


@pytest.mark.parametrize('event', transitions.TRANSITIONS)
def test_a_deleted_instance_stays_deleted(db, instance, event):
    instances.request_delete(db, instance.uuid, records.user_context())
    instances.transition(db, instance.uuid, 'deleted')
    kind = (exception.InstanceNotFound if event in ('delete_requested', 'deleted')
            else exception.UnexpectedDeletingTaskStateError)
    with pytest.raises(kind):
        instances.transition(db, instance.uuid, event, values_for(event))
    assert instances.get(db, instance.uuid, read_deleted=True).vm_state == vm_states.DELETED


@pytest.mark.parametrize('event', transitions.TRANSITIONS)
def test_an_unknown_instance(db, event):
    with pytest.raises(exception.InstanceNotFound):
        instances.transition(db, str(uuid.uuid4()), event, values_for(event))


def test_an_unknown_event(db, instance):
    with pytest.raises(exception.InvalidTransition):
        instances.transition(db, instance.uuid, 'exploded')


# ---- whose build it is ---------------------------------------------------------------------------------------

def test_a_build_starts_on_the_chosen_host_only(db, ctxt, instance):
    values = {'host': 'host1', 'node': 'host1'}
    with pytest.raises(exception.UnexpectedTaskStateError):
        instances.transition(db, instance.uuid, 'build_started', values)
    request = records.chosen(db, ctxt)
    with pytest.raises(exception.UnexpectedTaskStateError):
        instances.transition(db, request.instance.uuid, 'build_started', {'host': 'host2', 'node': 'host2'})
    after = instances.transition(db, request.instance.uuid, 'build_started', values)
    assert (after.host, after.task_state) == ('host1', None)
    again = instances.transition(db, request.instance.uuid, 'build_started', values, token='another')
    assert again.host == 'host1', 'the same host may begin again, after a restart'


@pytest.mark.parametrize('event, state', [
    ('networking', None), ('block_device_mapping', task_states.NETWORKING),
    ('spawning', task_states.BLOCK_DEVICE_MAPPING), ('build_finished', task_states.SPAWNING)])
def test_steps_of_a_host_that_lost_the_build_do_not_count(db, ctxt, on_host, event, state):
    uuid_ = on_host('host1').uuid
    put(db, uuid_, vm_states.BUILDING, state)
    with pytest.raises(exception.UnexpectedTaskStateError):
        instances.transition(db, uuid_, event, step=records.step(ctxt, 'host2'))
    instances.transition(db, uuid_, event, step=records.step(ctxt, 'host1'))


def test_a_build_fails_for_the_host_that_has_it_only(db, ctxt):
    request = records.chosen(db, ctxt, 'host1')
    for host in (None, 'host2'):
        with pytest.raises(exception.UnexpectedTaskStateError):
            instances.fail_build(db, request, host, records.step(ctxt), FAULT)
    after = instances.fail_build(db, request, 'host1', records.step(ctxt), FAULT)
    assert (after.vm_state, after.task_state, after.host, after.network_info) == (vm_states.ERROR, None, None, [])
    assert instances.get(db, after.uuid).fault.message == 'It broke.'
    assert records.column(db, after.uuid, 'release_pending')


def test_a_host_hands_a_build_on_once(db, ctxt):
    request = records.chosen(db, ctxt, 'host1')
    instances.transition(db, request.instance.uuid, 'build_started', {'host': 'host1', 'node': 'n'})
    instances.update(db, request.instance.uuid, {'network_info': [records.vif('10.0.0.5')]})
    request.filter_properties['retry'] = {'num_attempts': 1, 'hosts': [['host1', 'n']]}
    after = instances.take_from_host(db, request, 'host1', 'new claim', records.step(ctxt))
    assert (after.task_state, after.host, after.node, after.network_info) == (task_states.SCHEDULING, None, None, [])
    assert [records.column(db, after.uuid, name) for name in ('scheduled_by', 'scheduled_host')] == ['new claim', None]
    assert build_requests.get(db, after.uuid).filter_properties == request.filter_properties
    with pytest.raises(exception.UnexpectedTaskStateError):
        instances.take_from_host(db, request, 'host1', 'newer claim', records.step(ctxt))


# ---- messages that come twice --------------------------------------------------------------------------------

def test_the_same_token_answers_the_same_and_does_nothing(db, ctxt, on_host):
    uuid_ = on_host().uuid
    step = records.step(ctxt, begin=['compute_allocate_network'])
    first = instances.transition(db, uuid_, 'networking', {'progress': 10}, step, token='t1')
    again = instances.transition(db, uuid_, 'networking', {'progress': 10}, step, token='t1')
    assert again == first
    assert len(actions.open_events(db, uuid_)) == 1
    with pytest.raises(exception.UnexpectedTaskStateError):
        instances.transition(db, uuid_, 'networking', {}, step, token='t2')


def test_a_repeated_event_that_may_start_where_it_ends_runs_once(db, ctxt):
    uuid_ = records.chosen(db, ctxt).instance.uuid
    step = records.step(ctxt, begin=['x'])
    for _ in range(3):
        instances.transition(db, uuid_, 'build_started', {'host': 'host1', 'node': 'n'}, step, token='t')
    assert actions.open_events(db, uuid_) == ['x']


def test_a_late_answer_does_not_hide_a_delete(db, ctxt, on_host):
    uuid_ = on_host().uuid
    instances.transition(db, uuid_, 'networking', token='t1')
    instances.request_delete(db, uuid_, ctxt)
    with pytest.raises(exception.UnexpectedDeletingTaskStateError):
        instances.transition(db, uuid_, 'block_device_mapping', token='t3')


def test_of_many_at_once_one_succeeds(db, on_host):
    uuid_, results = on_host().uuid, []

    def attempt(token):
        try:
            instances.transition(db, uuid_, 'networking', token=token)
            results.append('moved')
        except exception.UnexpectedTaskStateError:
            results.append('refused')
    threads = [threading.Thread(target=attempt, args=[str(number)]) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(results) == ['moved'] + ['refused'] * 7


# ---- what goes with a change ---------------------------------------------------------------------------------

def test_values_are_saved_with_it(db, on_host):
    uuid_ = on_host().uuid
    put(db, uuid_, vm_states.BUILDING, task_states.SPAWNING)
    vif = records.vif('10.0.0.5')
    after = instances.transition(db, uuid_, 'build_finished', {
        'power_state': 1, 'network_info': [vif], 'launched_at': '2026-01-02T03:04:05.000006'})
    assert (after.power_state, after.network_info, after.launched_at.microsecond) == (1, [vif], 6)
    assert instances.get(db, uuid_) == after


@pytest.mark.parametrize('field', ['vm_state', 'task_state', 'deleted', 'uuid', 'id', 'state_token', 'nonsense'])
def test_what_is_not_free_to_set_is_refused(db, instance, field):
    for change in (lambda: instances.update(db, instance.uuid, {field: 'x'}),
                   lambda: instances.transition(db, instance.uuid, 'delete_requested', {field: 'x'})):
        with pytest.raises(exception.Invalid, match=field):
            change()


@pytest.mark.parametrize('event', ['build_finished', 'build_failed', 'deleted'])
def test_the_end_of_a_build_removes_the_order_and_closes_all_events(db, ctxt, on_host, event):
    uuid_ = on_host().uuid
    instances.update(db, uuid_, {}, records.step(ctxt, begin=['a', 'b']))
    put(db, uuid_, vm_states.BUILDING, task_states.DELETING if event == 'deleted' else task_states.SPAWNING)
    instances.transition(db, uuid_, event)
    assert build_requests.get(db, uuid_) is None
    assert [records.column(db, uuid_, name) for name in ('scheduled_by', 'scheduled_host', 'host_since')] == [None] * 3
    action = actions.get(db, uuid_, ctxt.request_id)
    success = event == 'build_finished'
    assert {item.result for item in action.events} == {'Success' if success else 'Error'}
    assert action.finish_time and action.message == (None if success else 'Error')


def test_a_delete(db, ctxt, on_host):
    uuid_ = on_host().uuid
    mine = records.user_context()
    instances.update(db, uuid_, {}, records.step(ctxt, begin=['compute_driver_spawn']))
    assert instances.request_delete(db, uuid_, mine).task_state == task_states.DELETING
    instances.update(db, uuid_, {}, records.step(mine, begin=['compute_terminate_instance']))
    after = instances.transition(db, uuid_, 'deleted', step=records.step(mine, action_done=True))
    assert after.deleted and after.deleted_at and after.terminated_at
    with pytest.raises(exception.InstanceNotFound):
        instances.get(db, uuid_)
    assert block_devices.get_all(db, uuid_) == []
    delete, create = actions.list_(db, uuid_)
    assert (delete.action, delete.message, create.action, create.message) == ('delete', None, 'create', 'Error')
    assert [event.result for event in actions.get(db, uuid_, mine.request_id).events] == ['Success']
    assert [event.result for event in actions.get(db, uuid_, ctxt.request_id).events] == ['Error']


def test_a_delete_can_be_asked_for_again(db, instance):
    for _ in range(3):
        assert instances.request_delete(db, instance.uuid, records.user_context()).task_state == 'deleting'
    instances.transition(db, instance.uuid, 'delete_failed', fault=FAULT)
    assert instances.get(db, instance.uuid).vm_state == vm_states.ERROR
    assert instances.request_delete(db, instance.uuid, records.user_context()).task_state == 'deleting'


@pytest.mark.parametrize('scheduled_by, scheduled_host, pending', [
    (None, None, False), ('claim', None, True), ('claim', 'host1', False)])
def test_a_delete_while_a_host_is_chosen_remembers_that_a_claim_may_come(
        db, instance, scheduled_by, scheduled_host, pending):
    records.set_columns(db, instance.uuid, scheduled_by=scheduled_by, scheduled_host=scheduled_host,
                        task_state=task_states.DELETING)
    instances.transition(db, instance.uuid, 'deleted')
    assert records.column(db, instance.uuid, 'release_pending') is pending


# ---- what it costs -------------------------------------------------------------------------------------------

def cost(db, function):
    with sql.statements(db) as seen:
        function()
    return len(seen)


def test_statements_of_a_boot_are_few(db, ctxt):
    made = records.build_requests(1, ctxt)
    assert cost(db, lambda: instances.create(db, made, ctxt)) == 5
    assert cost(db, lambda: instances.create(db, records.build_requests(10, ctxt), ctxt)) == 5
    uuid_ = records.chosen(db, ctxt).instance.uuid

    def move(event, values=None, **step):
        return cost(db, lambda: instances.transition(db, uuid_, event, values, records.step(ctxt, **step), token=event))
    assert move('build_started', {'host': 'host1', 'node': 'n'}, begin=['whole', 'claim']) == 3
    assert move('networking', begin=['network'], end=['claim']) == 4
    assert move('block_device_mapping', begin=['devices'], end=['network']) == 4
    assert move('spawning', begin=['spawn'], end=['devices']) == 4
    assert move('build_finished', end=['spawn', 'whole'], action_done=True) == 5
    assert cost(db, lambda: instances.get(db, uuid_)) == 1
    assert cost(db, lambda: instances.request_delete(db, uuid_, ctxt)) == 3
    assert records.count_rows(db, models.build_requests) == 11
