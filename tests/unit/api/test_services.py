# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Services, hypervisors and availability zones."""

import re

import pytest

from nova_lite.db import compute_nodes
from nova_lite.db import services as services_db
from nova_lite.objects import service as service_obj


@pytest.fixture
def cloud(db):
    """Two compute hosts with a node each, and a scheduler."""
    for host, binary in (('h1', 'nova-compute'), ('h2', 'nova-compute'), ('h1', 'nova-scheduler')):
        services_db.report(db, host, binary, binary)
    for number in (1, 2):
        compute_nodes.save(db, service_obj.ComputeNode(
            uuid='%08d-0000-4000-8000-000000000000' % number, host='h%d' % number,
            hypervisor_hostname='node%d.example' % number, vcpus=4, memory_mb=1000, local_gb=10, vcpus_used=1,
            memory_mb_used=100, local_gb_used=1, running_vms=1, hypervisor_type='fake', hypervisor_version=1000,
            cpu_info={'arch': 'x86_64'}, host_ip='192.0.2.%d' % number))


NODE1 = '00000001-0000-4000-8000-000000000000'


def named(body, **wanted):
    found = [service for service in body['services'] if all(service[key] == wanted[key] for key in wanted)]
    assert len(found) == 1
    return found[0]


def test_list(cloud, admin):
    services = admin().get('/os-services')
    assert len(services['services']) == 3
    compute = named(services, host='h1', binary='nova-compute')
    assert re.fullmatch(r'\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}', compute.pop('updated_at'))
    assert isinstance(compute.pop('id'), int)
    assert compute == {'host': 'h1', 'binary': 'nova-compute', 'zone': 'nova', 'status': 'enabled', 'state': 'up',
                       'disabled_reason': None}
    assert named(services, binary='nova-scheduler')['zone'] == 'internal'
    newer = named(admin(version='2.53').get('/os-services?host=h1&binary=nova-compute'), host='h1')
    assert newer['forced_down'] is False and len(newer['id']) == 36
    admin(version='2.75').get('/os-services?foo=1', 400)


def test_the_old_verbs(cloud, admin):
    body = {'host': 'h1', 'binary': 'nova-compute'}

    def compute():
        return named(admin(version='2.11').get('/os-services'), **body)
    assert admin().put('/os-services/disable', body) == {'service': body | {'status': 'disabled'}}
    assert compute()['status'] == 'disabled'
    reason = body | {'disabled_reason': 'broken'}
    assert admin().put('/os-services/disable-log-reason', reason) == {'service': reason | {'status': 'disabled'}}
    assert compute()['disabled_reason'] == 'broken'
    admin().put('/os-services/disable-log-reason', body, 400)
    assert admin().put('/os-services/enable', body) == {'service': body | {'status': 'enabled'}}
    assert (compute()['status'], compute()['disabled_reason']) == ('enabled', None)
    admin(version='2.11').put('/os-services/force-down', body | {'forced_down': True})
    assert (compute()['state'], compute()['forced_down']) == ('down', True)
    admin(version='2.11').put('/os-services/force-down', body | {'forced_down': 'false'})
    assert compute()['state'] == 'up'
    admin(version='2.11').put('/os-services/force-down', body, 400)
    admin().put('/os-services/force-down', body, 404)
    admin().put('/os-services/explode', body, 404)
    admin().put('/os-services/enable', {'host': 'h1'}, 400)
    admin().put('/os-services/enable', body | {'host': 'nowhere'}, 404)


def test_update_by_uuid(cloud, admin):
    new = admin(version='2.53')
    services = new.get('/os-services')
    path = '/os-services/' + named(services, host='h1', binary='nova-compute')['id']
    changed = new.put(path, {'status': 'disabled', 'disabled_reason': 'broken'})['service']
    assert (changed['status'], changed['disabled_reason'], changed['host']) == ('disabled', 'broken', 'h1')
    changed = new.put(path, {'status': 'enabled', 'forced_down': True})['service']
    assert (changed['status'], changed['disabled_reason'], changed['state']) == ('enabled', None, 'down')
    for body in ({}, {'disabled_reason': 'x'}, {'status': 'enabled', 'disabled_reason': 'x'}, {'status': 'gone'},
                 {'forced_down': 'maybe'}, {'foo': 1}):
        new.put(path, body, 400)
    new.put('/os-services/enable', {'status': 'enabled'}, 400)
    new.put('/os-services/' + NODE1, {'status': 'enabled'}, 404)
    scheduler = named(services, binary='nova-scheduler')['id']
    new.put('/os-services/' + scheduler, {'status': 'disabled'}, 400)


def test_delete(cloud, admin):
    services = admin().get('/os-services')
    admin().delete('/os-services/%d' % named(services, host='h1', binary='nova-compute')['id'])
    admin().delete('/os-services/x', 400)
    admin().delete('/os-services/777', 404)
    new = admin(version='2.53')
    new.delete('/os-services/1', 400)
    new.delete('/os-services/' + named(new.get('/os-services'), binary='nova-scheduler')['id'])
    assert len(admin().get('/os-services')['services']) == 1
    assert len(admin().get('/os-hypervisors')['hypervisors']) == 1


def test_members_see_none_of_it(cloud, demo):
    for path in ('/os-services', '/os-hypervisors', '/os-hypervisors/detail', '/os-hypervisors/1',
                 '/os-hypervisors/statistics', '/os-hypervisors/node/search', '/os-hypervisors/node/servers',
                 '/os-hypervisors/1/uptime', '/os-availability-zone/detail'):
        demo().get(path, 403)
    demo().put('/os-services/disable', {'host': 'h1', 'binary': 'nova-compute'}, 403)
    demo().delete('/os-services/1', 403)


def test_hypervisors(cloud, admin):
    basic = {'id': 1, 'hypervisor_hostname': 'node1.example', 'state': 'up', 'status': 'enabled'}
    assert admin().get('/os-hypervisors')['hypervisors'][0] == basic
    whole = admin().get('/os-hypervisors/1')['hypervisor']
    assert whole == basic | {
        'vcpus': 4, 'memory_mb': 1000, 'local_gb': 10, 'vcpus_used': 1, 'memory_mb_used': 100, 'local_gb_used': 1,
        'free_ram_mb': 900, 'free_disk_gb': 9, 'running_vms': 1, 'current_workload': 0, 'disk_available_least': None,
        'cpu_info': '{"arch": "x86_64"}', 'hypervisor_type': 'fake', 'hypervisor_version': 1000,
        'host_ip': '192.0.2.1', 'service': {'id': 1, 'host': 'h1', 'disabled_reason': None}}
    assert admin().get('/os-hypervisors/detail')['hypervisors'][0] == whole
    newer = admin(version='2.53').get('/os-hypervisors/' + NODE1)['hypervisor']
    assert (newer['id'], newer['cpu_info'], len(newer['service']['id'])) == (NODE1, {'arch': 'x86_64'}, 36)
    newest = admin(version='2.88').get('/os-hypervisors/' + NODE1)['hypervisor']
    assert set(newest) == {*basic, 'hypervisor_type', 'hypervisor_version', 'host_ip', 'service', 'uptime'}


def test_hypervisors_by_id(cloud, admin):
    assert admin().get('/os-hypervisors/7', 404) == "Hypervisor with ID '7' could not be found."
    admin().get('/os-hypervisors/x', 404)
    admin(version='2.53').get('/os-hypervisors/1', 400)
    admin(version='2.53').get('/os-hypervisors/77777777-0000-4000-8000-000000000000', 404)


def test_hypervisors_by_pattern(cloud, admin):
    new = admin(version='2.53')
    assert len(new.get('/os-hypervisors?hypervisor_hostname_pattern=node1')['hypervisors']) == 1
    new.get('/os-hypervisors?hypervisor_hostname_pattern=nothing', 404)
    new.get('/os-hypervisors?hypervisor_hostname_pattern=node&limit=1', 400)
    assert len(admin().get('/os-hypervisors/node/search')['hypervisors']) == 2
    assert admin().get('/os-hypervisors/node1/servers')['hypervisors'][0]['id'] == 1
    admin().get('/os-hypervisors/nothing/search', 404)
    new.get('/os-hypervisors/node/search', 404)
    new.get('/os-hypervisors/node/servers', 404)


def test_servers_of_hypervisors(cloud, admin):
    with_servers = '/os-hypervisors/detail?with_servers=true'
    assert 'servers' not in admin(version='2.53').get(with_servers)['hypervisors'][0]
    assert admin(version='2.75').get(with_servers)['hypervisors'][0]['servers'] == []
    admin(version='2.53').get('/os-hypervisors?with_servers=perhaps', 400)


def test_pages_of_hypervisors(cloud, admin):
    page = admin(version='2.33').get('/os-hypervisors?limit=1')
    assert page['hypervisors_links'][0]['href'].endswith('/os-hypervisors?limit=1&marker=1')
    assert admin(version='2.33').get('/os-hypervisors?limit=1&marker=1')['hypervisors'][0]['id'] == 2
    assert len(admin().get('/os-hypervisors?limit=1')['hypervisors']) == 2
    admin(version='2.33').get('/os-hypervisors?marker=9', 400)
    page = admin(version='2.53').get('/os-hypervisors/detail?limit=1')
    assert page['hypervisors_links'][0]['href'].endswith('/os-hypervisors/detail?limit=1&marker=' + NODE1)


def test_statistics_and_uptime(cloud, admin):
    sums = admin().get('/os-hypervisors/statistics')['hypervisor_statistics']
    assert (sums['count'], sums['vcpus'], sums['free_ram_mb'], sums['free_disk_gb']) == (2, 8, 1800, 18)
    admin(version='2.88').get('/os-hypervisors/statistics', 404)
    assert admin().get('/os-hypervisors/1/uptime')['hypervisor']['uptime'] is None
    admin(version='2.88').get('/os-hypervisors/%s/uptime' % NODE1, 404)


def test_availability_zones(cloud, demo, admin):
    assert demo().get('/os-availability-zone') == {'availabilityZoneInfo': [
        {'zoneName': 'nova', 'zoneState': {'available': True}, 'hosts': None}]}
    zones = admin().get('/os-availability-zone/detail')['availabilityZoneInfo']
    assert [zone['zoneName'] for zone in zones] == ['internal', 'nova']
    compute = zones[1]['hosts']['h1']['nova-compute']
    assert (compute['active'], compute['available']) == (True, True)
    for host in ('h1', 'h2'):
        admin().put('/os-services/disable', {'host': host, 'binary': 'nova-compute'})
    assert demo().get('/os-availability-zone')['availabilityZoneInfo'][0]['zoneState'] == {'available': False}
