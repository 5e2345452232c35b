# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Live migration and evacuation: what is refused, and what is recorded and cast."""

import pytest

from nova_lite.db import moves
from nova_lite.db import operations as operations_db
from nova_lite.db import services
from nova_lite.objects import service as service_obj
from tests.unit.api import servers_cloud
from tests.unit.compute_api import doubles

LIVE = {'os-migrateLive': {'host': None, 'block_migration': 'auto'}}


@pytest.fixture
def cloud(tmp_path):
    made = servers_cloud.Cloud(tmp_path)
    for host, kind in (('host1', 'fake'), ('host2', 'fake'), ('host3', 'QEMU')):
        made.host(host)
        servers_cloud.compute_nodes.save(made.db, service_obj.ComputeNode(
            uuid=doubles.new_id(), host=host, hypervisor_hostname=host, vcpus=8, memory_mb=1000, local_gb=100,
            hypervisor_type=kind))
    return made


@pytest.fixture
def uuid(cloud):
    made = cloud.make()
    cloud.run(made)
    cloud.cast.clear()
    return made


def act(cloud, uuid, body, version='2.96', admin=True):
    return cloud.ask('POST', '/servers/%s/action' % uuid, body, version=version, admin=admin)


def go_down(cloud, host='host1'):
    services.update(cloud.db, host, 'nova-compute', {'forced_down': True})


def test_a_live_migration_is_recorded(cloud, uuid):
    assert act(cloud, uuid, LIVE, admin=False).status == 403
    assert act(cloud, uuid, LIVE).status == 202
    [order] = operations_db.list_by_instance(cloud.db, uuid)
    assert (order.name, order.host, order.arguments['ignore_hosts']) == ('live_migrate', None, ['host1'])
    assert order.arguments['migration'].migration_type == 'live-migration'
    assert cloud.cast == [('run_operation', None, uuid, order.uuid)]
    answer = act(cloud, uuid, LIVE)
    assert answer.status == 409 and "Cannot 'os-migrateLive' instance" in answer.message


@pytest.mark.parametrize('host, message', [
    ('host1', 'Unable to migrate instance (%s) to current host (host1).'),
    ('nowhere', 'Compute host nowhere could not be found.')])
def test_hosts_that_it_cannot_go_to(cloud, uuid, host, message):
    answer = act(cloud, uuid, {'os-migrateLive': {'host': host, 'block_migration': True}})
    assert answer.status == 400
    assert answer.message == (message % uuid if '%' in message else message)


def test_hypervisors_that_cannot(cloud, uuid):
    cloud.run(uuid, host='host3')
    answer = act(cloud, uuid, LIVE)
    assert answer.status == 400 and 'cannot migrate guests' in answer.message
    assert operations_db.list_by_instance(cloud.db, uuid) == []


@pytest.mark.parametrize('version, body, status', [
    ('2.1', {'host': None, 'block_migration': False, 'disk_over_commit': False}, 202),
    ('2.1', {'host': None, 'block_migration': False}, 400),
    ('2.1', {'host': None, 'block_migration': 'auto', 'disk_over_commit': False}, 400),
    ('2.25', {'host': None, 'block_migration': 'auto', 'disk_over_commit': False}, 400),
    ('2.25', {'host': None, 'block_migration': 'auto', 'force': True}, 400),
    ('2.30', {'host': 'host2', 'block_migration': 'auto', 'force': True}, 202),
    ('2.68', {'host': 'host2', 'block_migration': 'auto', 'force': True}, 400),
    ('2.68', {'block_migration': 'auto'}, 400)])
def test_bodies_of_live_migrations(cloud, uuid, version, body, status):
    assert act(cloud, uuid, {'os-migrateLive': body}, version).status == status


def under_way(cloud, uuid, status):
    """A live migration of a server that has got so far. :returns: its path"""
    act(cloud, uuid, LIVE)
    [order] = operations_db.list_by_instance(cloud.db, uuid)
    made = moves.ensure(cloud.db, order.arguments['migration'])
    moves.update(cloud.db, made.uuid, status=status)
    operations_db.claim(cloud.db, order, 'c')
    operations_db.give_to_host(cloud.db, order, 'host1', 'c')
    return '/servers/%s/migrations/%d' % (uuid, made.id), order.uuid, made.id


def test_abort(cloud, uuid):
    path, order, number = under_way(cloud, uuid, 'running')
    assert cloud.ask('DELETE', path, version='2.24').status == 403
    assert cloud.ask('DELETE', path, version='2.23', admin=True).status == 404
    assert cloud.ask('DELETE', path, version='2.24', admin=True).status == 202
    assert cloud.compute.moves == [('abort', 'host1', uuid, order, number)]


def test_what_prepares_can_be_aborted_since_2_65(cloud, uuid):
    path, _, number = under_way(cloud, uuid, 'preparing')
    answer = cloud.ask('DELETE', path, version='2.64', admin=True)
    assert answer.status == 400 and answer.message.startswith('Migration %d state of instance' % number)
    assert cloud.ask('DELETE', path, version='2.65', admin=True).status == 202


def test_force_complete(cloud, uuid):
    path, _, _ = under_way(cloud, uuid, 'running')
    body = {'force_complete': None}
    assert cloud.ask('POST', path + '/action', body, version='2.22').status == 403
    assert cloud.ask('POST', path + '/action', body, version='2.22', admin=True).status == 202
    assert cloud.compute.moves == [('force', 'host1', uuid)]
    assert cloud.ask('POST', path + '9/action', body, version='2.22', admin=True).status == 404


def test_there_is_nothing_to_abort(cloud, uuid):
    assert cloud.ask('DELETE', '/servers/%s/migrations/1' % uuid, version='2.24', admin=True).status == 409


def test_an_evacuation_is_recorded(cloud, uuid):
    go_down(cloud)
    assert act(cloud, uuid, {'evacuate': {}}, admin=False).status == 403
    answer = act(cloud, uuid, {'evacuate': {'host': 'host2'}}, '2.94')
    assert (answer.status, answer.body) == (200, None)
    [order] = operations_db.list_by_instance(cloud.db, uuid)
    assert (order.name, order.host, order.arguments['to_host']) == ('evacuate', None, 'host2')
    assert order.arguments['stay_off'] is False


@pytest.mark.parametrize('version, state, off', [
    ('2.94', 'active', False), ('2.94', 'stopped', True), ('2.95', 'active', True)])
def test_whether_it_is_off_afterwards(cloud, uuid, version, state, off):
    cloud.run(uuid, vm_state=state)
    go_down(cloud)
    act(cloud, uuid, {'evacuate': {}}, version)
    assert operations_db.list_by_instance(cloud.db, uuid)[0].arguments['stay_off'] is off


@pytest.mark.parametrize('body, down, status, message', [
    ({}, False, 400, 'Compute service of host1 is still in use.'),
    ({'host': 'host1'}, True, 400, "The target host can't be the same one."),
    ({'host': 'nowhere'}, True, 404, 'Compute host nowhere not found.')])
def test_evacuations_that_cannot_be(cloud, uuid, body, down, status, message):
    if down:
        go_down(cloud)
    answer = act(cloud, uuid, {'evacuate': body})
    assert (answer.status, answer.message) == (status, message)


def test_old_evacuations_tell_a_password(cloud, uuid):
    go_down(cloud)
    assert act(cloud, uuid, {'evacuate': {}}, '2.13').status == 400
    assert act(cloud, uuid, {'evacuate': {'onSharedStorage': True}}, '2.13').status == 400
    answer = act(cloud, uuid, {'evacuate': {'onSharedStorage': False, 'adminPass': 'mine'}}, '2.13')
    assert answer.body == {'adminPass': 'mine'}
