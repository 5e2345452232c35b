# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Network interfaces, security groups and volumes of servers."""

import pytest

from nova_lite.db import block_devices
from nova_lite.objects import block_device
from tests.unit.api import servers_cloud
from tests.unit.compute_api import doubles

ABSENT = '11111111-1111-4111-8111-111111111111'


@pytest.fixture
def cloud(tmp_path):
    return servers_cloud.Cloud(tmp_path)


@pytest.fixture
def server(cloud):
    return '/servers/%s' % cloud.make()


def test_interfaces(cloud, server):
    port_id = cloud.neutron.add_port(cloud.network, device_id=server[-36:])
    cloud.neutron.add_port(cloud.network, device_id=doubles.new_id())
    port = cloud.neutron.ports[port_id]
    shown = {'port_id': port_id, 'net_id': cloud.network, 'mac_addr': port['mac_address'], 'port_state': 'DOWN',
             'fixed_ips': port['fixed_ips']}
    assert cloud.ask('GET', server + '/os-interface').body == {'interfaceAttachments': [shown]}
    path = '%s/os-interface/%s' % (server, port_id)
    assert cloud.ask('GET', path).body == {'interfaceAttachment': shown}
    assert cloud.ask('GET', path, version='2.70').body == {'interfaceAttachment': shown | {'tag': None}}
    assert cloud.ask('GET', server + '/os-interface/x').status == 404
    assert cloud.ask('GET', server + '/os-interface', project='p2').status == 404


def test_security_groups(cloud, server):
    rules = [{'id': 'r%d' % number, 'direction': 'ingress', 'ethertype': 'IPv4', 'protocol': None,
              'port_range_min': None, 'port_range_max': None, 'remote_group_id': None, 'remote_ip_prefix': None}
             for number in range(5)]
    rules[0].update(protocol='tcp', port_range_min=22, port_range_max=80, remote_ip_prefix='192.0.2.0/24')
    rules[1].update(protocol='udp')
    rules[2].update(protocol='icmp', ethertype='IPv6')
    rules[4].update(direction='egress')
    group_id = cloud.neutron.add_group('web')
    rules[3].update(remote_group_id=group_id)
    cloud.neutron.security_groups[group_id].update(
        description='for the web', security_group_rules=[dict(rule, security_group_id=group_id) for rule in rules])
    cloud.neutron.add_group('other')
    for _ in range(2):
        cloud.neutron.add_port(cloud.network, device_id=server[-36:], security_groups=[group_id])
    [group] = cloud.ask('GET', server + '/os-security-groups').body['security_groups']
    shown = group.pop('rules')
    assert group == {'id': group_id, 'name': 'web', 'description': 'for the web', 'tenant_id': 'p1'}
    assert shown[0] == {'id': 'r0', 'parent_group_id': group_id, 'ip_protocol': 'tcp', 'from_port': 22, 'to_port': 80,
                        'group': {}, 'ip_range': {'cidr': '192.0.2.0/24'}}
    assert [(rule['from_port'], rule['to_port'], rule['ip_range'], rule['group']) for rule in shown[1:]] == [
        (1, 65535, {'cidr': '0.0.0.0/0'}, {}), (-1, -1, {'cidr': '::/0'}, {}),
        (None, None, {}, {'name': 'web', 'tenant_id': 'p1'})]


def test_volumes(cloud, server):
    assert cloud.ask('GET', server + '/os-volume_attachments').body == {'volumeAttachments': []}
    volumes = [doubles.new_id() for _ in range(3)]
    block_devices.save(cloud.db, server[-36:], [block_device.BlockDeviceMapping(boot_index=0)] + [
        block_device.BlockDeviceMapping(source_type='volume', destination_type='volume', volume_id=volume,
                                        device_name='/dev/vd%s' % letter, delete_on_termination=False, tag='t',
                                        attachment_id='a-' + letter)
        for volume, letter in zip(volumes, 'bcd', strict=True)] + [       # one that is on its way still
            block_device.BlockDeviceMapping(source_type='volume', destination_type='volume', volume_id=ABSENT)])
    old = {'id': volumes[0], 'volumeId': volumes[0], 'serverId': server[-36:], 'device': '/dev/vdb'}
    path = '%s/os-volume_attachments/%s' % (server, volumes[0])
    assert cloud.ask('GET', path).body == {'volumeAttachment': old}
    assert cloud.ask('GET', path, version='2.79').body == {
        'volumeAttachment': old | {'tag': 't', 'delete_on_termination': False}}
    newest = cloud.ask('GET', path, version='2.89').body['volumeAttachment']
    assert 'id' not in newest and newest['attachment_id'] == 'a-b' and len(newest['bdm_uuid']) == 36
    page = cloud.ask('GET', server + '/os-volume_attachments?limit=1&offset=1').body['volumeAttachments']
    assert [item['volumeId'] for item in page] == volumes[1:2]
    assert cloud.ask('GET', '%s/os-volume_attachments/%s' % (server, ABSENT)).status == 404
    shown = cloud.ask('GET', server, version='2.3').body['server']['os-extended-volumes:volumes_attached']
    assert shown == [{'id': volume, 'delete_on_termination': False} for volume in volumes]
    shown = cloud.ask('GET', '/servers/detail').body['servers'][0]['os-extended-volumes:volumes_attached']
    assert shown == [{'id': volume} for volume in volumes]
