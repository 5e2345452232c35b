# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Events of the network service: addresses that change while a server runs."""

import pytest

from nova_lite.objects import network
from tests.unit.api import servers_cloud
from tests.unit.compute_api import doubles


@pytest.fixture
def cloud(tmp_path):
    return servers_cloud.Cloud(tmp_path)


@pytest.fixture
def uuid(cloud):
    """An active server with a port of its own."""
    uuid = cloud.make()
    port_id = cloud.neutron.add_port(cloud.network, device_id=uuid, **{'binding:vif_type': 'bridge'})
    cloud.run(uuid, network_info=[network.VIF(
        id=port_id, address='fa:16:3e:00:00:00', network_id=cloud.network, network_label='net', vif_type='bridge')])
    return uuid


def tell(cloud, *uuids, name='network-changed', admin=True, **values):
    events = [{'name': name, 'server_uuid': uuid, **values} for uuid in uuids]
    return cloud.ask('POST', '/os-server-external-events', {'events': events}, admin=admin)


def addresses(cloud, uuid):
    shown = cloud.ask('GET', '/servers/' + uuid).body['server']['addresses']
    return [(item['OS-EXT-IPS:type'], item['addr']) for item in shown.get('net', ())]


def test_a_floating_address_comes_and_goes(cloud, uuid):
    [port] = cloud.neutron.ports.values()
    fixed = port['fixed_ips'][0]['ip_address']
    cloud.neutron.floatingips['f'] = {'id': 'f', 'port_id': port['id'], 'fixed_ip_address': fixed,
                                      'floating_ip_address': '172.24.4.9', 'project_id': 'p1'}
    cloud.neutron.floatingips['other'] = {**cloud.neutron.floatingips['f'], 'id': 'other', 'port_id': 'x'}
    answer = tell(cloud, uuid, tag=port['id'])
    assert (answer.status, answer.body['events']) == (200, [
        {'name': 'network-changed', 'server_uuid': uuid, 'tag': port['id'], 'status': 'completed', 'code': 200}])
    assert addresses(cloud, uuid) == [('fixed', fixed), ('floating', '172.24.4.9')]
    cloud.neutron.floatingips.clear()
    assert tell(cloud, uuid).status == 200
    assert addresses(cloud, uuid) == [('fixed', fixed)]


def test_a_port_that_was_deleted(cloud, uuid):
    cloud.neutron.ports.clear()
    assert tell(cloud, uuid, name='network-vif-deleted').status == 200
    assert addresses(cloud, uuid) == []


def test_codes(cloud, uuid):
    building, unknown = cloud.make(), doubles.new_id()
    answer = tell(cloud, uuid, building, unknown)
    assert answer.status == 207
    assert [(event['code'], event['status']) for event in answer.body['events']] == [
        (200, 'completed'), (422, 'failed'), (404, 'failed')]
    assert tell(cloud, unknown).message == 'No instances found for any event'
    assert tell(cloud, uuid, admin=False).status == 403
    assert tell(cloud, uuid, name='volume-extended').status == 400
    assert tell(cloud, uuid, status='odd').status == 400
    assert tell(cloud).status == 400


def test_the_network_service_is_away(cloud, uuid):
    cloud.neutron.fails, cloud.neutron.failures = 'ports', [doubles.Reply(500)]
    assert tell(cloud, uuid).status == 503
