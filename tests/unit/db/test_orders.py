# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Orders: taken once, sent to one host, and found when they are late."""

import threading

import pytest

from nova_lite.db import actions
from nova_lite.db import build_requests
from nova_lite.db import instances
from nova_lite.db import orders
from tests.fixtures import records
from tests.fixtures import sql


def take(db, uuids, claim, ctxt, **kwargs):
    return orders.take(db, uuids, claim, records.step(ctxt, 'conductor', begin=['schedule']), **kwargs)


def choose(db, request, claim, ctxt, host='host1'):
    return orders.choose_host(db, request, claim, records.selection(host), records.step(ctxt, end=['schedule']))


def test_an_order_is_taken_once(db, ctxt):
    made = [request.instance.uuid for request in instances.create(db, records.build_requests(3, ctxt), ctxt)]
    assert take(db, made[:2], 'c:1:a', ctxt) == made[:2]
    assert take(db, made, 'c:1:b', ctxt) == made[2:]
    assert actions.open_events(db, made[0]) == ['schedule']


def test_of_many_takers_one_gets_it(db, ctxt, instance):
    got = []
    threads = [threading.Thread(target=lambda claim=claim: got.extend(take(db, [instance.uuid], claim, ctxt)))
               for claim in ('c:%d:x' % number for number in range(8))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert got == [instance.uuid]


def test_what_is_deleting_or_on_a_host_is_not_taken(db, ctxt, instance):
    instances.request_delete(db, instance.uuid, ctxt)
    built = records.building(db, ctxt).uuid
    assert take(db, [instance.uuid, built], 'c:1:a', ctxt) == []


def test_taking_over_needs_the_claim_that_was_seen(db, ctxt, instance):
    take(db, [instance.uuid], 'c:1:a', ctxt)
    assert take(db, [instance.uuid], 'c:2:b', ctxt, instead_of='c:1:x') == []
    assert take(db, [instance.uuid], 'c:2:b', ctxt, instead_of='c:1:a') == [instance.uuid]
    orders.let_go(db, [instance.uuid], 'c:1:a')
    assert take(db, [instance.uuid], 'c:3:c', ctxt) == [], 'only who has it can let it go'
    orders.let_go(db, [instance.uuid], 'c:2:b')
    assert take(db, [instance.uuid], 'c:3:c', ctxt) == [instance.uuid]


def test_a_host_is_chosen_by_who_has_the_claim_and_while_it_is_wanted(db, ctxt):
    [request] = instances.create(db, records.build_requests(1, ctxt), ctxt)
    uuid_ = request.instance.uuid
    take(db, [uuid_], 'c:1:a', ctxt)
    assert choose(db, request, 'c:1:b', ctxt) is None
    request.node, request.host_list = 'node1', [records.selection('host2')]
    chosen = choose(db, request, 'c:1:a', ctxt)
    assert (chosen.host, chosen.availability_zone) == (None, 'nova')
    assert records.column(db, uuid_, 'scheduled_host') == 'host1'
    kept = build_requests.get(db, uuid_)
    assert (kept.node, kept.host_list, kept.instance) == ('node1', request.host_list, chosen)
    assert [event.result for event in actions.get(db, uuid_, ctxt.request_id).events] == ['Success']
    assert choose(db, request, 'c:1:a', ctxt, 'host2') is None, 'one host is enough'


def test_a_deleted_instance_gets_no_host(db, ctxt):
    [request] = instances.create(db, records.build_requests(1, ctxt), ctxt)
    take(db, [request.instance.uuid], 'c:1:a', ctxt)
    instances.request_delete(db, request.instance.uuid, ctxt)
    assert choose(db, request, 'c:1:a', ctxt) is None


def test_what_it_costs(db, ctxt):
    [request] = instances.create(db, records.build_requests(1, ctxt), ctxt)
    with sql.statements(db) as seen:
        take(db, [request.instance.uuid], 'c:1:a', ctxt)
        choose(db, request, 'c:1:a', ctxt)
    assert len(seen) == 3 + 4


# ---- late ----------------------------------------------------------------------------------------------------

@pytest.fixture
def late(clocked, clock):
    """late(seconds, …) → {uuid: Late} of what did not change for so long."""
    def find(seconds=20, run_id='c:2'):
        before = clock() - records.datetime.timedelta(seconds=seconds)
        return {item.uuid: item for item in orders.late(clocked, before, 'c', run_id)}
    return find


def test_what_is_under_way_gets_late_and_what_rests_does_not(clocked, clock, ctxt, late):
    waiting, building = records.created(clocked, ctxt).uuid, records.building(clocked, ctxt).uuid
    deleting, resting = records.active(clocked, ctxt).uuid, records.active(clocked, ctxt).uuid
    instances.request_delete(clocked, deleting, ctxt)
    assert late() == {}
    clock.forward(21)
    found = late()
    assert set(found) == {waiting, building, deleting} and resting not in found
    assert (found[building].host, found[building].task_state, found[deleting].vm_state) == ('host1', None, 'active')
    assert found[building].host_since == found[building].updated_at


def test_an_order_of_an_earlier_run_is_late_at_once(clocked, ctxt, late):
    [request] = instances.create(clocked, records.build_requests(1, ctxt), ctxt)
    uuid_ = request.instance.uuid
    take(clocked, [uuid_], 'c:1:a', ctxt)
    assert set(late(run_id='c:2')) == {uuid_}
    assert set(late(run_id='c:1')) == set(), 'it is being worked on'
    choose(clocked, request, 'c:1:a', ctxt)
    assert set(late(run_id='c:2')) == set(), 'a host has it'


def test_the_first_who_touches_may_act(clocked, clock, ctxt, late):
    uuid_ = records.created(clocked, ctxt).uuid
    clock.forward(30)
    seen = late()[uuid_]
    assert orders.touch(clocked, seen) is True
    assert orders.touch(clocked, seen) is False
    assert late() == {}
    clock.forward(30)
    seen = late()[uuid_]
    instances.request_delete(clocked, uuid_, ctxt)
    assert orders.touch(clocked, seen) is False, 'it moved on meanwhile'


def test_what_was_not_given_back_is_found_until_it_is(clocked, clock, ctxt):
    request = records.chosen(clocked, ctxt)
    request.requested_networks[0].port_id = 'the-users'
    instances.fail_build(clocked, request, 'host1', records.step(ctxt), None)
    uuid_ = request.instance.uuid
    assert orders.unreleased(clocked, clock()) == []
    clock.forward(100)
    assert [tuple(row) for row in orders.unreleased(clocked, clock())] == [(uuid_, 'project', ['the-users'])]
    orders.released(clocked, uuid_)
    assert orders.unreleased(clocked, clock()) == []
