# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Instances: made, listed with every filter, paged, counted, taken back."""

import datetime
import uuid

import pytest

from nova_lite import exception
from nova_lite.db import actions
from nova_lite.db import block_devices
from nova_lite.db import build_requests
from nova_lite.db import instance_filters
from nova_lite.db import instance_groups
from nova_lite.db import instances
from nova_lite.db import models
from nova_lite.objects import base
from nova_lite.objects import instance as instance_obj
from nova_lite.objects import instance_group
from tests.fixtures import records
from tests.fixtures import sql


def uuids(found):
    return [item.uuid for item in found]


# ---- make ----------------------------------------------------------------------------------------------------

def test_what_is_recorded_is_what_was_ordered(db, ctxt):
    fields = {'metadata': {'a': 'ü'}, 'tags': ['t'], 'user_data': 'x' * 70000, 'hostname': 'h', 'locked': True,
              'system_metadata': {'hints': {'x': [1, 2]}}, 'security_groups': ['default'], 'config_drive': True}
    order = records.build_requests(2, ctxt, **fields)
    made = instances.create(db, order, ctxt)
    assert made is order
    for request in made:
        kept = instances.get(db, request.instance.uuid)
        assert kept == request.instance
        assert kept.id and kept.created_at and kept.name == 'instance-%08x' % kept.id
        assert {name: getattr(kept, name) for name in fields} == fields
        order_kept = build_requests.get(db, kept.uuid)
        assert order_kept == request
        [device] = block_devices.get_all(db, kept.uuid)
        assert (device.instance_uuid, device.boot_index) == (kept.uuid, 0)
        [action] = actions.list_(db, kept.uuid)
        assert (action.action, action.request_id, action.user_id, action.project_id, action.finish_time) == (
            'create', ctxt.request_id, 'user', 'project', None)


def test_metadata_that_looks_like_an_envelope_stays_metadata(db, ctxt):
    odd = {base.NAME: 'Instance', base.VERSION: '9.0', base.DATA: 'x'}
    made = records.created(db, ctxt, metadata=odd, system_metadata={'hints': odd})
    kept = instances.get(db, made.uuid)
    assert (kept.metadata, kept.system_metadata) == (odd, {'hints': odd})


def test_an_order_that_went_through_may_be_written_again(db, ctxt):
    order = records.build_requests(1, ctxt)
    first = instances.create(db, order, ctxt)[0].instance.id
    assert instances.create(db, order, ctxt)[0].instance.id == first
    assert records.count_rows(db, models.instances) == records.count_rows(db, models.instance_actions) == 1


def test_members_of_a_group_are_recorded_with_them(db, ctxt):
    group = instance_groups.create(db, instance_group.InstanceGroup(
        uuid=str(uuid.uuid4()), name='g', project_id='project', user_id='user', policy='anti-affinity'))
    made = instances.create(db, records.build_requests(2, ctxt, group=group), ctxt)
    assert instance_groups.get(db, group.uuid).members == [request.instance.uuid for request in made]


def test_what_is_discarded_never_was(db, ctxt):
    made = instances.create(db, records.build_requests(2, ctxt), ctxt)
    taken = records.chosen(db, ctxt).instance.uuid
    instances.discard(db, [*(request.instance.uuid for request in made), taken])
    assert uuids(instances.list_(db, {})) == [taken], 'what a conductor has taken stays'
    assert records.count_rows(db, models.instance_actions) == records.count_rows(db, models.build_requests) == 1


# ---- find ----------------------------------------------------------------------------------------------------

def test_other_projects_have_none(db, instance):
    assert instances.get(db, instance.uuid, project_id='project').uuid == instance.uuid
    with pytest.raises(exception.InstanceNotFound):
        instances.get(db, instance.uuid, project_id='other')
    assert instances.list_(db, {}, project_id='other') == instances.list_(db, {'project_id': 'other'}) == []


FILTERS = [
    ({'display_name': '^web'}, 'ab'), ({'display_name': 'B$'}, 'b'), ({'display_name': 'WEB'}, ''),
    ({'display_name': '^web-[a-c]+$'}, 'a'),
    ({'vm_state': 'active'}, 'b'), ({'vm_state': ['active', 'building']}, 'abcd'), ({'vm_state': []}, ''),
    ({'task_state': None}, 'ab'), ({'task_state': 'scheduling'}, 'cd'), ({'task_state': ['scheduling', None]}, 'abcd'),
    ({'host': 'host1'}, 'a'), ({'user_id': 'user'}, 'abcd'), ({'flavorid': '2'}, 'abcd'), ({'flavorid': '1'}, ''),
    ({'image_ref': records.IMAGE.id}, 'abcd'), ({'power_state': 0}, 'abcd'), ({'locked': True}, 'c'),
    ({'locked': False}, 'abd'), ({'config_drive': True}, 'd'), ({'availability_zone': 'nova'}, 'ab'),
    ({'key_name': 'key'}, 'c'), ({'access_ip_v4': '10.0'}, 'd'), ({'reservation_id': 'r-1'}, ''),
    ({'metadata': {'k': 'v'}}, 'ac'), ({'metadata': [{'k': 'v'}, {'k2': 'v2'}]}, 'a'), ({'metadata': {'k': 'V'}}, ''),
    ({'metadata': {'x", "k': 'v'}}, ''), ({'system_metadata': {'s': 'm'}}, 'd'),
    ({'tags': ['red']}, 'ab'), ({'tags': ['red', 'blue']}, 'a'), ({'tags_any': ['blue', 'green']}, 'ac'),
    ({'not_tags': ['red', 'blue']}, 'bcd'), ({'not_tags_any': ['red', 'green']}, 'd'), ({'tags': ['Red']}, ''),
    ({'tags': ['re']}, ''), ({'tags': ['gr"een']}, 'd'), ({'tags': ['een']}, ''),
    ({'ip': '10.0.0'}, 'ab'), ({'ip': '10.0.0.1$'}, 'a'), ({'ip6': 'fd00'}, 'b'), ({'ip': '10', 'ip6': 'fd'}, 'b'),
    ({'display_name': 'web', 'locked': False, 'host': 'host1'}, 'a'), ({'deleted': True}, 'e'),
    ({'deleted': False}, 'abcd'),
    ({'created_at': '2026-01-01T00:00:00Z'}, 'abcd'), ({'launched_at': '2026-01-01T00:00:00Z'}, ''),
]


@pytest.fixture
def some(clocked, ctxt):
    """{letter: uuid} of instances that differ in much; e is deleted."""
    db = clocked
    made = {'a': records.building(db, ctxt, 'host1', display_name='web-a', metadata={'k': 'v', 'k2': 'v2'},
                                  tags=['red', 'blue']).uuid,
            'b': records.active(db, ctxt, 'host2', display_name='web-B', metadata={'kk': 'v'}, tags=['red']).uuid,
            'c': records.created(db, ctxt, metadata={'a': 'b', 'k': 'v'}, tags=['a', 'green'], locked=True,
                                 key_name='key').uuid,
            'd': records.created(db, ctxt, config_drive=True, access_ip_v4='10.0.0.9', tags=['gr"een'],
                                 system_metadata={'s': 'm'}, metadata={'x': 'y", "k": "v'}).uuid,
            'e': records.active(db, ctxt, 'host3').uuid}
    instances.update(db, made['a'], {'network_info': [records.vif('10.0.0.1')]})
    instances.update(db, made['b'], {'network_info': [records.vif('10.0.0.17'), records.vif('fd00::1')]})
    instances.request_delete(db, made['e'], ctxt)
    instances.transition(db, made['e'], 'deleted')
    return made


def test_filters(clocked, some):
    letters = {uuid_: letter for letter, uuid_ in some.items()}
    for filters, expected in FILTERS:
        found = instances.list_(clocked, filters, sort=[('created_at', 'asc')])
        assert ''.join(sorted(letters[uuid_] for uuid_ in uuids(found))) == expected, filters


def test_lists_of_changes_show_deleted_instances(clocked, clock, some):
    start = clock()
    clock.forward(60)
    instances.update(clocked, some['a'], {'display_name': 'new'})
    later = start + datetime.timedelta(seconds=30)
    assert uuids(instances.list_(clocked, {'changes_since': later})) == [some['a']]
    assert set(uuids(instances.list_(clocked, {'changes_before': later}))) == set(some.values()) - {some['a']}
    assert len(instances.list_(clocked, {'changes_since': start})) == 5
    assert len(instances.list_(clocked, {'changes_since': start, 'deleted': False})) == 4


def test_what_ran_between(clocked, clock, some):
    start = clock()
    records.set_columns(clocked, some['b'], launched_at=start)
    records.set_columns(clocked, some['e'], launched_at=start, terminated_at=start + datetime.timedelta(hours=1))
    hours = [start + datetime.timedelta(hours=number) for number in range(4)]
    assert set(uuids(instances.list_(clocked, {'ran_between': (hours[0], hours[1])}))) == {some['b'], some['e']}
    assert uuids(instances.list_(clocked, {'ran_between': (hours[2], hours[3])})) == [some['b']]


@pytest.mark.parametrize('bad', [
    {'nonsense': 1}, {'display_name': '['}, {'display_name': '(a+)+$'}, {'display_name': 'a*a*a*a*b'},
    {'display_name': '(?=a)'}, {'display_name': 'x' * 256}, {'ip': '(.*)*'}, {'launched_at': 'yesterday'}])
def test_bad_filters_are_refused(db, bad):
    with pytest.raises(exception.Invalid):
        instances.list_(db, bad)


@pytest.mark.parametrize('good', [r'^.*\-instance\-[0-9]+$', 'a+b', '[*+]x', r'\(x\)', '(a|b)', '.*a.*b.*'])
def test_usual_patterns_are_taken(good):
    assert instance_filters.checked_pattern(good) == good


# ---- pages ---------------------------------------------------------------------------------------------------

def pages(db, limit, **kwargs):
    seen, marker = [], None
    for _ in range(50):
        page = instances.list_(db, {}, limit=limit, marker=marker, **kwargs)
        if not page:
            return seen
        seen += uuids(page)
        marker = seen[-1]
    raise AssertionError('the pages do not end')


@pytest.mark.parametrize('sort', [
    [], [('created_at', 'asc')], [('host', 'asc')], [('host', 'desc'), ('display_name', 'asc')],
    [('display_name', 'desc')], [('task_state', 'asc')], [('launched_at', 'desc')], [('locked', 'asc')],
    [('uuid', 'asc')], [('instance_type_id', 'desc')]])
@pytest.mark.parametrize('limit', [1, 3, 100])
def test_every_item_once_by_any_key(clocked, ctxt, sort, limit):
    db = clocked        # its clock stands still: all were made at the same time
    made = [request.instance.uuid for request in instances.create(db, records.build_requests(4, ctxt), ctxt)]
    made += [records.building(db, ctxt, 'host%d' % number, display_name=name).uuid
             for number, name in enumerate(('b', 'a', 'B'))]
    seen = pages(db, limit, sort=sort)
    assert sorted(seen) == sorted(made)
    assert seen == uuids(instances.list_(db, {}, sort=sort))


def test_the_newest_come_first(db, ctxt):
    made = [records.created(db, ctxt).uuid for _ in range(3)]
    assert uuids(instances.list_(db, {})) == made[::-1]


def test_a_marker_may_be_deleted_meanwhile_but_not_unknown(db, ctxt):
    made = [records.created(db, ctxt).uuid for _ in range(3)]
    instances.request_delete(db, made[1], ctxt)
    instances.transition(db, made[1], 'deleted')
    assert uuids(instances.list_(db, {}, marker=made[1])) == [made[0]]
    with pytest.raises(exception.MarkerNotFound):
        instances.list_(db, {}, marker=str(uuid.uuid4()))
    with pytest.raises(exception.Invalid):
        instances.list_(db, {}, sort=[('nonsense', 'asc')])


def test_a_page_by_address_is_full(db, ctxt):
    for number in range(6):
        made = records.created(db, ctxt)
        instances.update(db, made.uuid, {'network_info': [records.vif('10.0.%d.1' % (number % 2))]})
    first = instances.list_(db, {'ip': r'10\.0\.1'}, limit=2)
    assert len(first) == 2
    assert len(instances.list_(db, {'ip': r'10\.0\.1'}, limit=2, marker=first[-1].uuid)) == 1


def test_a_page_costs_a_constant_number_of_statements(db, ctxt):
    instances.create(db, records.build_requests(20, ctxt), ctxt)
    with sql.statements(db) as seen:
        page = instances.list_(db, {}, limit=10)
    assert len(seen) == 1
    with sql.statements(db) as seen:
        assert len(instances.list_(db, {}, limit=10, marker=page[-1].uuid)) == 10
    assert len(seen) == 2


def test_faults_come_along(db, instance):
    fault = instance_obj.InstanceFault(code=500, message='No.', details='why', host='h',
                                       created_at=datetime.datetime(2026, 1, 1))
    instances.transition(db, instance.uuid, 'build_failed', fault=fault)
    assert instances.get(db, instance.uuid).fault == instances.list_(db, {})[0].fault == fault


# ---- count, change -------------------------------------------------------------------------------------------

def test_use_is_counted_from_the_records(db, ctxt):
    assert instances.count_usage(db, 'project') == {'instances': 0, 'cores': 0, 'ram': 0}
    made = [records.created(db, ctxt) for _ in range(3)]
    records.created(db, records.user_context('other'))
    with sql.statements(db) as seen:
        assert instances.count_usage(db, 'project') == {'instances': 3, 'cores': 3, 'ram': 3 * 2048}
    assert len(seen) == 1
    instances.request_delete(db, made[0].uuid, ctxt)
    assert instances.count_usage(db, 'project')['instances'] == 3, 'what is being deleted still counts'
    instances.transition(db, made[0].uuid, 'deleted')
    assert instances.count_usage(db, 'project')['instances'] == 2


def test_update(db, ctxt, instance):
    after = instances.update(db, instance.uuid, {'display_name': 'new', 'metadata': {'x': 'y'}})
    assert (after.display_name, after.metadata, after.vm_state) == ('new', {'x': 'y'}, 'building')
    assert after.updated_at >= instance.updated_at
    instances.update(db, instance.uuid, {}, records.step(ctxt, begin=['a']))
    assert actions.open_events(db, instance.uuid) == ['a']
    with pytest.raises(exception.InstanceNotFound):
        instances.update(db, str(uuid.uuid4()), {'display_name': 'x'})


def test_uuids_by_host(db, ctxt):
    built, chosen = records.building(db, ctxt, 'host1'), records.chosen(db, ctxt, 'host1').instance
    records.created(db, ctxt)
    assert instances.uuids_by_host(db) == {'host1': {built.uuid, chosen.uuid}}
