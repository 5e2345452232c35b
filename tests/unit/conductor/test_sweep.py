# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Nothing waits for ever: what the sweep does about each state past its deadline, by a clock that the test turns."""

import threading

import pytest

from nova_lite import exception
from nova_lite.conductor.tasks import build
from nova_lite.conductor.tasks import sweep
from nova_lite.db import actions
from nova_lite.db import build_requests
from nova_lite.db import engine
from nova_lite.db import instances
from nova_lite.db import orders
from tests.fixtures import records
from tests.unit.conductor import conftest


@pytest.fixture
def pass_time(tools, clock, beat):
    """pass_time(seconds, up=hosts): let it pass, then sweep once."""
    def forward(seconds, up=conftest.HOSTS, by=tools):
        clock.forward(seconds)
        if up:
            beat(*up)
        sweep.run(by)
        assert by.pool.raised == []
    return forward


def order(tools, ctxt):
    return instances.create(tools.db, records.build_requests(1, ctxt), ctxt)[0]


def get(tools, uuid):
    return instances.get(tools.db, uuid, read_deleted=True)


# ---- orders --------------------------------------------------------------------------------------------------

def test_an_order_whose_message_was_lost_is_built_once(tools, ctxt, pass_time):
    request = order(tools, ctxt)
    pass_time(19)
    assert tools.compute.casts == []
    pass_time(2)
    assert tools.compute.casts == [('build', 'host1', request.instance.uuid)]
    build.build_instances(tools, ctxt, [request])
    assert len(tools.compute.casts) == 1, 'the message was only late'
    action = actions.get(tools.db, request.instance.uuid, ctxt.request_id)
    assert [event.event for event in action.events] == [build.SCHEDULE], 'told under the request that made it'


def test_an_order_of_a_conductor_that_died_is_taken_over(tools, ctxt, pass_time):
    request = order(tools, ctxt)
    orders.take(tools.db, [request.instance.uuid], 'other:run:claim', tools.step(ctxt, begin=[build.SCHEDULE]))
    pass_time(89)
    assert tools.compute.casts == []
    pass_time(2)
    assert tools.compute.casts == [('build', 'host1', request.instance.uuid)]


def test_an_order_of_an_earlier_run_of_this_conductor_is_taken_over_at_once(tools, ctxt, pass_time):
    earlier = conftest.make_tools(tools.db, tools.placement)
    request = order(tools, ctxt)
    orders.take(tools.db, [request.instance.uuid], earlier.new_claim(), tools.step(ctxt))
    pass_time(1, by=earlier)
    assert earlier.compute.casts == []
    pass_time(0)
    assert tools.compute.casts == [('build', 'host1', request.instance.uuid)]


def test_without_a_scheduler_it_is_tried_until_it_is_back(tools, ctxt, pass_time):
    request = order(tools, ctxt)
    tools.scheduler.errors = [exception.MessagingUnavailable() for _ in range(3)]
    for _ in range(3):
        pass_time(21)
        assert tools.compute.casts == []
    pass_time(21)
    assert tools.compute.casts == [('build', 'host1', request.instance.uuid)]


def test_an_order_that_finds_no_host_in_time_ends_in_error(tools, ctxt, pass_time):
    request = order(tools, ctxt)
    tools.scheduler.errors = [exception.MessagingUnavailable() for _ in range(100)]
    for _ in range(46):
        pass_time(20.1)
    instance = get(tools, request.instance.uuid)
    assert (instance.vm_state, instance.task_state) == ('error', None)
    assert instance.fault.message == ('The build did not finish in time: the last step was '
                                      'conductor_schedule_and_build_instances.')


def test_a_host_that_did_not_begin_is_told_again(tools, ctxt, pass_time):
    request = order(tools, ctxt)
    build.build_instances(tools, ctxt, [request])
    pass_time(21)
    pass_time(10)
    pass_time(11)
    assert tools.compute.casts == [('build', 'host1', request.instance.uuid)] * 3
    assert tools.compute.orders[request.instance.uuid] == build_requests.get(tools.db, request.instance.uuid)


@pytest.mark.parametrize('begun', [False, True])
def test_the_build_of_a_host_that_went_down_goes_elsewhere(tools, ctxt, pass_time, begun):
    request = order(tools, ctxt)
    uuid = request.instance.uuid
    build.build_instances(tools, ctxt, [request])
    if begun:
        instances.transition(tools.db, uuid, 'build_started', {'host': 'host1', 'node': 'host1'},
                             records.step(ctxt, begin=['compute_driver_spawn']))
        tools.network.ports[uuid] = {'port'}
    pass_time(61, up=['host2', 'host3'])
    assert tools.compute.casts == [('build', 'host1', uuid), ('build', 'host2', uuid)]
    assert tools.placement.held == {uuid: 'host2'} and tools.network.ports == {}
    with pytest.raises(exception.UnexpectedTaskStateError):     # it comes back and goes on
        instances.transition(tools.db, uuid, 'networking', step=records.step(ctxt, 'host1'))


def test_after_a_start_hosts_get_the_time_to_report(tools, ctxt, clock, pass_time):
    instance = records.building(tools.db, ctxt)
    fresh = conftest.make_tools(tools.db, tools.placement)
    pass_time(100, up=[], by=fresh)
    pass_time(59, up=[], by=fresh)
    assert get(tools, instance.uuid).host == 'host1'
    pass_time(2, up=['host2'], by=fresh)
    assert get(tools, instance.uuid).host is None


def test_when_all_hosts_go_down_it_ends_in_error_and_says_so(tools, ctxt, pass_time):
    tools.scheduler.hosts = ['host1']
    request = order(tools, ctxt)
    build.build_instances(tools, ctxt, [request])
    instances.transition(tools.db, request.instance.uuid, 'build_started', {'host': 'host1', 'node': 'host1'},
                         records.step(ctxt, begin=['compute_driver_spawn']))
    pass_time(61, up=['host2'])
    instance = get(tools, request.instance.uuid)
    assert (instance.vm_state, instance.host) == ('error', None)
    assert 'its host went down during step compute_driver_spawn' in instance.fault.message
    assert 'host1' not in instance.fault.message and 'host1' in instance.fault.details
    assert tools.placement.held == {}


def test_a_host_that_takes_too_long_is_told_to_stop(tools, ctxt, pass_time):
    instance = records.building(tools.db, ctxt)
    pass_time(899)
    assert tools.compute.casts == []
    pass_time(2)
    pass_time(10)
    pass_time(11)
    assert tools.compute.casts == [('abort', 'host1', instance.uuid)] * 2


def test_progress_does_not_lengthen_the_time_of_one_host(tools, ctxt, pass_time):
    instance = records.building(tools.db, ctxt)
    pass_time(890)
    instances.transition(tools.db, instance.uuid, 'networking', step=records.step(ctxt))
    pass_time(21)
    assert tools.compute.casts == [('abort', 'host1', instance.uuid)]


def test_what_rests_is_left_alone(tools, ctxt, pass_time):
    running = records.active(tools.db, ctxt)
    failed = order(tools, ctxt)
    instances.fail_build(tools.db, failed, None, tools.step(ctxt), None)
    orders.released(tools.db, failed.instance.uuid)
    pass_time(5000, up=['host2'])
    assert tools.compute.casts == tools.scheduler.specs == []
    assert get(tools, running.uuid).vm_state == 'active'


# ---- deletes and what is left --------------------------------------------------------------------------------

def test_a_delete_whose_message_was_lost_is_sent_again(tools, ctxt, pass_time):
    instance = records.active(tools.db, ctxt)
    instances.request_delete(tools.db, instance.uuid, ctxt)
    pass_time(21)
    assert tools.compute.casts == [('terminate', 'host1', instance.uuid)]


def test_a_delete_on_a_host_that_is_down_is_done_here(tools, ctxt, pass_time):
    instance = records.active(tools.db, ctxt)
    instances.request_delete(tools.db, instance.uuid, ctxt)
    tools.placement.held[instance.uuid] = 'host1'
    pass_time(61, up=['host2'])
    assert get(tools, instance.uuid).deleted and tools.placement.held == {}


def test_what_could_not_be_given_back_is_tried_again(tools, ctxt, pass_time):
    request = order(tools, ctxt)
    uuid = request.instance.uuid
    request.requested_networks[0].port_id = 'theirs'
    tools.network.ports[uuid] = {'ours', 'theirs'}
    tools.placement.held[uuid] = 'host1'
    tools.network.away = True
    build.fail(tools, ctxt, request, None, no_valid_host())
    pass_time(91)
    assert tools.placement.held, 'not while the network service is away'
    tools.network.away = False
    pass_time(1)
    assert tools.placement.held == tools.network.ports == {} and tools.network.unbound == {'theirs'}
    assert not records.column(tools.db, uuid, 'release_pending')


def no_valid_host():
    return build.faults.from_exception(exception.NoValidHost(reason='x'), None)


def test_a_claim_that_came_after_the_delete_is_given_back(tools, ctxt, pass_time):
    """The conductor dies while the scheduler claims, and the user deletes meanwhile."""
    request = order(tools, ctxt)
    uuid = request.instance.uuid
    orders.take(tools.db, [uuid], 'other:run:claim', tools.step(ctxt))
    instances.request_delete(tools.db, uuid, ctxt)
    instances.transition(tools.db, uuid, 'deleted')
    tools.placement.held[uuid] = 'host1'
    pass_time(91)
    assert tools.placement.held == {} and not records.column(tools.db, uuid, 'release_pending')


# ---- several conductors --------------------------------------------------------------------------------------

def test_of_several_conductors_one_acts(tools, ctxt, clock, beat, tmp_path):
    made = [order(tools, ctxt).instance.uuid for _ in range(5)]
    running = records.active(tools.db, ctxt)
    instances.request_delete(tools.db, running.uuid, ctxt)
    clock.forward(30)
    beat()
    others = []
    for number in range(3):
        db = engine.Database('sqlite:///%s' % (tmp_path / 'nova.sqlite'), clock=clock)
        others.append(conftest.make_tools(db, tools.placement, tools.network))
        others[-1].host = 'c%d' % number
    threads = [threading.Thread(target=sweep.run, args=[other]) for other in others]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    casts = sorted(cast for other in others for cast in other.compute.casts)
    assert casts == sorted([('build', 'host1', uuid) for uuid in made] + [('terminate', 'host1', running.uuid)])
    for other in others:
        other.db.close()
