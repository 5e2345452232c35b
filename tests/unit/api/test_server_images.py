# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""createImage and createBackup: the image as it is made before the server's host is told, and what is refused."""

import pytest

from nova_lite.db import block_devices
from nova_lite.db import instances
from nova_lite.db import operations as operations_db
from nova_lite.objects import block_device
from tests.unit.api import servers_cloud
from tests.unit.compute_api import doubles

CREATE, BACKUP = 'createImage', 'createBackup'
BODIES = {CREATE: {'name': 'copy'}, BACKUP: {'name': 'copy', 'backup_type': 'daily', 'rotation': 2}}
EACH = pytest.mark.parametrize('action', [CREATE, BACKUP])


@pytest.fixture
def cloud(tmp_path):
    made = servers_cloud.Cloud(tmp_path)
    made.host('host1')
    made.image = made.glance.add(hw_disk_bus='virtio', os_distro='tiny', img_signature='s', cache_in_nova='x',
                                 min_ram=64, min_disk=0)
    return made


@pytest.fixture
def uuid(cloud):
    uuid = cloud.make()
    cloud.run(uuid)
    cloud.before = set(cloud.glance.images)
    return uuid


def act(cloud, uuid, action, version='2.1', admin=False, **fields):
    return cloud.ask('POST', '/servers/%s/action' % uuid, {action: {**BODIES[action], **fields}}, version=version,
                     admin=admin)


def made_by(cloud):
    """The images that the requests have made."""
    return [image for image_id, image in cloud.glance.images.items() if image_id not in cloud.before]


@EACH
def test_the_id_is_told_in_the_header_location(cloud, uuid, action):
    answer = act(cloud, uuid, action)
    [image] = made_by(cloud)
    assert (answer.status, answer.body) == (202, None)
    assert answer.headers['Location'] == 'http://image/images/%s' % image['id']


@EACH
def test_the_id_is_told_in_the_body_since_2_45(cloud, uuid, action):
    answer = act(cloud, uuid, action, version='2.45')
    [image] = made_by(cloud)
    assert (answer.status, answer.body) == (202, {'image_id': image['id']})
    assert 'Location' not in answer.headers


def test_a_rotation_of_0_has_no_location(cloud, uuid):
    answer = act(cloud, uuid, BACKUP, rotation='0')
    assert answer.status == 202 and 'Location' not in answer.headers


@EACH
def test_the_image_is_told_what_it_is_of(cloud, uuid, action):
    act(cloud, uuid, action, metadata={'mine': 'yes', 'os_distro': 'other'})
    [image] = made_by(cloud)
    assert (image['status'], image['name'], image['visibility'], image['owner']) == ('queued', 'copy', 'private', 'p1')
    assert (image['min_ram'], image['min_disk']) == (64, 1), 'the disk of the flavor has to fit in again'
    expected = {'instance_uuid': uuid, 'user_id': 'u-p1', 'base_image_ref': cloud.image, 'hw_disk_bus': 'virtio',
                'mine': 'yes', 'os_distro': 'other', 'image_type': 'snapshot' if action == CREATE else 'backup'}
    assert {name: image[name] for name in expected} == expected
    assert 'img_signature' not in image and 'cache_in_nova' not in image
    assert image.get('backup_type') == (None if action == CREATE else 'daily')


def test_an_image_of_an_image_remembers_the_first(cloud, uuid):
    cloud.image = cloud.glance.add(base_image_ref='the-first')
    second = cloud.make()
    cloud.run(second)
    act(cloud, second, CREATE)
    assert [image['base_image_ref'] for image in made_by(cloud) if image['name'] == 'copy'] == ['the-first']


def test_what_the_host_is_told(cloud, uuid):
    act(cloud, uuid, BACKUP)
    [order], [image] = operations_db.list_by_instance(cloud.db, uuid), made_by(cloud)
    assert order.arguments == {'image_id': image['id'], 'backup_type': 'daily', 'rotation': 2}


@EACH
def test_no_image_is_made_when_the_state_forbids_it(cloud, uuid, action):
    cloud.run(uuid, vm_state='error')
    answer = act(cloud, uuid, action)
    assert answer.status == 409 and "Cannot '%s'" % action in answer.message
    assert made_by(cloud) == []


@EACH
def test_an_image_is_deleted_again_when_somebody_was_faster(cloud, uuid, action, monkeypatch):
    cloud.glance.fails = 'POST'
    cloud.glance.failures = [None]
    real = instances.request_operation

    def slow(*args):
        cloud.run(uuid, task_state='rebooting')
        return real(*args)
    monkeypatch.setattr(instances, 'request_operation', slow)
    assert act(cloud, uuid, action).status == 409
    assert made_by(cloud) == []


@pytest.mark.parametrize(('answer', 'status'), [
    (doubles.Reply(413), 403), (doubles.Reply(403, {'message': 'no'}), 403),
    (doubles.Reply(400, {'message': 'x'}), 400),
    (doubles.Reply(503), 503), (doubles.Reply(500), 503), (doubles.Reply(409, {'message': 'x'}), 409)])
@EACH
def test_the_image_service_refuses(cloud, uuid, action, answer, status):
    cloud.glance.fails, cloud.glance.failures = 'POST', [answer]
    assert act(cloud, uuid, action).status == status
    assert instances.get(cloud.db, uuid).task_state is None


@EACH
def test_too_much_metadata(cloud, uuid, action):
    answer = act(cloud, uuid, action, metadata={'key-%d' % number: 'x' for number in range(129)})
    assert answer.status == 403 and 'metadata limit' in answer.message
    assert made_by(cloud) == []


def test_no_backups_of_servers_on_volumes(cloud, uuid):
    block_devices.save(cloud.db, uuid, [block_device.BlockDeviceMapping(
        source_type='volume', destination_type='volume', boot_index=0, volume_id=doubles.new_id())])
    answer = act(cloud, uuid, BACKUP)
    assert answer.status == 400 and 'volume-backed' in answer.message
    assert made_by(cloud) == []


@pytest.mark.parametrize(('action', 'fields'), [
    (CREATE, {'name': ''}), (CREATE, {'name': 'x' * 256}), (CREATE, {'metadata': {'': 'x'}}),
    (CREATE, {'metadata': {'k': 'x' * 256}}), (CREATE, {'metadata': None}), (CREATE, {'other': 1}),
    (BACKUP, {'rotation': -1}), (BACKUP, {'rotation': 'x'}), (BACKUP, {'rotation': None}), (BACKUP, {'backup_type': 1}),
    (BACKUP, {'metadata': []})])
def test_bad_bodies(cloud, uuid, action, fields):
    assert act(cloud, uuid, action, **fields).status == 400
    assert made_by(cloud) == []


def test_no_images_of_servers_on_volumes(cloud, uuid):
    block_devices.save(cloud.db, uuid, [block_device.BlockDeviceMapping(
        source_type='volume', destination_type='volume', boot_index=0, volume_id=doubles.new_id())])
    assert act(cloud, uuid, CREATE).status == 400
    assert made_by(cloud) == []
