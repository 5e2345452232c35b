# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""shelve, shelveOffload and unshelve: what is recorded, for whom, and what is refused."""

import pytest

from nova_lite.db import block_devices
from nova_lite.db import instances
from nova_lite.db import operations as operations_db
from nova_lite.objects import block_device
from tests.unit.api import servers_cloud
from tests.unit.compute_api import doubles


@pytest.fixture
def cloud(tmp_path):
    made = servers_cloud.Cloud(tmp_path)
    made.host('host1')
    return made


@pytest.fixture
def uuid(cloud):
    uuid = cloud.make(availability_zone='nova')
    cloud.run(uuid)
    cloud.cast.clear()
    return uuid


def act(cloud, uuid, body, **caller):
    return cloud.ask('POST', '/servers/%s/action' % uuid, body, **caller)


def offloaded(cloud, uuid, **known):
    cloud.run(uuid, vm_state='shelved_offloaded', host=None, node=None, system_metadata=known)


def orders(cloud, uuid):
    return [(order.name, order.host, order.arguments) for order in operations_db.list_by_instance(cloud.db, uuid)]


def test_shelve_makes_an_image(cloud, uuid):
    before = set(cloud.glance.images)
    assert act(cloud, uuid, {'shelve': None}).status == 202
    [image_id] = set(cloud.glance.images) - before
    image = cloud.glance.images[image_id]
    assert (image['name'], image['status'], image['image_type']) == ('web-shelved', 'queued', 'snapshot')
    assert orders(cloud, uuid) == [('shelve', 'host1', {'image_id': image_id})]


def test_shelve_copies_no_volume(cloud, uuid):
    before = set(cloud.glance.images)
    block_devices.save(cloud.db, uuid, [block_device.BlockDeviceMapping(
        source_type='volume', destination_type='volume', boot_index=0, volume_id=doubles.new_id())])
    assert act(cloud, uuid, {'shelve': None}).status == 202
    assert set(cloud.glance.images) == before
    assert orders(cloud, uuid) == [('shelve', 'host1', {'image_id': None})]


def test_offloading_is_for_admins(cloud, uuid):
    cloud.run(uuid, vm_state='shelved')
    assert act(cloud, uuid, {'shelveOffload': None}).status == 403
    assert act(cloud, uuid, {'shelveOffload': None}, admin=True).status == 202
    assert orders(cloud, uuid) == [('shelve_offload', 'host1', {})]
    assert instances.get(cloud.db, uuid).task_state == 'shelving_offloading'


@pytest.mark.parametrize('action', ['shelveOffload', 'unshelve'])
def test_not_of_a_server_that_runs(cloud, uuid, action):
    answer = act(cloud, uuid, {action: None}, admin=True)
    assert answer.status == 409 and "Cannot '%s'" % action in answer.message


@pytest.mark.parametrize('body', [None, {}, 'whatever'])
def test_unshelve_on_its_host(cloud, uuid, body):
    cloud.run(uuid, vm_state='shelved')
    assert act(cloud, uuid, {'unshelve': body}).status == 202
    assert orders(cloud, uuid) == [('unshelve', 'host1', {})]


def test_unshelve_is_left_to_the_conductor_when_no_host_has_it(cloud, uuid):
    offloaded(cloud, uuid)
    assert act(cloud, uuid, {'unshelve': None}).status == 202
    assert orders(cloud, uuid) == [('unshelve_offloaded', None, {'wanted_host': None})]
    [order] = operations_db.list_by_instance(cloud.db, uuid)
    assert cloud.cast == [('run_operation', None, uuid, order.uuid)]


def test_unshelve_to_a_zone(cloud, uuid):
    offloaded(cloud, uuid, pinned_availability_zone='old', other='kept')
    assert act(cloud, uuid, {'unshelve': {'availability_zone': 'nova'}}, version='2.77').status == 202
    assert instances.get(cloud.db, uuid).system_metadata == {'pinned_availability_zone': 'nova', 'other': 'kept'}


def test_unshelve_to_any_zone(cloud, uuid):
    offloaded(cloud, uuid, pinned_availability_zone='old')
    assert act(cloud, uuid, {'unshelve': {'availability_zone': None}}, version='2.91').status == 202
    assert instances.get(cloud.db, uuid).system_metadata == {'pinned_availability_zone': None}


@pytest.mark.parametrize(('wanted', 'status'), [
    ({'availability_zone': 'nowhere'}, 400), ({'host': 'nowhere'}, 400),
    ({'availability_zone': 'nova', 'host': 'host1'}, 202), ({'host': 'host1'}, 202)])
def test_destinations(cloud, uuid, wanted, status):
    offloaded(cloud, uuid)
    assert act(cloud, uuid, {'unshelve': wanted}, version='2.91', admin=True).status == status
    if status == 202:
        assert orders(cloud, uuid)[0][2] == {'wanted_host': wanted.get('host')}


def test_a_host_of_another_zone(cloud, uuid):
    offloaded(cloud, uuid, pinned_availability_zone='old')
    answer = act(cloud, uuid, {'unshelve': {'host': 'host1'}}, version='2.91', admin=True)
    assert answer.status == 409 and 'not in the availability zone "old"' in answer.message


def test_a_host_of_ones_choice_is_for_admins(cloud, uuid):
    offloaded(cloud, uuid)
    assert act(cloud, uuid, {'unshelve': {'host': 'host1'}}, version='2.91').status == 403


def test_no_destination_for_a_server_that_its_host_has(cloud, uuid):
    cloud.run(uuid, vm_state='shelved')
    answer = act(cloud, uuid, {'unshelve': {'availability_zone': 'nova'}}, version='2.77')
    assert answer.status == 409 and 'SHELVED_OFFLOADED' in answer.message


@pytest.mark.parametrize(('version', 'body'), [
    ('2.77', {'host': 'host1'}), ('2.77', {'availability_zone': None}), ('2.91', {'availability_zone': ''}),
    ('2.91', {'other': 1}), ('2.91', {'host': ''}), ('2.77', 'x')])
def test_bad_bodies(cloud, uuid, version, body):
    offloaded(cloud, uuid)
    assert act(cloud, uuid, {'unshelve': body}, version=version, admin=True).status == 400


def test_a_shelved_server_is_deleted_with_its_image(cloud, uuid):
    image_id = cloud.glance.add(owner='p1')
    offloaded(cloud, uuid, shelved_image_id=image_id)
    assert cloud.ask('DELETE', '/servers/%s' % uuid).status == 204
    assert image_id not in cloud.glance.images


def test_a_shelved_server_is_deleted_though_the_image_service_is_away(cloud, uuid):
    offloaded(cloud, uuid, shelved_image_id=doubles.new_id())
    cloud.glance.fails, cloud.glance.failures = 'DELETE', [doubles.Reply(503)]
    assert cloud.ask('DELETE', '/servers/%s' % uuid).status == 204
