# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Server actions: what each of them records and casts, from which states, and what it refuses."""

import pytest

from nova_lite import exception
from nova_lite.compute import operations
from nova_lite.compute import transitions
from nova_lite.db import actions
from nova_lite.db import instances
from nova_lite.db import operations as operations_db
from tests.unit.api import servers_cloud

# action's body → the operation that it begins
BODIES = [
    ({'os-start': None}, 'start'),
    ({'os-stop': None}, 'stop'),
    ({'reboot': {'type': 'SOFT'}}, 'soft_reboot'),
    ({'reboot': {'type': 'hard'}}, 'hard_reboot'),
    ({'pause': None}, 'pause'),
    ({'unpause': None}, 'unpause'),
    ({'suspend': None}, 'suspend'),
    ({'resume': None}, 'resume'),
    ({'unrescue': None}, 'unrescue'),
    ({'trigger_crash_dump': None}, 'trigger_crash_dump'),
    ({'changePassword': {'adminPass': 'new'}}, 'set_admin_password'),
    ({'shelve': None}, 'shelve'),
    ({'restore': None}, 'restore'),
    ({'createImage': {'name': 'copy'}}, 'create_image'),
    ({'createBackup': {'name': 'copy', 'backup_type': 'daily', 'rotation': 2}}, 'create_backup'),
    ({'resize': {'flavorRef': '2'}}, 'resize'),
    ({'confirmResize': None}, 'confirm_resize'),
    ({'revertResize': None}, 'revert_resize'),
]
EACH = pytest.mark.parametrize('body, name', BODIES, ids=[name for _, name in BODIES])


@pytest.fixture
def cloud(tmp_path):
    made = servers_cloud.Cloud(tmp_path)
    made.host('host1')
    made.flavor('2', memory_mb=1024)
    return made


def act(cloud, uuid, body, **caller):
    return cloud.ask('POST', '/servers/%s/action' % uuid, body, **{'version': '2.17', **caller})


def server_for(cloud, name):
    """A server in a state from which an operation may begin."""
    uuid = cloud.make()
    cloud.run(uuid, vm_state=transitions.get(operations.SPECS[name].requested).vm_states[0])
    if name in ('confirm_resize', 'revert_resize'):
        cloud.resized(uuid)
    cloud.cast.clear()
    return uuid


@EACH
def test_it_is_recorded_and_cast(cloud, body, name):
    uuid = server_for(cloud, name)
    assert act(cloud, uuid, body).status in (202, 204)
    [order] = operations_db.list_by_instance(cloud.db, uuid)
    host = None if operations.SPECS[name].placed else 'host1'
    assert (order.name, order.host, order.step) == (name, host, None)
    assert cloud.cast == [('run_operation', host, uuid, order.uuid)]
    instance = instances.get(cloud.db, uuid)
    assert instance.task_state == transitions.get(operations.SPECS[name].requested).to_task
    assert actions.list_(cloud.db, uuid)[0].action == operations.SPECS[name].action
    assert actions.list_(cloud.db, uuid)[0].request_id == order.request_id


@EACH
def test_not_from_other_states(cloud, body, name):
    uuid = server_for(cloud, name)
    cloud.run(uuid, vm_state='shelved')
    answer = act(cloud, uuid, body)
    assert answer.status == 409
    assert 'vm_state shelved' in answer.message and "Cannot '" in answer.message
    assert operations_db.list_by_instance(cloud.db, uuid) == []


@EACH
def test_one_at_a_time(cloud, body, name):
    uuid = server_for(cloud, name)
    act(cloud, uuid, body)
    answer = act(cloud, uuid, body)
    shows = transitions.get(operations.SPECS[name].requested).to_task is not None
    assert answer.status == (409 if shows else 202)
    assert len(operations_db.list_by_instance(cloud.db, uuid)) == (1 if shows else 2)
    assert len(cloud.cast) == (1 if shows else 2)


@EACH
def test_locked_servers_are_for_admins(cloud, body, name):
    uuid = server_for(cloud, name)
    instances.update(cloud.db, uuid, {'locked': True})
    assert act(cloud, uuid, body).status == 409
    assert act(cloud, uuid, body, admin=True).status in (202, 204)


@EACH
def test_not_on_a_host_that_is_down(cloud, body, name, monkeypatch):
    uuid = server_for(cloud, name)
    monkeypatch.setattr(cloud.api.operations._lookups, 'host_is_up', lambda host: False)
    assert act(cloud, uuid, body).status == 409
    assert instances.get(cloud.db, uuid).task_state is None


@EACH
def test_others_do_not_see_the_server(cloud, body, name):
    assert act(cloud, server_for(cloud, name), body, project='p2').status == 404


@EACH
def test_the_queue_is_away(cloud, body, name):
    uuid = server_for(cloud, name)
    cloud.compute.away = True
    assert act(cloud, uuid, body).status in (202, 204)
    assert len(operations_db.list_by_instance(cloud.db, uuid)) == 1, 'the sweep will find it'


def test_somebody_was_faster(cloud, monkeypatch):
    uuid = server_for(cloud, 'stop')

    def lost(*args):
        raise exception.UnexpectedTaskStateError(instance_uuid=uuid, expected='x', actual='y')
    monkeypatch.setattr(instances, 'request_operation', lost)
    assert act(cloud, uuid, {'os-stop': None}).status == 409


def test_what_one_costs(cloud):
    uuid = server_for(cloud, 'stop')
    with cloud.counted() as told:
        act(cloud, uuid, {'os-stop': None})
    assert told['http'] == 0
    assert told['sql'] <= 6, 'read, host, and one transaction: state, instance, action, operation'


@pytest.mark.parametrize('body', [
    {'reboot': {}}, {'reboot': {'type': 'x'}}, {'reboot': None}, {'os-start': None, 'os-stop': None}])
def test_bad_bodies(cloud, body):
    assert act(cloud, server_for(cloud, 'hard_reboot'), body).status == 400
