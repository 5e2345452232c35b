# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""What is done with volumes by actions: extend, revert, retype, flags and an administrator's means."""

import os
import uuid

import pytest

LATER = {'OpenStack-API-Version': 'volume 3.40'}


@pytest.fixture
def act(callers):
    def make_one(volume, action, caller='demo', headers=LATER, **content):
        return getattr(callers, caller)('POST', '/volumes/%s/action' % volume['id'], {action: content}, headers)
    return make_one


@pytest.fixture
def show(callers):
    return lambda volume: callers.demo('GET', '/volumes/' + volume['id'])[1]['volume']


@pytest.mark.parametrize('body', [None, [], {}, {'a': {}, 'b': {}}, {'os-nothing': {}}, {'os-extend': None},
                                  {'os-extend': {}}, {'os-extend': {'new_size': 0}}, {'os-extend': {'new_size': 'x'}},
                                  {'os-extend': {'new_size': 1}}, {'os-extend': {'new_size': 2 ** 31}},
                                  {'os-extend': {'new_size': '9' * 30}}, {'os-extend': []},
                                  {'os-set_bootable': {}}, {'os-set_bootable': {'bootable': 'perhaps'}},
                                  {'os-retype': {}}, {'os-retype': {'new_type': 'x', 'migration_policy': 'x'}},
                                  {'os-attach': []}, {'revert': {'snapshot_id': 'x'}}, {'os-migrate_volume': {}}])
def test_what_is_no_action(create, callers, body):
    volume = create()
    status, answer = callers.demo('POST', '/volumes/%s/action' % volume['id'], body)
    assert (status, list(answer)) == (400, ['badRequest'])


def test_extend(create, act, show, service):
    volume = create()
    assert act(volume, 'os-extend', new_size='3')[0] == 202
    assert (show(volume)['size'], show(volume)['status']) == (3, 'available')
    assert os.path.getsize(service.files.path('volume', volume['id'])) == 3 << 30
    status, body = act(volume, 'os-extend', new_size=3)
    assert (status, body['badRequest']['message']) == (
        400, 'Invalid input received: New size for extend must be greater than current size. (current: 3, extended: '
             '3).')
    assert act(volume, 'os-extend', new_size=5000)[0] == 413
    act(volume, 'os-reserve')
    assert act(volume, 'os-extend', new_size=4)[0] == 400


def test_extend_past_what_a_file_can_have(create, act, show, callers):
    callers.admin('PUT', '/os-quota-sets/' + 'd' * 32, {'quota_set': {'gigabytes': -1}})
    volume = create()
    status, body = act(volume, 'os-extend', new_size=2 ** 31 - 1)
    assert (status, list(body)) == (413, ['overLimit'])
    assert show(volume)['size'] == 1


def test_extend_what_is_gone(create, act, show, service):
    volume = create()
    os.unlink(service.files.path('volume', volume['id']))
    status, body = act(volume, 'os-extend', new_size=2)
    assert (status, list(body)) == (503, ['serviceUnavailable'])
    assert show(volume)['size'] == 1


def test_flags(create, act, show):
    volume = create()
    assert act(volume, 'os-set_bootable', bootable='yes')[0] == 200
    assert show(volume)['bootable'] == 'true'
    assert act(volume, 'os-update_readonly_flag', readonly='True')[0] == 202
    assert show(volume)['metadata'] == {'readonly': 'True'}


def test_revert(create, act, show, callers, service):
    volume = create()
    path = service.files.path('volume', volume['id'])
    write(path, b'before')
    first = snapshot(callers, service, volume)
    latest = snapshot(callers, service, volume)
    write(path, b'after!')
    status, body = act(volume, 'revert', snapshot_id=first['id'])
    assert (status, body['badRequest']['message']) == (
        400, 'Specified snapshot %s is None or not the latest one of volume %s.' % (first['id'], volume['id']))
    assert act(volume, 'revert', snapshot_id=latest['id'])[0] == 202
    service.jobs.wait()
    with open(path, 'rb') as file:
        assert file.read(6) == b'before'
    assert show(volume)['status'] == 'available'
    assert callers.demo('GET', '/snapshots/' + latest['id'])[1]['snapshot']['status'] == 'available'
    act(volume, 'os-extend', new_size=2)
    assert act(volume, 'revert', snapshot_id=latest['id'])[0] == 400
    assert act(volume, 'revert', headers={}, snapshot_id=latest['id'])[0] == 400
    assert act(volume, 'revert', snapshot_id=str(uuid.uuid4()))[0] == 404


def write(path, data):
    with open(path, 'r+b') as file:
        file.write(data)


def snapshot(callers, service, volume):
    status, body = callers.demo('POST', '/snapshots', {'snapshot': {'volume_id': volume['id']}})
    assert status == 202
    service.jobs.wait()
    return body['snapshot']


def test_retype(create, act, show, callers):
    volume = create()
    for name, specs in (('same', {'volume_backend_name': 'files', 'vendor_name': '<in> lite'}),
                        ('shared', {'multiattach': '<is> True'}), ('elsewhere', {'volume_backend_name': 'ceph'})):
        callers.admin('POST', '/types', {'volume_type': {'name': name, 'extra_specs': specs}})
    assert act(volume, 'os-retype', new_type='same', migration_policy='never')[0] == 202
    assert show(volume)['volume_type'] == 'same'
    assert act(volume, 'os-retype', new_type='same')[0] == 400
    assert act(volume, 'os-retype', new_type='nothing')[0] == 404
    status, body = act(volume, 'os-retype', new_type='elsewhere', migration_policy='on-demand')
    assert (status, body['badRequest']['message']) == (400, 'No back end here has volumes of the type elsewhere.')
    act(volume, 'os-attach', instance_uuid=str(uuid.uuid4()), mountpoint='x')
    assert act(volume, 'os-retype', new_type='shared')[0] == 400
    assert act(volume, 'os-retype', new_type='__DEFAULT__')[0] == 202
    act(volume, 'os-detach')
    assert act(volume, 'os-retype', new_type='shared')[0] == 202
    assert show(volume)['multiattach'] is True


def test_a_type_that_no_back_end_has(create, callers):
    callers.admin('POST', '/types', {'volume_type': {'name': 'odd', 'extra_specs': {'colour': 'red'}}})
    volume = create(volume_type='odd')
    assert volume['status'] == 'error'
    message, = callers.demo('GET', '/messages')[1]['messages']
    assert message['user_message'].endswith('Could not find any available weighted backend.')


def test_reset_status(create, act, show):
    volume = create()
    assert act(volume, 'os-reset_status', status='error')[0] == 403
    assert act(volume, 'os-reset_status', 'admin', status='error')[0] == 202
    assert show(volume)['status'] == 'error'
    assert act(volume, 'os-reset_status', 'admin', status='happy')[0] == 400
    assert act(volume, 'os-reset_status', 'admin', attach_status='detached', migration_status='none')[0] == 202
    assert act(volume, 'os-reset_status', 'admin')[0] == 400
    assert show(volume)['status'] == 'error'


def test_force_delete(create, act, callers, service, files):
    volume = create()
    act(volume, 'os-reset_status', 'admin', status='creating')
    assert callers.demo('DELETE', '/volumes/' + volume['id'])[0] == 400
    assert callers.demo('DELETE', '/volumes/%s?force=true' % volume['id'])[0] == 403
    assert callers.demo('DELETE', '/volumes/%s?force=perhaps' % volume['id'])[0] == 400
    assert act(volume, 'os-force_delete')[0] == 403
    assert act(volume, 'os-force_delete', 'admin')[0] == 202
    service.jobs.wait()
    assert files() == []
    used = create()
    act(used, 'os-attach', instance_uuid=str(uuid.uuid4()), mountpoint='x')
    assert act(used, 'os-force_delete', 'admin')[0] == 400


def test_completion_of_an_exchange_of_volumes(create, act):
    old, new = create(), create()
    assert act(old, 'os-migrate_volume_completion', 'admin', new_volume=new['id'], error=False) == (
        200, {'save_volume_id': new['id']})
    assert act(old, 'os-migrate_volume_completion', 'admin', new_volume=new['id'], error=True) == (
        200, {'save_volume_id': old['id']})
    assert act(old, 'os-migrate_volume_completion', new_volume=new['id'])[0] == 403
