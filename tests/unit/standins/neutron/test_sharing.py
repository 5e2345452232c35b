# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Policies that share single resources, ready-made topologies, and how many addresses are left."""

import pytest

NOBODY = '11111111-2222-4333-8444-555555555555'


def error(answer):
    return answer[0], answer[1]['NeutronError']['type']


def share(callers, kind, identifier, caller='demo', action='access_as_shared', target='p-other'):
    return getattr(callers, caller)('POST', '/rbac-policies', {'rbac_policy': {
        'object_type': kind, 'object_id': identifier, 'action': action, 'target_tenant': target}})


def test_a_network_for_one_other_project(callers, private):
    path = '/networks/' + private['id']
    status, body = share(callers, 'network', private['id'])
    policy = body['rbac_policy']
    assert status == 201 and set(policy) == {'id', 'object_type', 'object_id', 'action', 'target_tenant',
                                             'project_id', 'tenant_id'}
    assert callers.other('GET', path)[1]['network']['shared'] is True
    assert callers.demo('GET', path)[1]['network']['shared'] is False
    port = callers.other('POST', '/ports', {'port': {'network_id': private['id']}})[1]['port']
    one = '/rbac-policies/' + policy['id']
    assert error(callers.demo('DELETE', one)) == (409, 'RbacPolicyInUse')
    assert error(callers.demo('PUT', one, {'rbac_policy': {'target_tenant': 'p-x'}})) == (409, 'RbacPolicyInUse')
    callers.other('DELETE', '/ports/' + port['id'])
    assert callers.demo('PUT', one, {'rbac_policy': {'target_tenant': 'p-x'}})[0] == 200
    assert error(callers.other('GET', path)) == (404, 'NetworkNotFound')
    assert error(callers.demo('PUT', one, {'rbac_policy': {'target_tenant': '*'}})) == (403, 'PolicyNotAuthorized')
    assert callers.demo('PUT', one, {'rbac_policy': {'object_id': NOBODY}})[0] == 400
    assert callers.other('GET', '/rbac-policies')[1]['rbac_policies'] == []
    assert error(callers.other('GET', one)) == (404, 'RbacPolicyNotFound')
    assert callers.demo('DELETE', one)[0] == 204


def test_a_network_that_goes_takes_its_policies(callers, private):
    share(callers, 'network', private['id'])
    assert callers.demo('DELETE', '/networks/' + private['id'])[0] == 204
    assert callers.admin('GET', '/rbac-policies')[1]['rbac_policies'] == []


def test_bad_policies(callers, private):
    own = private['id']
    assert error(share(callers, 'port', own)) == (400, 'InvalidInput')
    assert error(share(callers, 'network', own, action='x')) == (400, 'InvalidActionForType')
    assert error(share(callers, 'security_group', own, action='access_as_external')) == (400, 'InvalidActionForType')
    assert error(share(callers, 'network', own, target='*')) == (403, 'PolicyNotAuthorized')
    assert error(share(callers, 'network', NOBODY)) == error(share(callers, 'network', own, 'other')) == (
        400, 'InvalidInput')
    assert share(callers, 'network', own)[0] == 201
    assert error(share(callers, 'network', own)) == (409, 'DuplicateRbacPolicy')
    assert error(share(callers, 'network', own, 'reader', target='p-x')) == (403, 'PolicyNotAuthorized')


def test_an_external_network_for_one_project(callers, private):
    policy = share(callers, 'network', private['id'], action='access_as_external')[1]['rbac_policy']
    assert callers.other('GET', '/networks/' + private['id'])[1]['network']['router:external'] is True
    body = {'router': {'external_gateway_info': {'network_id': private['id']}}}
    router = callers.other('POST', '/routers', body)[1]['router']
    assert error(callers.demo('POST', '/routers', body)) == (400, 'BadRequest')
    assert error(callers.demo('DELETE', '/rbac-policies/' + policy['id'])) == (409, 'RbacPolicyInUse')
    callers.other('DELETE', '/routers/' + router['id'])
    assert callers.demo('DELETE', '/rbac-policies/' + policy['id'])[0] == 204


def test_a_shared_security_group(callers, private, shared):
    group = callers.demo('POST', '/security-groups', {'security_group': {'name': 'g'}})[1]['security_group']
    body = {'port': {'network_id': shared['id'], 'security_groups': [group['id']]}}
    assert error(callers.other('POST', '/ports', body)) == (404, 'SecurityGroupNotFound')
    policy = share(callers, 'security_group', group['id'])[1]['rbac_policy']
    seen = callers.other('GET', '/security-groups/' + group['id'])[1]['security_group']
    assert seen['shared'] is True
    port = callers.other('POST', '/ports', body)[1]['port']
    rule = {'security_group_rule': {'security_group_id': group['id'], 'direction': 'ingress'}}
    assert error(callers.other('POST', '/security-group-rules', rule)) == (403, 'PolicyNotAuthorized')
    assert error(callers.demo('DELETE', '/rbac-policies/' + policy['id'])) == (409, 'RbacPolicyInUse')
    callers.other('DELETE', '/ports/' + port['id'])
    assert error(callers.demo('DELETE', '/security-groups/' + group['id'])) == (409, 'SecurityGroupInUse')
    callers.demo('DELETE', '/rbac-policies/' + policy['id'])
    assert callers.demo('DELETE', '/security-groups/' + group['id'])[0] == 204


def test_a_shared_pool_and_scope(callers):
    pool = callers.demo('POST', '/subnetpools', {'subnetpool': {'name': 'p', 'prefixes': ['10.9.0.0/16'],
                                                                'default_prefixlen': 24}})[1]['subnetpool']
    scope = callers.demo('POST', '/address-scopes', {'address_scope': {'ip_version': 4}})[1]['address_scope']
    for kind, made in (('subnetpool', pool), ('address_scope', scope)):
        assert share(callers, kind, made['id'])[0] == 201
    network = callers.other('POST', '/networks', {'network': {}})[1]['network']
    subnet = callers.other('POST', '/subnets', {'subnet': {
        'network_id': network['id'], 'ip_version': 4, 'subnetpool_id': pool['id']}})[1]['subnet']
    assert subnet['cidr'] == '10.9.0.0/24'
    assert callers.other('GET', '/address-scopes/' + scope['id'])[1]['address_scope']['shared'] is True
    policies = callers.demo('GET', '/rbac-policies?object_id=' + pool['id'])[1]['rbac_policies']
    assert error(callers.demo('DELETE', '/rbac-policies/' + policies[0]['id'])) == (409, 'RbacPolicyInUse')


def test_a_ready_made_topology(callers):
    path = '/auto-allocated-topology/p-demo'
    assert callers.demo('GET', path + '?fields=dry-run')[1]['auto_allocated_topology']['id'] == 'dry-run=pass'
    assert callers.demo('GET', '/routers')[1]['routers'] == []
    made = callers.demo('GET', path)[1]['auto_allocated_topology']
    assert callers.demo('GET', path)[1]['auto_allocated_topology'] == made
    network = callers.demo('GET', '/networks/' + made['id'])[1]['network']
    router = callers.demo('GET', '/routers')[1]['routers'][0]
    assert (network['name'], router['name'], router['project_id']) == (
        'auto_allocated_network', 'auto_allocated_router', 'p-demo')
    assert router['external_gateway_info']['enable_snat'] is True
    port = callers.demo('GET', '/ports?device_id=' + router['id'])[1]['ports'][0]
    assert port['fixed_ips'] == [{'subnet_id': network['subnets'][0], 'ip_address': '10.100.0.1'}]
    guest = callers.demo('POST', '/ports', {'port': {'network_id': network['id']}})[1]['port']
    assert error(callers.demo('DELETE', path)) == (409, 'NetworkInUse')
    assert len(callers.demo('GET', '/ports?device_id=' + router['id'])[1]['ports']) == 1
    callers.demo('DELETE', '/ports/' + guest['id'])
    assert [callers.demo('DELETE', path)[0] for _ in range(2)] == [204, 204]
    assert callers.demo('GET', '/routers')[1]['routers'] == []
    assert callers.demo('GET', '/networks?name=auto_allocated_network')[1]['networks'] == []
    assert error(callers.other('GET', path)) == error(callers.other('DELETE', path)) == (403, 'NotAuthorized')
    assert callers.admin('GET', '/auto-allocated-topology/p-other')[0] == 200
    assert callers.other('GET', '/networks?name=auto_allocated_network')[1]['networks'][0]['project_id'] == 'p-other'


@pytest.mark.parametrize(('path', 'values'), [('networks', {'is_default': False}), ('subnetpools', {})])
def test_what_a_topology_needs(callers, path, values):
    kind = path[:-1]
    found = callers.admin('GET', '/%s?is_default=True' % path)[1][path][0]
    one = '/%s/%s' % (path, found['id'])
    done = callers.admin('PUT', one, {kind: values}) if values else callers.admin('DELETE', one)
    assert done[0] in (200, 204)
    assert error(callers.demo('GET', '/auto-allocated-topology/p-demo')) == (409, 'AutoAllocationFailure')


def test_how_many_addresses_are_left(callers, private):
    for _ in range(3):
        callers.demo('POST', '/ports', {'port': {'network_id': private['id']}})
    path = '/network-ip-availabilities'
    one = callers.admin('GET', path + '/' + private['id'])[1]['network_ip_availability']
    assert (one['network_name'], one['used_ips'], one['total_ips'], one['project_id']) == ('mine', 3, 253, 'p-demo')
    assert one['subnet_ip_availability'] == [{
        'subnet_id': private['subnet']['id'], 'subnet_name': '', 'ip_version': 4, 'cidr': '192.168.7.0/24',
        'used_ips': 3, 'total_ips': 253}]
    listed = callers.admin('GET', path + '?network_name=mine&ip_version=4')[1]['network_ip_availabilities']
    assert listed == [one]
    six = callers.admin('GET', path + '?network_name=mine&ip_version=6')[1]['network_ip_availabilities']
    assert six[0]['subnet_ip_availability'] == [] and six[0]['total_ips'] == 0
    assert callers.demo('GET', path) == (200, {'network_ip_availabilities': []})
    assert callers.demo('GET', path + '/' + private['id'])[0] == 404
    assert error(callers.admin('GET', path + '/' + NOBODY)) == (404, 'NetworkNotFound')
    assert callers.admin('GET', path + '?colour=red')[0] == 400
