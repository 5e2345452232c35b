# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Filters, fields, sorting and paging of lists, and the documents that describe the service."""

import pytest

from tests.unit.standins import cloud


@pytest.fixture
def ports(callers, private):
    """Five ports named p0 … p4; p0 and p1 belong to device d0, the others to d1."""
    made = []
    for number in range(5):
        made.append(callers.demo('POST', '/ports', {'port': {
            'network_id': private['id'], 'name': 'p%d' % number, 'device_id': 'd%d' % (number > 1),
            'device_owner': 'compute:nova', 'admin_state_up': number != 4,
            'fixed_ips': [{'ip_address': '192.168.7.1%d' % number}]}})[1]['port'])
    return made


def names(callers, query, caller='demo'):
    status, body = getattr(callers, caller)('GET', '/ports?' + query)
    assert status == 200, body
    return [port['name'] for port in body['ports']]


@pytest.mark.parametrize(('query', 'expected'), [
    ('', 'p0 p1 p2 p3 p4'), ('name=p1', 'p1'), ('name=p1&name=p3', 'p1 p3'), ('device_id=d0', 'p0 p1'),
    ('device_id=d0&name=p1', 'p1'), ('device_id=d0&device_id=d1', 'p0 p1 p2 p3 p4'), ('device_id=', ''),
    ('device_owner=compute:nova&device_id=d1', 'p2 p3 p4'), ('admin_state_up=False', 'p4'),
    ('admin_state_up=true&name=p4', ''), ('fixed_ips=ip_address%3D192.168.7.12', 'p2'),
    ('fixed_ips=ip_address_substr%3D168.7.13', 'p3'), ('fixed_ips=ip_address%3D192.168.7.12&fixed_ips=ip_address%3D'
                                                       '192.168.7.13', 'p2 p3'),
    ('tenant_id=p-demo', 'p0 p1 p2 p3 p4'), ('project_id=p-other', ''), ('status=DOWN&name=p0', 'p0'),
    ('description=', 'p0 p1 p2 p3 p4'), ('binding:host_id=x', ''), ('id=11111111-2222-4333-8444-555555555555', ''),
    ('sort_key=name&sort_dir=desc', 'p4 p3 p2 p1 p0'), ('sort_key=admin_state_up&sort_key=name&sort_dir=asc&'
                                                        'sort_dir=desc', 'p4 p3 p2 p1 p0'),
    ('sort_key=device_id&sort_dir=desc', 'p2 p3 p4 p0 p1'), ('limit=0', 'p0 p1 p2 p3 p4'),
])
def test_filters_and_order(callers, ports, query, expected):
    assert names(callers, query) == expected.split()


@pytest.mark.parametrize('query', [
    'colour=red', 'sort_key=colour', 'sort_key=name&sort_dir=up', 'sort_dir=asc', 'limit=-1', 'limit=x',
    'marker=x', 'fixed_ips=x', 'fixed_ips=a%3Db', 'sort_key=fixed_ips'])
def test_bad_queries(callers, ports, query):
    status, body = callers.demo('GET', '/ports?' + query)
    assert status == 400 and body['NeutronError']['message']


def test_many_ids(callers, ports):
    query = '&'.join('id=' + port['id'] for port in (ports[3], ports[0], ports[3]))
    assert names(callers, query) == ['p3', 'p0']


def test_security_group_filter(callers, ports):
    group = ports[0]['security_groups'][0]
    assert len(names(callers, 'security_groups=' + group)) == 5
    assert names(callers, 'security_groups=x') == []


def test_fields(callers, ports):
    body = callers.demo('GET', '/ports?name=p0&fields=id&fields=name&fields=binding:host_id')[1]
    assert body == {'ports': [{'id': ports[0]['id'], 'name': 'p0'}]}
    assert callers.demo('GET', '/ports/%s?fields=name' % ports[0]['id'])[1] == {'port': {'name': 'p0'}}


def test_pages_show_each_port_once(callers, ports):
    seen, path = [], '/ports?limit=2&sort_key=name'
    for _ in range(4):
        body = callers.demo('GET', path)[1]
        seen += [port['name'] for port in body['ports']]
        links = {link['rel']: link['href'] for link in body.get('ports_links', ())}
        if 'next' not in links:
            break
        path = links['next'].removeprefix('http://localhost/v2.0')
    assert seen == ['p0', 'p1', 'p2', 'p3', 'p4']
    back = links['previous'].removeprefix('http://localhost/v2.0')
    assert [port['name'] for port in callers.demo('GET', back)[1]['ports']] == ['p2', 'p3']


def test_network_lists_see_only_what_is_ours_or_shared(callers, private):
    assert {network['name'] for network in callers.demo('GET', '/networks')[1]['networks']} == {
        'private', 'public', 'mine'}
    assert {network['name'] for network in callers.other('GET', '/networks')[1]['networks']} == {
        'private', 'public'}
    external = callers.other('GET', '/networks?router:external=True')[1]['networks']
    assert [network['name'] for network in external] == ['public']
    assert len(callers.other('GET', '/networks?shared=True')[1]['networks']) == 1


def test_versions_need_no_token(make):
    anyone = cloud.Client(make().app)
    status, body = anyone('GET', '/')
    assert (status, body['versions'][0]['id'], body['versions'][0]['status']) == (200, 'v2.0', 'CURRENT')
    status, body = anyone('GET', '/v2.0/')
    assert status == 200 and 'port' in {resource['name'] for resource in body['resources']}
    status, body = anyone('GET', '/v2.0/networks')
    assert (status, body['NeutronError']['type']) == (401, 'HTTPUnauthorized')


def test_extensions(callers):
    listed = {extension['alias'] for extension in callers.demo('GET', '/extensions')[1]['extensions']}
    assert {'security-group', 'binding', 'port-security', 'quotas'} <= listed
    assert {'router', 'external-net', 'extraroute', 'rbac-policies', 'subnet_allocation'} <= listed
    assert 'trunk' not in listed
    assert callers.demo('GET', '/extensions/binding')[1]['extension']['alias'] == 'binding'
    assert callers.demo('GET', '/extensions/trunk')[0] == 404


@pytest.mark.parametrize('path', ['/trunks', '/qos/policies', '/x/y/z', '/networks/x/y'])
def test_what_is_not_served(callers, path):
    status, body = callers.admin('GET', path)
    assert (status, body['NeutronError']['type']) == (404, 'HTTPNotFound')


def test_agents_and_zones_are_empty_without_a_data_plane(callers):
    assert callers.admin('GET', '/agents') == (200, {'agents': []})
    assert callers.admin('GET', '/agents/x')[0] == 404
    assert callers.demo('GET', '/agents') == (200, {'agents': []})
    assert callers.demo('GET', '/agents/x')[0] == 404
    assert callers.demo('GET', '/availability_zones') == (200, {'availability_zones': []})
    providers = callers.demo('GET', '/service-providers?service_type=L3_ROUTER_NAT')[1]['service_providers']
    assert [provider['name'] for provider in providers] == ['single_node']
