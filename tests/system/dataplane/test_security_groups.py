# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Security groups and own addresses, enforced on a real kernel and changed while guests run."""

import contextlib
import ipaddress
import os
import socket
import sys
import time

import pytest

from nova_lite.standins.neutron.dataplane import commands
from nova_lite.standins.neutron.dataplane import names
from tests.system.dataplane import host

EFFECT = 5  # seconds until a changed rule is in force
TALK = ('import socket, sys\n'
        's = socket.create_connection((sys.argv[1], int(sys.argv[2])), 3)\n'
        's.settimeout(1)\n'
        'while True:\n'
        '    s.sendall(b"x")\n'
        '    print(s.recv(1).decode(), flush=True)')


def octets(port):
    return bytes.fromhex(port['mac_address'].replace(':', ''))


@pytest.fixture
def network(service):
    return service.isolated('10.204.0.0/24')


@pytest.fixture
def group(service):
    return lambda name: service('POST', '/security-groups', {'security_group': {
        'name': name, 'project_id': 'p-demo'}})['security_group']['id']


@pytest.fixture
def boot(service, plug, network):
    """Makes a guest with these security groups (default: the default one); (port, guest) with the address taken."""
    def make(groups=None, on=None, **values):
        if groups is not None:
            values['security_groups'] = groups
        port = service.port((on or network)['id'], **values)
        guest = plug(port)
        guest.dhcp()
        return port, guest
    return make


@contextlib.contextmanager
def echo(guest):
    """A TCP server in the guest that sends back what it gets; gives its port."""
    text = ('import socket\n'
            'l = socket.create_server(("0.0.0.0", 0))\n'
            'print(l.getsockname()[1], flush=True)\n'
            'while True:\n'
            '    c, _ = l.accept()\n'
            '    while d := c.recv(100): c.sendall(d)')
    with guest.process(sys.executable, '-c', text) as server:
        yield int(server.stdout.readline())


def test_only_members_of_the_default_group_come_in(service, boot, group):
    (one, first), (other, second), (third, stranger) = boot(), boot(), boot([group('apart')])
    assert first.pings(host.address(other)) and second.pings(host.address(one))
    assert not stranger.pings(host.address(one))
    assert first.pings(host.address(third)) is False
    rule = service.allow(third, protocol='icmp')
    host.wait_for('the rule', lambda: first.pings(host.address(third)), EFFECT)
    service('DELETE', '/security-group-rules/' + rule['id'])
    host.wait_for('the end of the rule', lambda: not first.pings(host.address(third)), EFFECT)


def test_a_rule_that_goes_ends_connections(service, boot, group):
    (port, server), (_other, client) = boot([group('server')]), boot()
    rule = service.allow(port, protocol='tcp')
    with echo(server) as number, client.process(sys.executable, '-c', TALK, host.address(port), str(number)) as talk:
        assert talk.stdout.readline() == 'x\n'
        service('DELETE', '/security-group-rules/' + rule['id'])
        talk.wait(EFFECT + 1)
        assert 'timed out' in talk.stderr.read()


def test_a_change_of_a_ports_groups(service, boot, group):
    (port, _guest), (_other, client) = boot([]), boot()
    assert not client.pings(host.address(port))
    default = _other['security_groups']
    service('PUT', '/ports/' + port['id'], {'port': {'security_groups': default}})
    host.wait_for('the group', lambda: client.pings(host.address(port)), EFFECT)
    service('PUT', '/ports/' + port['id'], {'port': {'security_groups': []}})
    host.wait_for('the end of it', lambda: not client.pings(host.address(port)), EFFECT)
    service('PUT', '/ports/' + port['id'], {'port': {'port_security_enabled': False}})
    host.wait_for('no filter', lambda: client.pings(host.address(port)), EFFECT)


def test_protocols_ports_and_prefixes(service, boot, group):
    (port, server), (peer, client) = boot([group('server')]), boot()
    with host.greeter('0.0.0.0', server.name) as number:
        service.allow(port, protocol='tcp', port_range_min=number + 1, port_range_max=number + 5)
        service.allow(port, protocol='udp', port_range_min=number, port_range_max=number)
        service.allow(port, protocol='tcp', remote_ip_prefix='10.205.0.0/16')
        service.allow(port, protocol='icmp', port_range_min=13)
        last = service.allow(port, protocol='icmp', port_range_min=8, port_range_max=0)
        host.wait_for('the rules', lambda: client.pings(host.address(port)), EFFECT)
        assert client.connects(host.address(port), number) is None
        with server.receiver(number) as received:
            client.send(5000, host.address(port), number, 'udp')
            assert received() == 'udp'
        with server.receiver(number + 1) as received:
            client.send(5000, host.address(port), number + 1, 'udp')
            assert received() is None
        service('DELETE', '/security-group-rules/' + last['id'])
        service.allow(port, protocol='6', remote_ip_prefix=host.address(peer) + '/32', port_range_min=number,
                      port_range_max=number)
        host.wait_for('the rule', lambda: client.connects(host.address(port), number) == host.address(peer), EFFECT)
        assert not client.pings(host.address(port))


def test_remote_groups_follow_their_ports(service, boot, group):
    clients = group('clients')
    (port, _server), (peer, client) = boot([group('server')]), boot([clients])
    service.allow(port, protocol='icmp', remote_group_id=clients)
    host.wait_for('the rule', lambda: client.pings(host.address(port)), EFFECT)
    late, later = boot([clients])
    assert later.pings(host.address(port))
    service('PUT', '/ports/' + peer['id'], {'port': {'security_groups': late['security_groups']
                                                     if not late['security_groups'] else []}})
    host.wait_for('the end of membership', lambda: not client.pings(host.address(port)), EFFECT)
    assert later.pings(host.address(port))


def test_a_guest_that_may_send_nothing_still_has_dhcp_and_metadata(service, boot, group):
    silent = group('silent')
    for rule in service('GET', '/security-group-rules?security_group_id=' + silent)['security_group_rules']:
        service('DELETE', '/security-group-rules/' + rule['id'])
    (port, guest), (peer, other) = boot([silent], device_id='i-1'), boot()
    service.allow(peer, protocol='icmp')
    service.allow(port, protocol='icmp')
    host.wait_for('the rules', lambda: other.pings(host.address(port)), EFFECT)  # and replies go out
    assert guest.get('http://169.254.169.254/')[0] == 200
    assert not guest.pings(host.address(peer))
    service.allow(port, direction='egress', protocol='icmp', remote_ip_prefix=host.address(peer))
    host.wait_for('the rule', lambda: guest.pings(host.address(peer)), EFFECT)


def test_nobody_speaks_as_somebody_else(service, boot):
    (port, guest), (peer, _other) = boot(), boot()
    service.allow(peer, protocol='icmp')
    assert guest.pings(host.address(peer))
    forged = '10.204.0.200'
    commands.run('ip', '-n', guest.name, 'addr', 'add', forged + '/24', 'dev', 'eth0')
    ping = ('busybox', 'ping', '-c', '1', '-W', '1', '-I', forged, host.address(peer))
    assert guest.run(*ping).returncode != 0
    service('PUT', '/ports/' + port['id'], {'port': {'allowed_address_pairs': [{'ip_address': '10.204.0.192/26'}]}})
    host.wait_for('the address pair', lambda: guest.run(*ping).returncode == 0, EFFECT)
    commands.run('ip', '-n', guest.name, 'link', 'set', 'dev', 'eth0', 'address', 'fa:16:3e:99:99:99')
    assert not guest.pings(host.address(peer))
    commands.run('ip', '-n', guest.name, 'link', 'set', 'dev', 'eth0', 'address', port['mac_address'])
    assert guest.pings(host.address(peer))


def test_nobody_answers_for_somebody_else(service, boot):
    (port, guest), (peer, other) = boot(), boot()
    victim = '10.204.0.77'

    def claims(address):
        """An ARP reply that says: the address is here."""
        guest.send_frame(octets(peer) + octets(port) + bytes.fromhex('0806000108000604 0002') + octets(port)
                         + socket.inet_aton(address) + octets(peer) + socket.inet_aton('0.0.0.0'))
        time.sleep(0.2)
        return port['mac_address'] in commands.run('ip', '-n', other.name, 'neigh', 'show', address)
    for known in (victim, host.address(port)):
        commands.run('ip', '-n', other.name, 'neigh', 'replace', known, 'lladdr', 'fa:16:3e:00:00:01', 'dev', 'eth0',
                     'nud', 'stale')
    time.sleep(1.2)  # the kernel believes no news of an address that it has just heard of
    assert not claims(victim)
    assert claims(host.address(port))


def advertisement(sender, receiver, target):
    """A frame that says by neighbour discovery that the address is at the sender's MAC."""
    source, destination = (link_local(port) for port in (sender, receiver))
    body = bytes.fromhex('88000000 60000000') + target.packed + b'\2\1' + octets(sender)
    pseudo = source.packed + destination.packed + len(body).to_bytes(4, 'big') + bytes((0, 0, 0, 58)) + body
    total = sum(int.from_bytes(pseudo[place:place + 2], 'big') for place in range(0, len(pseudo), 2))
    while total >> 16:
        total = (total & 0xffff) + (total >> 16)
    body = body[:2] + (~total & 0xffff).to_bytes(2, 'big') + body[4:]
    header = bytes.fromhex('60000000') + len(body).to_bytes(2, 'big') + bytes((58, 255))
    return (octets(receiver) + octets(sender) + bytes.fromhex('86dd') + header + source.packed + destination.packed
            + body)


def link_local(port):
    mac = octets(port)
    return ipaddress.IPv6Address(bytes.fromhex('fe80000000000000') + bytes((mac[0] ^ 2,)) + mac[1:3] + b'\xff\xfe'
                                 + mac[3:])


def test_nobody_advertises_somebody_elses_ipv6_address(boot):
    (port, guest), (peer, other) = boot(), boot()
    listener = 'import socket\ns = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(0x86dd))\n' \
               's.bind(("eth0", 0x86dd))\nprint("ready", flush=True)\nwhile True:\n d = s.recv(2000)\n' \
               ' print(d[54], d[62:78].hex(), flush=True)'
    with other.process(sys.executable, '-c', listener) as process:
        assert process.stdout.readline() == 'ready\n'
        for target in (link_local(peer), ipaddress.ip_address('fd00::1'), link_local(port)):
            guest.send_frame(advertisement(port, peer, target))
        kind, target = '', ''
        while kind != '136':
            kind, target = process.stdout.readline().split()
    assert target == link_local(port).packed.hex()


def test_nobody_is_a_dhcp_server(boot):
    (_port, guest), (peer, other) = boot(), boot()
    with other.receiver(68) as received:
        guest.send(67, host.address(peer), 68, 'offer')
        assert received() is None
    with other.receiver(69) as received:
        guest.send(68, host.address(peer), 69, 'hello')
        assert received() == 'hello'


def test_other_frames_do_not_pass(boot):
    (port, guest), (peer, other) = boot(), boot()
    inner = bytes.fromhex('0800') + bytes(60)
    listener = 'import socket\ns = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(3))\n' \
               's.bind(("eth0", 3))\nprint("ready", flush=True)\nwhile True:\n d = s.recv(2000)\n' \
               ' print(d[12:16].hex(), flush=True)'
    with other.process(sys.executable, '-c', listener) as process:
        assert process.stdout.readline() == 'ready\n'
        for kind in ('81000007', '88cc', '8847'):
            guest.send_frame(octets(peer) + octets(port) + bytes.fromhex(kind) + inner)
        guest.pings(host.address(peer))
        seen = {'0806'}
        while '0800' not in seen:
            seen.add(process.stdout.readline()[:4])
    assert seen <= {'0800', '0806', '86dd'}


def test_networks_with_equal_addresses_do_not_mix(service, boot, group):
    """What is a reply on one network is none on another, where the same addresses and ports belong to others."""
    networks = [service.isolated('10.204.0.0/24') for _ in range(2)]
    pairs = []
    for each, name in zip(networks, ('a', 'b'), strict=True):
        own = group(name)
        pairs.append([boot([own], on=each, fixed_ips=[{'ip_address': '10.204.0.%d' % last}]) for last in (10, 20)])
    ((_, a10), (port, a20)), ((_, b10), (_, b20)) = pairs
    service.allow(port, protocol='udp')

    def asks():
        with a20.receiver(6000) as received:
            a10.send(5000, '10.204.0.20', 6000, 'question')
            return received() == 'question'
    host.wait_for('the rule', asks, EFFECT)
    with a10.receiver(5000) as received:
        a20.send(6000, '10.204.0.10', 5000, 'reply')
        assert received() == 'reply'
    with b10.receiver(5000) as received:
        b20.send(6000, '10.204.0.10', 5000, 'reply')
        assert received() is None


def test_a_lost_table_comes_back(service, boot, group):
    (port, _guest), (_peer, client) = boot([group('apart')]), boot()
    assert not client.pings(host.address(port))
    commands.run('nft', 'delete', 'table', 'bridge', names.table(service.installation))
    host.wait_for('the table', lambda: 'bridge ' + names.table(service.installation) in commands.run(
        'nft', 'list', 'tables'), EFFECT)
    assert not client.pings(host.address(port))


def test_a_restart_keeps_the_filter(service, boot, group):
    (port, server), (_peer, client) = boot([group('server')]), boot()
    service.allow(port, protocol='tcp')
    with echo(server) as number, client.process(sys.executable, '-c', TALK, host.address(port), str(number)) as talk:
        assert talk.stdout.readline() == 'x\n'
        service.end()
        assert not client.pings(host.address(port)) and talk.stdout.readline() == 'x\n'
        service.start()
        service.network()
        deadline = time.monotonic() + 1.5
        while time.monotonic() < deadline:
            assert talk.stdout.readline() == 'x\n'


def test_the_filter_is_there_before_the_guest_is(service, network):
    """A port is bound only when its rules are in force."""
    for _ in range(5):
        port = service('POST', '/ports', {'port': {
            'network_id': network['id'], 'device_owner': 'compute:nova', 'device_id': 'i', 'project_id': 'p-demo',
            'binding:host_id': 'host'}})['port']
        assert names.tap(port['id']) in commands.run('nft', 'list', 'table', 'bridge',
                                                     names.table(service.installation))
        assert ipaddress.ip_address(host.address(port))
        assert not os.path.exists('/sys/class/net/' + names.tap(port['id']))
