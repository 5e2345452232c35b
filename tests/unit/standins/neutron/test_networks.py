# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Networks and subnets: what is made, refused, shared and deleted."""

import pytest


def error(answer):
    """(status, type) of an error answer."""
    return answer[0], answer[1]['NeutronError']['type']


def subnet_of(callers, network, caller='demo', **values):
    return getattr(callers, caller)('POST', '/subnets', {'subnet': {
        'network_id': network['id'], 'ip_version': 4, 'cidr': '10.9.0.0/24', **values}})


def test_first_start_makes_the_shared_network(callers, make):
    networks = callers.demo('GET', '/networks')[1]['networks']
    assert [(network['name'], network['shared'], network['router:external']) for network in networks] == [
        ('private', True, False), ('public', False, True)]
    subnet = callers.demo('GET', '/subnets/' + networks[0]['subnets'][0])[1]['subnet']
    assert (subnet['cidr'], subnet['gateway_ip'], subnet['enable_dhcp']) == ('10.0.0.0/24', '10.0.0.1', True)
    assert subnet['allocation_pools'] == [{'start': '10.0.0.2', 'end': '10.0.0.254'}]


def test_the_shared_network_stays_deleted_over_a_restart(callers, make, shared):
    assert callers.admin('DELETE', '/networks/' + shared['id'])[0] == 204
    again = type(callers)(make().app)
    assert again.admin('GET', '/networks?shared=True') == (200, {'networks': []})


def test_everything_survives_a_restart(callers, make, private):
    port = callers.demo('POST', '/ports', {'port': {'network_id': private['id']}})[1]['port']
    again = type(callers)(make().app)
    for path in ('/networks', '/subnets', '/ports', '/security-groups', '/security-group-rules'):
        assert again.demo('GET', path) == callers.demo('GET', path)
    second = again.demo('POST', '/ports', {'port': {'network_id': private['id']}})[1]['port']
    assert second['fixed_ips'] != port['fixed_ips']


def test_provider_details_are_for_administrators(callers, shared):
    assert shared['provider:network_type'] == 'flat'
    seen = callers.demo('GET', '/networks/' + shared['id'])[1]['network']
    assert not [name for name in seen if name.startswith('provider:')]
    refused = callers.demo('POST', '/networks', {'network': {'provider:network_type': 'flat',
                                                             'provider:physical_network': 'x'}})
    assert error(refused) == (403, 'PolicyNotAuthorized')


def test_members_share_nothing(callers, private):
    assert error(callers.demo('POST', '/networks', {'network': {'shared': True}})) == (403, 'PolicyNotAuthorized')
    update = callers.demo('PUT', '/networks/' + private['id'], {'network': {'shared': True}})
    assert error(update) == (403, 'PolicyNotAuthorized')


def test_networks_of_others(callers, private, shared):
    path = '/networks/' + private['id']
    assert error(callers.other('GET', path)) == (404, 'NetworkNotFound')
    assert error(callers.other('DELETE', path)) == (404, 'NetworkNotFound')
    assert error(callers.other('PUT', path, {'network': {'name': 'x'}})) == (404, 'NetworkNotFound')
    assert error(callers.demo('DELETE', '/networks/' + shared['id'])) == (403, 'PolicyNotAuthorized')
    assert error(callers.other('GET', '/subnets/' + private['subnet']['id'])) == (404, 'SubnetNotFound')
    assert error(subnet_of(callers, private, 'other')) == (404, 'NetworkNotFound')
    assert error(subnet_of(callers, shared)) == (403, 'PolicyNotAuthorized')


def test_readers_only_look(callers, private):
    assert callers.reader('GET', '/networks/' + private['id'])[0] == 200
    for answer in (callers.reader('POST', '/networks', {'network': {}}),
                   callers.reader('DELETE', '/networks/' + private['id']),
                   callers.reader('PUT', '/networks/%s/tags/x' % private['id']),
                   callers.reader('PUT', '/networks/' + private['id'], {'network': {'name': 'x'}})):
        assert error(answer) == (403, 'PolicyNotAuthorized')


def test_project_of_a_new_network(callers):
    made = callers.admin('POST', '/networks', {'network': {'tenant_id': 'p-demo'}})[1]['network']
    assert (made['project_id'], made['tenant_id']) == ('p-demo', 'p-demo')
    assert callers.demo('POST', '/networks', {'network': {'project_id': 'p-other'}})[0] == 400
    both = {'network': {'project_id': 'p-demo', 'tenant_id': 'p-other'}}
    assert callers.admin('POST', '/networks', both)[0] == 400


@pytest.mark.parametrize('document', [
    {'network': {'name': 'x' * 256}}, {'network': {'name': 3}}, {'network': {'admin_state_up': 'maybe'}},
    {'network': {'id': 'x'}}, {'network': {'colour': 'red'}}, {'network': []}, {'net': {}}, [], 'x', None,
    {'networks': []}, {'networks': {}}, {'network': {}, 'networks': []}, {'network': {'mtu': 1}},
    {'network': {'name': 'a\0b'}}, {'network': {'dns_domain': 'a b'}}])
def test_malformed_networks(callers, document):
    status, body = callers.admin('POST', '/networks', document)
    assert status == 400 and body['NeutronError']['message']


def test_provider_rules(callers, shared):
    for values, expected in (
            ({'provider:network_type': 'flat'}, (400, 'InvalidInput')),
            ({'provider:physical_network': 'x'}, (400, 'InvalidInput')),
            ({'provider:network_type': 'vlan'}, (400, 'HTTPBadRequest')),
            ({'provider:segmentation_id': 7}, (400, 'InvalidInput')),
            ({'provider:network_type': 'flat', 'provider:physical_network': 'physnet1'}, (409, 'FlatNetworkInUse'))):
        assert error(callers.admin('POST', '/networks', {'network': values})) == expected


def test_bulk_is_all_or_nothing(callers):
    two = callers.demo('POST', '/networks', {'networks': [{'name': 'a'}, {'name': 'b'}]})
    assert two[0] == 201 and [network['name'] for network in two[1]['networks']] == ['a', 'b']
    failed = callers.demo('POST', '/networks', {'networks': [{'name': 'c'}, {'name': 5}]})
    assert failed[0] == 400
    assert callers.demo('GET', '/networks?name=c')[1]['networks'] == []


def test_update_raises_the_revision(callers, private):
    path = '/networks/' + private['id']
    changed = callers.demo('PUT', path, {'network': {'name': 'new'}})[1]['network']
    assert (changed['name'], changed['revision_number']) == ('new', private['revision_number'] + 1)
    stale = callers.demo('PUT', path, {'network': {'name': 'x'}}, {'If-Match': 'revision_number=1'})
    assert error(stale) == (412, 'RevisionNumberConstraintFailed')
    assert callers.demo('PUT', path, {'network': {'name': 'x'}}, {'If-Match': 'revision_number=2'})[0] == 200
    assert callers.demo('PUT', path, {'network': {'name': 'x'}}, {'If-Match': 'abc'})[0] == 400


def test_a_network_in_use_stays(callers, private):
    port = callers.demo('POST', '/ports', {'port': {'network_id': private['id']}})[1]['port']
    assert error(callers.demo('DELETE', '/networks/' + private['id'])) == (409, 'NetworkInUse')
    assert error(callers.demo('DELETE', '/subnets/' + private['subnet']['id'])) == (409, 'SubnetInUse')
    callers.demo('DELETE', '/ports/' + port['id'])
    assert callers.demo('DELETE', '/networks/' + private['id'])[0] == 204
    assert error(callers.demo('GET', '/subnets/' + private['subnet']['id'])) == (404, 'SubnetNotFound')
    assert error(callers.demo('DELETE', '/networks/' + private['id'])) == (404, 'NetworkNotFound')


def test_a_network_that_others_use_stays_shared(callers, shared):
    callers.demo('POST', '/ports', {'port': {'network_id': shared['id']}})
    path = '/networks/' + shared['id']
    assert error(callers.admin('PUT', path, {'network': {'shared': False}})) == (409, 'InvalidSharedSetting')


@pytest.mark.parametrize(('values', 'expected'), [
    ({'cidr': '192.168.7.128/25'}, (400, 'InvalidInput')),
    ({'cidr': 'x'}, (400, 'HTTPBadRequest')),
    ({'cidr': '10.9.0.0'}, (400, 'HTTPBadRequest')),
    ({'cidr': '0.0.0.0/0'}, (400, 'InvalidInput')),
    ({'cidr': '224.0.0.0/24'}, (400, 'InvalidInput')),
    ({'cidr': '10.9.0.0/31'}, (400, 'InvalidInput')),
    ({'ip_version': 6}, (400, 'InvalidInput')),
    ({'ip_version': 5}, (400, 'HTTPBadRequest')),
    ({'gateway_ip': '10.8.0.1'}, (400, 'InvalidInput')),
    ({'gateway_ip': '10.9.0.255'}, (400, 'InvalidInput')),
    ({'gateway_ip': 'fd00::1'}, (400, 'InvalidInput')),
    ({'dns_nameservers': ['fd00::1']}, (400, 'InvalidInput')),
    ({'dns_nameservers': ['a', 'b']}, (400, 'HTTPBadRequest')),
    ({'dns_nameservers': ['9.9.9.9', '9.9.9.9']}, (400, 'HTTPBadRequest')),
    ({'host_routes': [{'destination': '10.1.0.0/16'}]}, (400, 'HTTPBadRequest')),
    ({'allocation_pools': [{'start': '10.9.0.9', 'end': '10.9.0.5'}]}, (400, 'InvalidAllocationPool')),
    ({'allocation_pools': [{'start': '10.9.0.9', 'end': '10.9.1.5'}]}, (400, 'OutOfBoundsAllocationPool')),
    ({'allocation_pools': [{'start': '10.9.0.1', 'end': '10.9.0.5'}]}, (409, 'GatewayConflictWithAllocationPools')),
    ({'allocation_pools': [{'start': '10.9.0.2', 'end': '10.9.0.9'}, {'start': '10.9.0.9', 'end': '10.9.0.20'}]},
     (409, 'OverlappingAllocationPools')),
    ({'ipv6_ra_mode': 'slaac'}, (400, 'InvalidInput')),
    ({'subnetpool_id': 'x'}, (400, 'HTTPBadRequest')),
])
def test_subnets_that_do_not_fit(callers, private, values, expected):
    assert error(subnet_of(callers, private, **values)) == expected


def test_subnet_defaults_and_choices(callers, private):
    plain = subnet_of(callers, private, gateway_ip='10.9.0.100')[1]['subnet']
    assert plain['allocation_pools'] == [{'start': '10.9.0.1', 'end': '10.9.0.99'},
                                         {'start': '10.9.0.101', 'end': '10.9.0.254'}]
    no_gateway = subnet_of(callers, private, cidr='10.10.0.0/30', gateway_ip=None)[1]['subnet']
    assert no_gateway['gateway_ip'] is None
    assert no_gateway['allocation_pools'] == [{'start': '10.10.0.1', 'end': '10.10.0.2'}]
    six = subnet_of(callers, private, cidr='fd00:7::/64', ip_version=6)[1]['subnet']
    assert six['gateway_ip'] == 'fd00:7::1'
    assert six['allocation_pools'] == [{'start': 'fd00:7::2', 'end': 'fd00:7::ffff:ffff:ffff:ffff'}]


def test_subnet_update(callers, private):
    path = '/subnets/' + private['subnet']['id']
    values = {'name': 'n', 'dns_nameservers': ['9.9.9.9'], 'enable_dhcp': False, 'gateway_ip': None,
              'host_routes': [{'destination': '10.1.0.0/16', 'nexthop': '192.168.7.9'}],
              'allocation_pools': [{'start': '192.168.7.50', 'end': '192.168.7.60'}]}
    changed = callers.demo('PUT', path, {'subnet': values})[1]['subnet']
    assert {name: changed[name] for name in values} == values
    port = callers.demo('POST', '/ports', {'port': {'network_id': private['id']}})[1]['port']
    assert port['fixed_ips'][0]['ip_address'] == '192.168.7.50'
    taken = callers.demo('PUT', path, {'subnet': {'gateway_ip': '192.168.7.50'}})
    assert error(taken) == (409, 'GatewayIpInUse')
    assert error(callers.demo('PUT', path, {'subnet': {'cidr': '10.0.0.0/8'}})) == (400, 'HTTPBadRequest')


def test_tags(callers, private):
    path = '/networks/%s/tags' % private['id']
    assert callers.demo('PUT', path, {'tags': ['a', 'b']}) == (200, {'tags': ['a', 'b']})
    assert callers.demo('PUT', path + '/c')[0] == 201
    assert callers.demo('GET', path + '/c')[0] == 204
    assert callers.demo('DELETE', path + '/a')[0] == 204
    assert error(callers.demo('DELETE', path + '/a')) == (404, 'TagNotFound')
    assert callers.demo('GET', path) == (200, {'tags': ['b', 'c']})
    found = callers.demo('GET', '/networks?tags=b,c')[1]['networks']
    assert [network['id'] for network in found] == [private['id']]
    assert callers.demo('GET', '/networks?not-tags-any=c&name=mine')[1]['networks'] == []
    assert callers.demo('POST', path, {'tags': ['c', 'd']}) == (200, {'tags': ['c', 'd']})
    assert callers.demo('GET', path) == (200, {'tags': ['b', 'c', 'd']})
    for method in ('PUT', 'POST'):
        for bad in ({'tags': [5]}, {'tags': 'x'}, {}, []):
            assert error(callers.demo(method, path, bad)) == (400, 'InvalidInput')
    assert callers.demo('PUT', path, {'tags': [str(number) for number in range(51)]})[0] == 400
    assert error(callers.other('PUT', path + '/x')) == (404, 'NetworkNotFound')
    assert callers.demo('DELETE', path)[0] == 204
    assert callers.demo('GET', path) == (200, {'tags': []})


def test_the_range_of_a_subnet_is_a_network(callers):
    network = callers.demo('POST', '/networks', {'network': {}})[1]['network']
    status, body = callers.demo('POST', '/subnets', {'subnet': {
        'network_id': network['id'], 'ip_version': 4, 'cidr': '10.99.99.0/16'}})
    assert (status, body['subnet']['cidr'], body['subnet']['gateway_ip']) == (201, '10.99.0.0/16', '10.99.0.1')
