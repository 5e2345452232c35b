# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Attaching and detaching interfaces, security groups and addresses of servers, as the API takes it."""

import pytest

from nova_lite import exception
from nova_lite.db import instances
from nova_lite.db import operations as operations_db
from nova_lite.objects import network
from tests.unit.api import servers_cloud
from tests.unit.compute_api import doubles


@pytest.fixture
def cloud(tmp_path):
    made = servers_cloud.Cloud(tmp_path)
    made.host('host1')
    return made


@pytest.fixture
def uuid(cloud):
    """An active server with one port."""
    made = cloud.make()
    port_id = cloud.neutron.add_port(cloud.network, device_id=made, device_owner='compute:nova',
                                     **{'binding:vif_type': 'bridge'})
    fixed = cloud.neutron.ports[port_id]['fixed_ips'][0]
    cloud.run(made, network_info=[network.VIF(
        id=port_id, address='fa:16:3e:00:00:00', network_id=cloud.network, network_label='net', vif_type='bridge',
        fixed_ips=[network.FixedIP(address=fixed['ip_address'], version=4, subnet_id=fixed['subnet_id'],
                                   cidr='10.0.0.0/24')])])
    cloud.cast.clear()
    return made


def interfaces(cloud, uuid):
    return '/servers/%s/os-interface' % uuid


def attach(cloud, uuid, version='2.70', **wanted):
    return cloud.ask('POST', interfaces(cloud, uuid), {'interfaceAttachment': wanted}, version=version)


def host_attaches(cloud, seen=None):
    """Let the host do what is asked."""
    def finish(instance_uuid, operation_uuid):
        order = operations_db.get(cloud.db, operation_uuid)
        request = order.arguments['request']
        if seen is not None:
            seen.append(request)
        port_id = request.port_id or cloud.neutron.add_port(request.network_id)
        cloud.neutron.ports[port_id]['device_id'] = instance_uuid
        instances.modify(cloud.db, instance_uuid, 'network_info', lambda current: [*current.network_info, network.VIF(
            id=port_id, address='fa:16:3e:00:00:09', network_id=cloud.network, network_label='net',
            vif_type='bridge', tag=request.tag)])
        return port_id
    cloud.compute.finish = finish


# ---- attach --------------------------------------------------------------------------------------------------

def test_by_network(cloud, uuid):
    seen = []
    host_attaches(cloud, seen)
    answer = attach(cloud, uuid, net_id=cloud.network, tag='backend')
    assert answer.status == 200
    shown = answer.body['interfaceAttachment']
    assert set(shown) == {'port_id', 'net_id', 'mac_addr', 'port_state', 'fixed_ips', 'tag'}
    assert shown['net_id'] == cloud.network and shown['tag'] == 'backend'
    assert seen[0].network_id == cloud.network
    assert cloud.cast[0][0] == 'finish_operation'


def test_by_port_by_address_and_by_nothing(cloud, uuid):
    seen = []
    host_attaches(cloud, seen)
    port_id = cloud.neutron.add_port(cloud.network)
    assert attach(cloud, uuid, port_id=port_id).body['interfaceAttachment']['port_id'] == port_id
    assert attach(cloud, uuid, net_id=cloud.network, fixed_ips=[{'ip_address': '10.0.0.77'}]).status == 200
    assert attach(cloud, uuid, version='2.48').status == 200
    assert [(item.port_id, item.address) for item in seen] == [(port_id, None), (None, '10.0.0.77'), (None, None)]
    assert seen[2].network_id == cloud.network, "the project's one network"


@pytest.mark.parametrize('wanted', [
    {'net_id': doubles.new_id(), 'port_id': doubles.new_id()}, {'fixed_ips': [{'ip_address': '10.0.0.77'}]},
    {'net_id': 'x'}, {'port_id': 'x'}, {'tag': 'a,b'}, {'fixed_ips': []}, {'other': 1}])
def test_bad_requests(cloud, uuid, wanted):
    assert attach(cloud, uuid, **wanted).status == 400
    assert operations_db.list_by_instance(cloud.db, uuid) == []


def test_what_does_not_exist_or_is_in_use(cloud, uuid):
    used = cloud.neutron.add_port(cloud.network, device_id='another')
    assert attach(cloud, uuid, port_id=used).status == 409
    assert attach(cloud, uuid, port_id=doubles.new_id()).status == 404
    assert attach(cloud, uuid, net_id=doubles.new_id()).status == 404
    assert attach(cloud, uuid, version='2.48', tag='x').status == 400
    taken = cloud.neutron.ports[used]['fixed_ips'][0]['ip_address']
    assert attach(cloud, uuid, net_id=cloud.network, fixed_ips=[{'ip_address': taken}]).status == 409
    cloud.neutron.add_network('p1', 'second')
    assert attach(cloud, uuid).message.startswith('Multiple possible networks found')


@pytest.mark.parametrize('error, status', [
    (exception.PortInUse(port_id='x'), 409), (exception.NoMoreFixedIps(net='x'), 409),
    (exception.DeviceDetachFailed(device='x', reason='y'), 409), (exception.PortLimitExceeded(), 403),
    (exception.MessagingUnavailable(), 503)])
def test_what_the_host_says(cloud, uuid, error, status):
    def fail(*args):
        raise error
    cloud.compute.finish = fail
    answer = attach(cloud, uuid, net_id=cloud.network)
    assert (answer.status, answer.message) == (status, error.message)


@pytest.mark.parametrize('state', ['suspended', 'rescued', 'shelved', 'error', 'building'])
def test_states(cloud, uuid, state):
    cloud.run(uuid, vm_state=state)
    port_id = next(iter(cloud.neutron.ports))
    assert "Cannot 'attach_interface'" in attach(cloud, uuid, net_id=cloud.network).message
    assert "Cannot 'detach_interface'" in cloud.ask('DELETE', interfaces(cloud, uuid) + '/' + port_id).message


def test_locks_and_others(cloud, uuid):
    assert cloud.ask('POST', interfaces(cloud, uuid), {'interfaceAttachment': {}}, project='p2').status == 404
    instances.update(cloud.db, uuid, {'locked': True})
    assert attach(cloud, uuid, net_id=cloud.network).status == 409


# ---- detach --------------------------------------------------------------------------------------------------

def test_detach(cloud, uuid):
    [port_id] = cloud.neutron.ports
    assert cloud.ask('DELETE', interfaces(cloud, uuid) + '/' + doubles.new_id()).status == 404
    assert cloud.ask('DELETE', interfaces(cloud, uuid) + '/' + port_id).status == 202
    [order] = operations_db.list_by_instance(cloud.db, uuid)
    assert (order.name, order.arguments['vif'].id) == ('detach_interface', port_id)
    assert cloud.cast == [('run_operation', 'host1', uuid, order.uuid)]


def test_a_port_that_somebody_deleted_is_detached(cloud, uuid):
    [port_id] = cloud.neutron.ports
    cloud.neutron.ports.clear()
    events = [{'name': 'network-vif-deleted', 'server_uuid': uuid, 'tag': port_id}]
    for _ in range(2):
        assert cloud.ask('POST', '/os-server-external-events', {'events': events}, admin=True).status == 200
    [order] = operations_db.list_by_instance(cloud.db, uuid)
    assert (order.name, order.arguments['vif'].id) == ('detach_interface', port_id)


# ---- security groups -----------------------------------------------------------------------------------------

def act(cloud, uuid, body, **caller):
    return cloud.ask('POST', '/servers/%s/action' % uuid, body, **caller)


def test_a_group_more_and_less(cloud, uuid):
    [port] = cloud.neutron.ports.values()
    group = cloud.neutron.add_group('web')
    for name in ('web', 'web', group):
        assert act(cloud, uuid, {'addSecurityGroup': {'name': name}}).status == 202
        assert port['security_groups'] == [group]
    assert cloud.ask('GET', '/servers/' + uuid).body['server']['security_groups'] == [{'name': 'web'}]
    assert act(cloud, uuid, {'removeSecurityGroup': {'name': 'web'}}).status == 202
    assert port['security_groups'] == []
    assert act(cloud, uuid, {'removeSecurityGroup': {'name': 'web'}}).status == 404


def test_groups_that_cannot_be(cloud, uuid):
    [port] = cloud.neutron.ports.values()
    assert act(cloud, uuid, {'addSecurityGroup': {'name': 'nothing'}}).status == 404
    cloud.neutron.add_group('other', project='p2')
    assert act(cloud, uuid, {'addSecurityGroup': {'name': 'other'}}).status == 404
    for _ in range(2):
        cloud.neutron.add_group('web')
    assert act(cloud, uuid, {'addSecurityGroup': {'name': 'web'}}).status == 409
    cloud.neutron.add_group('one')
    port['port_security_enabled'] = False
    assert act(cloud, uuid, {'addSecurityGroup': {'name': 'one'}}).status == 400
    cloud.neutron.ports.clear()
    assert act(cloud, uuid, {'addSecurityGroup': {'name': 'one'}}).status == 404
    for value in ({}, {'name': ''}, {'name': 'x', 'y': 1}, None):
        assert act(cloud, uuid, {'addSecurityGroup': value}).status == 400


# ---- addresses -----------------------------------------------------------------------------------------------

def test_a_fixed_address_more_and_less(cloud, uuid):
    [port] = cloud.neutron.ports.values()
    assert act(cloud, uuid, {'addFixedIp': {'networkId': cloud.network}}).status == 202
    first, second = port['fixed_ips']
    assert first['subnet_id'] == second['subnet_id']
    shown = cloud.ask('GET', '/servers/' + uuid).body['server']['addresses']['net']
    assert [item['addr'] for item in shown] == [first['ip_address'], second['ip_address']]
    assert act(cloud, uuid, {'removeFixedIp': {'address': second['ip_address']}}).status == 202
    assert len(port['fixed_ips']) == 1
    assert act(cloud, uuid, {'removeFixedIp': {'address': '10.0.0.99'}}).status == 400
    assert act(cloud, uuid, {'addFixedIp': {'networkId': doubles.new_id()}}).status == 400
    assert act(cloud, uuid, {'addFixedIp': {'networkId': cloud.network}}, version='2.44').status == 404
    cloud.run(uuid, vm_state='shelved')
    assert act(cloud, uuid, {'addFixedIp': {'networkId': cloud.network}}).status == 409


def test_a_floating_address_comes_and_goes(cloud, uuid):
    [port] = cloud.neutron.ports.values()
    fixed = port['fixed_ips'][0]['ip_address']
    floating = cloud.neutron.floatingips['f'] = {'id': 'f', 'port_id': None, 'fixed_ip_address': None,
                                                 'floating_ip_address': '172.24.4.9', 'project_id': 'p1'}
    body = {'addFloatingIp': {'address': '172.24.4.9', 'fixed_address': fixed}}
    assert act(cloud, uuid, body, version='2.44').status == 404
    assert act(cloud, uuid, body).status == 202
    assert (floating['port_id'], floating['fixed_ip_address']) == (port['id'], fixed)
    shown = cloud.ask('GET', '/servers/' + uuid).body['server']['addresses']['net']
    assert [item['addr'] for item in shown] == [fixed, '172.24.4.9']
    assert act(cloud, uuid, {'removeFloatingIp': {'address': '172.24.4.9'}}).status == 202
    assert floating['port_id'] is None
    assert act(cloud, uuid, {'removeFloatingIp': {'address': '172.24.4.9'}}).status == 409
    assert act(cloud, uuid, {'addFloatingIp': {'address': '172.24.4.9'}}).status == 202, 'to the first that has none'
    assert floating['fixed_ip_address'] == fixed


def test_floating_addresses_that_cannot_be(cloud, uuid):
    cloud.neutron.floatingips['f'] = {'id': 'f', 'port_id': None, 'fixed_ip_address': None,
                                      'floating_ip_address': '172.24.4.9', 'project_id': 'p1'}
    assert act(cloud, uuid, {'addFloatingIp': {'address': '172.24.4.1'}}).message == 'floating IP not found'
    answer = act(cloud, uuid, {'addFloatingIp': {'address': '172.24.4.9', 'fixed_address': '10.9.9.9'}})
    assert (answer.status, answer.message) == (400, 'Specified fixed address not assigned to instance')
    cloud.run(uuid, network_info=[])
    assert act(cloud, uuid, {'addFloatingIp': {'address': '172.24.4.9'}}).status == 400
    assert act(cloud, uuid, {'addFloatingIp': {'address': 'x'}}).status == 400
