# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""A network service and its guests on a real kernel: guests are namespaces with a veth in place of a tap."""

import contextlib
import http.server
import json
import os
import select
import socket
import subprocess
import sys
import threading
import time
import uuid

from nova_lite.standins.neutron.dataplane import commands
from nova_lite.standins.neutron.dataplane import links
from nova_lite.standins.neutron.dataplane import names
from nova_lite.standins.neutron.dataplane import netns

SECRET = 'shared-secret'
PATIENCE = float(os.environ.get('NOVA_LITE_TEST_PATIENCE', '1'))  # how much longer everything may take on this machine
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

def settle(condition, seconds):
    """Whether `condition()` comes true within the time."""
    deadline = time.monotonic() + seconds * PATIENCE
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.05)
    return True


def wait_for(what, condition, seconds=15):
    """Wait until `condition()` is true."""
    assert settle(condition, seconds), 'waited %d s for: %s' % (seconds, what)


class Service:
    """One installation's network service in a process of its own."""

    def __init__(self, state_path, metadata_url):
        self.state_path = str(state_path)
        self.installation = names.installation(self.state_path)
        self._arguments = [self.state_path, metadata_url, SECRET]
        self._process = None
        self.seen = set()  # ids of all that it told of

    def start(self):
        self._process = subprocess.Popen(
            [sys.executable, '-m', 'tests.system.dataplane.service', *self._arguments], text=True,
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
        self.seen |= identifiers(answer)
        return answer

    def network(self):
        """The shared network, once its DHCP answers."""
        network = self('GET', '/networks?shared=true')['networks'][0]
        wait_for('dnsmasq', lambda: self.dnsmasq(network['id']))
        return network

    def isolated(self, cidr, **values):
        """A network of its own, once its DHCP answers."""
        network = self('POST', '/networks', {'network': {'name': 'mine', 'project_id': 'p-demo'}})['network']
        subnet = self('POST', '/subnets', {'subnet': {
            'network_id': network['id'], 'ip_version': 4, 'cidr': cidr, **values}})['subnet']
        if subnet['enable_dhcp']:
            wait_for('dnsmasq', lambda: self.dnsmasq(network['id']))
        return {**network, 'subnet': subnet}

    def public(self):
        """The external network, once its bridge is there, with its subnet."""
        network = self('GET', '/networks?router:external=true')['networks'][0]
        wait_for('the external bridge', lambda: links.is_bridge(names.bridge(network['id'])))
        return {**network, 'subnet': self('GET', '/subnets/' + network['subnets'][0])['subnet']}

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
        if self.dnsmasq(network_id):
            hosts = os.path.join(names.run_directory(self.installation), network_id, 'hosts')
            wait_for('the hosts file', lambda: port['mac_address'].encode() in read(hosts))
        return port

    def allow(self, port, **values):
        """Add a rule to the first security group of the port, for what comes in unless it says otherwise."""
        return self('POST', '/security-group-rules', {'security_group_rule': {
            'security_group_id': port['security_groups'][0], 'direction': 'ingress', **values}})['security_group_rule']

    def teardown(self):
        done = subprocess.run(
            [sys.executable, '-m', 'nova_lite.standins.neutron.dataplane.teardown', '--state-path', self.state_path],
            capture_output=True, text=True, check=False)
        assert (done.returncode, done.stderr) == (0, '')


def address(port):
    """The first fixed address of a port."""
    return port['fixed_ips'][0]['ip_address']


def read(path):
    try:
        with open(path, 'rb') as file:
            return file.read()
    except OSError:
        return b''


RECEIVE = ('import socket, sys\n'
           's = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)\n'
           's.bind(("", int(sys.argv[1])))\n'
           'print("ready", flush=True)\n'
           'print(s.recv(100).decode(), flush=True)')
SEND_FROM = ('import socket, sys\n'
             's = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)\n'
             's.bind(("", int(sys.argv[1])))\n'
             's.sendto(sys.argv[4].encode(), (sys.argv[2], int(sys.argv[3])))')
FRAME = ('import socket, sys\n'
         's = socket.socket(socket.AF_PACKET, socket.SOCK_RAW)\n'
         's.bind(("eth0", 0))\n'
         's.send(bytes.fromhex(sys.argv[1]))')


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
        stack.callback(links.delete, self.tap)  # the namespace may live on for a connection that is left in it
        commands.run('ip', 'link', 'set', self.tap, 'master', names.bridge(port['network_id']), 'up')
        commands.run('ip', '-n', self.name, 'link', 'set', 'eth0', 'up')
        commands.run('ip', '-n', self.name, 'link', 'set', 'lo', 'up')

    def run(self, *arguments):
        return subprocess.run(['ip', 'netns', 'exec', self.name, *arguments], capture_output=True, text=True,
                              timeout=30 * PATIENCE, check=False)

    def dhcp(self):
        """What DHCP gave: {name of the option: value}. Takes the address and routes too."""
        done = self.run('busybox', 'udhcpc', '-i', 'eth0', '-n', '-q', '-f', '-t', '8', '-T', '1', '-s',
                        str(self._script), '-O', 'staticroutes', '-O', 'mtu', '-O', 'hostname')
        assert done.returncode == 0, done.stderr
        return dict(line.split('=', 1) for line in done.stdout.splitlines())

    def configure(self, port, subnet):
        """Take the port's address and the subnet's gateway, as a guest without DHCP would."""
        length = subnet['cidr'].partition('/')[2]
        commands.run('ip', '-n', self.name, 'addr', 'add', '%s/%s' % (address(port), length), 'dev', 'eth0')
        if subnet['gateway_ip']:
            commands.run('ip', '-n', self.name, 'route', 'add', 'default', 'via', subnet['gateway_ip'])

    def get(self, url):
        """(status, body) of an HTTP request; (None, '') when nobody answers."""
        done = self.run(sys.executable, '-c', GET, url)
        if any(reason in done.stderr for reason in ('Connection refused', 'timed out', 'No route to host')):
            return None, ''
        assert done.returncode == 0, done.stderr
        status, _, body = done.stdout.partition(' ')
        return int(status), body.strip()

    @contextlib.contextmanager
    def process(self, *arguments):
        """A process in the guest, ended with the block."""
        process = subprocess.Popen(['ip', 'netns', 'exec', self.name, *arguments], text=True,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        try:
            yield process
        finally:
            process.kill()
            process.communicate()

    @contextlib.contextmanager
    def receiver(self, port):
        """Waits for one UDP packet; gives a function that tells what came within a second, None if nothing did."""
        with self.process(sys.executable, '-c', RECEIVE, str(port)) as process:
            assert process.stdout.readline() == 'ready\n'

            def received():
                ready, _, _ = select.select([process.stdout], [], [], 1)
                return process.stdout.readline().strip() if ready else None
            yield received

    def send(self, own_port, address, port, text):
        """Send a UDP packet."""
        assert self.run(sys.executable, '-c', SEND_FROM, str(own_port), address, str(port), text).returncode == 0

    def send_frame(self, frame):
        """Send an Ethernet frame, whatever is in it."""
        done = self.run(sys.executable, '-c', FRAME, frame.hex())
        assert done.returncode == 0, done.stderr

    def connects(self, address, port):
        """What a server at the address says first, None when it cannot be reached."""
        done = self.run(sys.executable, '-c', CONNECT, address, str(port))
        return done.stdout.strip() if done.returncode == 0 else None

    def pings(self, address):
        return self.run('busybox', 'ping', '-c', '1', '-W', '1', address).returncode == 0


class Metadata(http.server.BaseHTTPRequestHandler):
    """Answers with the headers that it got."""

    def log_message(self, *_arguments):
        """Nothing to print."""

    def do_GET(self):
        body = json.dumps({'path': self.path, **dict(self.headers.items())}).encode()
        self.send_response(200)
        self.send_header('Content-Length', str(len(body)))
        self.end_headers()
        self.wfile.write(body)


def remains(service):
    """What is left on the host of a service that was torn down: devices, namespaces, tables, processes, files."""
    mark, run = names.alias(service.installation, ''), names.run_directory(service.installation)
    own = {prefix + identifier[:11] for identifier in service.seen for prefix in ('brq', 'tap')}
    own |= {prefix + identifier for identifier in service.seen for prefix in ('qdhcp-', 'qrouter-')}
    return [
        *links.owned(mark), *own.intersection(os.listdir(links.SYSFS)),
        *own.intersection(line.split()[0] for line in commands.run('ip', 'netns').splitlines()),
        *(line for line in commands.run('nft', 'list', 'tables').splitlines() if service.installation in line),
        *(number for number in os.listdir('/proc')
          if number.isdigit() and run.encode() in read('/proc/%s/cmdline' % number)),
        *([run] if os.path.exists(run) else [])]


def identifiers(answer):
    """Every id in a decoded answer."""
    if isinstance(answer, list):
        return {found for entry in answer for found in identifiers(entry)}
    if isinstance(answer, dict):
        return {found for value in answer.values() for found in identifiers(value)} | (
            {answer['id']} if 'id' in answer else set())
    return set()


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
