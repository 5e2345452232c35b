# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""From an order to the message to a host, and on to the next host; with everything that can come between."""

import uuid

import pytest

from nova_lite import exception
from nova_lite import faultpoints
from nova_lite.conductor.tasks import build
from nova_lite.db import actions
from nova_lite.db import build_requests
from nova_lite.db import instance_groups
from nova_lite.db import instances
from nova_lite.objects import instance as instance_obj
from nova_lite.objects import instance_group
from nova_lite.objects import network
from tests.fixtures import records
from tests.unit.conductor import conftest

FAULT = instance_obj.InstanceFault(code=500, message='The disk is full.', details='step spawn on host1', host='host1')


def order(tools, ctxt, count=1, **kwargs):
    return instances.create(tools.db, records.build_requests(count, ctxt, **kwargs), ctxt)


def state(tools, request):
    instance = instances.get(tools.db, request.instance.uuid, read_deleted=True)
    return instance.vm_state, instance.task_state


def begin(tools, ctxt, request, host):
    """What a host does first, and the ports that it makes."""
    tools.network.ports[request.instance.uuid] = {'port-of-%s' % host}
    return instances.transition(tools.db, request.instance.uuid, 'build_started', {'host': host, 'node': host},
                                records.step(ctxt, host, begin=['compute__do_build_and_run_instance']))


def built(tools, ctxt, **kwargs):
    """The BuildRequest that host1 got and has begun to build."""
    [request] = order(tools, ctxt, **kwargs)
    build.build_instances(tools, ctxt, [request])
    sent = tools.compute.orders[request.instance.uuid]
    begin(tools, ctxt, sent, 'host1')
    return sent


def results(tools, ctxt, request):
    """{event: result} of the action `create`."""
    return {event.event: event.result
            for event in actions.get(tools.db, request.instance.uuid, ctxt.request_id).events}


# ---- a new order ---------------------------------------------------------------------------------------------

def test_an_order_goes_to_the_chosen_host(tools, ctxt):
    [request] = order(tools, ctxt)
    build.build_instances(tools, ctxt, [request])
    uuid_ = request.instance.uuid
    assert tools.compute.casts == [('build', 'host1', uuid_)]
    sent = tools.compute.orders[uuid_]
    assert sent.node == 'host1' and [item.service_host for item in sent.host_list] == ['host2', 'host3']
    assert sent.filter_properties['retry'] == {'num_attempts': 1, 'hosts': [['host1', 'host1']]}
    assert sent.instance.availability_zone == 'nova' and sent.instance.id
    assert build_requests.get(tools.db, uuid_) == sent, 'what is kept is what was sent'
    assert results(tools, ctxt, request) == {build.SCHEDULE: 'Success'}
    assert records.column(tools.db, uuid_, 'scheduled_by').startswith(tools.run_id)


def test_many_of_one_request_are_chosen_together(tools, ctxt):
    made = order(tools, ctxt, 4)
    build.build_instances(tools, ctxt, made)
    assert len(tools.scheduler.specs) == 1 and tools.scheduler.specs[0].num_instances == 4
    assert sorted(tools.compute.casts) == sorted(('build', 'host1', item.instance.uuid) for item in made)


def test_a_message_that_comes_twice_is_dropped(tools, ctxt):
    made = order(tools, ctxt, 2)
    build.build_instances(tools, ctxt, made[:1])
    build.build_instances(tools, ctxt, made)
    build.build_instances(tools, ctxt, made)
    assert [uuid_ for _, _, uuid_ in tools.compute.casts] == [item.instance.uuid for item in made]


def test_what_was_deleted_before_is_not_built(tools, ctxt):
    [request] = order(tools, ctxt)
    instances.request_delete(tools.db, request.instance.uuid, ctxt)
    build.build_instances(tools, ctxt, [request])
    assert tools.scheduler.specs == tools.compute.casts == []


@pytest.mark.parametrize('gone', [False, True])
def test_a_claim_for_what_was_deleted_meanwhile_is_given_back(tools, ctxt, gone):
    [request] = order(tools, ctxt)

    def delete():
        instances.request_delete(tools.db, request.instance.uuid, ctxt)
        if gone:
            instances.transition(tools.db, request.instance.uuid, 'deleted')
    tools.scheduler.during = delete
    build.build_instances(tools, ctxt, [request])
    assert tools.placement.held == {} and tools.compute.casts == []
    assert not records.column(tools.db, request.instance.uuid, 'release_pending')


def test_a_claim_of_another_conductor_is_left_alone(tools, ctxt):
    [request] = order(tools, ctxt)
    other = conftest.make_tools(tools.db, tools.placement)

    def take_over():
        tools.scheduler.during = None
        claim = records.column(tools.db, request.instance.uuid, 'scheduled_by')
        build.build_instances(other, ctxt, [build_requests.get(tools.db, request.instance.uuid)], instead_of=claim)
    tools.scheduler.during = take_over
    build.build_instances(tools, ctxt, [request])
    assert tools.compute.casts == [] and other.compute.casts == [('build', 'host1', request.instance.uuid)]
    assert tools.placement.held == {request.instance.uuid: 'host1'}


def test_no_valid_host(tools, ctxt):
    made = order(tools, ctxt, 2)
    error = exception.NoValidHost(reason='There are not enough hosts available.')
    error.kwargs['details'] = 'Placement candidates: 3; RamFilter: 0 of 3 left'
    tools.scheduler.errors = [error]
    build.build_instances(tools, ctxt, made)
    for request in made:
        instance = instances.get(tools.db, request.instance.uuid)
        assert (instance.vm_state, instance.task_state) == ('error', None)
        assert (instance.fault.code, instance.fault.message) == (
            500, 'No valid host was found. There are not enough hosts available.')
        assert 'RamFilter: 0 of 3' in instance.fault.details and instance.fault.created_at
        action = actions.get(tools.db, instance.uuid, ctxt.request_id)
        assert action.message == 'Error' and action.finish_time
        [event] = action.events
        assert (event.event, event.result) == (build.SCHEDULE, 'Error') and 'RamFilter' in event.details
        assert build_requests.get(tools.db, instance.uuid) is None


@pytest.mark.parametrize('error', [
    exception.MessagingUnavailable(), exception.ServiceUnreachable(service='placement', reason='x')])
def test_without_a_scheduler_the_order_waits(tools, ctxt, error):
    [request] = order(tools, ctxt)
    tools.scheduler.errors = [error]
    build.build_instances(tools, ctxt, [request])
    assert state(tools, request) == ('building', 'scheduling')
    assert records.column(tools.db, request.instance.uuid, 'scheduled_by') is None
    build.build_instances(tools, ctxt, [request])
    assert tools.compute.casts == [('build', 'host1', request.instance.uuid)]


def test_an_unexpected_error_is_no_secret_told(tools, ctxt):
    [request] = order(tools, ctxt)
    tools.scheduler.errors = [RuntimeError('secret /etc/x')]
    build.build_instances(tools, ctxt, [request])
    fault = instances.get(tools.db, request.instance.uuid).fault
    assert fault.message == 'RuntimeError' and 'secret /etc/x' in fault.details


@pytest.mark.parametrize('point, claimed', [
    ('conductor.before_schedule', False), ('conductor.after_schedule', True), ('conductor.before_compute_cast', True)])
def test_an_error_at_each_point_leaves_nothing(tools, ctxt, tmp_path, point, claimed):
    [request] = order(tools, ctxt)
    faultpoints.enable(tmp_path)
    try:
        (tmp_path / point).write_text('once raise secret')
        build.build_instances(tools, ctxt, [request])
    finally:
        faultpoints.enable(None)
    assert state(tools, request) == ('error', None)
    assert bool(tools.scheduler.specs) is claimed and tools.placement.held == {} and tools.compute.casts == []
    assert instances.get(tools.db, request.instance.uuid).fault.message == 'RuntimeError'
    assert actions.open_events(tools.db, request.instance.uuid) == []


def test_a_message_to_the_host_that_cannot_be_sent_is_left_to_the_sweep(tools, ctxt):
    [request] = order(tools, ctxt)
    tools.compute.errors = [exception.MessagingUnavailable()]
    build.build_instances(tools, ctxt, [request])
    assert state(tools, request) == ('building', 'scheduling')
    assert records.column(tools.db, request.instance.uuid, 'scheduled_host') == 'host1'


def test_one_that_fails_does_not_stop_the_others(tools, ctxt):
    made = order(tools, ctxt, 3)
    tools.compute.errors = [RuntimeError('x')]
    build.build_instances(tools, ctxt, made)
    assert [state(tools, request)[0] for request in made] == ['error', 'building', 'building']
    assert len(tools.compute.casts) == 2


def test_a_group_is_scheduled_by_its_members_of_now(tools, ctxt):
    group = instance_groups.create(tools.db, instance_group.InstanceGroup(
        uuid=str(uuid.uuid4()), name='g', project_id='project', user_id='user', policy='anti-affinity'))
    member = records.building(tools.db, ctxt, 'host3', group=group)
    [request] = order(tools, ctxt, group=group)
    build.build_instances(tools, ctxt, [request])
    assert tools.scheduler.specs[0].instance_group.hosts == ['host3']
    assert set(tools.scheduler.specs[0].instance_group.members) == {member.uuid, request.instance.uuid}


# ---- a host that failed --------------------------------------------------------------------------------------

def test_the_next_alternate_is_tried(tools, ctxt):
    sent = built(tools, ctxt)
    uuid_ = sent.instance.uuid
    build.reschedule_instance(tools, ctxt, sent, 'host1', FAULT, retry=True)
    assert tools.compute.casts == [('build', 'host1', uuid_), ('build', 'host2', uuid_)]
    assert tools.placement.held == {uuid_: 'host2'} and tools.network.ports == {}
    assert state(tools, sent) == ('building', 'scheduling')
    again = tools.compute.orders[uuid_]
    assert [item.service_host for item in again.host_list] == ['host3']
    assert again.filter_properties['retry'] == {'num_attempts': 2, 'hosts': [['host1', 'host1'], ['host2', 'host2']]}
    assert len(tools.scheduler.specs) == 1, 'the scheduler is not asked again'
    assert results(tools, ctxt, sent) == {
        build.SCHEDULE: 'Success', 'compute__do_build_and_run_instance': 'Error', build.RESCHEDULE: 'Success'}
    assert begin(tools, ctxt, again, 'host2').host == 'host2'
    with pytest.raises(exception.UnexpectedTaskStateError):
        begin(tools, ctxt, sent, 'host1')


def test_a_report_that_comes_twice_or_late_counts_once(tools, ctxt):
    sent = built(tools, ctxt)
    copy = build_requests.get(tools.db, sent.instance.uuid)
    build.reschedule_instance(tools, ctxt, sent, 'host1', FAULT, retry=True)
    build.reschedule_instance(tools, ctxt, copy, 'host1', FAULT, retry=True)
    begin(tools, ctxt, tools.compute.orders[sent.instance.uuid], 'host2')
    for retry in (True, False):
        build.reschedule_instance(tools, ctxt, copy, 'host1', FAULT, retry=retry)
    assert len(tools.compute.casts) == 2
    instance = instances.get(tools.db, sent.instance.uuid)
    assert (instance.host, instance.vm_state, instance.fault) == ('host2', 'building', None)


def test_alternates_without_room_are_passed_over(tools, ctxt):
    sent = built(tools, ctxt)
    tools.placement.full = {'host2'}
    build.reschedule_instance(tools, ctxt, sent, 'host1', FAULT, retry=True)
    assert tools.compute.casts[-1] == ('build', 'host3', sent.instance.uuid)


@pytest.mark.parametrize('case', ['full', 'attempts', 'none left'])
def test_when_no_host_is_left_it_ends_in_error(tools, ctxt, case):
    sent = built(tools, ctxt)
    if case == 'full':
        tools.placement.full = {'host2', 'host3'}
    elif case == 'attempts':
        sent.filter_properties['retry']['num_attempts'] = 3
    else:
        sent.host_list = []
    build.reschedule_instance(tools, ctxt, sent, 'host1', FAULT, retry=True)
    instance = instances.get(tools.db, sent.instance.uuid)
    assert (instance.vm_state, instance.task_state, instance.host) == ('error', None, None)
    assert instance.fault.message == 'Exceeded maximum number of retries. The disk is full.'
    assert (instance.fault.details, instance.fault.host) == ('step spawn on host1', 'host1')
    assert tools.placement.held == tools.network.ports == {} and len(tools.compute.casts) == 1
    assert actions.open_events(tools.db, instance.uuid) == []
    assert not records.column(tools.db, instance.uuid, 'release_pending')


def test_what_no_host_could_build_is_not_tried_again(tools, ctxt):
    sent = built(tools, ctxt)
    build.reschedule_instance(tools, ctxt, sent, 'host1', FAULT, retry=False)
    assert instances.get(tools.db, sent.instance.uuid).fault.message == 'The disk is full.'
    assert len(tools.compute.casts) == 1 and tools.placement.held == tools.network.ports == {}


def test_a_delete_is_not_overruled(tools, ctxt):
    sent = built(tools, ctxt)
    instances.request_delete(tools.db, sent.instance.uuid, ctxt)
    for retry in (True, False):
        build.reschedule_instance(tools, ctxt, sent, 'host1', FAULT, retry=retry)
    assert state(tools, sent) == ('building', 'deleting') and len(tools.compute.casts) == 1
    assert tools.network.ports, 'the host that deletes it frees them'


@pytest.mark.parametrize('away', ['placement', 'network'])
def test_rescheduling_without_placement_or_neutron_waits(tools, ctxt, away):
    sent = built(tools, ctxt)
    getattr(tools, away).away = True
    build.reschedule_instance(tools, ctxt, sent, 'host1', FAULT, retry=True)
    assert state(tools, sent) == ('building', 'scheduling')
    assert records.column(tools.db, sent.instance.uuid, 'scheduled_by') is None
    getattr(tools, away).away = False
    kept = build_requests.get(tools.db, sent.instance.uuid)
    build.build_instances(tools, ctxt, [kept])
    assert tools.scheduler.specs[-1].ignore_hosts == ['host1']
    assert tools.compute.casts[-1] == ('build', 'host2', sent.instance.uuid) and tools.network.ports == {}


@pytest.mark.parametrize('away', ['placement', 'network'])
def test_a_failure_without_placement_or_neutron_is_remembered(tools, ctxt, away):
    sent = built(tools, ctxt)
    getattr(tools, away).away = True
    build.reschedule_instance(tools, ctxt, sent, 'host1', FAULT, retry=False)
    assert state(tools, sent) == ('error', None)
    assert records.column(tools.db, sent.instance.uuid, 'release_pending')


def test_the_users_own_port_is_kept(tools, ctxt):
    [request] = order(tools, ctxt)
    request.requested_networks = [network.NetworkRequest(port_id='port-of-host1')]
    build.build_instances(tools, ctxt, [request])
    begin(tools, ctxt, request, 'host1')
    build.reschedule_instance(tools, ctxt, tools.compute.orders[request.instance.uuid], 'host1', FAULT, retry=False)
    assert tools.network.unbound == {'port-of-host1'}
