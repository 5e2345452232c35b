# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Every action and every body with what no client should send: the answer is a 4xx or a success, never a 5xx."""

import itertools
import os
import uuid

import pytest

from tests.unit.standins.cinder import conftest

VALUES = [None, 7, -1, 1 << 80, 1.5, True, '', 'x', '\ud800', '\x00', 'a' * 300, [], [None], [{}], {}, {'id': None},
          {'': 'x'}, {'host': None}, {'host': 'h' * 300}, str(uuid.UUID(int=7)), '9' * 400]
FIELDS = {
    'volume': ['size', 'name', 'description', 'volume_type', 'availability_zone', 'metadata', 'snapshot_id',
               'source_volid', 'imageRef', 'image_id', 'multiattach', 'group_id', 'display_name'],
    'snapshot': ['volume_id', 'name', 'force', 'metadata', 'description'],
    'attachment': ['volume_uuid', 'instance_uuid', 'connector', 'mode'],
    'volume_type': ['name', 'description', 'extra_specs', 'is_public', 'os-volume-type-access:is_public'],
    'transfer': ['volume_id', 'name', 'no_snapshots'], 'accept': ['auth_key'], 'metadata': ['x', ''], 'meta': ['x'],
    'extra_specs': ['x'], 'quota_set': ['volumes'], 'quota_class_set': ['volumes'],
    'default_type': ['volume_type'], 'addProjectAccess': ['project'],
    'os-reset_status': ['status'], 'os-update_snapshot_status': ['status', 'progress']}
ACTIONS = {
    'os-volume_upload_image': ['image_name', 'disk_format', 'container_format', 'visibility', 'protected', 'force'],
    'os-extend': ['new_size'], 'os-set_bootable': ['bootable'], 'os-update_readonly_flag': ['readonly'],
    'os-retype': ['new_type', 'migration_policy'], 'os-set_image_metadata': ['metadata'],
    'os-show_image_metadata': ['x'], 'os-unset_image_metadata': ['key'], 'revert': ['snapshot_id'],
    'os-reset_status': ['status', 'attach_status', 'migration_status'], 'os-reserve': ['x'], 'os-unreserve': ['x'],
    'os-begin_detaching': ['x'], 'os-roll_detaching': ['x'],
    'os-attach': ['instance_uuid', 'host_name', 'mountpoint', 'mode'], 'os-detach': ['attachment_id'],
    'os-initialize_connection': ['connector'], 'os-terminate_connection': ['connector'],
    'os-force_detach': ['attachment_id', 'connector'], 'os-migrate_volume_completion': ['new_volume', 'error'],
    'os-force_delete': ['x']}


@pytest.fixture
def paths(callers, create, service):
    """The paths of one thing of each kind."""
    volume = create(metadata={'x': 'y'})
    snapshot = callers.demo('POST', '/snapshots', {'snapshot': {'volume_id': volume['id']}})[1]['snapshot']
    attachment = callers.demo('POST', '/attachments', {'attachment': {'volume_uuid': volume['id']}})[1]['attachment']
    kind = callers.admin('GET', '/types/default')[1]['volume_type']
    transfer = callers.demo('POST', '/volume-transfers', {'transfer': {'volume_id': create()['id']}})[1]['transfer']
    service.jobs.wait()
    return {'volumes': volume['id'], 'snapshots': snapshot['id'], 'attachments': attachment['id'], 'types': kind['id'],
            'volume-transfers': transfer['id']}


def test_bodies(callers, paths):
    bad = []
    calls = itertools.product(
        ['/volumes', '/snapshots', '/attachments', '/types', '/volume-transfers', '/os-quota-sets/p',
         '/os-quota-class-sets/default', '/default-types/p',
         *('/%s/%s%s' % (plural, identifier, tail) for plural, identifier in paths.items()
           for tail in ('', '/metadata', '/metadata/x', '/extra_specs', '/extra_specs/x', '/action', '/accept'))],
        ('POST', 'PUT'), FIELDS.items(), VALUES)
    for path, method, (key, fields), value in calls:
        if key in ('os-reset_status', 'addProjectAccess', 'os-update_snapshot_status') and 'action' not in path:
            continue
        whole = {'volume': {'size': 1}, 'snapshot': {'volume_id': paths['volumes']},
                 'attachment': {'volume_uuid': paths['volumes'], 'connector': {'host': 'h'}}}.get(key, {})
        for field in fields:
            status, answer = callers.admin(method, path, {key: {**whole, field: value}})
            if status >= 500 and not (status == 503 and 'image service' in str(answer)):
                bad.append((method, path, key, field, value, answer))
    assert bad == []


def test_actions(callers, paths, service):
    volume = paths['volumes']
    for path in ('/attachments/' + paths['attachments'], '/snapshots/' + paths['snapshots']):
        assert callers.admin('DELETE', path)[0] < 300
    os.truncate(service.files.path('volume', volume), 1 << 16)  # where an upload comes to pass, it is quick
    path = '/volumes/%s/action' % volume
    whole = {'mountpoint': 'x', 'connector': {'host': 'h'}, 'image_name': 'x', 'instance_uuid': str(uuid.UUID(int=1))}
    bad = []
    for name, words in ACTIONS.items():
        if name == 'os-force_delete':
            for item in callers.admin('GET', '/attachments?all_tenants=1')[1]['attachments']:
                assert callers.admin('DELETE', '/attachments/' + item['id'], headers=conftest.BY_NOVA)[0] == 200
        for word, value in itertools.product(words, VALUES):
            callers.admin('POST', path, {'os-reset_status': {'status': 'available'}})
            for content in ({word: value}, {**whole, word: value}, value):
                status, answer = callers.admin('POST', path, {name: content}, conftest.BY_NOVA)
                assert 'no such action' not in str(answer), name
                if status >= 500:
                    bad.append((name, content, answer))
        service.jobs.wait()
        assert callers.admin('GET', '/volumes/' + volume)[0] == (404 if name == 'os-force_delete' else 200)
    assert bad == []
