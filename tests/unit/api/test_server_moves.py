# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Resize, migrate and the lists of migrations: what is refused, and what is recorded."""

import pytest

from nova_lite.db import instances
from nova_lite.db import moves
from nova_lite.db import operations as operations_db
from nova_lite.db import quotas
from tests.unit.api import servers_cloud


@pytest.fixture
def cloud(tmp_path):
    made = servers_cloud.Cloud(tmp_path)
    for host in ('host1', 'host2'):
        made.host(host)
    made.flavor('2', memory_mb=1024, vcpus=2)
    return made


@pytest.fixture
def uuid(cloud):
    made = cloud.make()
    cloud.run(made)
    cloud.cast.clear()
    return made


def act(cloud, uuid, body, **caller):
    return cloud.ask('POST', '/servers/%s/action' % uuid, body, **caller)


def resize(cloud, uuid, flavor, **fields):
    return act(cloud, uuid, {'resize': {'flavorRef': flavor, **fields}})


def test_a_resize_is_recorded_with_its_migration(cloud, uuid):
    assert resize(cloud, uuid, '2', **{'OS-DCF:diskConfig': 'MANUAL'}).status == 202
    [order] = operations_db.list_by_instance(cloud.db, uuid)
    migration = order.arguments['migration']
    assert (migration.old_flavor.flavorid, migration.new_flavor.flavorid) == ('1', '2')
    assert (migration.source_compute, migration.old_vm_state, migration.status) == (
        'host1', 'active', 'pre-migrating')
    assert order.arguments['ignore_hosts'] == ['host1'], 'unless it may stay'
    assert order.arguments['auto_disk_config'] is False


def test_it_may_stay_where_that_is_allowed(tmp_path):
    cloud = servers_cloud.Cloud(tmp_path, allow_resize_to_same_host=True)
    cloud.host('host1')
    cloud.flavor('2')
    uuid = cloud.make()
    cloud.run(uuid)
    assert resize(cloud, uuid, '2').status == 202
    assert operations_db.list_by_instance(cloud.db, uuid)[0].arguments['ignore_hosts'] == []


@pytest.mark.parametrize('flavor, message', [
    ('1', 'When resizing, instances must change flavor!'),
    ('none', 'Flavor none could not be found.'),
    ('off', 'Flavor off could not be found.'),
    ('zero', 'Resize to zero disk flavor is not allowed.'),
    ('ephemeral', None),
    ('', None)])
def test_flavors_that_it_cannot_have(cloud, uuid, flavor, message):
    cloud.flavor('off', disabled=True)
    cloud.flavor('zero', root_gb=0)
    cloud.flavor('ephemeral', memory_mb=1)
    if flavor == 'ephemeral':       # the image asks for more memory
        instance = instances.get(cloud.db, uuid)
        instance.image_meta.min_ram = 256
        instances.update(cloud.db, uuid, {'image_meta': instance.image_meta})
    answer = resize(cloud, uuid, flavor)
    assert answer.status == 400
    assert message in (None, answer.message)
    assert operations_db.list_by_instance(cloud.db, uuid) == []


def test_disks_do_not_shrink(cloud):
    cloud.flavor('large', root_gb=2)
    uuid = cloud.make(flavorRef='large')
    cloud.run(uuid)
    answer = resize(cloud, uuid, '2')
    assert (answer.status, answer.message) == (400, 'Unable to resize disk down.')


def test_only_what_grows_counts_against_the_quota(cloud, uuid):
    quotas.set_(cloud.db, 'p1', {'cores': 1, 'ram': 2048})
    answer = resize(cloud, uuid, '2')
    assert answer.status == 403
    assert answer.message == 'Quota exceeded for cores: Requested 1, but already used 1 of 1 cores'
    cloud.flavor('same', memory_mb=256)
    assert resize(cloud, uuid, 'same').status == 202


@pytest.mark.parametrize('body', [
    {'resize': {}}, {'resize': None}, {'resize': {'flavorRef': None}}, {'resize': {'flavorRef': '2', 'x': 1}},
    {'resize': {'flavorRef': '2', 'OS-DCF:diskConfig': 'x'}}])
def test_bad_bodies(cloud, uuid, body):
    assert act(cloud, uuid, body).status == 400


def test_migrate(cloud, uuid):
    assert act(cloud, uuid, {'migrate': None}).status == 403
    assert act(cloud, uuid, {'migrate': None}, admin=True).status == 202
    [order] = operations_db.list_by_instance(cloud.db, uuid)
    assert (order.name, order.host, order.arguments['ignore_hosts']) == ('migrate', None, ['host1'])
    assert order.arguments['migration'].migration_type == 'migration'
    answer = act(cloud, uuid, {'migrate': None}, admin=True)
    assert answer.status == 409 and "Cannot 'migrate' instance" in answer.message


@pytest.mark.parametrize('host, message', [
    ('host1', 'Cannot migrate to the host where the server exists.'),
    ('elsewhere', 'Compute host elsewhere could not be found.')])
def test_hosts_that_it_cannot_go_to(cloud, uuid, host, message):
    answer = act(cloud, uuid, {'migrate': {'host': host}}, admin=True, version='2.56')
    assert (answer.status, answer.message) == (400, message)


def test_the_host_that_is_wanted(cloud, uuid):
    act(cloud, uuid, {'migrate': {'host': 'host2'}}, admin=True, version='2.56')
    assert operations_db.list_by_instance(cloud.db, uuid)[0].arguments['to_host'] == 'host2'


def test_confirm_goes_to_the_source_and_revert_to_the_destination(cloud, uuid):
    cloud.run(uuid, host='host2', vm_state='resized')
    cloud.resized(uuid, dest_compute='host2')
    assert act(cloud, uuid, {'confirmResize': None}).status == 204
    assert cloud.cast[0][1] == 'host1'
    other = cloud.make()
    cloud.run(other, host='host2', vm_state='resized')
    cloud.resized(other, dest_compute='host2')
    cloud.cast.clear()
    assert act(cloud, other, {'revertResize': None}).status == 202
    assert cloud.cast[0][1] == 'host2'


@pytest.mark.parametrize('body, status', [
    ({'confirmResize': None}, 'reverting'), ({'revertResize': None}, 'confirming')])
def test_the_opposite_of_what_was_begun(cloud, uuid, body, status):
    cloud.run(uuid, vm_state='resized')
    cloud.resized(uuid, status=status)
    assert act(cloud, uuid, body).status == 409


def test_there_is_nothing_to_confirm(cloud, uuid):
    cloud.run(uuid, vm_state='resized')
    answer = act(cloud, uuid, {'confirmResize': None})
    assert (answer.status, answer.message) == (400, 'Instance has not been resized.')


def test_the_flavor_counts_from_the_change_on(cloud, uuid):
    from_flavor = instances.count_usage(cloud.db, 'p1')
    new = cloud.flavor('3', memory_mb=4096, vcpus=4)
    instances.update(cloud.db, uuid, {'flavor': new})
    assert from_flavor['cores'] == 1 and instances.count_usage(cloud.db, 'p1')['cores'] == 4
    assert [item.uuid for item in instances.list_(cloud.db, {'flavorid': '3'})] == [uuid]


# ---- lists ---------------------------------------------------------------------------------------------------

def listed(cloud, query='', version='2.80'):
    answer = cloud.ask('GET', '/os-migrations' + query, admin=True, version=version)
    assert answer.status == 200, answer.body
    return answer.body


def test_what_each_microversion_shows(cloud, uuid):
    made = cloud.resized(uuid, status='finished', dest_compute='host2')
    old = {'id', 'source_compute', 'source_node', 'dest_compute', 'dest_node', 'dest_host', 'status', 'instance_uuid',
           'old_instance_type_id', 'new_instance_type_id', 'created_at', 'updated_at'}
    for version, more in (('2.1', set()), ('2.23', {'migration_type'}), ('2.59', {'migration_type', 'uuid'}),
                          ('2.80', {'migration_type', 'uuid', 'user_id', 'project_id'})):
        [found] = listed(cloud, version=version)['migrations']
        assert set(found) == old | more
        assert found['id'] == made.id and found['instance_uuid'] == uuid


def test_filters_and_pages(cloud, uuid):
    first = cloud.resized(uuid, status='confirmed', dest_compute='host2', migration_type='migration')
    second = cloud.resized(uuid, user_id='other')

    def found(query):
        return [item['uuid'] for item in listed(cloud, query)['migrations']]
    assert found('') == [second.uuid, first.uuid]
    assert found('?status=confirmed') == found('?host=host2') == found('?migration_type=migration') == [first.uuid]
    assert found('?user_id=other') == [second.uuid]
    assert found('?source_compute=host2') == found('?hidden=1') == found('?changes-since=2999-01-01T00:00:00Z') == []
    assert found('?changes-before=2999-01-01T00:00:00Z&instance_uuid=%s' % uuid) == [second.uuid, first.uuid]
    page = listed(cloud, '?limit=1')
    assert [item['uuid'] for item in page['migrations']] == [second.uuid]
    assert 'marker=%s' % second.uuid in page['migrations_links'][0]['href']
    assert found('?limit=1&marker=%s' % second.uuid) == [first.uuid]
    assert cloud.ask('GET', '/os-migrations?marker=x', admin=True, version='2.59').status == 400
    assert cloud.ask('GET', '/os-migrations?changes-since=2999-01-01T00:00:00Z&changes-before=2000-01-01T00:00:00Z',
                     admin=True, version='2.66').status == 400


def test_the_live_ones_of_a_server(cloud, uuid):
    cloud.resized(uuid)
    live = cloud.resized(uuid, migration_type='live-migration', status='running')
    path = '/servers/%s/migrations' % uuid
    [found] = cloud.ask('GET', path, admin=True, version='2.59').body['migrations']
    assert (found['id'], found['server_uuid'], found['memory_total_bytes']) == (live.id, uuid, 0)
    assert cloud.ask('GET', '%s/%d' % (path, live.id), admin=True, version='2.23').body['migration']['id'] == live.id
    [listed_live] = [item for item in listed(cloud)['migrations'] if item['uuid'] == live.uuid]
    assert listed_live['links'][0]['href'].endswith('/servers/%s/migrations/%d' % (uuid, live.id))
    moves.update(cloud.db, live.uuid, status='completed')
    answer = cloud.ask('GET', '%s/%d' % (path, live.id), admin=True, version='2.23')
    assert answer.status == 404 and 'In-progress live migration' in answer.message
