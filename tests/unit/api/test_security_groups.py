# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Security groups and networks by way of the compute API."""

import functools

import pytest

from nova_lite.api import deploy
from nova_lite.compute import api as compute_api
from nova_lite.compute import api_clients
from nova_lite.network import neutron
from tests.unit.api import client
from tests.unit.api import conftest
from tests.unit.compute_api import doubles

UUID = '00000000-0000-4000-8000-000000000000'


@pytest.fixture
def network():
    return doubles.Neutron()


@pytest.fixture
def demo(conf, db, services, network):
    api = neutron.API(network)
    compute = compute_api.API(conf, db, services.enforcer, api_clients.Clients(image=None, network=api, volume=None),
                              conductor=None, compute=None)
    app = deploy.load(str(conftest.PASTE), 'osapi_compute', deploy.Services(conf, db, services.enforcer, compute, api))
    return functools.partial(client.Client, app)


@pytest.fixture
def group(demo):
    """A new group as the API shows it."""
    return demo().post('/os-security-groups', {'security_group': {'name': ' web ', 'description': 'd'}})[
        'security_group']


def rule(demo, group, status=200, **values):
    body = {'security_group_rule': {'parent_group_id': group['id'], **values}}
    answer = demo().post('/os-security-group-rules', body, status)
    return answer['security_group_rule'] if status == 200 else answer


def test_groups(demo, group, network):
    path = '/os-security-groups/' + group['id']
    assert (group['name'], group['description'], group['rules']) == (' web ', 'd', [])
    assert demo().get(path)['security_group'] == group
    changed = demo().put(path, {'security_group': {'name': 'x', 'description': ''}})['security_group']
    assert (changed['name'], changed['description']) == ('x', '')
    network.add_group('other', 'demo')
    network.add_group('hidden', 'somebody')
    listed = demo().get('/os-security-groups')['security_groups']
    assert [item['name'] for item in listed if item['name'] != 'x'] == ['other']
    assert len(demo().get('/os-security-groups?limit=1&offset=0')['security_groups']) == 1
    demo().delete(path, 202)
    demo().get(path, 404)
    demo().delete(path, 404)
    assert demo().get('/os-security-groups/x', 400) == 'Security group id should be uuid'


def test_refusals_come_as_they_always_did(demo, group, network):
    network.security_groups[group['id']]['used'] = True
    demo().delete('/os-security-groups/' + group['id'], 400)
    for values in ({'name': 'x'}, {'name': 'x' * 256, 'description': ''}, {'name': '', 'description': ''}):
        demo().post('/os-security-groups', {'security_group': values}, 400)
    for kind, code, status in (('OverQuota', 409, 403), ('Odd', 409, 409), ('Odd', 400, 400), ('Odd', 500, 503)):
        network.fails, network.failures = 'POST', [doubles.error(code, kind)]
        demo().post('/os-security-groups', {'security_group': {'name': 'x', 'description': ''}}, status)
    demo(version='2.36').get('/os-security-groups', 404)


def test_rules(demo, group):
    made = rule(demo, group, ip_protocol='TCP', from_port=22, to_port='80', cidr='10.0.0.7/8')
    assert made == {'id': made['id'], 'parent_group_id': group['id'], 'ip_protocol': 'tcp', 'from_port': 22,
                    'to_port': 80, 'group': {}, 'ip_range': {'cidr': '10.0.0.7/8'}}
    ping = rule(demo, group, ip_protocol='icmp', from_port=-1, to_port=-1)
    assert (ping['from_port'], ping['to_port'], ping['ip_range']) == (-1, -1, {'cidr': '0.0.0.0/0'})
    among = rule(demo, group, group_id=group['id'])
    assert (among['ip_protocol'], among['group']['name'], among['ip_range']) == (None, ' web ', {})
    assert rule(demo, group, ip_protocol='udp', from_port=1, to_port=2, cidr='::/0')['ip_range'] == {'cidr': '::/0'}
    assert len(demo().get('/os-security-groups/' + group['id'])['security_group']['rules']) == 4
    demo().delete('/os-security-group-rules/' + made['id'], 202)
    demo().delete('/os-security-group-rules/' + made['id'], 404)
    demo().delete('/os-security-group-rules/x', 400)


@pytest.mark.parametrize('values', [
    {}, {'ip_protocol': 'tcp'}, {'ip_protocol': 'tcp', 'from_port': 2, 'to_port': 1},
    {'ip_protocol': 'tcp', 'from_port': 0, 'to_port': 1}, {'ip_protocol': 'tcp', 'from_port': 1, 'to_port': 65536},
    {'ip_protocol': 'vrrp', 'from_port': 1, 'to_port': 1}, {'from_port': 1, 'to_port': 1, 'group_id': UUID},
    {'ip_protocol': 'icmp', 'from_port': 256, 'to_port': 1}, {'ip_protocol': 'udp', 'from_port': 1, 'to_port': 'x'},
    {'ip_protocol': 'tcp', 'from_port': 1, 'to_port': 1, 'cidr': '10.0.0.0/33'},
    {'ip_protocol': 'tcp', 'from_port': 1, 'to_port': 1, 'group_id': 'x'}])
def test_rules_that_make_no_sense(demo, group, values):
    rule(demo, group, 400, **values)


def test_rules_of_what_is_not_there(demo, group):
    rule(demo, {'id': UUID}, 404, ip_protocol='tcp', from_port=1, to_port=1)
    rule(demo, group, 404, ip_protocol='tcp', from_port=1, to_port=1, group_id=UUID)
    rule(demo, {'id': 'x'}, 400, ip_protocol='tcp', from_port=1, to_port=1)


def test_networks(demo, network):
    own, shared = network.add_network('demo', 'own'), network.add_network('somebody', 'shared', shared=True)
    hidden = network.add_network('somebody', 'hidden')
    for path, cidr in (('/os-networks', None), ('/os-tenant-networks', 'None')):
        listed = demo().get(path)['networks']
        assert {(item['id'], item['label'], item['cidr']) for item in listed} == {
            (own, 'own', cidr), (shared, 'shared', cidr)}
        assert demo().get('%s/%s' % (path, own))['network'] in listed
        demo().get('%s/%s' % (path, hidden), 404)
        demo(version='2.36').get(path, 404)
