# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""The dnsmasq process of one network: its files, its start and end, and what it does about changed ports.

It is a daemon of its own, so guests keep DHCP while the stand-ins restart. It gives addresses to known ports only.
A changed port is a rewritten file and a SIGHUP; anything else that changes is a new process.
"""

import ipaddress
import os
import signal
import time

from nova_lite.standins.neutron.dataplane import commands
from nova_lite.standins.neutron.dataplane import netns
from nova_lite.standins.neutron.dataplane import release

LEASE_SECONDS = 86400
METADATA = '169.254.169.254/32'
STOP_SECONDS = 3
_CONF, _HOSTS, _OPTIONS, _PID = 'dnsmasq.conf', 'hosts', 'options', 'dnsmasq.pid'


def configuration(network, device, directory):
    """The text of dnsmasq.conf. `device` is the one in the namespace, `directory` where the files are."""
    lines = [
        'interface=' + device, 'except-interface=lo', 'bind-interfaces', 'port=0', 'no-resolv', 'no-hosts',
        'dhcp-authoritative', 'domain=' + network.domain,
        'leasefile-ro',  # the port list is the truth: a lease that was forgotten is granted again
        'dhcp-lease-max=65536', 'pid-file=' + os.path.join(directory, _PID),
        'dhcp-hostsfile=' + os.path.join(directory, _HOSTS), 'dhcp-optsfile=' + os.path.join(directory, _OPTIONS),
    ]
    for subnet in network.subnets:
        cidr = ipaddress.ip_network(subnet.cidr)
        lines.append('dhcp-range=set:%s,%s,static,%s,%ds' % (
            _tag(subnet), cidr.network_address, cidr.netmask, LEASE_SECONDS))
    return '\n'.join(lines) + '\n'


def hosts(network):
    """The text of the hosts file: a line for each port's address.

    Names are full: dnsmasq takes a bare `ignore`, `infinite` or `42` for something else than a name.
    """
    return ''.join('%s,%s.%s,%s\n' % (host.mac, host.name, network.domain, host.address) for host in network.hosts)


def options(network):
    """The text of the options file: routes, gateway, DNS servers and MTU of each subnet."""
    lines = ['option:mtu,%d' % network.mtu]
    for subnet in network.subnets:
        prefix = 'tag:%s,' % _tag(subnet)
        routes = [METADATA, subnet.dhcp_address]
        for destination, next_hop in subnet.routes:
            routes += [destination, next_hop]
        if subnet.gateway:
            # A client that takes classless routes ignores the router option, so the gateway is in both.
            routes += ['0.0.0.0/0', subnet.gateway]
        lines.append(prefix + 'option:classless-static-route,' + ','.join(routes))
        lines.append(prefix + '249,' + ','.join(routes))
        # An option without a value keeps dnsmasq from offering its own address as gateway or DNS server.
        lines.append(prefix + 'option:router' + (',' + subnet.gateway if subnet.gateway else ''))
        lines.append(prefix + ','.join(['option:dns-server', *subnet.dns_servers]))
    return '\n'.join(lines) + '\n'


def _tag(subnet):
    return 'subnet-' + subnet.id


class Dnsmasq:
    """The dnsmasq of one network, in the named namespace, with its files in `directory`."""

    def __init__(self, directory, namespace):
        self._directory = directory
        self._namespace = namespace

    def _path(self, name):
        return os.path.join(self._directory, name)

    def pid(self):
        """Process id of the running dnsmasq, None when it doesn't run."""
        try:
            with open(self._path(_PID), encoding='ascii') as record:
                number = int(record.read())
            with open('/proc/%d/cmdline' % number, 'rb') as record:
                words = record.read().split(b'\0')
        except (OSError, ValueError):
            return None
        return number if ('--conf-file=' + self._path(_CONF)).encode() in words else None

    def serves(self):
        """Whether dnsmasq runs, and in the namespace that has the name now."""
        number = self.pid()
        try:
            return number is not None and netns.identity_of(number) == netns.identity(self._namespace)
        except OSError:
            return False

    def apply(self, network, device, sender=None):
        """Make the running dnsmasq serve `network`: start it, start it anew, or have it read its files again.

        `sender`, a UDP socket in the namespace, tells it of ports that are gone.
        """
        old_hosts = _read(self._path(_HOSTS))
        conf = configuration(network, device, self._directory)
        texts = {_HOSTS: hosts(network), _OPTIONS: options(network), _CONF: conf}
        changed = {name for name, text in texts.items() if text != _read(self._path(name))}
        number = self.pid()
        if number is not None and (_CONF in changed or not self.serves()):
            self.stop()
            number = None
        for name in changed:
            _write(self._path(name), texts[name])
        if number is None:
            commands.run('ip', 'netns', 'exec', self._namespace, 'dnsmasq', '--conf-file=' + self._path(_CONF))
        elif changed:
            os.kill(number, signal.SIGHUP)
            if sender is not None:
                gone = set(old_hosts.splitlines()) - set(texts[_HOSTS].splitlines())
                release.send(sender, _leases(network, gone))

    def stop(self):
        """End the process, if it runs, and wait for its end."""
        number = self.pid()
        if number is None:
            return
        deadline = time.monotonic() + STOP_SECONDS
        os.kill(number, signal.SIGTERM)
        while self.pid() is not None:
            if time.monotonic() > deadline:
                os.kill(number, signal.SIGKILL)
                return
            time.sleep(0.005)


def _leases(network, lines):
    """The leases that lines of the hosts file stand for."""
    for line in lines:
        mac, _name, address = line.split(',')
        for subnet in network.subnets:
            if ipaddress.ip_address(address) in ipaddress.ip_network(subnet.cidr):
                yield release.Lease(mac, address, subnet.dhcp_address)


def _read(path):
    try:
        with open(path, encoding='utf-8') as file:
            return file.read()
    except OSError:
        return ''


def _write(path, text):
    """Replace the file at once, so that dnsmasq never reads half of it."""
    beside = path + '.new'
    with open(beside, 'w', encoding='utf-8') as file:
        file.write(text)
    os.chmod(beside, 0o644)
    os.replace(beside, path)
