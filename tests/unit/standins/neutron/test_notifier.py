# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""The compute service is told of servers whose floating addresses change."""

import http.server
import json
import queue
import threading

import pytest

from nova_lite.standins.neutron import app
from nova_lite.standins.neutron import notifier
from tests.unit.standins.neutron import conftest

SERVER = '00000000-0000-4000-8000-00000000000a'


@pytest.fixture
def compute(conf):
    """What a compute service is sent: (path, token, body); it answers with the statuses in `answers`, then with 200."""
    told, answers = queue.Queue(), []

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_POST(self):      # noqa: N802 (the library's name)
            body = json.loads(self.rfile.read(int(self.headers['Content-Length'])))
            told.put((self.path, self.headers['X-Auth-Token'], body))
            self.send_response(answers.pop(0) if answers else 200)
            self.send_header('Content-Length', '0')
            self.end_headers()

        def log_message(self, *args):
            pass

    server = http.server.HTTPServer(('127.0.0.1', 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    conf.set_override('compute', server.server_port, 'ports')
    told.answers = answers
    yield told
    server.shutdown()
    server.server_close()


@pytest.fixture
def network(conf, store, compute):
    """A network service that tells; its callers."""
    service = app.Neutron(conf, store, conftest.IDENTITIES.get, 'p-admin', lambda: 'a-token')
    service.start()
    yield conftest.Callers(service.app)
    service.stop()


def make_server(callers):
    """The port of a server behind a router to the external network, and that network's id."""
    external = callers.admin('GET', '/networks?router:external=true')[1]['networks'][0]['id']
    private = callers.demo('POST', '/networks', {'network': {'name': 'mine'}})[1]['network']['id']
    subnet = callers.demo('POST', '/subnets', {'subnet': {
        'network_id': private, 'ip_version': 4, 'cidr': '192.168.7.0/24'}})[1]['subnet']['id']
    router = callers.demo('POST', '/routers', {'router': {'external_gateway_info': {'network_id': external}}})[1][
        'router']['id']
    assert callers.demo('PUT', '/routers/%s/add_router_interface' % router, {'subnet_id': subnet})[0] == 200
    port = callers.admin('POST', '/ports', {'port': {
        'network_id': private, 'project_id': 'p-demo', 'device_id': SERVER, 'device_owner': 'compute:nova'}})[1]['port']
    return port['id'], external


def heard(compute):
    path, token, body = compute.get(timeout=10)
    assert (path, token) == ('/v2.1/os-server-external-events', 'a-token')
    return [(event['name'], event['server_uuid']) for event in body['events']]


def test_changes_are_told(network, compute):
    port_id, external = make_server(network)
    status, body = network.demo('POST', '/floatingips', {'floatingip': {
        'floating_network_id': external, 'port_id': port_id}})
    assert status == 201 and heard(compute) == [('network-changed', SERVER)]
    path = '/floatingips/' + body['floatingip']['id']
    network.demo('PUT', path, {'floatingip': {'description': 'x'}})     # nothing to tell
    network.demo('PUT', path, {'floatingip': {'port_id': None}})
    assert heard(compute) == [('network-changed', SERVER)]
    network.demo('DELETE', path)
    network.demo('POST', '/floatingips', {'floatingip': {'floating_network_id': external, 'port_id': port_id}})
    assert heard(compute) == [('network-changed', SERVER)]
    assert compute.empty()


def test_it_is_told_again_when_it_was_away(network, compute, monkeypatch):
    monkeypatch.setattr(notifier, 'PAUSE', 0.01)
    compute.answers += [503, 500]
    port_id, external = make_server(network)
    network.demo('POST', '/floatingips', {'floatingip': {'floating_network_id': external, 'port_id': port_id}})
    assert [heard(compute) for _ in range(3)] == [[('network-changed', SERVER)]] * 3


def test_a_restart_tells_of_all(network, conf, store, compute):
    port_id, external = make_server(network)
    network.demo('POST', '/floatingips', {'floatingip': {'floating_network_id': external, 'port_id': port_id}})
    assert heard(compute)
    later = app.Neutron(conf, store, conftest.IDENTITIES.get, 'p-admin', lambda: 'a-token')
    later.start()
    assert heard(compute) == [('network-changed', SERVER)]
    later.stop()
