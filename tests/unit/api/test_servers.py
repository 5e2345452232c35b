# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""One server: show, update, delete and its console."""

import datetime

import pytest
import sqlalchemy as sa

from nova_lite import exception
from nova_lite.db import actions
from nova_lite.db import instance_groups
from nova_lite.db import instances
from nova_lite.db import models
from nova_lite.objects import instance as instance_obj
from nova_lite.objects import instance_group
from nova_lite.objects import network
from tests.unit.api import servers_cloud
from tests.unit.compute_api import doubles

WHEN = datetime.datetime(2026, 1, 2, 3, 4, 5, 678901)


@pytest.fixture
def cloud(tmp_path):
    return servers_cloud.Cloud(tmp_path)


def show(cloud, uuid, version='2.1', **caller):
    answer = cloud.ask('GET', '/servers/%s' % uuid, version=version, **caller)
    assert answer.status == 200, answer.body
    return answer.body['server']


def put(cloud, uuid, version='2.1', **fields):
    return cloud.ask('PUT', '/servers/%s' % uuid, {'server': fields}, version=version)


def vif(label, *addresses):
    return network.VIF(id=doubles.new_id(), address='fa:16:3e:00:00:01', network_id=label, network_label=label,
                       vif_type='bridge', fixed_ips=[
                           network.FixedIP(address=address, version=6 if ':' in address else 4, subnet_id='s', cidr='c')
                           for address in addresses])


# ---- show ----------------------------------------------------------------------------------------------------

def test_show(cloud):
    uuid = cloud.make(metadata={'a': 'b'})
    cloud.run(uuid, launched_at=WHEN, created_at=WHEN, updated_at=WHEN, availability_zone='nova',
              network_info=[vif('blue', '10.0.0.5', 'fd00::5'), vif('red', '10.1.0.5'), vif('blue', '10.0.0.9')])
    server = show(cloud, uuid)
    assert (server['status'], server['OS-EXT-STS:vm_state'], server['OS-EXT-STS:task_state'],
            server['OS-EXT-STS:power_state'], server['progress']) == ('ACTIVE', 'active', None, 1, 0)
    assert server['created'] == server['updated'] == '2026-01-02T03:04:05Z'
    assert server['OS-SRV-USG:launched_at'] == '2026-01-02T03:04:05.678901'
    assert server['OS-SRV-USG:terminated_at'] is None
    assert list(server['addresses']) == ['blue', 'red']
    assert [item['addr'] for item in server['addresses']['blue']] == ['10.0.0.5', 'fd00::5', '10.0.0.9']
    assert server['addresses']['red'] == [{'version': 4, 'addr': '10.1.0.5', 'OS-EXT-IPS:type': 'fixed',
                                           'OS-EXT-IPS-MAC:mac_addr': 'fa:16:3e:00:00:01'}]
    assert server['image'] == {'id': cloud.image, 'links': [
        {'rel': 'bookmark', 'href': 'http://cloud:8774/images/%s' % cloud.image}]}
    assert server['flavor']['id'] == '1' and server['hostId'] and 'fault' not in server
    assert (server['config_drive'], server['key_name'], server['accessIPv4']) == ('', None, '')
    assert 'OS-EXT-SRV-ATTR:host' not in server
    assert show(cloud, uuid, admin=True)['OS-EXT-SRV-ATTR:host'] == 'host1'


@pytest.mark.parametrize(('field', 'since', 'admin'), [
    ('OS-EXT-SRV-ATTR:instance_name', 1, True), ('OS-EXT-SRV-ATTR:user_data', 3, True), ('locked', 9, False),
    ('host_status', 16, True), ('description', 19, False), ('tags', 26, False),
    ('trusted_image_certificates', 63, False), ('server_groups', 71, False), ('locked_reason', 73, False),
    ('OS-EXT-SRV-ATTR:hostname', 90, False), ('pinned_availability_zone', 96, False), ('scheduler_hints', 100, False)])
def test_fields_that_came_later(cloud, field, since, admin):
    uuid = cloud.make()
    if since > 1:
        assert field not in show(cloud, uuid, '2.%d' % (since - 1))
    assert field in show(cloud, uuid, '2.%d' % since, admin=admin)
    assert (field in show(cloud, uuid, '2.%d' % since)) != admin


def test_what_later_microversions_show(cloud):
    uuid = cloud.make('2.96', hints={'a': 'b'}, tags=['t'])
    server = show(cloud, uuid, '2.104')
    assert server['flavor'] == {'vcpus': 1, 'ram': 512, 'disk': 1, 'ephemeral': 0, 'swap': 0,
                                'original_name': 'flavor-1', 'extra_specs': {}}
    assert server['image']['properties'] == {'hw_disk_bus': 'virtio'}
    assert (server['scheduler_hints'], server['tags'], server['server_groups']) == ({'a': 'b'}, ['t'], [])


def test_server_groups(cloud):
    group = instance_groups.create(cloud.db, instance_group.InstanceGroup(
        uuid=doubles.new_id(), name='g', project_id='p1', user_id='u', policy='affinity')).uuid
    uuid = cloud.make(hints={'group': group})
    assert show(cloud, uuid, '2.71')['server_groups'] == [group]


def test_faults_are_shown_alike(cloud):
    uuid = cloud.make()
    fault = instance_obj.InstanceFault(code=500, message='No valid host was found.', details='host1 failed',
                                       created_at=WHEN)
    cloud.run(uuid, vm_state='error', fault=fault, host=None)
    shown = {'code': 500, 'message': 'No valid host was found.', 'created': '2026-01-02T03:04:05Z'}
    assert show(cloud, uuid)['fault'] == shown and show(cloud, uuid)['hostId'] == ''
    assert show(cloud, uuid, admin=True)['fault'] == dict(shown, details='host1 failed')
    assert cloud.ask('GET', '/servers/detail').body['servers'][0]['fault'] == shown
    cloud.run(uuid, fault=fault)
    assert 'fault' not in show(cloud, uuid)


def test_the_state_of_its_host_is_for_admins(cloud):
    uuid = cloud.make()
    cloud.host()
    assert show(cloud, uuid, '2.16', admin=True)['host_status'] == ''
    cloud.run(uuid)
    assert show(cloud, uuid, '2.16', admin=True)['host_status'] == 'UP'
    for values, expected in (({'disabled': True}, 'MAINTENANCE'), ({'last_seen_up': WHEN}, 'UNKNOWN'),
                             ({'forced_down': True}, 'DOWN')):
        with cloud.db.engine.begin() as connection:
            connection.execute(sa.update(models.services).values(values))
        assert show(cloud, uuid, '2.16', admin=True)['host_status'] == expected
    cloud.run(uuid, host='nowhere')
    assert show(cloud, uuid, '2.16', admin=True)['host_status'] == 'UNKNOWN'


def test_servers_of_others_do_not_exist(cloud):
    uuid = cloud.make()
    body = {'os-getConsoleOutput': {}}
    for caller, expected in (({'project': 'p2'}, 404), ({'project': 'p2', 'admin': True}, 200)):
        assert cloud.ask('GET', '/servers/%s' % uuid, **caller).status == expected
        acted = cloud.ask('POST', '/servers/%s/action' % uuid, body, **caller)
        assert acted.status == (404 if expected == 404 else 409)
        assert cloud.ask('PUT', '/servers/%s' % uuid, {'server': {'name': 'x'}}, **caller).status == expected
    assert cloud.ask('DELETE', '/servers/%s' % uuid, project='p2').status == 404
    for name in ('absent', doubles.new_id(), 'x' * 300, '..', "'"):
        answer = cloud.ask('GET', '/servers/%s' % name)
        assert answer.status == 404 and 'could not be found' in answer.message


def test_what_a_read_costs(cloud):
    uuid = cloud.make()
    for version, admin, statements in (('2.1', False, 2), ('2.16', True, 3), ('2.71', False, 4)):
        with cloud.counted() as costs:
            show(cloud, uuid, version, admin=admin)
        assert costs == {'sql': statements, 'http': 0}


# ---- update --------------------------------------------------------------------------------------------------

def test_update(cloud):
    uuid = cloud.make()
    answer = put(cloud, uuid, '2.94', name='new', description='d', hostname='h.example.org', accessIPv4='1.2.3.4',
                 accessIPv6='fe80::1', **{'OS-DCF:diskConfig': 'MANUAL'})
    assert answer.status == 200
    server = show(cloud, uuid, '2.94')
    assert server == answer.body['server']
    assert (server['name'], server['description'], server['OS-EXT-SRV-ATTR:hostname']) == ('new', 'd', 'h.example.org')
    assert (server['accessIPv4'], server['accessIPv6'], server['OS-DCF:diskConfig']) == ('1.2.3.4', 'fe80::1', 'MANUAL')
    assert put(cloud, uuid, '2.19', description=None).body['server']['description'] is None
    assert instances.get(cloud.db, uuid).vm_state == 'building'


def test_update_answers_with_less_before_2_75(cloud):
    uuid = cloud.make()
    cloud.run(uuid, network_info=[vif('blue', '10.0.0.5')])
    server = put(cloud, uuid, '2.74', name='new').body['server']
    assert 'OS-EXT-STS:vm_state' not in server and 'key_name' not in server
    assert server['addresses'] == {'blue': [{'version': 4, 'addr': '10.0.0.5'}]}
    assert 'OS-EXT-STS:vm_state' in put(cloud, uuid, '2.75', name='new').body['server']


@pytest.mark.parametrize(('version', 'fields'), [
    ('2.1', {'name': ''}), ('2.1', {'name': 'x' * 256}), ('2.1', {'name': ' x'}), ('2.1', {'description': 'd'}),
    ('2.89', {'hostname': 'h1'}), ('2.90', {'hostname': 'h.x'}), ('2.90', {'hostname': 'h' * 64}),
    ('2.1', {'accessIPv4': 'x'}), ('2.1', {'status': 'ACTIVE'}), ('2.103', {'pinned_availability_zone': None}),
    ('2.1', {'OS-DCF:diskConfig': 'PERHAPS'})])
def test_updates_that_are_refused(cloud, version, fields):
    assert put(cloud, cloud.make(), version, **fields).status == 400


def test_pinning_to_a_zone(cloud):
    uuid = cloud.make()
    cloud.run(uuid, availability_zone='blue')
    for zone, status in (('red', 409), ('blue', 200), ('red', 409), ('blue', 200), (None, 200), (None, 200)):
        assert put(cloud, uuid, '2.104', pinned_availability_zone=zone).status == status, zone
        shown = show(cloud, uuid, '2.104')['pinned_availability_zone']
        assert shown == zone or status == 409
    assert put(cloud, doubles.new_id(), name='x').status == 404


# ---- delete --------------------------------------------------------------------------------------------------

def delete(cloud, uuid, **caller):
    return cloud.ask('DELETE', '/servers/%s' % uuid, **caller).status


def test_delete_goes_to_the_host(cloud):
    uuid = cloud.make()
    cloud.host()
    cloud.run(uuid)
    assert delete(cloud, uuid) == 204
    assert cloud.cast[-1] == ('terminate_instance', 'host1', uuid)
    assert show(cloud, uuid)['OS-EXT-STS:task_state'] == 'deleting'
    assert [action.action for action in actions.list_(cloud.db, uuid)] == ['delete', 'create']
    assert delete(cloud, uuid) == 204 and len(cloud.cast) == 3
    assert cloud.count_servers() == 1
    instances.transition(cloud.db, uuid, 'deleted')
    assert delete(cloud, uuid) == 404 and cloud.ask('GET', '/servers/%s' % uuid).status == 404


def test_delete_without_a_host_that_answers_goes_to_the_conductor(cloud):
    unscheduled, stranded = cloud.make(), cloud.make()
    cloud.run(stranded, host='down')
    for uuid in (unscheduled, stranded):
        assert delete(cloud, uuid) == 204
        assert cloud.cast[-1] == ('delete_instance', uuid)


def test_delete_while_the_message_queue_is_away(cloud):
    uuid = cloud.make()
    cloud.host()
    cloud.run(uuid)
    cloud.compute.away = True
    assert delete(cloud, uuid) == 204
    assert show(cloud, uuid)['OS-EXT-STS:task_state'] == 'deleting'


def test_locked_servers(cloud):
    uuid = cloud.make()
    cloud.run(uuid, locked=True)
    assert delete(cloud, uuid) == 409 and len(cloud.cast) == 1
    assert delete(cloud, uuid, admin=True) == 204


def test_delete_costs(cloud):
    uuid = cloud.make()
    cloud.host()
    cloud.run(uuid)
    with cloud.counted() as costs:
        delete(cloud, uuid)
    assert costs == {'sql': 5, 'http': 0}       # read; change, action and read in one transaction; the host's state


# ---- actions -------------------------------------------------------------------------------------------------

def act(cloud, uuid, body):
    return cloud.ask('POST', '/servers/%s/action' % uuid, body)


def test_console(cloud):
    uuid = cloud.make()
    cloud.host()
    assert act(cloud, uuid, {'os-getConsoleOutput': {}}).status == 409
    cloud.run(uuid)
    cloud.compute.console = 'one\r\n\x1b[1mtwo\x00\nthree\n'
    for length, output in (({}, 'one\n[1mtwo\nthree\n'), ({'length': None}, 'one\n[1mtwo\nthree\n'),
                           ({'length': -1}, 'one\n[1mtwo\nthree\n'), ({'length': 0}, ''), ({'length': 1}, 'three\n'),
                           ({'length': '2'}, '[1mtwo\nthree\n'), ({'length': 99}, 'one\n[1mtwo\nthree\n')):
        assert act(cloud, uuid, {'os-getConsoleOutput': length}).body == {'output': output}
    for length in (-2, '-2', 'x', 1.5, []):
        assert act(cloud, uuid, {'os-getConsoleOutput': {'length': length}}).status == 400
    assert act(cloud, uuid, {'os-getConsoleOutput': None}).status == 400
    cloud.run(uuid, host='down')
    assert act(cloud, uuid, {'os-getConsoleOutput': {}}).status == 409


def test_a_console_that_is_not_there(cloud, monkeypatch):
    uuid = cloud.make()
    cloud.host()
    cloud.run(uuid)

    def lost(ctxt, host, instance):
        raise exception.ConsoleLogNotFound(instance_id=instance.uuid)
    monkeypatch.setattr(cloud.compute, 'get_console_output', lost)
    assert act(cloud, uuid, {'os-getConsoleOutput': {}}).status == 404


@pytest.mark.parametrize('body', [{'migrateVolume': {}}, {'nonsense': {}}, {'': {}}])
def test_actions_that_do_not_exist(cloud, body):
    answer = act(cloud, cloud.make(), body)
    assert answer.status == 400 and answer.message.startswith('There is no such action')


@pytest.mark.parametrize('body', [{}, [], None, 'x', {'os-getConsoleOutput': {}, 'reboot': {}}])
def test_bodies_that_are_no_action(cloud, body):
    assert act(cloud, cloud.make(), body).status == 400
