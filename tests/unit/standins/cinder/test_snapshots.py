# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Snapshots: made, shown, changed and removed, and what makes a copy of a volume a true one."""

import os
import threading
import uuid

import pytest

from nova_lite.standins.cinder import files as file_module


@pytest.fixture
def snap(callers, service):
    """Makes a snapshot and waits until that is done; the snapshot then."""
    def make_one(volume, **fields):
        status, body = callers.demo('POST', '/snapshots', {'snapshot': {'volume_id': volume['id'], **fields}})
        assert status == 202, body
        service.jobs.wait()
        return callers.demo('GET', '/snapshots/' + body['snapshot']['id'])[1]['snapshot']
    return make_one


def test_life_of_a_snapshot(create, snap, callers, service, files):
    volume = create(size=2)
    snapshot = snap(volume, name='s', description='d', metadata={'a': 'b'})
    assert (snapshot['status'], snapshot['size'], snapshot['name'], snapshot['metadata']) == (
        'available', 2, 's', {'a': 'b'})
    assert (snapshot['os-extended-snapshot-attributes:progress'],
            snapshot['os-extended-snapshot-attributes:project_id']) == ('100%', 'd' * 32)
    assert files() == ['snapshot-' + snapshot['id'], 'volume-' + volume['id']]
    path = '/snapshots/' + snapshot['id']
    assert callers.demo('PUT', path, {'snapshot': {'display_name': 'new'}})[1]['snapshot']['name'] == 'new'
    assert callers.demo('PUT', path, {'snapshot': {}})[0] == 400
    assert callers.demo('POST', path + '/metadata', {'metadata': {'c': 'd'}})[1] == {'metadata': {'a': 'b', 'c': 'd'}}
    assert callers.demo('DELETE', path + '/metadata/a')[0] == 200
    assert callers.demo('DELETE', path) == (202, b'')
    service.jobs.wait()
    assert callers.demo('GET', path)[0] == 404
    assert files() == ['volume-' + volume['id']]


@pytest.mark.parametrize('fields, status', [
    ({}, 400), ({'volume_id': 'x'}, 400), ({'volume_id': None}, 404), ({'volume_id': str(uuid.uuid4())}, 404),
    ({'name': 7}, 400), ({'metadata': {'a': 1}}, 400), ({'force': False}, 400), ({'colour': 'x'}, 400)])
def test_what_is_no_snapshot(create, callers, fields, status):
    body = {'volume_id': create()['id'], **fields} if fields else {}
    assert callers.demo('POST', '/snapshots', {'snapshot': body})[0] == status
    assert callers.demo('GET', '/snapshots')[1] == {'snapshots': []}


def test_of_a_volume_in_use(create, callers):
    volume = create()
    callers.demo('POST', '/volumes/%s/action' % volume['id'], {
        'os-attach': {'instance_uuid': str(uuid.uuid4()), 'mountpoint': 'x'}})
    body = {'snapshot': {'volume_id': volume['id']}}
    older = {'OpenStack-API-Version': 'volume 3.65'}
    assert callers.demo('POST', '/snapshots', body, older)[0] == 400
    assert callers.demo('POST', '/snapshots', {'snapshot': {**body['snapshot'], 'force': True}}, older)[0] == 202
    assert callers.demo('POST', '/snapshots', body)[0] == 202


def test_of_a_volume_that_is_written_to(service, create, callers, monkeypatch):
    """A copy that was made while a guest wrote is made again, and never taken for good."""
    volume = create()
    path = service.files.path('volume', volume['id'])
    copies = []
    copy = file_module._copy

    def copy_while_written(source, target):
        if len(copies) < writes:
            with open(path, 'r+b') as file:
                file.write(b'%d' % len(copies))
        copies.append(target)
        copy(source, target)
        return False
    monkeypatch.setattr(file_module, '_copy', copy_while_written)
    writes = 2
    callers.demo('POST', '/snapshots', {'snapshot': {'volume_id': volume['id']}})
    service.jobs.wait()
    snapshot, = callers.demo('GET', '/snapshots')[1]['snapshots']
    assert snapshot['status'] == 'available'
    assert len(copies) > writes  # a file system may tell of a write late, and have one more copy made
    with open(service.files.path('snapshot', snapshot['id']), 'rb') as file:
        assert file.read(1) == b'1'
    copies.clear()
    writes = 100
    callers.demo('POST', '/snapshots', {'snapshot': {'volume_id': volume['id']}})
    service.jobs.wait()
    snapshot = callers.demo('GET', '/snapshots')[1]['snapshots'][0]
    assert snapshot['status'] == 'error'
    message, = callers.demo('GET', '/messages')[1]['messages']
    assert 'written to all the time' in message['user_message']
    assert (message['resource_type'], message['resource_uuid']) == ('SNAPSHOT', snapshot['id'])
    assert not os.path.exists(service.files.path('snapshot', snapshot['id']))
    callers.demo('DELETE', '/snapshots/' + snapshot['id'])
    service.jobs.wait()
    assert callers.demo('GET', '/snapshots/' + snapshot['id'])[0] == 404


def test_a_source_stays_until_its_copy_is_made(service, create, callers, monkeypatch):
    volume = create()
    started, go_on = threading.Event(), threading.Event()
    copy = service.files.copy

    def slow(*args):
        started.set()
        assert go_on.wait(30)
        copy(*args)
    monkeypatch.setattr(service.files, 'copy', slow)
    status, body = callers.demo('POST', '/volumes', {'volume': {'source_volid': volume['id']}})
    assert started.wait(30)
    assert callers.demo('DELETE', '/volumes/' + volume['id'])[0] == 202
    assert os.path.exists(service.files.path('volume', volume['id']))
    go_on.set()
    service.jobs.wait()
    assert callers.demo('GET', '/volumes/' + body['volume']['id'])[1]['volume']['status'] == 'available'
    assert callers.demo('GET', '/volumes/' + volume['id'])[0] == 404


def test_quota(create, snap, callers):
    callers.admin('PUT', '/os-quota-sets/' + 'd' * 32, {'quota_set': {'snapshots': 1, 'gigabytes': 3}})
    volume = create()
    snap(volume)
    status, body = callers.demo('POST', '/snapshots', {'snapshot': {'volume_id': volume['id']}})
    assert (status, body['overLimit']['message']) == (
        413, 'SnapshotLimitExceeded: Maximum number of snapshots allowed (1) exceeded')
    assert callers.demo('POST', '/volumes', {'volume': {'size': 2}})[0] == 413  # snapshots count


def test_an_administrators_actions(create, snap, callers, service):
    snapshot = snap(create())
    path = '/snapshots/%s/action' % snapshot['id']
    assert callers.demo('POST', path, {'os-reset_status': {'status': 'error'}})[0] == 403
    assert callers.admin('POST', path, {'os-reset_status': {'status': 'error'}})[0] == 202
    assert callers.admin('POST', path, {'os-reset_status': {'status': 'happy'}})[0] == 400
    assert callers.demo('POST', path, {'os-update_snapshot_status': {'status': 'available'}})[0] == 400
    callers.admin('POST', path, {'os-reset_status': {'status': 'creating'}})
    assert callers.demo('POST', path, {'os-update_snapshot_status': {'status': 'deleting'}})[0] == 400
    body = {'os-update_snapshot_status': {'status': 'creating', 'progress': '80%'}}
    assert callers.demo('POST', path, body)[0] == 202
    shown = callers.demo('GET', '/snapshots/' + snapshot['id'])[1]['snapshot']
    assert shown['os-extended-snapshot-attributes:progress'] == '80%'
    assert callers.demo('DELETE', '/snapshots/' + snapshot['id'])[0] == 400
    for body in ({}, {'x': {}}, {'os-reset_status': {}}, {'os-reset_status': None}, []):
        assert callers.admin('POST', path, body)[0] == 400
    assert callers.admin('POST', path, {'os-force_delete': {}})[0] == 202
    service.jobs.wait()
    assert callers.demo('GET', '/snapshots')[1] == {'snapshots': []}


def test_microversions(create, snap, callers):
    snapshot = snap(create())
    for version, names in (('3.0', set()), ('3.14', {'group_snapshot_id'}), ('3.41', {'group_snapshot_id', 'user_id'}),
                           ('3.65', {'group_snapshot_id', 'user_id', 'consumes_quota'})):
        shown = callers.demo('GET', '/snapshots/' + snapshot['id'], headers={
            'OpenStack-API-Version': 'volume ' + version})[1]['snapshot']
        assert {'group_snapshot_id', 'user_id', 'consumes_quota'} & set(shown) == names
