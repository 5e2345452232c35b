# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""The network stand-in's data plane on a real kernel: guests are namespaces with a veth in place of a tap.

Needs root, iproute2, nftables, dnsmasq and busybox with udhcpc; skipped with the reason where something is missing.
"""

import contextlib
import hashlib
import hmac
import http.server
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
import uuid

import pytest

from nova_lite.standins.neutron.dataplane import commands
from nova_lite.standins.neutron.dataplane import links
from nova_lite.standins.neutron.dataplane import names
from nova_lite.standins.neutron.dataplane import netns

SECRET = 'shared-secret'
TOOLS = ('ip', 'nft', 'dnsmasq', 'busybox')
MISSING = [tool for tool in TOOLS if shutil.which(tool, path=os.environ['PATH'] + ':/usr/sbin:/sbin') is None]
GET = ('import sys, urllib.request, urllib.error\n'
       'request = urllib.request.Request(sys.argv[1], headers={"X-Instance-ID": "evil"})\n'
       'try: answer = urllib.request.urlopen(request, timeout=5)\n'
       'except urllib.error.HTTPError as error: answer = error\n'
       'print(answer.status, answer.read().decode())')
CONNECT = ('import socket, sys\n'
           'with socket.create_connection((sys.argv[1], int(sys.argv[2])), 3) as c: print(c.recv(100).decode())')
SEND = ('import socket, sys\n'
        'socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b"hello", (sys.argv[1], int(sys.argv[2])))')
DHCP_SCRIPT = """#!/bin/sh
env | grep -E '^(ip|mask|router|staticroutes|mtu|hostname|dns|serverid|lease)='
[ "$1" = bound ] || exit 0
ip addr flush dev $interface
ip addr add $ip/$mask dev $interface
[ -z "$router" ] || ip route replace default via $router
ip route replace 169.254.169.254/32 via $serverid
"""

pytestmark = [
    pytest.mark.skipif(os.getuid() != 0, reason='needs root: it makes bridges and namespaces'),
    pytest.mark.skipif(bool(MISSING), reason='not installed: ' + ', '.join(MISSING)),
]


def wait_for(what, condition, seconds=15):
    """Wait until `condition()` is true."""
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, 'waited %d s for: %s' % (seconds, what)
        time.sleep(0.05)


class Service:
    """One installation's network service in a process of its own."""

    def __init__(self, state_path, metadata_url):
        self.state_path = str(state_path)
        self.installation = names.installation(self.state_path)
        self._arguments = [self.state_path, metadata_url, SECRET]
        self._process = None

    def start(self):
        self._process = subprocess.Popen(
            [sys.executable, '-m', 'tests.system.dataplane_service', *self._arguments], text=True,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def kill(self):
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process.stdin.close()
            self._process.stdout.close()
            self._process = None

    def end(self):
        """End it the way a supervisor does, by letting it finish."""
        self._process.stdin.close()
        assert self._process.wait(20) == 0
        self._process.stdout.close()
        self._process = None

    def __call__(self, method, path, body=None):
        self._process.stdin.write(json.dumps([method, path, body]) + '\n')
        self._process.stdin.flush()
        status, answer = json.loads(self._process.stdout.readline())
        assert status < 300, answer
        return answer

    def network(self):
        """The shared network, once its DHCP answers."""
        network = self('GET', '/networks?shared=true')['networks'][0]
        wait_for('dnsmasq', lambda: self.dnsmasq(network['id']))
        return network

    def dnsmasq(self, network_id):
        """Process ids of the network's dnsmasq."""
        if netns.identity(names.namespace(network_id)) is None:
            return []
        numbers = commands.run('ip', 'netns', 'pids', names.namespace(network_id)).split()
        return [int(number) for number in numbers if b'dnsmasq' in read('/proc/%s/cmdline' % number)]

    def port(self, network_id, instance_id=None, **values):
        """A bound port, once DHCP knows of it."""
        port = self('POST', '/ports', {'port': {
            'network_id': network_id, 'device_id': instance_id or str(uuid.uuid4()), 'device_owner': 'compute:nova',
            'project_id': 'p-demo', 'binding:host_id': 'host', **values}})['port']
        assert port['binding:vif_details']['bridge_name'] == names.bridge(network_id)
        assert links.is_bridge(names.bridge(network_id))
        hosts = os.path.join(names.run_directory(self.installation), network_id, 'hosts')
        wait_for('the hosts file', lambda: port['mac_address'].encode() in read(hosts))
        return port

    def teardown(self):
        done = subprocess.run(
            [sys.executable, '-m', 'nova_lite.standins.neutron.dataplane.teardown', '--state-path', self.state_path],
            capture_output=True, text=True, check=False)
        assert (done.returncode, done.stderr) == (0, '')


def read(path):
    try:
        with open(path, 'rb') as file:
            return file.read()
    except OSError:
        return b''


class Guest:
    """A namespace whose one interface is plugged into a network's bridge, as a guest's tap would be."""

    def __init__(self, stack, directory, port):
        self.name = 'nl-test-' + uuid.uuid4().hex[:8]
        self.tap = names.tap(port['id'])
        self._script = directory / 'udhcpc.sh'
        self._script.write_text(DHCP_SCRIPT)
        self._script.chmod(0o755)
        commands.run('ip', 'netns', 'add', self.name)
        stack.callback(commands.run, 'ip', 'netns', 'del', self.name)
        commands.run('ip', 'link', 'add', self.tap, 'type', 'veth', 'peer', 'name', 'eth0', 'address',
                     port['mac_address'], 'netns', self.name)
        commands.run('ip', 'link', 'set', self.tap, 'master', names.bridge(port['network_id']), 'up')
        commands.run('ip', '-n', self.name, 'link', 'set', 'eth0', 'up')
        commands.run('ip', '-n', self.name, 'link', 'set', 'lo', 'up')

    def run(self, *arguments):
        return subprocess.run(['ip', 'netns', 'exec', self.name, *arguments], capture_output=True, text=True,
                              timeout=30, check=False)

    def dhcp(self):
        """What DHCP gave: {name of the option: value}. Takes the address and routes too."""
        done = self.run('busybox', 'udhcpc', '-i', 'eth0', '-n', '-q', '-f', '-t', '8', '-T', '1', '-s',
                        str(self._script), '-O', 'staticroutes', '-O', 'mtu', '-O', 'hostname')
        assert done.returncode == 0, done.stderr
        return dict(line.split('=', 1) for line in done.stdout.splitlines())

    def get(self, url):
        """(status, body) of an HTTP request; (None, '') when nobody listens."""
        done = self.run(sys.executable, '-c', GET, url)
        if 'Connection refused' in done.stderr:
            return None, ''
        assert done.returncode == 0, done.stderr
        status, _, body = done.stdout.partition(' ')
        return int(status), body.strip()

    def connects(self, address, port):
        """What a server at the address says first, None when it cannot be reached."""
        done = self.run(sys.executable, '-c', CONNECT, address, str(port))
        return done.stdout.strip() if done.returncode == 0 else None

    def pings(self, address):
        return self.run('busybox', 'ping', '-c', '2', '-W', '2', address).returncode == 0


class _Metadata(http.server.BaseHTTPRequestHandler):
    """Answers with the headers that it got."""

    def log_message(self, *_arguments):
        """Nothing to print."""

    def do_GET(self):
        body = json.dumps({'path': self.path, **dict(self.headers.items())}).encode()
        self.send_response(200)
        self.send_header('Content-Length', str(len(body)))
        self.end_headers()
        self.wfile.write(body)


@pytest.fixture(scope='module')
def metadata_url():
    server = http.server.ThreadingHTTPServer(('127.0.0.1', 0), _Metadata)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield 'http://127.0.0.1:%d' % server.server_port
    server.shutdown()
    server.server_close()


def traces():
    """What a data plane leaves on a host: devices, namespaces, firewall tables, processes, directories."""
    return {
        'devices': sorted(os.listdir('/sys/class/net')),
        'namespaces': sorted(line.split()[0] for line in commands.run('ip', 'netns').splitlines()),
        'tables': sorted(commands.run('nft', 'list', 'tables').splitlines()),
        'dnsmasq': sorted(number for number in os.listdir('/proc')
                          if number.isdigit() and b'/run/nova-lite-' in read('/proc/%s/cmdline' % number)),
        'directories': sorted(name for name in os.listdir('/run') if name.startswith('nova-lite-')),
    }


@pytest.fixture
def make(tmp_path, metadata_url):
    """Builds started services; removes all that they made, and sees that nothing is left."""
    before, made = traces(), []

    def build(name='state'):
        service = Service(tmp_path / name, metadata_url)
        service.start()
        made.append(service)
        return service
    yield build
    for service in made:
        service.kill()
        service.teardown()
    assert traces() == before


@pytest.fixture
def service(make):
    return make()


@pytest.fixture
def plug(service, tmp_path):
    """Plugs guests into ports; unplugs them before the service goes."""
    with contextlib.ExitStack() as stack:
        yield lambda port: Guest(stack, tmp_path, port)


@contextlib.contextmanager
def greeter(address, namespace=None):
    """A TCP server that says the address of whoever connects; gives its port."""
    if namespace is None:
        listener = socket.create_server((address, 0))
    else:
        listener, unused = netns.sockets(namespace, address, 0)
        unused.close()

    def serve():
        with contextlib.suppress(OSError):
            while True:
                connection, peer = listener.accept()
                connection.sendall(peer[0].encode())
                connection.close()
    threading.Thread(target=serve, daemon=True).start()
    try:
        yield listener.getsockname()[1]
    finally:
        listener.shutdown(socket.SHUT_RDWR)
        listener.close()


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
    signature = hmac.new(SECRET.encode(), b'instance-1', hashlib.sha256).hexdigest()
    assert status == 200
    assert {name: seen[name] for name in ('path', 'X-Instance-ID', 'X-Tenant-ID', 'X-Forwarded-For',
                                          'X-Instance-ID-Signature')} == {
        'path': '/openstack/latest', 'X-Instance-ID': 'instance-1', 'X-Tenant-ID': 'p-demo',
        'X-Forwarded-For': address, 'X-Instance-ID-Signature': signature}


def test_a_stranger_gets_nothing(service, plug):
    network = service.network()
    port = service.port(network['id'])
    guest = plug(port)
    guest.dhcp()
    service('DELETE', '/ports/' + port['id'])
    wait_for('404 for an address of nobody', lambda: guest.get('http://169.254.169.254/')[0] == 404)
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
    with greeter('0.0.0.0') as host_port:
        assert guest.connects('10.203.0.1', host_port) is None
        for own in json.loads(commands.run('ip', '-j', '-4', 'addr')):
            for entry in own['addr_info'][:1]:
                assert guest.connects(entry['local'], host_port) is None
    with greeter('0.0.0.0', guest.name) as guest_port, \
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
        with greeter('0.0.0.0', outside) as port:
            assert guest.connects('198.51.100.2', port) == '198.51.100.1'


def test_guests_of_an_isolated_network_reach_each_other_only(service, plug):
    network = service('POST', '/networks', {'network': {'name': 'mine'}})['network']
    service('POST', '/subnets', {'subnet': {'network_id': network['id'], 'ip_version': 4, 'cidr': '10.204.0.0/24'}})
    wait_for('dnsmasq', lambda: service.dnsmasq(network['id']))
    ports = [service.port(network['id'], 'i-%d' % number) for number in range(2)]
    one, other = [plug(port) for port in ports]
    one.dhcp()
    other.dhcp()
    assert one.pings(ports[1]['fixed_ips'][0]['ip_address'])
    assert json.loads(one.get('http://169.254.169.254/')[1])['X-Instance-ID'] == 'i-0'
    service('PUT', '/subnets/' + service('GET', '/networks/' + network['id'])['network']['subnets'][0],
            {'subnet': {'enable_dhcp': False}})
    wait_for('the end of DHCP', lambda: netns.identity(names.namespace(network['id'])) is None)
    assert links.is_bridge(names.bridge(network['id']))
    for port in ports:
        service('DELETE', '/ports/' + port['id'])
    service('DELETE', '/networks/' + network['id'])
    wait_for('the end of the bridge', lambda: not links.exists(names.bridge(network['id'])))


def test_an_isolated_network_does_not_reach_the_host(service, plug):
    """The host has no address there, but would take a packet that is sent to its bridge's MAC."""
    network = service('POST', '/networks', {'network': {'name': 'mine'}})['network']
    service('POST', '/subnets', {'subnet': {'network_id': network['id'], 'ip_version': 4, 'cidr': '10.204.0.0/24'}})
    wait_for('dnsmasq', lambda: service.dnsmasq(network['id']))
    guest = plug(service.port(network['id']))
    guest.dhcp()
    service.kill()
    commands.run('ip', '-n', guest.name, 'neigh', 'replace', '10.204.0.1', 'lladdr', names.bridge_mac(network['id']),
                 'dev', 'eth0')
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as receiver:
        receiver.bind(('10.203.0.1', 0))
        receiver.settimeout(1)

        def reaches():
            done = guest.run(sys.executable, '-c', SEND, '10.203.0.1', str(receiver.getsockname()[1]))
            assert done.returncode == 0, done.stderr
            try:
                return receiver.recv(10) == b'hello'
            except TimeoutError:
                return False
        assert not reaches()
        if read('/proc/sys/net/ipv4/conf/all/rp_filter').strip() == b'0':
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
    wait_for('a new dnsmasq', lambda: service.dnsmasq(network['id']) not in ([], old))
    wait_for('the firewall', lambda: table in commands.run('nft', 'list', 'tables'))
    commands.run('ip', 'link', 'del', names.bridge(network['id']))
    wait_for('the guest back in its bridge', lambda: links.master(guest.tap) == names.bridge(network['id']))
    commands.run('ip', 'netns', 'del', names.namespace(network['id']))
    wait_for('a new namespace', lambda: service.dnsmasq(network['id']) not in ([], old))
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
    wait_for('the metadata proxy', lambda: guest.get('http://169.254.169.254/')[0])
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
    wait_for('the guest back in its bridge', lambda: links.master(guest.tap) == names.bridge(network['id']))
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
