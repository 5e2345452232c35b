# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Routers, address translation and floating addresses on a real kernel."""

import contextlib
import json
import os
import socket
import sys
import uuid

import pytest

from nova_lite.standins.neutron.dataplane import commands
from nova_lite.standins.neutron.dataplane import links
from nova_lite.standins.neutron.dataplane import names
from nova_lite.standins.neutron.dataplane import netns
from tests.system.dataplane import host

EFFECT = 5  # seconds until a change is in force


@pytest.fixture
def router(service):
    """Makes a router with a gateway and interfaces on networks."""
    def make(*networks, gateway=True, **values):
        if gateway:
            values['external_gateway_info'] = {'network_id': service.public()['id'], **(
                gateway if isinstance(gateway, dict) else {})}
        made = service('POST', '/routers', {'router': {'project_id': 'p-demo', **values}})['router']
        for network in networks:
            service('PUT', '/routers/%s/add_router_interface' % made['id'], {'subnet_id': network['subnet']['id']})
        host.wait_for('the router', lambda: netns.identity(names.router_namespace(made['id'])) is not None)
        return made
    return make


@pytest.fixture
def boot(service, plug):
    """Makes a guest on a network that anybody may ping: (port, guest)."""
    def make(network, **values):
        port = service.port(network['id'], **values)
        guest = plug(port)
        if network['subnet']['enable_dhcp']:
            guest.dhcp()
        else:
            guest.configure(port, network['subnet'])
        rules = service('GET', '/security-group-rules?protocol=icmp')['security_group_rules']
        if port['security_groups'] and not rules:
            service.allow(port, protocol='icmp')
            service.allow(port, protocol='tcp')
        return port, guest
    return make


@pytest.fixture
def float_to(service):
    """Leads a floating address to a port; the floating IP."""
    def make(port):
        return service('POST', '/floatingips', {'floatingip': {
            'floating_network_id': service.public()['id'], 'port_id': port['id'],
            'project_id': 'p-demo'}})['floatingip']
    return make


def pings(address):
    return commands.run('sh', '-c', 'busybox ping -c 1 -W 1 %s >/dev/null && echo yes || echo no' % address) == 'yes\n'


def hears(address, port):
    """What a server says to the host, None when it cannot be reached."""
    try:
        with socket.create_connection((address, port), 2) as connection:
            return connection.recv(100).decode()
    except OSError:
        return None


def test_a_router_joins_its_networks_and_no_others(service, router, boot):
    networks = [service.isolated('10.204.%d.0/24' % number) for number in range(3)]
    (one, first), (two, _second), (three, _third) = [boot(network) for network in networks]
    assert not first.pings(host.address(two))
    made = router(*networks[:2], gateway=False)
    host.wait_for('the way', lambda: first.pings(host.address(two)), EFFECT)
    assert first.pings('10.204.0.1') and first.pings('10.204.1.1')
    assert not first.pings(host.address(three)) and not first.pings('10.204.2.1')
    other = router(networks[2], gateway=False)
    assert not first.pings(host.address(three))
    for number in range(2):
        service('PUT', '/routers/%s/remove_router_interface' % made['id'], {
            'subnet_id': networks[number]['subnet']['id']})
    host.wait_for('the end of the way', lambda: not first.pings('10.204.0.1'), EFFECT)
    service('DELETE', '/routers/' + made['id'])
    host.wait_for('the end of the router', lambda: netns.identity(names.router_namespace(made['id'])) is None)
    assert netns.identity(names.router_namespace(other['id'])) is not None
    assert not links.owned(names.alias(service.installation, made['id']))


def test_tenants_with_equal_addresses_do_not_meet(service, router, boot):
    """Two routers on the external network, each with the same range behind it."""
    pairs = []
    for _ in range(2):
        network = service.isolated('10.204.0.0/24')
        router(network)
        pairs.append([boot(network, fixed_ips=[{'ip_address': '10.204.0.%d' % last}]) for last in (10, 20)])
    (_, first), (_, second) = pairs[0]
    host.wait_for('the network', lambda: first.pings('10.204.0.20'), EFFECT)
    with host.greeter('0.0.0.0', pairs[1][1][1].name) as number:
        assert first.connects('10.204.0.20', number) is None
        assert pairs[1][0][1].connects('10.204.0.20', number) == '10.204.0.10'
    assert second.pings('10.204.0.10')


def test_guests_share_the_routers_address(service, router, boot):
    network, public = service.isolated('10.204.0.0/24'), service.public()
    made = router(network)
    own = made['external_gateway_info']['external_fixed_ips'][0]['ip_address']
    _port, guest = boot(network)
    _outside, peer = boot(public, security_groups=[], port_security_enabled=False)
    with host.greeter('0.0.0.0', peer.name) as number:
        target = host.address(_outside)
        host.wait_for('the way out', lambda: guest.connects(target, number) == own, EFFECT)
        service('PUT', '/routers/' + made['id'], {'router': {'external_gateway_info': {
            'network_id': public['id'], 'enable_snat': False}}})
        host.wait_for('no translation', lambda: guest.connects(target, number) is None, EFFECT)
    assert guest.pings('10.204.0.1')
    assert pings(own)


def test_the_world_is_reached_through_the_host(service, router, boot):
    network = service.isolated('10.204.0.0/24')
    router(network)
    _port, guest = boot(network)
    with contextlib.ExitStack() as stack:
        outside = 'nl-test-' + uuid.uuid4().hex[:8]
        commands.run('ip', 'netns', 'add', outside)
        stack.callback(commands.run, 'ip', 'netns', 'del', outside)
        device = outside[8:] + '-out'
        commands.run('ip', 'link', 'add', device, 'type', 'veth', 'peer', 'name', 'eth0', 'netns', outside)
        commands.run('ip', 'addr', 'add', '198.51.100.1/24', 'dev', device)
        commands.run('ip', 'link', 'set', device, 'up')
        commands.run('ip', '-n', outside, 'addr', 'add', '198.51.100.2/24', 'dev', 'eth0')
        commands.run('ip', '-n', outside, 'link', 'set', 'eth0', 'up')
        with host.greeter('0.0.0.0', outside) as number:
            assert guest.connects('198.51.100.2', number) == '198.51.100.1'
    gateway = service.public()['subnet']['gateway_ip']
    assert guest.pings(gateway)
    with host.greeter('0.0.0.0') as number:
        assert guest.connects(gateway, number) is None


def test_a_floating_address(service, router, boot, float_to):
    network, public = service.isolated('10.204.0.0/24'), service.public()
    router(network)
    (port, guest), (other, second) = boot(network), boot(network)
    _outside, peer = boot(public, security_groups=[], port_security_enabled=False)
    floating = float_to(port)
    own = floating['floating_ip_address']
    host.wait_for('the floating address', lambda: pings(own), EFFECT)
    with host.greeter('0.0.0.0', guest.name) as number, host.greeter('0.0.0.0', peer.name) as outside:
        assert hears(own, number) == public['subnet']['gateway_ip']
        assert guest.connects(host.address(_outside), outside) == own
        # Round the router, also to a neighbour and to itself.
        assert second.connects(own, number) not in (None, host.address(other))
        assert guest.connects(own, number) == own
        service('PUT', '/floatingips/' + floating['id'], {'floatingip': {'port_id': other['id']}})
        host.wait_for('the other guest', lambda: second.connects(host.address(_outside), outside) == own, EFFECT)
        assert pings(own) and hears(own, number) is None
        service('PUT', '/floatingips/' + floating['id'], {'floatingip': {'port_id': None}})
        host.wait_for('silence', lambda: not pings(own), EFFECT)
        assert second.connects(host.address(_outside), outside) not in (None, own)


def test_a_floating_address_that_goes_ends_connections(service, router, boot, float_to):
    network = service.isolated('10.204.0.0/24')
    router(network)
    (port, guest), (other, _second) = boot(network), boot(network)
    floating = float_to(port)
    own = floating['floating_ip_address']
    host.wait_for('the floating address', lambda: pings(own), EFFECT)
    echo = ('import socket\nl = socket.create_server(("0.0.0.0", 0))\nprint(l.getsockname()[1], flush=True)\n'
            'c, _ = l.accept()\nwhile d := c.recv(100): c.sendall(d)')
    with guest.process(sys.executable, '-c', echo) as server, \
            socket.create_connection((own, int(server.stdout.readline())), 3) as connection:
        connection.settimeout(1)

        def answers():
            with contextlib.suppress(TimeoutError):
                connection.sendall(b'x')
                return connection.recv(1) == b'x'
        assert answers()
        service('PUT', '/floatingips/' + floating['id'], {'floatingip': {'port_id': other['id']}})
        host.wait_for('the end of the connection', lambda: not answers(), EFFECT)


def test_security_groups_hold_behind_a_floating_address(service, router, boot, float_to, plug):
    network = service.isolated('10.204.0.0/24')
    router(network)
    group = service('POST', '/security-groups', {'security_group': {
        'name': 'closed', 'project_id': 'p-demo'}})['security_group']['id']
    port = service.port(network['id'], security_groups=[group])
    plug(port).dhcp()
    own = float_to(port)['floating_ip_address']
    assert not host.settle(lambda: pings(own), 2)
    rule = service.allow(port, protocol='icmp', remote_ip_prefix=service.public()['subnet']['cidr'])
    host.wait_for('the rule', lambda: pings(own), EFFECT)
    service('DELETE', '/security-group-rules/' + rule['id'])
    host.wait_for('the end of the rule', lambda: not pings(own), EFFECT)


def test_metadata_through_the_router(service, router, boot):
    """Without DHCP, so without a route of its own to the metadata service."""
    network, second = service.isolated('10.204.0.0/24', enable_dhcp=False), service.isolated('10.205.0.0/24')
    router(network, second, gateway=False)
    _port, guest = boot(network, device_id='i-1')
    _other, neighbour = boot(second, device_id='i-2')
    host.wait_for('the router', lambda: guest.pings('10.204.0.1'), EFFECT)
    assert json.loads(guest.get('http://169.254.169.254/')[1])['X-Instance-ID'] == 'i-1'
    assert json.loads(neighbour.get('http://169.254.169.254/')[1])['X-Instance-ID'] == 'i-2'
    commands.run('ip', '-n', neighbour.name, 'route', 'replace', '169.254.169.254', 'via', '10.205.0.1')
    assert json.loads(neighbour.get('http://169.254.169.254/')[1])['X-Instance-ID'] == 'i-2'


def test_static_routes(service, router, boot):
    """A guest is itself a router, for a range behind it."""
    networks = [service.isolated('10.204.%d.0/24' % number) for number in range(2)]
    made = router(*networks, gateway=False)
    (hop, inner), (_port, guest) = boot(
        networks[0], port_security_enabled=False, security_groups=[]), boot(networks[1])
    commands.run('ip', '-n', inner.name, 'addr', 'add', '10.99.0.1/16', 'dev', 'lo')
    assert not guest.pings('10.99.0.1')
    route = {'destination': '10.99.0.0/16', 'nexthop': host.address(hop)}
    service('PUT', '/routers/' + made['id'], {'router': {'routes': [route]}})
    host.wait_for('the route', lambda: guest.pings('10.99.0.1'), EFFECT)
    service('PUT', '/routers/' + made['id'], {'router': {'routes': []}})
    host.wait_for('the end of the route', lambda: not guest.pings('10.99.0.1'), EFFECT)


def test_a_router_that_is_switched_off(service, router, boot):
    network = service.isolated('10.204.0.0/24')
    made = router(network, gateway=False)
    _port, guest = boot(network)
    host.wait_for('the router', lambda: guest.pings('10.204.0.1'), EFFECT)
    service('PUT', '/routers/' + made['id'], {'router': {'admin_state_up': False}})
    host.wait_for('silence', lambda: not guest.pings('10.204.0.1'), EFFECT)
    service('PUT', '/routers/' + made['id'], {'router': {'admin_state_up': True}})
    host.wait_for('the router', lambda: guest.pings('10.204.0.1'), EFFECT)


def test_what_breaks_is_mended(service, router, boot, float_to):
    network = service.isolated('10.204.0.0/24')
    made = router(network)
    port, guest = boot(network)
    own = float_to(port)['floating_ip_address']
    host.wait_for('the floating address', lambda: pings(own), EFFECT)
    commands.run('ip', 'netns', 'del', names.router_namespace(made['id']))
    host.wait_for('a new router', lambda: pings(own), EFFECT)
    for bridge in (names.bridge(network['id']), names.bridge(service.public()['id'])):
        commands.run('ip', 'link', 'del', bridge)
        host.wait_for('a new bridge', lambda bridge=bridge: links.is_bridge(bridge), EFFECT)
        host.wait_for('the way through it', lambda: pings(own), EFFECT)
    assert guest.pings('10.204.0.1')
    tap = next(device for device in links.owned(names.alias(service.installation, made['id'])))
    commands.run('ip', 'link', 'del', tap)
    host.wait_for('a new tap', lambda: pings(own) and guest.pings('10.204.0.1'), EFFECT)


def test_a_restart_disturbs_nothing(service, router, boot, float_to):
    network = service.isolated('10.204.0.0/24')
    made = router(network)
    port, guest = boot(network)
    own = float_to(port)['floating_ip_address']
    host.wait_for('the floating address', lambda: pings(own), EFFECT)
    before = netns.identity(names.router_namespace(made['id']))
    service.end()
    assert pings(own)
    service.start()
    service.public()
    assert pings(own) and netns.identity(names.router_namespace(made['id'])) == before
    service.kill()
    commands.run('ip', 'netns', 'del', names.router_namespace(made['id']))
    service.start()
    host.wait_for('a new router', lambda: pings(own), 15)
    host.wait_for('the way through it', lambda: guest.pings('10.204.0.1'), EFFECT)


def test_what_was_deleted_while_the_service_was_down(service, router, tmp_path):
    """A router that an earlier life made and the database does not have goes at the next start."""
    made = router(service.isolated('10.204.0.0/24'), gateway=False)
    namespace = names.router_namespace(made['id'])
    service.kill()
    stranger = names.router_namespace(str(uuid.uuid4()))
    commands.run('ip', 'netns', 'add', stranger)
    os.makedirs(names.record(service.installation, stranger))
    service.start()
    host.wait_for('its end', lambda: netns.identity(stranger) is None)
    assert netns.identity(namespace) is not None
