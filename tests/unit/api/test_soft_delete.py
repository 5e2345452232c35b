# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Deleting that can be taken back: with `reclaim_instance_interval` a server is kept, off, for a while."""

import pytest

from nova_lite.db import instances
from nova_lite.db import operations as operations_db
from tests.unit.api import servers_cloud


@pytest.fixture
def cloud(tmp_path):
    made = servers_cloud.Cloud(tmp_path, reclaim_instance_interval=3600)
    made.host('host1')
    return made


@pytest.fixture
def server(cloud):
    uuid = cloud.make()
    cloud.run(uuid)
    cloud.cast.clear()
    return uuid


def delete(cloud, uuid):
    return cloud.ask('DELETE', '/servers/%s' % uuid).status


def soft_delete(cloud, uuid):
    """Delete a server, and end that as its host does."""
    assert delete(cloud, uuid) == 204
    return instances.transition(cloud.db, uuid, 'soft_deleted')


def act(cloud, uuid, action):
    return cloud.ask('POST', '/servers/%s/action' % uuid, {action: None})


def listed(cloud, query='', **caller):
    return [item['id'] for item in cloud.ask('GET', '/servers' + query, **caller).body['servers']]


def test_it_is_kept_and_again_changes_nothing(cloud, server):
    assert delete(cloud, server) == 204
    [order] = operations_db.list_by_instance(cloud.db, server)
    assert order.name == 'soft_delete' and cloud.cast == [('run_operation', 'host1', server, order.uuid)]
    assert delete(cloud, server) == 204 and len(cloud.cast) == 1
    instances.transition(cloud.db, server, 'soft_deleted')
    assert delete(cloud, server) == 204 and len(cloud.cast) == 1
    shown = cloud.ask('GET', '/servers/%s' % server).body['server']
    assert shown['status'] == 'SOFT_DELETED' and shown['OS-EXT-STS:vm_state'] == 'soft-delete'


@pytest.mark.parametrize('state', [
    {'vm_state': 'building', 'task_state': 'spawning'}, {'task_state': 'image_uploading'}, {'host': 'down'},
    {'host': None, 'vm_state': 'error'}, {'vm_state': 'shelved_offloaded', 'host': None}])
def test_what_cannot_be_kept_is_deleted_at_once(cloud, server, state):
    cloud.run(server, **state)
    assert delete(cloud, server) == 204
    assert instances.get(cloud.db, server).task_state == 'deleting'


def test_a_locked_one_stays(cloud, server):
    cloud.run(server, locked=True)
    assert delete(cloud, server) == 409 and cloud.cast == []


def test_force_delete_does_not_wait(cloud, server):
    soft_delete(cloud, server)
    assert act(cloud, server, 'forceDelete').status == 202
    assert instances.get(cloud.db, server).task_state == 'deleting'


def test_restore(cloud, server):
    refused = act(cloud, server, 'restore')
    assert refused.status == 409 and "Cannot 'restore' instance" in refused.message
    soft_delete(cloud, server)
    assert act(cloud, server, 'restore').status == 202
    assert operations_db.list_by_instance(cloud.db, server)[-1].name == 'restore'


def test_it_does_not_count_until_it_is_restored(tmp_path):
    cloud = servers_cloud.Cloud(tmp_path, reclaim_instance_interval=3600, quota__instances=1)
    cloud.host('host1')
    server = cloud.make()
    cloud.run(server)
    soft_delete(cloud, server)
    assert instances.count_usage(cloud.db, 'p1') == {'instances': 0, 'cores': 0, 'ram': 0}
    other = cloud.make()
    assert act(cloud, server, 'restore').status == 403
    cloud.ask('DELETE', '/servers/%s' % other)
    instances.transition(cloud.db, other, 'deleted')
    assert act(cloud, server, 'restore').status == 202


def test_lists_show_it_to_who_asks(cloud, server):
    soft_delete(cloud, server)
    assert listed(cloud) == []
    assert listed(cloud, '?status=SOFT_DELETED') == [server]
    assert listed(cloud, '?changes-since=2020-01-01T00:00:00Z') == [server]
    assert listed(cloud, '?all_tenants=1&soft_deleted=true', admin=True) == [server]
    assert listed(cloud, '?all_tenants=1', admin=True) == []
