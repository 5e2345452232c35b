# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Quotas as they are told and set, and limits with what is used."""

import pytest

DEMO = 'd' * 32
PATH = '/os-quota-sets/' + DEMO


def test_show(callers, create):
    create(size=3)
    limits = {'volumes': 10, 'per_volume_gigabytes': -1, 'snapshots': 10, 'gigabytes': 1000, 'backups': 10,
              'backup_gigabytes': 1000, 'groups': 10, 'volumes___DEFAULT__': -1, 'gigabytes___DEFAULT__': -1,
              'snapshots___DEFAULT__': -1, 'id': DEMO}
    assert callers.demo('GET', PATH)[1] == {'quota_set': limits}
    assert callers.demo('GET', PATH + '/defaults')[1] == {'quota_set': limits}
    usage = callers.admin('GET', PATH + '?usage=True')[1]['quota_set']
    assert usage['volumes'] == {'limit': 10, 'in_use': 1, 'reserved': 0}
    assert usage['gigabytes___DEFAULT__'] == {'limit': -1, 'in_use': 3, 'reserved': 0}
    assert callers.demo('GET', PATH + '?usage=perhaps')[0] == 400
    assert callers.other('GET', PATH)[0] == 403


def test_set(callers):
    assert callers.demo('PUT', PATH, {'quota_set': {'volumes': 99}})[0] == 403
    status, body = callers.admin('PUT', PATH, {'quota_set': {'volumes': '7', 'gigabytes': -1, 'tenant_id': DEMO}})
    assert (status, body['quota_set']['volumes'], body['quota_set']['gigabytes']) == (200, 7, -1)
    assert callers.demo('GET', PATH + '/defaults')[1]['quota_set']['volumes'] == 10
    assert callers.demo('DELETE', PATH)[0] == 403
    assert callers.admin('DELETE', PATH)[0] == 200
    assert callers.demo('GET', PATH)[1]['quota_set']['volumes'] == 10


@pytest.mark.parametrize('values, text', [
    ({'colour': 1}, 'Invalid input received: Bad key(s) in quota set: colour'), ({'volumes': -2}, 'must be >= -1'),
    ({'volumes': 'x'}, 'volumes must be an integer'), ({'volumes': 2 ** 31}, 'volumes must be <= 2147483647'),
    ({'volumes': '9' * 40}, 'volumes must be an integer'), ({'volumes': True}, 'volumes must be an integer'),
    ({'volumes': 1.5}, 'volumes must be an integer'), ({'volumes': None}, 'volumes must be an integer'), ({}, '')])
def test_what_is_no_quota(callers, values, text):
    for path, key in ((PATH, 'quota_set'), ('/os-quota-class-sets/default', 'quota_class_set')):
        status, body = callers.admin('PUT', path, {key: values})
        assert status == 400
        assert text in body['badRequest']['message']


def test_per_type_and_per_volume(callers, create):
    callers.admin('POST', '/types', {'volume_type': {'name': 'fast'}})
    callers.admin('PUT', PATH, {'quota_set': {'volumes_fast': 1, 'gigabytes___DEFAULT__': 2,
                                              'per_volume_gigabytes': 2}})
    create(volume_type='fast')
    status, body = callers.demo('POST', '/volumes', {'volume': {'size': 1, 'volume_type': 'fast'}})
    assert body['overLimit']['message'].endswith("for quota 'volumes_fast'.")
    create(size=2)
    status, body = callers.demo('POST', '/volumes', {'volume': {'size': 1}})
    assert 'gigabytes___DEFAULT__ quota' in body['overLimit']['message']
    status, body = callers.demo('POST', '/volumes', {'volume': {'size': 3, 'volume_type': 'fast'}})
    assert body['overLimit']['message'] == (
        'VolumeSizeExceedsLimit: Requested volume size 3G is larger than maximum allowed limit 2G.')


def test_class(callers):
    path = '/os-quota-class-sets/default'
    assert callers.demo('GET', path)[0] == 403
    status, body = callers.admin('PUT', path, {'quota_class_set': {'volumes': 3, 'class_name': 'default'}})
    assert (status, body['quota_class_set']['volumes']) == (200, 3)
    assert callers.demo('GET', PATH)[1]['quota_set']['volumes'] == 3
    assert callers.admin('GET', path)[1]['quota_class_set']['id'] == 'default'


def test_limits(callers, create):
    volume = create(size=4)
    callers.demo('POST', '/snapshots', {'snapshot': {'volume_id': volume['id']}})
    absolute = callers.demo('GET', '/limits')[1]['limits']['absolute']
    assert absolute == {
        'maxTotalVolumes': 10, 'maxTotalSnapshots': 10, 'maxTotalVolumeGigabytes': 1000, 'maxTotalBackups': 10,
        'maxTotalBackupGigabytes': 1000, 'totalVolumesUsed': 1, 'totalGigabytesUsed': 8, 'totalSnapshotsUsed': 1,
        'totalBackupsUsed': 0, 'totalBackupGigabytesUsed': 0}
    assert callers.admin('GET', '/limits?project_id=' + DEMO)[1]['limits']['absolute'] == absolute
    assert callers.other('GET', '/limits?project_id=' + DEMO)[1]['limits']['absolute']['totalVolumesUsed'] == 0
