# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""The main job: a boot through all processes, seen from outside."""

import base64
import json
import re
import subprocess

from tests.fixtures import audit
from tests.fixtures import cloud

STEPS = ['conductor_schedule_and_build_instances', 'compute__do_build_and_run_instance']


def test_the_curl_of_the_textbooks(stack, admin, settled):
    url = '%s/v2/%s/servers' % (stack.layout.url('compute'), admin.project_id)
    body = {'server': {'name': 'ubuntu_test', 'imageRef': stack.image_id(admin), 'flavorRef': '2', 'max_count': 1,
                       'min_count': 1, 'networks': [{'uuid': stack.network_id(admin)}]}}
    shown = subprocess.run(
        ['curl', '-s', '-i', url, '-X', 'POST', '-H', 'Accept: application/json',
         '-H', 'Content-Type: application/json', '-H', 'User-Agent: python-novaclient',
         '-H', 'X-Auth-Project-Id: admin', '-H', 'X-Auth-Token: %s' % admin.token,
         '-d', json.dumps(body)], capture_output=True, text=True, check=True).stdout
    head, _, answer = shown.replace('\r', '').partition('\n\n')
    server = json.loads(answer)['server']
    assert ' 202 ' in head.splitlines()[0]
    location = re.search('(?im)^location: (.*)$', head)[1]
    assert location.endswith('/servers/%s' % server['id'])
    assert set(server) == {'id', 'links', 'adminPass', 'OS-DCF:diskConfig', 'security_groups'}
    assert server['adminPass']
    assert settled(server['id'])['status'] == 'ACTIVE'
    admin.request('DELETE', '/servers/%s' % server['id'], ok=204)
    cloud.wait_for(lambda: admin.request('GET', '/servers/%s' % server['id']).status_code == 404)
    audit.check(stack)


def test_every_process_takes_part(stack, boot, settled):
    for service in (*cloud.SERVICES, 'nova-lite-standins'):
        assert len(stack.pids(service)) == 1, service
    settled(boot())
    queues = stack.broker('list_queues', 'name').split()
    assert {'conductor', 'scheduler', *('compute.%s' % host for host in stack.host_names())} <= set(queues)


def test_an_active_server_shows_what_it_got(stack, admin, boot, settled):
    content = base64.b64encode(b'hello').decode()
    server = settled(boot('shown', metadata={'a': 'b'}, config_drive=True, user_data=content, tags=['t']))
    states = (server['status'], server['OS-EXT-STS:vm_state'], server['OS-EXT-STS:power_state'])
    assert states == ('ACTIVE', 'active', 1)
    assert server['OS-EXT-STS:task_state'] is None and server['OS-SRV-USG:launched_at']
    assert server['metadata'] == {'a': 'b'} and server['tags'] == ['t'] and server['config_drive'] == 'True'
    [address] = server['addresses']['lab']
    assert address['addr'].startswith('10.42.') and address['OS-EXT-IPS:type'] == 'fixed'
    assert server['OS-EXT-SRV-ATTR:host'] in stack.host_names()
    output = admin.request('POST', '/servers/%s/action' % server['id'], ok=200,
                           json={'os-getConsoleOutput': {'length': 5}}).json()
    assert isinstance(output['output'], str)


def test_each_step_is_an_event_of_the_action(admin, boot, settled):
    uuid = boot()
    settled(uuid)
    [action] = admin.get('/servers/%s/os-instance-actions' % uuid)['instanceActions']
    detail = admin.get('/servers/%s/os-instance-actions/%s' % (uuid, action['request_id']))['instanceAction']
    events = {event['event']: event for event in detail['events']}
    assert set(STEPS) <= set(events) and len(events) >= 6
    assert all(event['result'] == 'Success' and event['finish_time'] for event in events.values())
    assert events['compute__do_build_and_run_instance']['host']


def test_many_at_once(stack, admin, settled):
    body = {'name': 'many', 'imageRef': stack.image_id(admin), 'flavorRef': '42', 'min_count': 12, 'max_count': 12,
            'networks': [{'uuid': stack.network_id(admin)}], 'return_reservation_id': True}
    assert admin.request('POST', '/servers', ok=202, json={'server': body}).json()['reservation_id'].startswith('r-')
    cloud.wait_for(lambda: len(admin.get('/servers?name=^many-&status=ACTIVE')['servers']) == 12, 60)
    servers = admin.get('/servers/detail?name=^many-')['servers']
    assert sorted(item['name'] for item in servers) == sorted('many-%d' % number for number in range(1, 13))
    assert len({item['OS-EXT-SRV-ATTR:host'] for item in servers}) == 3, 'the weighers spread them'
    for item in servers:
        admin.request('DELETE', '/servers/%s' % item['id'], ok=204)
    cloud.wait_for(lambda: not admin.get('/servers?name=^many-')['servers'], 60)
    audit.check(stack)


def test_no_valid_host_says_why(stack, admin, boot, settled):
    flavor = {'name': 'huge', 'ram': 900000000, 'vcpus': 1, 'disk': 1, 'id': 'huge'}
    admin.request('POST', '/flavors', ok=(200, 409), json={'flavor': flavor})
    server = settled(boot(flavorRef='huge'))
    assert server['status'] == 'ERROR'
    assert server['fault']['code'] == 500 and server['fault']['message'].startswith('No valid host was found.')
    [action] = admin.get('/servers/%s/os-instance-actions' % server['id'])['instanceActions']
    detail = admin.get('/servers/%s/os-instance-actions/%s' % (server['id'], action['request_id']))['instanceAction']
    [event] = [item for item in detail['events'] if item['event'] == 'conductor_schedule_and_build_instances']
    assert event['result'] == 'Error' and detail['message'] == 'Error'
    assert 'Placement candidates: 0' in server['fault']['details']


def test_anti_affinity_holds_for_parallel_boots(stack, admin, boot, settled):
    group = admin.request('POST', '/os-server-groups', ok=200, json={'server_group': {
        'name': 'apart', 'policy': 'anti-affinity'}}).json()['server_group']['id']
    image, network = stack.image_id(admin), stack.network_id(admin)
    uuids = []
    for number in range(5):
        answer = admin.request('POST', '/servers', ok=202, json={
            'server': {'name': 'apart-%d' % number, 'imageRef': image, 'flavorRef': '42',
                       'networks': [{'uuid': network}]},
            'os:scheduler_hints': {'group': group}})
        uuids.append(answer.json()['server']['id'])
    servers = [settled(uuid) for uuid in uuids]
    hosts = [server['OS-EXT-SRV-ATTR:host'] for server in servers if server['status'] == 'ACTIVE']
    assert len(hosts) == len(set(hosts)) == 3
    assert sorted(server['status'] for server in servers) == ['ACTIVE'] * 3 + ['ERROR'] * 2
    for uuid in uuids:
        admin.request('DELETE', '/servers/%s' % uuid, ok=204)
    cloud.wait_for(lambda: not admin.get('/servers?name=^apart-')['servers'])
    admin.request('DELETE', '/os-server-groups/%s' % group, ok=204)
    audit.check(stack)


def test_what_a_first_boot_on_a_network_asks_of_the_services_around(stack, admin, boot, settled):
    network = admin.request('POST', '/v2.0/networks', ok=201, service='network',
                            json={'network': {'name': 'unheard'}}).json()['network']['id']
    admin.request('POST', '/v2.0/subnets', ok=201, service='network', json={'subnet': {
        'network_id': network, 'ip_version': 4, 'cidr': '10.43.0.0/24'}})
    settled(boot())         # each service has logged in
    for name in ('first', 'second'):
        server = settled(boot(name, networks=[{'uuid': network}]))
        assert [*server['addresses']] == ['unheard']
        [action] = admin.get('/servers/%s/os-instance-actions' % server['id'])['instanceActions']
        every = ['GET /v2/images/' + stack.image_id(admin), 'GET /v2.0/networks', 'GET /allocation_candidates',
                 'PUT /allocations/' + server['id'], 'POST /v2.0/ports']
        assert stack.requests_of(action['request_id']) == sorted(every + ['GET /v2.0/subnets'] * (name == 'first'))
