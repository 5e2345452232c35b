# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""The actions rescue and rebuild: what they take at which microversion, check, record and answer."""

import pytest

from nova_lite.db import instances
from nova_lite.db import keypairs
from nova_lite.db import operations as operations_db
from nova_lite.objects import keypair
from tests.unit.api import servers_cloud
from tests.unit.compute_api import doubles


@pytest.fixture
def cloud(tmp_path):
    made = servers_cloud.Cloud(tmp_path)
    made.host('host1')
    return made


@pytest.fixture
def uuid(cloud):
    made = cloud.make()
    cloud.run(made, launched_at=None)
    cloud.cast.clear()
    return made


def act(cloud, uuid, body, **caller):
    return cloud.ask('POST', '/servers/%s/action' % uuid, body, **caller)


def rebuild(cloud, uuid, version='2.1', **fields):
    return act(cloud, uuid, {'rebuild': {'imageRef': cloud.image, **fields}}, version=version)


def order(cloud, uuid):
    [found] = operations_db.list_by_instance(cloud.db, uuid)
    return found


# ---- rescue --------------------------------------------------------------------------------------------------

def test_rescue_by_the_servers_own_image(cloud, uuid):
    answer = act(cloud, uuid, {'rescue': None})
    assert answer.status == 200 and len(answer.body['adminPass']) == cloud.conf.password_length
    found = order(cloud, uuid)
    assert (found.name, found.arguments['image'].id) == ('rescue', cloud.image)
    assert found.arguments['password'] == answer.body['adminPass']
    assert instances.get(cloud.db, uuid).task_state == 'rescuing'
    assert cloud.cast == [('run_operation', 'host1', uuid, found.uuid)]


def test_rescue_by_another_image(cloud, uuid):
    other = cloud.glance.add()
    answer = act(cloud, uuid, {'rescue': {'adminPass': 'mine', 'rescue_image_ref': other}})
    assert (answer.status, answer.body) == (200, {'adminPass': 'mine'})
    assert order(cloud, uuid).arguments['image'].id == other


def test_rescues_that_cannot_be(cloud, uuid):
    gone, queued = doubles.new_id(), cloud.glance.add(status='queued')
    assert act(cloud, uuid, {'rescue': {'rescue_image_ref': gone}}).message == (
        "Requested rescue image '%s' is not supported" % gone)
    assert act(cloud, uuid, {'rescue': {'rescue_image_ref': queued}}).status == 400
    for value in ({'rescue_image_ref': 'x'}, {'adminPass': 1}, {'x': 1}, []):
        assert act(cloud, uuid, {'rescue': value}).status == 400
    for state in ('paused', 'rescued', 'suspended'):
        cloud.run(uuid, vm_state=state)
        assert "Cannot 'rescue'" in act(cloud, uuid, {'rescue': None}).message
    assert operations_db.list_by_instance(cloud.db, uuid) == []


# ---- rebuild -------------------------------------------------------------------------------------------------

def test_everything_new(cloud, uuid):
    other = cloud.glance.add(hw_disk_bus='scsi')
    answer = act(cloud, uuid, {'rebuild': {
        'imageRef': other, 'name': 'new', 'metadata': {'a': 'b'}, 'adminPass': 'mine', 'accessIPv4': '192.0.2.9',
        'accessIPv6': '2001:db8:0::9', 'OS-DCF:diskConfig': 'MANUAL', 'preserve_ephemeral': False,
        'personality': [{'path': '/a', 'contents': 'aGk='}]}})
    assert answer.status == 202
    server = answer.body['server']
    assert (server['status'], server['name'], server['image']['id']) == ('REBUILD', 'new', other)
    assert (server['metadata'], server['adminPass'], server['accessIPv4']) == ({'a': 'b'}, 'mine', '192.0.2.9')
    assert answer.headers['Location'].endswith('/servers/' + uuid)
    instance = instances.get(cloud.db, uuid)
    assert (instance.image_ref, instance.image_meta.id, instance.task_state) == (other, other, 'rebuilding')
    assert (instance.access_ip_v6, instance.auto_disk_config) == ('2001:db8::9', False)
    found = order(cloud, uuid)
    assert found.arguments == {'password': 'mine', 'injected_files': [['/a', 'aGk=']], 'stopped': False}


def test_by_microversion(cloud, uuid):
    keypairs.create(cloud.db, keypair.KeyPair(name='k', user_id='u-p1', public_key='ssh-rsa A', fingerprint='f'))
    answer = rebuild(cloud, uuid, '2.94', description='d', key_name='k', user_data='aGk=', hostname='a.example',
                     trusted_image_certificates=['c1'])
    assert answer.status == 202, answer.body
    server = answer.body['server']
    assert (server['description'], server['key_name'], server['user_data']) == ('d', 'k', 'aGk=')
    assert server['trusted_image_certificates'] == ['c1'] and server['OS-EXT-SRV-ATTR:hostname'] == 'a.example'
    assert instances.get(cloud.db, uuid).key_data == 'ssh-rsa A'
    cloud.run(uuid)
    server = rebuild(cloud, uuid, '2.94', key_name=None, user_data=None, description=None).body['server']
    assert (server['description'], server['key_name'], server['user_data']) == (None, None, None)
    assert instances.get(cloud.db, uuid).key_data is None


@pytest.mark.parametrize('version, fields', [
    ('2.18', {'description': 'd'}), ('2.53', {'key_name': 'k'}), ('2.56', {'user_data': 'aGk='}),
    ('2.57', {'personality': []}), ('2.62', {'trusted_image_certificates': ['c']}), ('2.89', {'hostname': 'h1'}),
    ('2.93', {'hostname': 'a.b'}), ('2.54', {'key_name': 'unknown'}), ('2.1', {'imageRef': 'x'}),
    ('2.1', {'imageRef': doubles.new_id()}), ('2.1', {'preserve_ephemeral': True}), ('2.1', {'name': ''}),
    ('2.1', {'metadata': {'k' * 256: 'v'}}), ('2.1', {'accessIPv4': 'x'}), ('2.1', {'flavorRef': '1'})])
def test_what_is_refused(cloud, uuid, version, fields):
    assert rebuild(cloud, uuid, version, **fields).status == 400
    assert operations_db.list_by_instance(cloud.db, uuid) == []


def test_quotas_sizes_and_states(cloud, uuid):
    assert rebuild(cloud, uuid, metadata={'k%d' % number: 'v' for number in range(200)}).status == 403
    assert rebuild(cloud, uuid, personality=[{'path': '/%d' % number, 'contents': 'aGk='} for number in range(9)]
                   ).status == 403
    large = cloud.glance.add(min_ram=100000)
    assert rebuild(cloud, uuid, imageRef=large).message == "Flavor's memory is too small for requested image."
    for state in ('paused', 'rescued', 'shelved'):
        cloud.run(uuid, vm_state=state)
        assert "Cannot 'rebuild'" in rebuild(cloud, uuid).message
    cloud.run(uuid, vm_state='error')
    assert rebuild(cloud, uuid).status == 202


def test_a_stopped_server_stays_stopped(cloud, uuid):
    cloud.run(uuid, vm_state='stopped')
    assert rebuild(cloud, uuid).status == 202
    assert order(cloud, uuid).arguments['stopped'] is True


def test_others_may_not(cloud, uuid):
    for body in ({'rescue': None}, {'rebuild': {'imageRef': cloud.image}}):
        assert act(cloud, uuid, body, project='p2').status == 404
    instances.update(cloud.db, uuid, {'locked': True})
    for body in ({'rescue': None}, {'rebuild': {'imageRef': cloud.image}}):
        assert act(cloud, uuid, body).status == 409


@pytest.mark.parametrize('vm_state, task_state, status', [
    ('active', 'rebooting', 'REBOOT'), ('active', 'rebooting_hard', 'HARD_REBOOT'), ('stopped', None, 'SHUTOFF'),
    ('active', 'updating_password', 'PASSWORD'), ('error', 'rebuild_spawning', 'REBUILD'),
    ('active', 'resize_prep', 'RESIZE'), ('resized', 'resize_reverting', 'REVERT_RESIZE'),
    ('active', 'pausing', 'ACTIVE')])
def test_statuses(cloud, uuid, vm_state, task_state, status):
    cloud.run(uuid, vm_state=vm_state, task_state=task_state)
    assert cloud.ask('GET', '/servers/' + uuid).body['server']['status'] == status
