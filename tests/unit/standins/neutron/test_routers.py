# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Routers, their interfaces and routes, and floating addresses."""

import pytest

NOBODY = '11111111-2222-4333-8444-555555555555'


def error(answer):
    return answer[0], answer[1]['NeutronError']['type']


def made(callers, kind, caller='demo', **values):
    status, body = getattr(callers, caller)('POST', '/%ss' % kind, {kind: values})
    assert status == 201, body
    return body[kind]


@pytest.fixture
def public(callers):
    """The external network that the first start made."""
    return callers.demo('GET', '/networks?router:external=True')[1]['networks'][0]


@pytest.fixture
def router(callers, public):
    return made(callers, 'router', name='r', external_gateway_info={'network_id': public['id']})


@pytest.fixture
def other_network(callers):
    """A second network of p-demo, 192.168.8.0/24, and one that overlaps the first."""
    network = made(callers, 'network')
    return {**network, 'subnet': made(callers, 'subnet', network_id=network['id'], ip_version=4,
                                      cidr='192.168.8.0/24')}


def connect(callers, router, caller='demo', **body):
    return getattr(callers, caller)('PUT', '/routers/%s/add_router_interface' % router['id'], body)


def disconnect(callers, router, **body):
    return callers.demo('PUT', '/routers/%s/remove_router_interface' % router['id'], body)


def update(callers, router, caller='demo', **values):
    return getattr(callers, caller)('PUT', '/routers/' + router['id'], {'router': values})


@pytest.fixture
def behind(callers, router, private):
    """A guest's port on the network `private`, which the router leads out of."""
    assert connect(callers, router, subnet_id=private['subnet']['id'])[0] == 200
    return made(callers, 'port', network_id=private['id'], device_id='i-1', device_owner='compute:nova')


def test_a_router_with_a_gateway(callers, router, public):
    gateway = router['external_gateway_info']
    assert (gateway['network_id'], gateway['enable_snat']) == (public['id'], True)
    address = gateway['external_fixed_ips'][0]['ip_address']
    assert address.startswith('172.24.4.') and address != '172.24.4.1'
    ports = callers.admin('GET', '/ports?device_id=' + router['id'])[1]['ports']
    assert [(port['device_owner'], port['project_id'], port['status']) for port in ports] == [
        ('network:router_gateway', '', 'ACTIVE')]
    assert callers.demo('GET', '/ports?device_id=' + router['id'])[1]['ports'] == []
    assert callers.demo('GET', '/routers?name=r&fields=status')[1] == {'routers': [{'status': 'ACTIVE'}]}
    assert error(callers.other('GET', '/routers/' + router['id'])) == (404, 'RouterNotFound')
    cleared = update(callers, router, external_gateway_info={})[1]['router']
    assert cleared['external_gateway_info'] is None
    assert callers.admin('GET', '/ports?device_id=' + router['id'])[1]['ports'] == []


def test_what_of_a_gateway_only_administrators_choose(callers, router, public):
    for values in ({'enable_snat': False}, {'external_fixed_ips': [{'ip_address': '172.24.4.99'}]}):
        gateway = {'network_id': public['id'], **values}
        assert error(update(callers, router, external_gateway_info=gateway)) == (403, 'PolicyNotAuthorized')
        refused = callers.demo('POST', '/routers', {'router': {'external_gateway_info': gateway}})
        assert error(refused) == (403, 'PolicyNotAuthorized')
        changed = update(callers, router, 'admin', external_gateway_info=gateway)[1]['router']['external_gateway_info']
        for name, value in values.items():
            assert changed[name] == value or changed[name][0]['ip_address'] == value[0]['ip_address']
    again = update(callers, router, external_gateway_info={'network_id': public['id']})[1]['router']
    assert again['external_gateway_info']['external_fixed_ips'][0]['ip_address'] == '172.24.4.99'


@pytest.mark.parametrize(('gateway', 'expected'), [
    ({'network_id': NOBODY}, (404, 'NetworkNotFound')), ({'network_id': 'x'}, (400, 'HTTPBadRequest')),
    ('x', (400, 'HTTPBadRequest')), ({'enable_snat': True}, (400, 'HTTPBadRequest')),
    ({'network_id': NOBODY, 'colour': 1}, (400, 'HTTPBadRequest'))])
def test_bad_gateways(callers, gateway, expected):
    assert error(callers.demo('POST', '/routers', {'router': {'external_gateway_info': gateway}})) == expected
    assert callers.demo('GET', '/routers')[1]['routers'] == []


def test_a_gateway_has_to_be_external_and_apart(callers, private, router):
    inside = callers.demo('POST', '/routers', {'router': {'external_gateway_info': {'network_id': private['id']}}})
    assert error(inside) == (400, 'BadRequest')
    network = made(callers, 'network')
    same = made(callers, 'subnet', network_id=network['id'], ip_version=4, cidr='172.24.4.0/26')
    assert error(connect(callers, router, subnet_id=same['id'])) == (400, 'BadRequest')


def test_an_interface_by_subnet(callers, router, private):
    subnet = private['subnet']
    status, answer = connect(callers, router, subnet_id=subnet['id'])
    assert status == 200
    assert answer == {'id': router['id'], 'tenant_id': 'p-demo', 'project_id': 'p-demo', 'network_id': private['id'],
                      'subnet_id': subnet['id'], 'subnet_ids': [subnet['id']], 'port_id': answer['port_id']}
    port = callers.demo('GET', '/ports/' + answer['port_id'])[1]['port']
    assert (port['device_id'], port['device_owner'], port['status']) == (
        router['id'], 'network:router_interface', 'ACTIVE')
    assert port['fixed_ips'] == [{'subnet_id': subnet['id'], 'ip_address': '192.168.7.1'}]
    path = '/ports/' + port['id']
    assert error(callers.demo('DELETE', path)) == (409, 'ServicePortInUse')
    assert error(callers.demo('PUT', path, {'port': {'device_id': ''}})) == (409, 'PortInUse')
    assert error(callers.demo('DELETE', '/routers/' + router['id'])) == (409, 'RouterInUse')
    assert error(callers.demo('DELETE', '/subnets/' + subnet['id'])) == (409, 'SubnetInUse')
    assert error(callers.demo('DELETE', '/networks/' + private['id'])) == (409, 'NetworkInUse')
    moved = callers.demo('PUT', '/subnets/' + subnet['id'], {'subnet': {'gateway_ip': '192.168.7.254'}})
    assert error(moved) == (409, 'GatewayIpInUse')
    assert error(connect(callers, router, subnet_id=subnet['id'])) == (400, 'BadRequest')
    assert disconnect(callers, router, subnet_id=subnet['id'])[0] == 200
    assert error(callers.demo('GET', path)) == (404, 'PortNotFound')
    assert callers.demo('DELETE', '/routers/' + router['id'])[0] == 204
    assert error(callers.demo('DELETE', '/routers/' + router['id'])) == (404, 'RouterNotFound')
    assert callers.admin('GET', '/ports?device_owner=network:router_gateway')[1]['ports'] == []


def test_an_interface_by_port(callers, router, private, other_network):
    port = made(callers, 'port', network_id=private['id'], fixed_ips=[{'ip_address': '192.168.7.9'}])
    assert connect(callers, router, port_id=port['id'])[1]['subnet_ids'] == [private['subnet']['id']]
    assert error(connect(callers, router, port_id=port['id'])) == (409, 'PortInUse')
    used = made(callers, 'port', network_id=other_network['id'], device_id='i', device_owner='compute:x')
    assert error(connect(callers, router, port_id=used['id'])) == (409, 'PortInUse')
    empty = made(callers, 'port', network_id=other_network['id'], fixed_ips=[])
    assert error(connect(callers, router, port_id=empty['id'])) == (400, 'BadRequest')
    assert error(disconnect(callers, router, port_id=used['id'])) == (404, 'RouterInterfaceNotFound')
    both = disconnect(callers, router, port_id=port['id'], subnet_id=other_network['subnet']['id'])
    assert error(both) == (400, 'SubnetMismatchForPort')
    assert disconnect(callers, router, port_id=port['id'])[0] == 200


@pytest.mark.parametrize(('body', 'expected'), [
    ({}, (400, 'BadRequest')), ([], (400, 'BadRequest')), ({'colour': 'x'}, (400, 'BadRequest')),
    ({'subnet_id': 'x'}, (400, 'BadRequest')), ({'subnet_id': 5}, (400, 'BadRequest')),
    ({'subnet_id': NOBODY}, (404, 'SubnetNotFound'))])
def test_bad_interfaces(callers, router, body, expected):
    for action in ('add', 'remove'):
        path = '/routers/%s/%s_router_interface' % (router['id'], action)
        assert error(callers.demo('PUT', path, body)) == expected


def test_interfaces_that_do_not_fit(callers, router, private, public, shared):
    assert error(connect(callers, router, port_id=NOBODY)) == (404, 'PortNotFound')
    both = connect(callers, router, port_id=NOBODY, subnet_id=private['subnet']['id'])
    assert error(both) == (400, 'BadRequest')
    assert error(connect(callers, router, subnet_id=public['subnets'][0])) == (400, 'BadRequest')
    # The host itself has the gateway's address of a network that it routes.
    assert error(connect(callers, router, subnet_id=shared['subnets'][0])) == (409, 'IpAddressAlreadyAllocated')
    lonely = made(callers, 'subnet', network_id=private['id'], ip_version=4, cidr='192.168.9.0/24', gateway_ip=None)
    assert error(connect(callers, router, subnet_id=lonely['id'])) == (400, 'BadRequest')
    assert error(connect(callers, router, 'other', subnet_id=lonely['id'])) == (404, 'RouterNotFound')
    assert error(connect(callers, router, 'reader', subnet_id=lonely['id'])) == (403, 'PolicyNotAuthorized')
    assert error(disconnect(callers, router, subnet_id=lonely['id'])) == (404, 'RouterInterfaceNotFoundForSubnet')
    twin = made(callers, 'network')
    overlap = made(callers, 'subnet', network_id=twin['id'], ip_version=4, cidr='192.168.7.0/25')
    connect(callers, router, subnet_id=private['subnet']['id'])
    assert error(connect(callers, router, subnet_id=overlap['id'])) == (400, 'BadRequest')


def test_routes(callers, router, behind, private):
    route = {'destination': '10.99.0.0/16', 'nexthop': '192.168.7.77'}
    assert update(callers, router, routes=[route])[1]['router']['routes'] == [route]
    gone = disconnect(callers, router, subnet_id=private['subnet']['id'])
    assert error(gone) == (409, 'RouterInterfaceInUseByRoute')
    second = {'destination': '10.98.0.0/16', 'nexthop': '192.168.7.78'}
    path = '/routers/' + router['id']
    added = callers.demo('PUT', path + '/add_extraroutes', {'router': {'routes': [second, route]}})
    assert added[1]['router']['routes'] == [route, second]
    left = callers.demo('PUT', path + '/remove_extraroutes', {'router': {'routes': [route]}})
    assert left[1]['router']['routes'] == [second]
    assert callers.demo('PUT', path + '/add_extraroutes', {'routes': []})[0] == 400
    assert callers.demo('PUT', path + '/add_extraroutes', [])[0] == 400
    assert update(callers, router, routes=None)[1]['router']['routes'] == []
    for hop, expected in (('10.50.0.7', 'InvalidRoutes'), ('192.168.7.1', 'InvalidRoutes'),
                          ('fd00::1', 'InvalidRoutes'), ('x', 'HTTPBadRequest')):
        refused = update(callers, router, routes=[{'destination': '10.99.0.0/16', 'nexthop': hop}])
        assert error(refused) == (400, expected)
    assert update(callers, router, routes=[{'destination': '10.99.0.0/16'}])[0] == 400
    many = [{'destination': '10.%d.0.0/16' % number, 'nexthop': '192.168.7.7'} for number in range(31)]
    assert error(update(callers, router, routes=many)) == (409, 'OverQuota')
    assert callers.demo('POST', '/routers', {'router': {'routes': [route]}})[0] == 400


def test_a_floating_address(callers, router, behind, public):
    floating = made(callers, 'floatingip', floating_network_id=public['id'])
    assert (floating['status'], floating['port_id'], floating['router_id'], floating['project_id']) == (
        'DOWN', None, None, 'p-demo')
    path = '/floatingips/' + floating['id']
    own = callers.admin('GET', '/ports?device_id=' + floating['id'])[1]['ports'][0]
    assert (own['device_owner'], own['status'], own['fixed_ips'][0]['ip_address']) == (
        'network:floatingip', 'N/A', floating['floating_ip_address'])
    assert error(callers.admin('DELETE', '/ports/' + own['id'])) == (409, 'ServicePortInUse')
    bound = callers.demo('PUT', path, {'floatingip': {'port_id': behind['id']}})[1]['floatingip']
    fixed = behind['fixed_ips'][0]['ip_address']
    assert (bound['status'], bound['router_id'], bound['fixed_ip_address']) == ('ACTIVE', router['id'], fixed)
    assert bound['port_details']['device_id'] == 'i-1'
    assert callers.demo('PUT', path, {'floatingip': {'description': 'd'}})[1]['floatingip']['port_id'] == behind['id']
    second = callers.demo('POST', '/floatingips', {'floatingip': {
        'floating_network_id': public['id'], 'port_id': behind['id']}})
    assert error(second) == (409, 'FloatingIPPortAlreadyAssociated')
    assert len(callers.demo('GET', '/floatingips?status=ACTIVE')[1]['floatingips']) == 1
    assert error(callers.other('GET', path)) == (404, 'FloatingIPNotFound')
    assert error(disconnect(callers, router, subnet_id=behind['fixed_ips'][0]['subnet_id'])) == (
        409, 'RouterInterfaceInUseByFloatingIP')
    assert error(update(callers, router, external_gateway_info=None)) == (
        409, 'RouterExternalGatewayInUseByFloatingIp')
    assert callers.demo('PUT', path, {'floatingip': {}})[1]['floatingip']['port_id'] is None
    assert callers.demo('DELETE', path)[0] == 204
    assert callers.admin('GET', '/ports?device_owner=network:floatingip')[1]['ports'] == []
    assert error(callers.demo('DELETE', path)) == (404, 'FloatingIPNotFound')


def test_a_port_that_goes_leaves_its_floating_address(callers, behind, public):
    floating = made(callers, 'floatingip', floating_network_id=public['id'], port_id=behind['id'])
    path = '/floatingips/' + floating['id']
    callers.demo('PUT', '/ports/' + behind['id'], {'port': {'name': 'same address'}})
    assert callers.demo('GET', path)[1]['floatingip']['status'] == 'ACTIVE'
    callers.demo('PUT', '/ports/' + behind['id'], {'port': {'fixed_ips': [{'ip_address': '192.168.7.200'}]}})
    assert callers.demo('GET', path)[1]['floatingip']['status'] == 'DOWN'
    assert callers.demo('PUT', path, {'floatingip': {'port_id': behind['id']}})[0] == 200
    assert callers.demo('DELETE', '/ports/' + behind['id'])[0] == 204
    left = callers.demo('GET', path)[1]['floatingip']
    assert (left['status'], left['port_id'], left['router_id'], left['fixed_ip_address']) == ('DOWN', None, None, None)


@pytest.mark.parametrize(('values', 'expected'), [
    ({'floating_network_id': 'x'}, (400, 'HTTPBadRequest')), ({'floating_network_id': None}, (400, 'HTTPBadRequest')),
    ({'floating_network_id': NOBODY}, (404, 'NetworkNotFound')),
    ({'floating_ip_address': '172.24.4.200'}, (403, 'PolicyNotAuthorized')),
    ({'port_id': NOBODY}, (404, 'PortNotFound')), ({'fixed_ip_address': '192.168.7.5'}, (400, 'BadRequest')),
    ({'subnet_id': NOBODY}, (404, 'SubnetNotFound')), ({'router_id': NOBODY}, (400, 'HTTPBadRequest'))])
def test_bad_floating_addresses(callers, public, values, expected):
    body = {'floatingip': {'floating_network_id': public['id'], **values}}
    assert error(callers.demo('POST', '/floatingips', body)) == expected
    assert callers.admin('GET', '/ports')[1]['ports'] == []


def test_floating_addresses_that_lead_nowhere(callers, behind, public, private, other_network):
    def refused(**values):
        return error(callers.demo('POST', '/floatingips', {'floatingip': {
            'floating_network_id': public['id'], **values}}))
    assert refused(floating_network_id=private['id']) == (400, 'BadRequest')
    unreached = made(callers, 'port', network_id=other_network['id'])
    assert refused(port_id=unreached['id']) == (404, 'ExternalGatewayForFloatingIPNotFound')
    two = made(callers, 'port', network_id=private['id'], fixed_ips=[{'subnet_id': private['subnet']['id']}] * 2)
    assert refused(port_id=two['id']) == (400, 'BadRequest')
    assert refused(port_id=two['id'], fixed_ip_address='192.168.7.250') == (400, 'BadRequest')
    second = two['fixed_ips'][1]['ip_address']
    assert made(callers, 'floatingip', floating_network_id=public['id'], port_id=two['id'],
                fixed_ip_address=second)['fixed_ip_address'] == second
    none = made(callers, 'port', network_id=private['id'], fixed_ips=[])
    assert refused(port_id=none['id']) == (400, 'BadRequest')
    theirs = made(callers, 'floatingip', 'other', floating_network_id=public['id'])
    assert error(callers.other('PUT', '/floatingips/' + theirs['id'], {'floatingip': {'port_id': behind['id']}})) == (
        404, 'PortNotFound')
    chosen = made(callers, 'floatingip', 'admin', floating_network_id=public['id'],
                  floating_ip_address='172.24.4.200', project_id='p-demo')
    assert chosen['floating_ip_address'] == '172.24.4.200'
    taken = callers.admin('POST', '/floatingips', {'floatingip': {
        'floating_network_id': public['id'], 'floating_ip_address': '172.24.4.200'}})
    assert error(taken) == (409, 'IpAddressAlreadyAllocated')


def test_an_external_network_in_use(callers, router, public):
    path = '/networks/' + public['id']
    assert error(callers.admin('PUT', path, {'network': {'router:external': False}})) == (409, 'ExternalNetworkInUse')
    assert error(callers.admin('DELETE', path)) == (409, 'NetworkInUse')
    callers.demo('DELETE', '/routers/' + router['id'])
    assert callers.admin('PUT', path, {'network': {'router:external': False}})[0] == 200
    assert error(callers.demo('GET', path)) == (404, 'NetworkNotFound')


def test_unused_floating_addresses_go_with_their_network(callers, public, behind):
    unused = made(callers, 'floatingip', floating_network_id=public['id'])
    assert error(callers.admin('DELETE', '/networks/' + public['id'])) == (409, 'NetworkInUse')
    assert callers.demo('GET', '/floatingips/' + unused['id'])[0] == 200
    external = made(callers, 'network', 'admin', **{'router:external': True})
    made(callers, 'subnet', 'admin', network_id=external['id'], ip_version=4, cidr='10.8.0.0/24')
    second = made(callers, 'floatingip', floating_network_id=external['id'])
    assert callers.admin('DELETE', '/networks/' + external['id'])[0] == 204
    assert error(callers.demo('GET', '/floatingips/' + second['id'])) == (404, 'FloatingIPNotFound')
    assert callers.admin('GET', '/ports?device_id=' + second['id'])[1]['ports'] == []


def test_quotas_of_routers(callers, public):
    callers.admin('PUT', '/quotas/p-demo', {'quota': {'router': 1, 'floatingip': 0}})
    made(callers, 'router')
    assert error(callers.demo('POST', '/routers', {'router': {}})) == (409, 'OverQuota')
    assert error(callers.demo('POST', '/floatingips', {'floatingip': {'floating_network_id': public['id']}})) == (
        409, 'OverQuota')
    details = callers.demo('GET', '/quotas/p-demo/details')[1]['quota']
    assert details['router'] == {'limit': 1, 'used': 1, 'reserved': 0}
    assert details['router_route'] == {'limit': 30, 'used': 0, 'reserved': 0}


def test_tags_and_revisions_of_routers(callers, router):
    path = '/routers/' + router['id']
    assert callers.demo('PUT', path + '/tags/blue')[0] == 201
    assert [found['id'] for found in callers.demo('GET', '/routers?tags=blue')[1]['routers']] == [router['id']]
    assert error(callers.reader('PUT', path + '/tags/x')) == (403, 'PolicyNotAuthorized')
    assert error(callers.other('PUT', path + '/tags/x')) == (404, 'RouterNotFound')
    stale = callers.demo('PUT', path, {'router': {'name': 'x'}}, {'If-Match': 'revision_number=1'})
    assert stale[0] == 412


def test_routers_survive_a_restart(callers, make, behind, public):
    made(callers, 'floatingip', floating_network_id=public['id'], port_id=behind['id'])
    again = type(callers)(make().app)
    for path in ('/routers', '/floatingips', '/ports'):
        assert again.admin('GET', path) == callers.admin('GET', path)
