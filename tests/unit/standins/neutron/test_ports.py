# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Ports: addresses, binding, security and who may do what."""

import pytest


def error(answer):
    return answer[0], answer[1]['NeutronError']['type']


def create(callers, network, caller='demo', **values):
    return getattr(callers, caller)('POST', '/ports', {'port': {'network_id': network['id'], **values}})


def made(callers, network, caller='demo', **values):
    status, body = create(callers, network, caller, **values)
    assert status == 201, body
    return body['port']


def update(callers, port, caller='demo', **values):
    return getattr(callers, caller)('PUT', '/ports/' + port['id'], {'port': values})


def address(port):
    return port['fixed_ips'][0]['ip_address']


def test_a_plain_port(callers, shared):
    port = made(callers, shared)
    assert port['mac_address'].startswith('fa:16:3e:')
    assert (port['status'], port['device_id'], port['project_id']) == ('DOWN', '', 'p-demo')
    group = callers.demo('GET', '/security-groups')[1]['security_groups'][0]
    assert (group['name'], port['security_groups']) == ('default', [group['id']])
    assert port['dns_assignment'][0]['fqdn'] == 'host-%s.openstacklocal.' % address(port).replace('.', '-')
    assert not [name for name in port if name.startswith('binding:') and name != 'binding:vnic_type']


@pytest.mark.parametrize('caller', ['admin', 'nova'])
def test_binding_makes_it_active(callers, shared, caller):
    port = made(callers, shared, caller, project_id='p-demo', device_id='i-1', device_owner='compute:nova',
                **{'binding:host_id': 'host-a'})
    assert (port['status'], port['binding:vif_type'], port['project_id']) == ('ACTIVE', 'bridge', 'p-demo')
    assert port['binding:vif_details'] == {'port_filter': True, 'connectivity': 'l2',
                                           'bridge_name': 'brq' + shared['id'][:11]}
    seen = callers.demo('GET', '/ports/' + port['id'])[1]['port']
    assert seen['status'] == 'ACTIVE' and 'binding:host_id' not in seen
    status, body = update(callers, port, caller, device_id='', device_owner='', **{'binding:host_id': ''})
    free = body['port']
    assert (status, free['device_id'], free['status'], free['binding:vif_type'], free['binding:vif_details']) == (
        200, '', 'DOWN', 'unbound', {})
    assert free['fixed_ips'] == port['fixed_ips']


def test_members_bind_nothing(callers, private):
    assert error(create(callers, private, **{'binding:host_id': 'h'})) == (403, 'PolicyNotAuthorized')
    port = made(callers, private)
    for values in ({'binding:host_id': 'h'}, {'binding:host_id': ''}, {'binding:profile': {'a': 1}},
                   {'device_owner': 'network:dhcp'}):
        assert error(update(callers, port, **values)) == (403, 'PolicyNotAuthorized')
    assert error(create(callers, private, device_owner='network:router_interface')) == (403, 'PolicyNotAuthorized')


def test_what_only_the_owner_of_a_network_sets(callers, private, shared):
    for values in ({'mac_address': 'fa:16:3e:00:00:01'}, {'port_security_enabled': False, 'security_groups': []},
                   {'allowed_address_pairs': [{'ip_address': '10.0.0.99'}]}):
        assert error(create(callers, shared, **values)) == (403, 'PolicyNotAuthorized')
        assert create(callers, private, **values)[0] == 201


def test_requested_addresses(callers, private):
    subnet = private['subnet']['id']
    assert address(made(callers, private, fixed_ips=[{'ip_address': '192.168.7.77'}])) == '192.168.7.77'
    assert address(made(callers, private, fixed_ips=[{'subnet_id': subnet, 'ip_address': '192.168.7.78'}])
                   ) == '192.168.7.78'
    two = made(callers, private, fixed_ips=[{'subnet_id': subnet}, {'ip_address': '192.168.7.2'}])
    assert len({fixed['ip_address'] for fixed in two['fixed_ips']}) == 2
    assert made(callers, private, fixed_ips=[])['fixed_ips'] == []


@pytest.mark.parametrize(('fixed', 'expected'), [
    ({'ip_address': '192.168.7.77'}, (409, 'IpAddressAlreadyAllocated')),
    ({'ip_address': '192.168.7.0'}, (400, 'InvalidIpForSubnet')),
    ({'ip_address': '192.168.7.255'}, (400, 'InvalidIpForSubnet')),
    ({'ip_address': '10.0.0.9'}, (400, 'InvalidIpForNetwork')),
    ({'ip_address': 'x'}, (400, 'HTTPBadRequest')),
    ({}, (400, 'HTTPBadRequest')),
    ({'subnet_id': '11111111-2222-4333-8444-555555555555'}, (404, 'SubnetNotFound')),
    ({'subnet_id': 'x'}, (400, 'HTTPBadRequest')),
])
def test_refused_addresses(callers, private, fixed, expected):
    made(callers, private, fixed_ips=[{'ip_address': '192.168.7.77'}])
    before = len(callers.demo('GET', '/ports')[1]['ports'])
    assert error(create(callers, private, fixed_ips=[fixed])) == expected
    assert len(callers.demo('GET', '/ports')[1]['ports']) == before


def test_the_subnet_of_another_network(callers, private, shared):
    assert error(create(callers, shared, fixed_ips=[{'subnet_id': private['subnet']['id']}])) == (400, 'InvalidInput')


def test_nobody_takes_the_gateway_of_the_shared_network(callers, shared):
    refused = create(callers, shared, 'admin', fixed_ips=[{'ip_address': '10.0.0.1'}])
    assert error(refused) == (409, 'IpAddressAlreadyAllocated')


def test_a_full_subnet(callers, private):
    network = callers.demo('POST', '/networks', {'network': {}})[1]['network']
    assert create(callers, network)[1]['port']['fixed_ips'] == []
    callers.demo('POST', '/subnets', {'subnet': {'network_id': network['id'], 'ip_version': 4,
                                                 'cidr': '10.9.0.0/29'}})
    ports = [made(callers, network) for _ in range(5)]
    assert error(create(callers, network)) == (409, 'IpAddressGenerationFailure')
    assert callers.demo('DELETE', '/ports/' + ports[2]['id'])[0] == 204
    assert address(made(callers, network)) == address(ports[2])


def test_a_freed_address_is_not_reused_at_once(callers, private):
    first = made(callers, private)
    callers.demo('DELETE', '/ports/' + first['id'])
    assert address(made(callers, private)) != address(first)


def test_changed_addresses(callers, private):
    port = made(callers, private, fixed_ips=[{'ip_address': '192.168.7.77'}])
    subnet = private['subnet']['id']
    same = update(callers, port, fixed_ips=[{'subnet_id': subnet}])[1]['port']
    assert address(same) == '192.168.7.77'
    moved = update(callers, port, fixed_ips=[{'ip_address': '192.168.7.80'}])[1]['port']
    assert [fixed['ip_address'] for fixed in moved['fixed_ips']] == ['192.168.7.80']
    assert address(made(callers, private, fixed_ips=[{'ip_address': '192.168.7.77'}])) == '192.168.7.77'
    clash = update(callers, port, fixed_ips=[{'ip_address': '192.168.7.77'}])
    assert error(clash) == (409, 'IpAddressAlreadyAllocated')
    unchanged = callers.demo('GET', '/ports/' + port['id'])[1]['port']
    assert unchanged['fixed_ips'] == moved['fixed_ips']


def test_mac_addresses(callers, private):
    port = made(callers, private, mac_address='FA:16:3E:00:00:01')
    assert port['mac_address'] == 'fa:16:3e:00:00:01'
    assert error(create(callers, private, mac_address='fa:16:3e:00:00:01')) == (409, 'MacAddressInUse')
    for bad in ('fa:16:3e:00:00', '01:00:5e:00:00:01', '00:00:00:00:00:00', 5):
        assert error(create(callers, private, mac_address=bad)) == (400, 'HTTPBadRequest')
    assert update(callers, port, mac_address='fa:16:3e:00:00:02')[1]['port']['mac_address'] == 'fa:16:3e:00:00:02'
    update(callers, port, 'admin', **{'binding:host_id': 'h'})
    assert error(update(callers, port, mac_address='fa:16:3e:00:00:03')) == (409, 'PortBound')


def test_addresses_from_the_mac(callers, private):
    callers.demo('POST', '/subnets', {'subnet': {
        'network_id': private['id'], 'ip_version': 6, 'cidr': 'fd00:7::/64', 'ipv6_address_mode': 'slaac',
        'ipv6_ra_mode': 'slaac'}})
    port = made(callers, private, mac_address='fa:16:3e:00:00:01')
    assert [fixed['ip_address'] for fixed in port['fixed_ips']] == ['192.168.7.2', 'fd00:7::f816:3eff:fe00:1']


def test_ports_of_others(callers, private, shared):
    port = made(callers, shared)
    for method, body in (('GET', None), ('DELETE', None), ('PUT', {'port': {'name': 'x'}})):
        assert error(callers.other(method, '/ports/' + port['id'], body)) == (404, 'PortNotFound')
    assert callers.other('GET', '/ports?id=' + port['id']) == (200, {'ports': []})
    assert error(create(callers, private, 'other')) == (404, 'NetworkNotFound')
    assert error(create(callers, {'id': '11111111-2222-4333-8444-555555555555'})) == (404, 'NetworkNotFound')
    assert callers.admin('GET', '/ports/' + port['id'])[0] == 200


def test_deleted_ports_are_gone(callers, private):
    port = made(callers, private)
    assert callers.demo('DELETE', '/ports/' + port['id']) == (204, b'')
    assert error(callers.demo('DELETE', '/ports/' + port['id'])) == (404, 'PortNotFound')
    assert error(update(callers, port, name='x')) == (404, 'PortNotFound')


def test_security_settings(callers, private):
    group = callers.demo('POST', '/security-groups', {'security_group': {'name': 'web'}})[1]['security_group']
    port = made(callers, private, security_groups=[group['id']])
    assert port['security_groups'] == [group['id']]
    theirs = callers.other('GET', '/security-groups')[1]['security_groups'][0]
    assert error(create(callers, private, security_groups=[theirs['id']])) == (404, 'SecurityGroupNotFound')
    assert error(update(callers, port, port_security_enabled=False)) == (409, 'PortSecurityPortHasSecurityGroup')
    opened = update(callers, port, port_security_enabled=False, security_groups=[])[1]['port']
    assert (opened['port_security_enabled'], opened['security_groups']) == (False, [])
    paired = update(callers, opened, allowed_address_pairs=[{'ip_address': '192.168.7.200'}])
    assert error(paired) == (409, 'AddressPairAndPortSecurityRequired')
    bare = made(callers, private, port_security_enabled=False)
    assert bare['security_groups'] == []


def test_address_pairs(callers, private):
    port = made(callers, private, allowed_address_pairs=[{'ip_address': '192.168.7.200'},
                                                         {'ip_address': '192.168.8.7/24'}])
    assert port['allowed_address_pairs'] == [
        {'ip_address': '192.168.7.200', 'mac_address': port['mac_address']},
        {'ip_address': '192.168.8.0/24', 'mac_address': port['mac_address']}]
    assert error(create(callers, private, allowed_address_pairs=[{'ip_address': '0.0.0.0/0'}])) == (
        400, 'InvalidInput')
    many = [{'ip_address': '192.168.7.%d' % number} for number in range(100, 111)]
    assert error(create(callers, private, allowed_address_pairs=many)) == (400, 'AllowedAddressPairExhausted')


def test_names(callers, private):
    port = made(callers, private, dns_name='Web-1', name='x', tags=['t'])
    assert (port['dns_name'], port['dns_assignment'][0]['hostname'], port['tags']) == ('web-1', 'web-1', ['t'])
    for bad in ('a b', '-a', 'a,b', 'a\nb', 'x' * 64):
        assert error(create(callers, private, dns_name=bad)) == (400, 'HTTPBadRequest')


def test_bulk_create_is_all_or_nothing(callers, private):
    documents = [{'network_id': private['id'], 'fixed_ips': [{'ip_address': '192.168.7.9'}]}] * 2
    assert error(callers.demo('POST', '/ports', {'ports': documents})) == (409, 'IpAddressAlreadyAllocated')
    assert callers.demo('GET', '/ports')[1] == {'ports': []}
    assert address(made(callers, private, fixed_ips=[{'ip_address': '192.168.7.9'}])) == '192.168.7.9'
    status, body = callers.demo('POST', '/ports', {'ports': [{'network_id': private['id']}] * 2})
    assert status == 201 and len(body['ports']) == 2


def test_port_quota(callers, private):
    callers.admin('PUT', '/quotas/p-demo', {'quota': {'port': 2}})
    port = made(callers, private)
    made(callers, private)
    answer = create(callers, private)
    assert error(answer) == (409, 'OverQuota')
    assert answer[1]['NeutronError']['message'] == "Quota exceeded for resources: ['port']."
    callers.demo('DELETE', '/ports/' + port['id'])
    assert create(callers, private)[0] == 201
