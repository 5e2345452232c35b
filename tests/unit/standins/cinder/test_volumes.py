# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Volumes: made, shown, changed and removed."""

import os

import pytest


def test_life_of_a_volume(callers, service, create, files):
    status, body = callers.demo('POST', '/volumes', {'volume': {
        'size': 2, 'name': ' disk ', 'description': 'd', 'metadata': {'k': 'v'}}})
    volume = body['volume']
    assert (status, volume['status'], volume['name'], volume['metadata']) == (202, 'creating', 'disk', {'k': 'v'})
    assert 'os-vol-tenant-attr:tenant_id' not in volume
    service.jobs.wait()
    volume = callers.demo('GET', '/volumes/' + volume['id'])[1]['volume']
    assert volume['os-vol-tenant-attr:tenant_id']
    assert (volume['status'], volume['size'], volume['bootable'], volume['volume_type']) == (
        'available', 2, 'false', '__DEFAULT__')
    assert files() == ['volume-' + volume['id']]
    status = os.stat(service.files.path('volume', volume['id']))
    assert (status.st_size, status.st_blocks, oct(status.st_mode & 0o777)) == (2 << 30, 0, '0o600')
    assert oct(os.stat(service.files.directory).st_mode & 0o777) == '0o711'
    status, body = callers.demo('PUT', '/volumes/' + volume['id'], {'volume': {'display_name': 'new'}})
    assert (status, body['volume']['name'], body['volume']['description']) == (200, 'new', 'd')
    assert callers.demo('DELETE', '/volumes/' + volume['id']) == (202, b'')
    service.jobs.wait()
    assert callers.demo('GET', '/volumes/' + volume['id'])[0] == 404
    assert files() == []


@pytest.mark.parametrize('fields, status', [
    ({}, 400), ({'size': 0}, 400), ({'size': '0'}, 400), ({'size': -1}, 400), ({'size': 'x'}, 400),
    ({'size': 1.5}, 400), ({'size': 2 ** 31}, 400), ({'size': '9' * 40}, 400), ({'size': True}, 400),
    ({'size': 1, 'name': 'a' * 256}, 400),
    ({'size': 1, 'name': 5}, 400), ({'size': 1, 'metadata': {'k': 1}}, 400), ({'size': 1, 'metadata': {'': 'v'}}, 400),
    ({'size': 1, 'volume_type': 'none'}, 404), ({'size': 1, 'availability_zone': 'moon'}, 400),
    ({'size': 1, 'snapshot_id': 'x'}, 400), ({'size': 1, 'snapshot_id': 'c' * 32}, 404),
    ({'size': 1, 'source_volid': 'c' * 32}, 404), ({'size': 1, 'imageRef': 'x'}, 400),
    ({'size': 1, 'imageRef': 'c' * 32}, 400), ({'size': 1, 'multiattach': True}, 400),
    ({'size': 1, 'group_id': 'c' * 32}, 404), ({'size': 1, 'snapshot_id': 'c' * 32, 'imageRef': 'd' * 32}, 400),
    ({'size': 2000}, 413)])
def test_what_is_no_volume(callers, files, fields, status):
    got, body = callers.demo('POST', '/volumes', {'volume': fields})
    assert got == status, body
    fault, = body.values()
    assert fault['code'] == status and fault['message']
    assert callers.demo('GET', '/volumes')[1] == {'volumes': []}
    assert files() == []


def test_other_projects_see_nothing(callers, create):
    volume = create()
    path = '/volumes/' + volume['id']
    for method, where, body in (
            ('GET', path, None), ('PUT', path, {'volume': {'name': 'x'}}), ('DELETE', path, None),
            ('GET', path + '/metadata', None), ('POST', path + '/action', {'os-extend': {'new_size': 2}}),
            ('POST', path + '/action', {'os-reserve': {}}),
            ('POST', '/snapshots', {'snapshot': {'volume_id': volume['id']}}),
            ('POST', '/volumes', {'volume': {'source_volid': volume['id']}}),
            ('POST', '/attachments', {'attachment': {'volume_uuid': volume['id']}})):
        status, answer = callers.other(method, where, body)
        assert status == 404, (method, where)
        assert answer == {'itemNotFound': {'code': 404, 'message': 'Volume %s could not be found.' % volume['id']}}
    assert callers.other('GET', '/volumes?all_tenants=1')[1]['volumes'] == []
    assert len(callers.admin('GET', '/volumes?all_tenants=1')[1]['volumes']) == 1
    assert callers.admin('GET', '/volumes')[1]['volumes'] == []


def test_reader_reads_only(callers, create):
    path = '/volumes/' + create()['id']
    assert callers.reader('GET', path)[0] == 200
    for method, where, body in (
            ('POST', '/volumes', {'volume': {'size': 1}}), ('PUT', path, {'volume': {}}), ('DELETE', path, None),
            ('POST', path + '/metadata', {'metadata': {}}), ('POST', path + '/action', {'os-reserve': {}}),
            ('POST', '/snapshots', {}), ('POST', '/attachments', {}), ('POST', '/os-volume-transfer', {})):
        status, body = callers.reader(method, where, body)
        assert (status, list(body)) == (403, ['forbidden'])


def test_quota(callers, service, create):
    callers.admin('PUT', '/os-quota-sets/' + 'd' * 32, {'quota_set': {'volumes': 2, 'gigabytes': 10}})
    create(size=4)
    status, body = callers.demo('POST', '/volumes', {'volume': {'size': 7}})
    assert (status, body) == (413, {'overLimit': {
        'code': 413, 'retryAfter': '0', 'message': 'VolumeSizeExceedsAvailableQuota: Requested volume or snapshot '
        'exceeds allowed gigabytes quota. Requested 7G, quota is 10G and 4G has been consumed.'}})
    assert callers.last.headers['retry-after'] == '0'
    create(size=1)
    status, body = callers.demo('POST', '/volumes', {'volume': {'size': 1}})
    assert body['overLimit']['message'] == (
        "VolumeLimitExceeded: Maximum number of volumes allowed (2) exceeded for quota 'volumes'.")
    assert callers.other('POST', '/volumes', {'volume': {'size': 1}})[0] == 202


def test_from_volume_and_snapshot(callers, service, create):
    source = create(name='source')
    with open(service.files.path('volume', source['id']), 'r+b') as file:
        file.seek(4096 * 3)
        file.write(b'marker')
    callers.demo('POST', '/volumes/%s/action' % source['id'], {'os-set_bootable': {'bootable': True}})
    status, body = callers.demo('POST', '/snapshots', {'snapshot': {'volume_id': source['id']}})
    assert status == 202
    service.jobs.wait()
    clone = create(size=3, source_volid=source['id'])
    copy = create(size=None, snapshot_id=body['snapshot']['id'])
    for volume, size in ((clone, 3), (copy, 1)):
        assert (volume['status'], volume['size'], volume['bootable']) == ('available', size, 'true')
        path = service.files.path('volume', volume['id'])
        with open(path, 'rb') as file:
            file.seek(4096 * 3)
            assert file.read(6) == b'marker'
        assert os.path.getsize(path) == size << 30
        assert os.stat(path).st_blocks < 100
    assert callers.demo('POST', '/volumes', {'volume': {'size': 2, 'source_volid': clone['id']}})[0] == 400
    assert callers.demo('DELETE', '/volumes/' + source['id'])[0] == 400  # it has a snapshot
    assert callers.demo('DELETE', '/volumes/%s?cascade=true' % source['id'])[0] == 202
    service.jobs.wait()
    assert callers.demo('GET', '/snapshots')[1] == {'snapshots': []}
    assert sorted(os.listdir(service.files.directory)) == sorted(
        ['exports', 'volume-' + clone['id'], 'volume-' + copy['id']])


def test_what_a_new_volume_holds_is_nobody_elses(callers, service, create):
    secret = create()
    with open(service.files.path('volume', secret['id']), 'r+b') as file:
        file.write(b'secret' * 10000)
    callers.demo('DELETE', '/volumes/' + secret['id'])
    service.jobs.wait()
    fresh = create(caller='other')
    with open(service.files.path('volume', fresh['id']), 'rb') as file:
        assert not file.read(1 << 20).strip(b'\0')


def test_a_full_disk_ends_in_error_with_a_message(callers, service, create, monkeypatch):
    volume = create(size=900)
    assert volume['status'] == 'available'
    monkeypatch.setattr(service.files, 'create', _no_space)
    volume = create()
    assert volume['status'] == 'error'
    message, = callers.demo('GET', '/messages?resource_uuid=' + volume['id'])[1]['messages']
    assert message['user_message'] == 'The storage could not do it; the log of the volume service tells why.'
    assert callers.other('GET', '/messages')[1] == {'messages': []}
    assert callers.demo('DELETE', '/messages/' + message['id'])[0] == 204
    assert callers.demo('DELETE', '/volumes/' + volume['id'])[0] == 202
    service.jobs.wait()
    assert callers.demo('GET', '/volumes/' + volume['id'])[0] == 404


def _no_space(*args):
    raise OSError(5, 'Input/output error')


def test_summary(callers, create):
    create(size=2, metadata={'a': 'b'})
    create(size=1, metadata={'a': 'c'})
    create(caller='other', size=5)
    assert callers.demo('GET', '/volumes/summary')[1] == {'volume-summary': {
        'total_count': 2, 'total_size': 3, 'metadata': {'a': ['b', 'c']}}}
    assert callers.admin('GET', '/volumes/summary?all_tenants=1')[1]['volume-summary']['total_size'] == 8


def test_encryption_is_told_to_be_none(callers, create):
    volume = create()
    assert callers.demo('GET', '/volumes/%s/encryption' % volume['id']) == (200, {'encryption_key_id': None})


def test_metadata(callers, create):
    path = '/volumes/%s/metadata' % create(metadata={'a': 'b'})['id']
    assert callers.demo('POST', path, {'metadata': {'c': 'd'}})[1] == {'metadata': {'a': 'b', 'c': 'd'}}
    assert callers.demo('PUT', path + '/c', {'meta': {'c': 'e'}})[1] == {'meta': {'c': 'e'}}
    assert callers.demo('PUT', path + '/c', {'meta': {'x': 'e'}})[0] == 400
    assert callers.demo('GET', path + '/c')[1] == {'meta': {'c': 'e'}}
    assert callers.demo('DELETE', path + '/c')[0] == 200
    assert callers.demo('DELETE', path + '/c')[0] == 404
    assert callers.demo('PUT', path, {'metadata': {'z': ''}})[1] == {'metadata': {'z': ''}}
    assert callers.demo('GET', path)[1] == {'metadata': {'z': ''}}
    for body in ({}, {'metadata': []}, {'metadata': {'': 'x'}}, {'metadata': {'x': 'a' * 256}}, {'metadata': {'x': 1}}):
        assert callers.demo('POST', path, body)[0] == 400, body
