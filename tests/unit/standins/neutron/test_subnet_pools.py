# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Subnet pools and address scopes: what fits together, and which ranges subnets get."""

import ipaddress

import pytest

from nova_lite.standins.neutron import subnet_pools

NOBODY = '11111111-2222-4333-8444-555555555555'


def error(answer):
    return answer[0], answer[1]['NeutronError']['type']


def pool(callers, caller='demo', **values):
    return getattr(callers, caller)('POST', '/subnetpools', {'subnetpool': {'name': 'p', **values}})


def scope(callers, caller='demo', **values):
    return getattr(callers, caller)('POST', '/address-scopes', {'address_scope': {
        'name': 's', 'ip_version': 4, **values}})


@pytest.fixture
def own(callers):
    return pool(callers, prefixes=['10.20.0.0/16', '10.21.0.0/16'], default_prefixlen=24)[1]['subnetpool']


@pytest.fixture
def cut(callers):
    """Makes a subnet on a network of its own."""
    def make(**values):
        network = callers.demo('POST', '/networks', {'network': {}})[1]['network']
        return callers.demo('POST', '/subnets', {'subnet': {
            'network_id': network['id'], 'ip_version': 4, **values}})
    return make


def test_a_pool(callers, own):
    assert (own['prefixes'], own['ip_version'], own['min_prefixlen'], own['default_prefixlen'], own['max_prefixlen'],
            own['is_default'], own['shared'], own['default_quota']) == (
        ['10.20.0.0/15'], 4, 8, 24, 32, False, False, None)
    six = pool(callers, prefixes=['fd00::/48'])[1]['subnetpool']
    assert (six['ip_version'], six['min_prefixlen'], six['default_prefixlen'], six['max_prefixlen']) == (6, 64, 64, 128)
    assert error(callers.other('GET', '/subnetpools/' + own['id'])) == (404, 'SubnetPoolNotFound')
    assert [each['name'] for each in callers.other('GET', '/subnetpools')[1]['subnetpools']] == [
        'shared-default-subnetpool-v4']
    assert callers.demo('PUT', '/subnetpools/%s/tags/x' % own['id'])[0] == 201


@pytest.mark.parametrize(('values', 'expected'), [
    ({}, (400, 'HTTPBadRequest')), ({'prefixes': []}, (400, 'EmptySubnetPoolPrefixList')),
    ({'prefixes': ['10.0.0.0/x']}, (400, 'HTTPBadRequest')),
    ({'prefixes': ['10.0.0.0/8', 'fd00::/48']}, (400, 'PrefixVersionMismatch')),
    ({'prefixes': ['10.0.0.0/8'], 'min_prefixlen': 26, 'max_prefixlen': 24}, (400, 'IllegalSubnetPoolPrefixBounds')),
    ({'prefixes': ['10.0.0.0/8'], 'max_prefixlen': 33}, (400, 'IllegalSubnetPoolPrefixBounds')),
    ({'prefixes': ['10.0.0.0/8'], 'default_prefixlen': 7}, (400, 'IllegalSubnetPoolPrefixBounds')),
    ({'prefixes': ['10.0.0.0/8'], 'default_prefixlen': 28, 'max_prefixlen': 26},
     (400, 'IllegalSubnetPoolPrefixBounds')),
    ({'prefixes': ['10.0.0.0/8'], 'shared': True}, (403, 'PolicyNotAuthorized')),
    ({'prefixes': ['10.0.0.0/8'], 'is_default': True}, (403, 'PolicyNotAuthorized')),
    ({'prefixes': ['10.0.0.0/8'], 'address_scope_id': NOBODY}, (404, 'AddressScopeNotFound')),
    ({'prefixes': ['10.0.0.0/8'], 'default_quota': -1}, (400, 'HTTPBadRequest')),
])
def test_bad_pools(callers, values, expected):
    assert error(pool(callers, **values)) == expected


def test_one_default_for_each_version(callers):
    assert error(pool(callers, 'admin', prefixes=['10.0.0.0/8'], is_default=True)) == (400, 'InvalidInput')
    assert pool(callers, 'admin', prefixes=['fd00::/48'], is_default=True)[0] == 201


def test_changed_prefixes(callers, own, cut):
    path = '/subnetpools/' + own['id']
    smaller = callers.demo('PUT', path, {'subnetpool': {'prefixes': ['10.20.0.0/16']}})
    assert error(smaller) == (400, 'IllegalSubnetPoolPrefixUpdate')
    assert error(callers.demo('PUT', path, {'subnetpool': {'prefixes': ['fd00::/48']}})) == (
        400, 'PrefixVersionMismatch')
    wider = callers.demo('PUT', path, {'subnetpool': {'prefixes': ['10.20.0.0/14'], 'default_prefixlen': 26}})
    assert wider[1]['subnetpool']['prefixes'] == ['10.20.0.0/14']
    cut(subnetpool_id=own['id'])
    added = callers.demo('PUT', path + '/add_prefixes', {'prefixes': ['10.24.0.0/16']})
    assert added == (200, {'prefixes': ['10.20.0.0/14', '10.24.0.0/16']})
    used = callers.demo('PUT', path + '/remove_prefixes', {'prefixes': ['10.20.0.0/24']})
    assert error(used) == (400, 'IllegalSubnetPoolPrefixUpdate')
    left = callers.demo('PUT', path + '/remove_prefixes', {'prefixes': ['10.22.0.0/15', '10.24.0.0/16']})
    assert left == (200, {'prefixes': ['10.20.0.0/15']})
    assert callers.demo('PUT', path + '/add_prefixes', {})[0] == 400
    assert error(callers.demo('PUT', path + '/add_prefixes', {'prefixes': ['fd00::/48']})) == (
        400, 'PrefixVersionMismatch')


def test_subnets_come_from_a_pool(callers, own, cut):
    first, second = (cut(subnetpool_id=own['id'])[1]['subnet'] for _ in range(2))
    assert (first['cidr'], first['gateway_ip'], first['subnetpool_id']) == ('10.20.0.0/24', '10.20.0.1', own['id'])
    assert second['cidr'] == '10.20.1.0/24'
    assert cut(subnetpool_id=own['id'], cidr='10.20.77.0/24')[1]['subnet']['cidr'] == '10.20.77.0/24'
    assert cut(subnetpool_id=own['id'], prefixlen=26)[1]['subnet']['cidr'] == '10.20.2.0/26'
    callers.demo('DELETE', '/subnets/' + first['id'])
    assert cut(subnetpool_id=own['id'])[1]['subnet']['cidr'] == '10.20.0.0/24'
    assert cut(use_default_subnetpool=True)[1]['subnet']['cidr'] == '10.100.0.0/26'
    assert error(callers.demo('DELETE', '/subnetpools/' + own['id'])) == (400, 'SubnetPoolDeleteError')


@pytest.mark.parametrize(('values', 'expected'), [
    ({'subnetpool_id': None}, (400, 'BadRequest')), ({'subnetpool_id': NOBODY}, (404, 'SubnetPoolNotFound')),
    ({'subnetpool_id': None, 'prefixlen': 26}, (400, 'BadRequest')), ({'ip_version': 6}, (400, 'BadRequest')),
    ({'prefixlen': 4}, (400, 'MinPrefixSubnetAllocationError')),
    ({'prefixlen': 33}, (400, 'MaxPrefixSubnetAllocationError')),
    ({'prefixlen': 9}, (409, 'SubnetAllocationError')), ({'cidr': '10.99.0.0/24'}, (409, 'SubnetAllocationError')),
    ({'cidr': '10.20.0.0/24', 'prefixlen': 24}, (400, 'BadRequest')),
    ({'use_default_subnetpool': True}, (400, 'BadRequest')),
    ({'subnetpool_id': None, 'use_default_subnetpool': True, 'ip_version': 6}, (400, 'BadRequest'))])
def test_subnets_that_a_pool_does_not_give(own, cut, values, expected):
    assert error(cut(**{'subnetpool_id': own['id'], **values})) == expected


def test_a_network_has_one_pool(callers, own):
    network = callers.demo('POST', '/networks', {'network': {}})[1]['network']
    body = {'network_id': network['id'], 'ip_version': 4}
    assert callers.demo('POST', '/subnets', {'subnet': {**body, 'subnetpool_id': own['id']}})[0] == 201
    for values in ({'cidr': '10.88.0.0/24'}, {'use_default_subnetpool': True}):
        assert error(callers.demo('POST', '/subnets', {'subnet': {**body, **values}})) == (
            400, 'NetworkSubnetPoolAffinityError')


def test_the_quota_of_a_pool(callers, cut):
    limited = pool(callers, prefixes=['10.50.0.0/16'], default_quota=256, default_prefixlen=25)[1]['subnetpool']
    assert [cut(subnetpool_id=limited['id'])[0] for _ in range(3)] == [201, 201, 409]


def test_address_scopes(callers, own):
    four = scope(callers)[1]['address_scope']
    assert set(four) == {'id', 'name', 'ip_version', 'shared', 'project_id', 'tenant_id'}
    path = '/subnetpools/' + own['id']
    placed = callers.demo('PUT', path, {'subnetpool': {'address_scope_id': four['id']}})[1]['subnetpool']
    assert placed['address_scope_id'] == four['id']
    overlap = pool(callers, prefixes=['10.20.5.0/24'], address_scope_id=four['id'])
    assert error(overlap) == (409, 'AddressScopePrefixConflict')
    assert error(pool(callers, prefixes=['fd00::/48'], address_scope_id=four['id'])) == (
        400, 'IllegalSubnetPoolIpVersionAssociationToAddressScope')
    network = callers.demo('POST', '/networks', {'network': {}})[1]['network']
    callers.demo('POST', '/subnets', {'subnet': {'network_id': network['id'], 'ip_version': 4,
                                                 'subnetpool_id': own['id']}})
    shown = callers.demo('GET', '/networks/' + network['id'])[1]['network']
    assert (shown['ipv4_address_scope'], shown['ipv6_address_scope']) == (four['id'], None)
    assert error(callers.demo('DELETE', '/address-scopes/' + four['id'])) == (409, 'AddressScopeInUse')
    assert callers.demo('PUT', path, {'subnetpool': {'address_scope_id': None}})[0] == 200
    assert callers.demo('DELETE', '/address-scopes/' + four['id'])[0] == 204


def test_scopes_of_others(callers):
    assert error(scope(callers, ip_version=5)) == (400, 'HTTPBadRequest')
    assert error(scope(callers, shared=True)) == (403, 'PolicyNotAuthorized')
    wide = scope(callers, 'admin', shared=True)[1]['address_scope']
    path = '/address-scopes/' + wide['id']
    assert callers.demo('GET', path)[1]['address_scope']['shared'] is True
    assert error(callers.demo('PUT', path, {'address_scope': {'name': 'x'}})) == (403, 'PolicyNotAuthorized')
    assert error(callers.admin('PUT', path, {'address_scope': {'shared': False}})) == (400, 'AddressScopeUpdateError')
    assert error(pool(callers, prefixes=['10.0.0.0/8'], address_scope_id=wide['id'])) == (
        400, 'IllegalSubnetPoolAssociationToAddressScope')


@pytest.mark.parametrize(('prefixes', 'used', 'length', 'expected'), [
    (['10.0.0.0/24'], [], 26, '10.0.0.0/26'), (['10.0.0.0/24'], ['10.0.0.0/26'], 26, '10.0.0.64/26'),
    (['10.0.0.0/24'], ['10.0.0.0/28', '10.0.0.64/26'], 26, '10.0.0.128/26'), (['10.0.0.0/24'], [], 23, None),
    (['10.0.0.0/24'], ['10.0.0.128/25'], 25, '10.0.0.0/25'), (['10.0.0.0/25'], ['10.0.0.0/32'], 25, None),
    (['10.1.0.0/24', '10.0.0.0/24'], ['10.0.0.0/24'], 24, '10.1.0.0/24'), (['fd00::/48'], ['fd00::/64'], 64,
                                                                           'fd00:0:0:1::/64')])
def test_first_free(prefixes, used, length, expected):
    found = subnet_pools.first_free([ipaddress.ip_network(text) for text in prefixes],
                                    [ipaddress.ip_network(text) for text in used], length)
    assert found == (expected and ipaddress.ip_network(expected))
