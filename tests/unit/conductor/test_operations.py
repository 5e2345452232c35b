# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Operations on built servers past their time: sent again, aborted, or given up with their host; by a turned clock."""

import uuid

import pytest

from nova_lite import exception
from nova_lite.compute import operations
from nova_lite.conductor import manager
from nova_lite.conductor.tasks import sweep
from nova_lite.db import actions
from nova_lite.db import instances
from nova_lite.db import operations as operations_db
from nova_lite.objects import action as action_obj
from nova_lite.objects import operation as operation_obj
from tests.fixtures import records
from tests.unit.conductor import conftest


@pytest.fixture
def pass_time(tools, clock, beat):
    """pass_time(seconds, up=hosts): let it pass, then sweep once."""
    def forward(seconds, up=conftest.HOSTS):
        clock.forward(seconds)
        if up:
            beat(*up)
        sweep.run(tools)
        assert tools.pool.raised == []
    return forward


@pytest.fixture
def order(tools, ctxt, beat):
    """A stop that was recorded for an active server on host1, and whose message got lost."""
    beat(*conftest.HOSTS)
    built = records.building(tools.db, ctxt, 'host1')
    for event in ('networking', 'block_device_mapping', 'spawning', 'build_finished'):
        instances.transition(tools.db, built.uuid, event, step=action_obj.StepReport(
            host='host1', request_id=ctxt.request_id))
    asked = records.user_context()
    made = operation_obj.Operation(uuid=str(uuid.uuid4()), instance_uuid=built.uuid, name='stop', host='host1',
                                   request_id=asked.request_id, user_id='user', project_id='project')
    instances.request_operation(tools.db, asked, 'stop_requested', 'stop', made)
    return made


def report(order, host='host1', **fields):
    progress = operation_obj.Progress(operation_uuid=order.uuid, **fields)
    return action_obj.StepReport(host=host, request_id=order.request_id, progress=progress)


def test_a_message_that_was_lost_is_sent_again(tools, order, pass_time):
    pass_time(19)
    assert tools.compute.casts == []
    pass_time(2)
    assert tools.compute.casts == [('run_operation', 'host1', order.uuid)]


def test_progress_is_not_late(tools, order, pass_time):
    pass_time(15)
    instances.update(tools.db, order.instance_uuid, {}, report(order, step='power_off'))
    pass_time(15)
    assert tools.compute.casts == []
    assert operations_db.get(tools.db, order.uuid).step == 'power_off'


def test_past_the_deadline_it_is_aborted(tools, order, pass_time):
    pass_time(operations.SPECS['stop'].deadline + 1)
    assert tools.compute.casts == [('abort_operation', 'host1', order.uuid)]


def test_with_its_host_it_is_given_up(tools, order, pass_time):
    pass_time(70)
    tools.compute.casts.clear()
    pass_time(70, up=('host2',))
    instance = instances.get(tools.db, order.instance_uuid)
    assert (instance.vm_state, instance.task_state) == ('active', None)
    assert 'host went down' in instance.fault.message and 'host1' in instance.fault.details
    [action] = [item for item in actions.list_(tools.db, instance.uuid) if item.action == 'stop']
    assert action.message == 'Error' and action.finish_time is not None
    left = operations_db.get(tools.db, order.uuid)
    assert left.abandoned and left.undoing, 'its host cleans up'
    tools.compute.casts.clear()
    pass_time(70)
    assert tools.compute.casts == [('run_operation', 'host1', order.uuid)], 'and is told so when it is back'


def test_reports_of_another_host_are_refused(tools, order):
    with pytest.raises(exception.OperationGone):
        instances.update(tools.db, order.instance_uuid, {}, report(order, host='host2', step='power_off'))
    assert operations_db.get(tools.db, order.uuid).step is None


def test_the_end_forgets_it(tools, order):
    instances.transition(tools.db, order.instance_uuid, 'stopped', step=report(order, done=True), token='t')
    assert operations_db.get(tools.db, order.uuid) is None
    again = instances.transition(tools.db, order.instance_uuid, 'stopped', step=report(order, done=True), token='t')
    assert again.vm_state == 'stopped', 'the answer was lost, not the change'


def test_a_delete_forgets_it(tools, order, ctxt):
    instances.request_delete(tools.db, order.instance_uuid, ctxt)
    instances.transition(tools.db, order.instance_uuid, 'deleted')
    assert operations_db.get(tools.db, order.uuid) is None


def test_another_host_carries_it_on(tools, order, ctxt):
    conductor = manager.ConductorManager(tools, 10)
    order.step, order.data = 'power_off', {'known': 1}
    conductor.operation_hand_over(ctxt, order, 'host2')
    assert tools.compute.casts == [('run_operation', 'host2', order.uuid)]
    moved = operations_db.get(tools.db, order.uuid)
    assert (moved.host, moved.step, moved.data) == ('host2', 'power_off', {'known': 1})
    assert conductor.operations_get_by_host(ctxt, 'host2')[0].uuid == order.uuid
    conductor.operation_finish(ctxt, order.uuid)
    assert conductor.operation_get(ctxt, order.uuid) is None
