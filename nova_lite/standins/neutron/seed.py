# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""What the first start makes: a network to plug servers into, one to reach the world by, and a pool of ranges."""

import ipaddress
import re

from nova_lite.standins import identity
from nova_lite.standins import rest
from nova_lite.standins.neutron import attributes

_RANGES_TRIED = 200
_RESOLVERS = ('/run/systemd/resolve/resolv.conf', '/etc/resolv.conf')
POOL = {'name': 'shared-default-subnetpool-v4', 'prefixes': ['10.100.0.0/16'], 'default_prefixlen': 26,
        'shared': True, 'is_default': True}


class Seeds:
    """Makes each of them once in the life of a database. Raises ValueError for a range that a subnet cannot have."""

    def __init__(self, networks, subnets, pools, plane):
        """The resources, and the data plane, which knows the ranges that the host has already."""
        self._records = networks.records
        self._networks = networks
        self._subnets = subnets
        self._pools = pools
        self._plane = plane

    def shared(self, project_id, name, cidr):
        """A flat network that all projects may use, of the given project."""
        if self._new('shared'):
            self._make('shared', project_id, {
                'name': name, 'shared': True, 'provider:network_type': 'flat',
                'provider:physical_network': 'physnet1'}, {'cidr': cidr})

    def external(self, name, cidr):
        """The network that routers lead to. It is nobody's own, so that no project takes it for one of its networks."""
        if cidr and self._new('external'):
            self._make('external', '', {
                'name': name, 'router:external': True, 'is_default': True, 'provider:network_type': 'flat',
                'provider:physical_network': 'public'}, {'cidr': cidr, 'enable_dhcp': False})

    def pool(self, project_id):
        """The default subnet pool, of the given project."""
        if self._new('pool'):
            with self._records.change():
                pool = _create(self._pools, project_id, POOL)
                self._records.put('seed', {'id': 'pool', 'subnetpool_id': pool['id']})

    def _new(self, seed):
        return self._records.get('seed', seed) is None

    def _make(self, seed, project_id, network, subnet):
        taken = [*self._plane.host_ranges(), *(each['cidr'] for each in self._records.all('subnet'))]
        cidr = free_range(subnet['cidr'], taken)
        dns_servers = host_dns_servers() if self._plane.enabled else []
        with self._records.change():
            made = _create(self._networks, project_id, network)
            _create(self._subnets, project_id, {
                'name': network['name'] + '-subnet', 'network_id': made['id'],
                'ip_version': ipaddress.ip_network(cidr).version, 'dns_nameservers': dns_servers, **subnet,
                'cidr': cidr})
            self._records.put('seed', {'id': seed, 'network_id': made['id']})


def _create(resource, project_id, document):
    admin = identity.Identity(user_id='seed', user_name='seed', user_domain_id='default',
                              roles=frozenset(('admin',)), project_id=project_id)
    try:
        return resource.add(admin, attributes.parse(resource.attributes, document))
    except rest.Fault as fault:
        raise ValueError('%s cannot be made: %s' % (document['name'], fault.message)) from None


def free_range(cidr, taken):
    """The range itself, or the next of the same size that overlaps none of `taken`. Raises ValueError."""
    wanted = ipaddress.ip_network(cidr)
    taken = [ipaddress.ip_network(text) for text in taken]
    for step in range(_RANGES_TRIED):
        first = int(wanted.network_address) + step * wanted.num_addresses
        candidate = type(wanted)((first, wanted.prefixlen))
        if not any(candidate.version == other.version and candidate.overlaps(other) for other in taken):
            return str(candidate)
    raise ValueError('every range from %s on is in use on this machine' % cidr)


def host_dns_servers():
    """The IPv4 name servers that this machine uses and that a guest can use too."""
    for path in _RESOLVERS:
        try:
            with open(path, encoding='utf-8') as file:
                found = re.findall(r'^nameserver\s+([0-9.]+)\s*$', file.read(), re.MULTILINE)
        except OSError:
            continue
        servers = [server for server in found if not ipaddress.ip_address(server).is_loopback]
        if servers:
            return servers[:3]
    return []
