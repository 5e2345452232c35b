# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Actions that change records only - locks, states, passwords - and what is read of a guest's hypervisor."""

import pytest

from nova_lite.db import actions
from nova_lite.db import build_requests
from nova_lite.db import instances
from nova_lite.db import operations as operations_db
from tests.unit.api import servers_cloud


@pytest.fixture
def cloud(tmp_path):
    made = servers_cloud.Cloud(tmp_path)
    made.host('host1')
    return made


@pytest.fixture
def uuid(cloud):
    made = cloud.make()
    cloud.run(made)
    cloud.cast.clear()
    return made


def act(cloud, uuid, body, **caller):
    return cloud.ask('POST', '/servers/%s/action' % uuid, body, **caller)


def show(cloud, uuid, **caller):
    return cloud.ask('GET', '/servers/%s' % uuid, **{'version': '2.73', **caller}).body['server']


# ---- locks ---------------------------------------------------------------------------------------------------

def test_an_owner_locks_and_unlocks(cloud, uuid):
    assert act(cloud, uuid, {'lock': None}).status == 202
    assert (show(cloud, uuid)['locked'], show(cloud, uuid)['locked_reason']) == (True, None)
    assert act(cloud, uuid, {'os-stop': None}).message == 'Instance %s is locked' % uuid
    assert cloud.ask('DELETE', '/servers/%s' % uuid).status == 409
    assert act(cloud, uuid, {'unlock': None}).status == 202
    assert show(cloud, uuid)['locked'] is False
    assert [action.action for action in actions.list_(cloud.db, uuid)] == ['unlock', 'lock', 'create']
    assert all(action.finish_time for action in actions.list_(cloud.db, uuid)[:2])


def test_a_reason_is_shown_since_2_73(cloud, uuid):
    reason = {'lock': {'locked_reason': 'being repaired'}}
    assert act(cloud, uuid, reason, version='2.72').status == 202, 'whatever the value is'
    assert show(cloud, uuid)['locked_reason'] is None
    act(cloud, uuid, {'unlock': None})
    assert act(cloud, uuid, reason, version='2.73').status == 202
    assert show(cloud, uuid)['locked_reason'] == 'being repaired'
    assert 'locked_reason' not in show(cloud, uuid, version='2.72')
    act(cloud, uuid, {'unlock': None})
    assert show(cloud, uuid)['locked_reason'] is None


@pytest.mark.parametrize('value', [{'locked_reason': ''}, {'locked_reason': 'x' * 256}, {'why': 'x'}, 'x'])
def test_bad_reasons(cloud, uuid, value):
    assert act(cloud, uuid, {'lock': value}, version='2.73').status == 400


def test_an_administrators_lock_is_not_the_owners_to_undo(cloud, uuid):
    act(cloud, uuid, {'lock': {'locked_reason': 'by us'}}, admin=True, project='ops', version='2.73')
    assert act(cloud, uuid, {'unlock': None}).status == 403
    act(cloud, uuid, {'lock': {'locked_reason': 'by me'}}, version='2.73')
    assert show(cloud, uuid)['locked_reason'] == 'by us'
    assert act(cloud, uuid, {'unlock': None}, admin=True, project='ops').status == 202
    assert show(cloud, uuid)['locked'] is False


def test_an_administrator_undoes_an_owners_lock(cloud, uuid):
    act(cloud, uuid, {'lock': None})
    assert act(cloud, uuid, {'unlock': None}, admin=True, project='ops').status == 202
    assert show(cloud, uuid)['locked'] is False


# ---- states --------------------------------------------------------------------------------------------------

def test_only_administrators_say_what_state_a_server_has(cloud, uuid):
    assert act(cloud, uuid, {'os-resetState': {'state': 'error'}}).status == 403
    assert act(cloud, uuid, {'os-resetState': {'state': 'error'}}, admin=True).status == 202
    assert show(cloud, uuid)['status'] == 'ERROR'
    assert act(cloud, uuid, {'os-resetState': {'state': 'active'}}, admin=True).status == 202
    assert show(cloud, uuid)['status'] == 'ACTIVE'
    for value in ({'state': 'stopped'}, {}, None):
        assert act(cloud, uuid, {'os-resetState': value}, admin=True).status == 400


def test_what_was_under_way_ends_with_it(cloud, uuid):
    act(cloud, uuid, {'os-stop': None})
    cloud.cast.clear()
    act(cloud, uuid, {'os-resetState': {'state': 'active'}}, admin=True)
    instance = instances.get(cloud.db, uuid)
    assert (instance.vm_state, instance.task_state) == ('active', None)
    [order] = operations_db.list_by_instance(cloud.db, uuid)
    assert order.abandoned and order.undoing
    assert cloud.cast == [('run_operation', 'host1', uuid, order.uuid)], 'its host undoes what it did'
    [stop, _] = actions.list_(cloud.db, uuid)
    assert stop.finish_time and stop.message == 'Error'
    assert act(cloud, uuid, {'os-stop': None}).status == 202


def test_a_build_ends_with_it(cloud):
    uuid = cloud.make()
    act(cloud, uuid, {'os-resetState': {'state': 'error'}}, admin=True)
    assert show(cloud, uuid)['status'] == 'ERROR'
    assert build_requests.get(cloud.db, uuid) is None
    assert cloud.ask('DELETE', '/servers/%s' % uuid).status == 204


def test_force_delete_in_any_state(cloud, uuid):
    states = (('error', None), ('building', 'spawning'), ('soft-delete', None), ('active', 'pausing'))
    for vm_state, task_state in states:
        cloud.run(uuid, vm_state=vm_state, task_state=task_state)
        assert act(cloud, uuid, {'forceDelete': None}).status == 202
        assert cloud.cast[-1] == ('terminate_instance', 'host1', uuid)
        assert instances.get(cloud.db, uuid).task_state == 'deleting'
    assert act(cloud, uuid, {'forceDelete': None}, project='p2').status == 404


# ---- the guest's network, as of old --------------------------------------------------------------------------

def test_network_actions_of_old(cloud, uuid):
    assert act(cloud, uuid, {'injectNetworkInfo': None}).status == 403
    assert act(cloud, uuid, {'injectNetworkInfo': None}, admin=True).status == 202
    assert act(cloud, uuid, {'resetNetwork': None}, admin=True).status == 410
    assert cloud.cast == []


# ---- passwords -----------------------------------------------------------------------------------------------

def test_the_password_that_a_guest_made(cloud, uuid):
    path = '/servers/%s/os-server-password' % uuid
    assert cloud.ask('GET', path).body == {'password': ''}
    instances.update(cloud.db, uuid, {'system_metadata': {'password_0': 'ab', 'password_1': 'cd', 'other': 'x'}})
    assert cloud.ask('GET', path).body == {'password': 'abcd'}
    assert cloud.ask('GET', path, project='p2').status == 404
    assert cloud.ask('DELETE', path).status == 204
    assert cloud.ask('GET', path).body == {'password': ''}
    assert instances.get(cloud.db, uuid).system_metadata['other'] == 'x'


@pytest.mark.parametrize('value', [{}, {'adminPass': 1}, {'adminPass': 'x', 'y': 'z'}, None])
def test_bad_passwords(cloud, uuid, value):
    assert act(cloud, uuid, {'changePassword': value}).status == 400


# ---- counters and topology -----------------------------------------------------------------------------------

def test_diagnostics_in_both_forms(cloud, uuid, monkeypatch):
    path = '/servers/%s/diagnostics' % uuid
    assert cloud.ask('GET', path).status == 403
    assert cloud.ask('GET', path, admin=True, version='2.47').body == {'host': 'host1', 'versioned': False}
    assert cloud.ask('GET', path, admin=True, version='2.48').body == {'host': 'host1', 'versioned': True}
    monkeypatch.setattr(cloud.api._lookups, 'host_is_up', lambda host: False)
    assert cloud.ask('GET', path, admin=True).status == 409
    cloud.run(uuid, host=None)
    assert cloud.ask('GET', path, admin=True).message == 'Instance %s is not ready' % uuid


def test_topology(cloud, uuid):
    path = '/servers/%s/topology' % uuid
    assert cloud.ask('GET', path, version='2.77').status == 404
    assert cloud.ask('GET', path, version='2.78').body == {'nodes': [], 'pagesize_kb': None}
    assert cloud.ask('GET', path, version='2.78', project='p2').status == 404
