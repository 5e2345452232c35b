# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Bridges, DHCP, metadata and what the host routes, on a real kernel."""

import contextlib
import hashlib
import hmac
import json
import os
import signal
import socket
import sys
import uuid

import pytest

from nova_lite.standins.neutron.dataplane import commands
from nova_lite.standins.neutron.dataplane import links
from nova_lite.standins.neutron.dataplane import names
from nova_lite.standins.neutron.dataplane import netns
from tests.system.dataplane import host


def test_a_guest_gets_its_address_and_its_own_metadata(service, plug):
    network = service.network()
    port = service.port(network['id'], 'instance-1', dns_name='web')
    guest = plug(port)
    given = guest.dhcp()
    address = port['fixed_ips'][0]['ip_address']
    assert (given['ip'], given['mask'], given['hostname'], given['mtu']) == (address, '24', 'web', '1500')
    assert given['router'] == '10.203.0.1'
    assert given['staticroutes'] == '169.254.169.254/32 %s 0.0.0.0/0 10.203.0.1' % given['serverid']
    status, body = guest.get('http://169.254.169.254/openstack/latest')
    seen = json.loads(body)
    signature = hmac.new(host.SECRET.encode(), b'instance-1', hashlib.sha256).hexdigest()
    assert status == 200
    assert {name: seen[name] for name in ('path', 'X-Instance-ID', 'X-Tenant-ID', 'X-Forwarded-For',
                                          'X-Instance-ID-Signature')} == {
        'path': '/openstack/latest', 'X-Instance-ID': 'instance-1', 'X-Tenant-ID': 'p-demo',
        'X-Forwarded-For': address, 'X-Instance-ID-Signature': signature}


def test_a_stranger_gets_nothing(service, plug):
    """Its tap is in the bridge, but no port has it any more."""
    network = service.network()
    port = service.port(network['id'])
    guest = plug(port)
    guest.dhcp()
    assert guest.pings('10.203.0.1')
    service('DELETE', '/ports/' + port['id'])
    host.wait_for('silence', lambda: not guest.pings('10.203.0.1'), 5)
    assert guest.get('http://169.254.169.254/') == (None, '')
    done = guest.run('busybox', 'udhcpc', '-i', 'eth0', '-n', '-q', '-f', '-t', '2', '-T', '1', '-s', '/bin/true')
    assert done.returncode != 0


@pytest.mark.parametrize('name', ['ignore', 'infinite', '42', '1h'])
def test_names_that_dnsmasq_has_a_meaning_for(service, plug, name):
    port = service.port(service.network()['id'], dns_name=name)
    given = plug(port).dhcp()
    assert (given['ip'], given['hostname'], given['lease']) == (port['fixed_ips'][0]['ip_address'], name, '86400')


def test_the_next_port_gets_the_address_of_the_last(service, plug):
    network = service.network()
    first = service.port(network['id'])
    assert plug(first).dhcp()['ip'] == first['fixed_ips'][0]['ip_address']
    service('DELETE', '/ports/' + first['id'])
    second = service.port(network['id'], fixed_ips=first['fixed_ips'])
    assert plug(second).dhcp()['ip'] == first['fixed_ips'][0]['ip_address']


def test_what_a_guest_reaches(service, plug):
    network = service.network()
    port = service.port(network['id'])
    guest = plug(port)
    guest.dhcp()
    address = port['fixed_ips'][0]['ip_address']
    assert guest.pings('10.203.0.1')
    service.allow(port, protocol='tcp')
    with host.greeter('0.0.0.0') as host_port:
        assert guest.connects('10.203.0.1', host_port) is None
        for own in json.loads(commands.run('ip', '-j', '-4', 'addr')):
            for entry in own['addr_info'][:1]:
                assert guest.connects(entry['local'], host_port) is None
    with host.greeter('0.0.0.0', guest.name) as guest_port, \
            socket.create_connection((address, guest_port), 5) as connection:
        assert connection.recv(100) == b'10.203.0.1'


def test_guests_reach_the_world_behind_the_hosts_address(service, plug):
    network = service.network()
    guest = plug(service.port(network['id']))
    guest.dhcp()
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
        with host.greeter('0.0.0.0', outside) as port:
            assert guest.connects('198.51.100.2', port) == '198.51.100.1'


def test_guests_of_an_isolated_network_reach_each_other_only(service, plug):
    network = service('POST', '/networks', {'network': {'name': 'mine'}})['network']
    service('POST', '/subnets', {'subnet': {'network_id': network['id'], 'ip_version': 4, 'cidr': '10.204.0.0/24'}})
    host.wait_for('dnsmasq', lambda: service.dnsmasq(network['id']))
    ports = [service.port(network['id'], 'i-%d' % number) for number in range(2)]
    one, other = [plug(port) for port in ports]
    one.dhcp()
    other.dhcp()
    assert one.pings(ports[1]['fixed_ips'][0]['ip_address'])
    assert json.loads(one.get('http://169.254.169.254/')[1])['X-Instance-ID'] == 'i-0'
    service('PUT', '/subnets/' + service('GET', '/networks/' + network['id'])['network']['subnets'][0],
            {'subnet': {'enable_dhcp': False}})
    host.wait_for('the end of DHCP', lambda: netns.identity(names.namespace(network['id'])) is None)
    assert links.is_bridge(names.bridge(network['id']))
    for port in ports:
        service('DELETE', '/ports/' + port['id'])
    service('DELETE', '/networks/' + network['id'])
    host.wait_for('the end of the bridge', lambda: not links.exists(names.bridge(network['id'])))


def test_an_isolated_network_does_not_reach_the_host(service, plug):
    """The host has no address there, but would take a packet that is sent to its bridge's MAC."""
    network = service('POST', '/networks', {'network': {'name': 'mine'}})['network']
    service('POST', '/subnets', {'subnet': {'network_id': network['id'], 'ip_version': 4, 'cidr': '10.204.0.0/24'}})
    host.wait_for('dnsmasq', lambda: service.dnsmasq(network['id']))
    guest = plug(service.port(network['id']))
    guest.dhcp()
    service.kill()
    commands.run('ip', '-n', guest.name, 'neigh', 'replace', '10.204.0.1', 'lladdr', names.bridge_mac(network['id']),
                 'dev', 'eth0')
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as receiver:
        receiver.bind(('10.203.0.1', 0))
        receiver.settimeout(1)

        def reaches():
            done = guest.run(sys.executable, '-c', host.SEND, '10.203.0.1', str(receiver.getsockname()[1]))
            assert done.returncode == 0, done.stderr
            try:
                return receiver.recv(10) == b'hello'
            except TimeoutError:
                return False
        assert not reaches()
        if host.read('/proc/sys/net/ipv4/conf/all/rp_filter').strip() == b'0':
            commands.run('nft', 'delete', 'table', 'inet', names.table(service.installation))
            assert reaches(), 'without the firewall the packet arrives, so the test above means something'


def test_what_breaks_is_mended(service, plug):
    network = service.network()
    port = service.port(network['id'], 'i-1')
    guest = plug(port)
    guest.dhcp()
    table = names.table(service.installation)
    old = service.dnsmasq(network['id'])
    os.kill(old[0], signal.SIGKILL)
    commands.run('nft', 'delete', 'table', 'inet', table)
    host.wait_for('a new dnsmasq', lambda: service.dnsmasq(network['id']) not in ([], old))
    host.wait_for('the firewall', lambda: table in commands.run('nft', 'list', 'tables'))
    commands.run('ip', 'link', 'del', names.bridge(network['id']))
    host.wait_for('the guest back in its bridge', lambda: links.master(guest.tap) == names.bridge(network['id']))
    commands.run('ip', 'netns', 'del', names.namespace(network['id']))
    host.wait_for('a new namespace', lambda: service.dnsmasq(network['id']) not in ([], old))
    assert guest.dhcp()['ip'] == port['fixed_ips'][0]['ip_address']
    assert json.loads(guest.get('http://169.254.169.254/')[1])['X-Instance-ID'] == 'i-1'
    assert guest.pings('10.203.0.1')


def test_a_restart_keeps_dhcp_and_mends_the_rest(service, plug):
    network = service.network()
    port = service.port(network['id'], 'i-1')
    guest = plug(port)
    before = service.dnsmasq(network['id'])
    service.end()
    assert guest.dhcp()['ip'] == port['fixed_ips'][0]['ip_address']
    service.start()
    service.network()
    assert service.dnsmasq(network['id']) == before
    host.wait_for('the metadata proxy', lambda: guest.get('http://169.254.169.254/')[0])
    assert json.loads(guest.get('http://169.254.169.254/')[1])['X-Instance-ID'] == 'i-1'


def test_a_killed_service_heals_at_its_next_start(service, plug):
    network = service.network()
    port = service.port(network['id'], 'i-1')
    guest = plug(port)
    service.kill()
    for number in service.dnsmasq(network['id']):
        os.kill(number, signal.SIGKILL)
    commands.run('ip', 'netns', 'del', names.namespace(network['id']))
    commands.run('ip', 'link', 'del', names.bridge(network['id']))
    service.start()
    service.network()
    host.wait_for('the guest back in its bridge', lambda: links.master(guest.tap) == names.bridge(network['id']))
    assert guest.dhcp()['ip'] == port['fixed_ips'][0]['ip_address']
    assert json.loads(guest.get('http://169.254.169.254/')[1])['X-Instance-ID'] == 'i-1'


def test_teardown_after_a_kill_leaves_others_alone(make, tmp_path):
    first = make('first')
    networks = [first.network()]
    second = make('second')
    networks.append(second.network())
    subnets = [each('GET', '/subnets')['subnets'][0]['cidr'] for each in (first, second)]
    assert subnets == ['10.203.0.0/24', '10.203.1.0/24']
    first.kill()
    first.teardown()
    assert not links.exists(names.bridge(networks[0]['id']))
    assert names.table(first.installation) not in commands.run('nft', 'list', 'tables')
    assert not os.path.exists(names.run_directory(first.installation))
    assert second.dnsmasq(networks[1]['id'])
    assert links.is_bridge(names.bridge(networks[1]['id']))
    assert names.table(second.installation) in commands.run('nft', 'list', 'tables')
    first.teardown()
