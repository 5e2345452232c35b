# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Operations whose hosts the conductor chooses: chosen once, tried again, given up; with an invented operation."""

import uuid

import pytest

from nova_lite import exception
from nova_lite.compute import operations
from nova_lite.conductor import manager
from nova_lite.conductor.tasks import placing
from nova_lite.conductor.tasks import stage
from nova_lite.conductor.tasks import stages
from nova_lite.conductor.tasks import sweep
from nova_lite.db import actions
from nova_lite.db import instances
from nova_lite.db import operations as operations_db
from nova_lite.objects import operation as operation_obj
from tests.fixtures import records
from tests.unit.conductor import conftest

NO_HOST = exception.NoValidHost(reason='There are not enough hosts available.')


class Invented(stage.Stage):
    event = 'conductor_invented'

    def place(self):
        self.keep(self.select())
        return self.operation.data['dest_host']


@pytest.fixture(autouse=True)
def invented(monkeypatch):
    monkeypatch.setitem(stages.STAGES, 'invented', Invented)
    monkeypatch.setitem(operations.SPECS, 'invented', operations.Spec('stop_requested', 'invented', placed=True))


@pytest.fixture
def order(tools, ctxt):
    """An operation that was recorded, and whose message may still come."""
    built = records.active(tools.db, ctxt, 'host3')
    asked = records.user_context()
    made = operation_obj.Operation(uuid=str(uuid.uuid4()), instance_uuid=built.uuid, name='invented',
                                   request_id=asked.request_id, user_id='user', project_id='project')
    instances.request_operation(tools.db, asked, 'stop_requested', 'invented', made)
    return made


def send(tools, ctxt, order):
    manager.ComputeTaskManager(tools).run_operation(ctxt, order.instance_uuid, order.uuid)
    assert tools.pool.raised == []


def events(tools, order):
    return {item.event: item.result for item in actions.get(tools.db, order.instance_uuid, order.request_id).events}


@pytest.fixture
def pass_time(tools, clock, beat):
    def forward(seconds):
        clock.forward(seconds)
        beat(*conftest.HOSTS)
        sweep.run(tools)
        assert tools.pool.raised == []
    return forward


def test_there_is_a_stage_for_every_operation_that_needs_one():
    assert set(stages.STAGES) == {name for name, spec in operations.SPECS.items() if spec.placed}


def test_it_is_handed_to_the_chosen_host(tools, order):
    asked = records.user_context()
    asked.request_id = order.request_id
    send(tools, asked, order)
    assert tools.compute.casts == [('run_operation', 'host1', order.uuid)]
    given = operations_db.get(tools.db, order.uuid)
    assert (given.host, given.claimed_by, given.step) == ('host1', None, None)
    assert given.data['dest_host'] == 'host1' and given.data['allocation'] == {'host': 'host1'}
    assert tools.placement.held[order.instance_uuid] == 'host1'
    assert events(tools, order) == {'conductor_invented': 'Success'}
    send(tools, asked, order)
    assert len(tools.compute.casts) == 1, 'the same message again'


def test_no_host_ends_it(tools, order):
    tools.scheduler.errors = [NO_HOST]
    asked = records.user_context()
    asked.request_id = order.request_id
    send(tools, asked, order)
    instance = instances.get(tools.db, order.instance_uuid)
    assert (instance.vm_state, instance.task_state) == ('active', None)
    assert instance.fault.code == 500 and instance.fault.message.startswith('No valid host was found. ')
    action = actions.get(tools.db, instance.uuid, order.request_id)
    assert action.message == 'Error' and action.finish_time is not None
    assert events(tools, order) == {'conductor_invented': 'Error'}
    assert operations_db.get(tools.db, order.uuid) is None
    assert instance.uuid not in tools.placement.held
    assert tools.compute.casts == []


def test_a_message_that_was_lost(tools, order, pass_time):
    pass_time(19)
    assert tools.compute.casts == []
    pass_time(2)
    assert tools.compute.casts == [('run_operation', 'host1', order.uuid)]


def test_the_scheduler_is_away_for_a_while(tools, ctxt, order, pass_time):
    tools.scheduler.errors = [exception.MessagingUnavailable()]
    send(tools, ctxt, order)
    assert operations_db.get(tools.db, order.uuid).claimed_by is None
    pass_time(21)
    assert operations_db.get(tools.db, order.uuid).host == 'host1'


def test_a_conductor_that_is_at_work_is_left_alone_and_a_dead_one_replaced(tools, order, pass_time):
    assert operations_db.claim(tools.db, order, 'elsewhere:run:1')
    pass_time(60)
    assert tools.compute.casts == []
    pass_time(31)
    assert tools.compute.casts == [('run_operation', 'host1', order.uuid)]
    assert not operations_db.give_to_host(tools.db, order, 'host2', 'elsewhere:run:1'), 'it comes too late'


def test_an_earlier_run_of_this_conductor_is_replaced_soon(tools, order, pass_time):
    operations_db.claim(tools.db, order, tools.host + ':earlier:1')
    pass_time(21)
    assert tools.compute.casts == [('run_operation', 'host1', order.uuid)]


def test_two_conductors_do_not_both_choose(tools, ctxt, order):
    stale = operations_db.get(tools.db, order.uuid)
    placing.place(tools, ctxt, stale)
    placing.place(tools, ctxt, stale)
    assert len(tools.scheduler.specs) == 1 and len(tools.compute.casts) == 1


def test_past_the_deadline_it_is_given_up(tools, order, pass_time):
    pass_time(operations.SPECS['invented'].deadline + 1)
    instance = instances.get(tools.db, order.instance_uuid)
    assert (instance.vm_state, instance.task_state) == ('active', None)
    assert 'did not finish in time' in instance.fault.message
    assert tools.scheduler.specs == []


def test_deleted_while_a_host_is_chosen(tools, ctxt, order):
    def delete():
        instances.request_delete(tools.db, order.instance_uuid, ctxt)
        instances.transition(tools.db, order.instance_uuid, 'deleted')
    tools.scheduler.during = delete
    send(tools, ctxt, order)
    assert tools.compute.casts == []
    assert order.instance_uuid not in tools.placement.held
