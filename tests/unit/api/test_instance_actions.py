# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""The actions of a server and their events over the microversions."""

import datetime
import hashlib
import re

import pytest

from nova_lite.db import instances
from tests.fixtures import records

MICRO = re.compile(r'\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}\Z')


@pytest.fixture
def instance(db):
    """Its creation has failed on host h1."""
    ctxt = records.user_context('demo', 'demo')
    made = records.created(db, ctxt)
    instances.update(db, made.uuid, {}, records.step(ctxt, 'h1', begin=['spawn']))
    return instances.update(db, made.uuid, {}, records.step(
        ctxt, 'h1', end=['spawn'], result='Error', details='why', traceback='where'))


@pytest.fixture
def path(instance):
    return '/servers/%s/os-instance-actions' % instance.uuid


def shown(client, path):
    listed = client.get(path)['instanceActions'][0]
    return listed, client.get('%s/%s' % (path, listed['request_id']))['instanceAction']


def test_fields(path, instance, demo):
    listed, action = shown(demo(), path)
    assert MICRO.match(listed.pop('start_time'))
    assert listed.pop('request_id').startswith('req-')
    assert listed == {'action': 'create', 'instance_uuid': instance.uuid, 'user_id': 'demo', 'project_id': 'demo',
                      'message': 'Error'}
    assert 'events' not in action
    assert MICRO.match(shown(demo(version='2.58'), path)[0]['updated_at'])


def test_events_for_the_owner(path, demo):
    event, = shown(demo(version='2.51'), path)[1]['events']
    assert MICRO.match(event.pop('start_time')) and MICRO.match(event.pop('finish_time'))
    assert event == {'event': 'spawn', 'result': 'Error'}
    event, = shown(demo(version='2.84'), path)[1]['events']
    assert event['hostId'] == hashlib.sha224(b'demoh1').hexdigest()
    assert not {'host', 'traceback', 'details'} & set(event)


def test_events_for_admins(path, admin):
    event, = shown(admin(), path)[1]['events']
    assert event['traceback'] == 'where' and 'host' not in event
    event, = shown(admin(version='2.62'), path)[1]['events']
    assert event['host'] == 'h1' and 'details' not in event
    assert shown(admin(version='2.84'), path)[1]['events'][0]['details'] == 'why'


def test_pages_and_times(path, db, instance, demo):
    new = demo(version='2.66')
    request_id = new.get(path)['instanceActions'][0]['request_id']
    page = new.get(path + '?limit=1')
    assert page['links'][0]['href'].endswith('%s?limit=1&marker=%s' % (path, request_id))
    assert new.get(path + '?limit=1&marker=' + request_id) == {'instanceActions': []}
    new.get(path + '?marker=req-nothing', 400)
    later = (datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(hours=1)).strftime('%Y-%m-%dT%H:%M:%SZ')
    assert new.get(path + '?changes-since=' + later) == {'instanceActions': []}
    assert len(new.get(path + '?changes-before=' + later)['instanceActions']) == 1
    new.get(path + '?changes-since=%s&changes-before=2020-01-01' % later, 400)
    new.get(path + '?changes-since=yesterday', 400)
    new.get(path + '?foo=1', 400)
    demo(version='2.58').get(path + '?changes-before=' + later, 400)
    assert len(demo(version='2.57').get(path + '?limit=0')['instanceActions']) == 1


def test_deleted_servers_keep_their_actions(path, db, instance, demo):
    records.set_columns(db, instance.uuid, deleted=True, deleted_at=datetime.datetime(2026, 1, 1))
    demo(version='2.20').get(path, 404)
    listed, _ = shown(demo(version='2.21'), path)
    assert listed['action'] == 'create'


def test_not_for_others(path, demo):
    demo(project='other').get(path, 404)
    demo(version='2.21', project='other').get(path + '/req-x', 404)
    message = demo().get(path + '/req-x', 404)
    assert message.startswith('Action for request_id req-x on instance')
    demo().get('/servers/00000000-0000-4000-8000-000000000000/os-instance-actions', 404)
    demo().get('/servers/x/os-instance-actions', 404)
