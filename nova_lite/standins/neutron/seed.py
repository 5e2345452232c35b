# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""The shared network that the first start makes, so that servers have something to be plugged into."""

import ipaddress
import re

from nova_lite.standins import identity
from nova_lite.standins import rest
from nova_lite.standins.neutron import attributes

PHYSICAL_NETWORK = 'physnet1'
_RANGES_TRIED = 200
_RESOLVERS = ('/run/systemd/resolve/resolv.conf', '/etc/resolv.conf')


def seed(networks, subnets, plane, *, project_id, name, cidr):
    """Make the flat shared network and its subnet for the project, unless an earlier start did.

    Raises ValueError when `cidr` is not a range that a subnet can have.
    """
    records = networks.records
    if records.get('seed', 'shared') is not None:
        return
    cidr = free_range(cidr, plane.host_ranges())
    dns_servers = host_dns_servers() if plane.enabled else []
    admin = identity.Identity(user_id='seed', user_name='seed', user_domain_id='default',
                              roles=frozenset(('admin',)), project_id=project_id)
    with records.change():
        network = _create(networks, admin, {
            'name': name, 'shared': True, 'provider:network_type': 'flat',
            'provider:physical_network': PHYSICAL_NETWORK})
        _create(subnets, admin, {
            'name': name + '-subnet', 'network_id': network['id'], 'cidr': cidr,
            'ip_version': ipaddress.ip_network(cidr).version, 'dns_nameservers': dns_servers})
        records.put('seed', {'id': 'shared', 'network_id': network['id']})


def _create(resource, admin, document):
    try:
        return resource.add(admin, attributes.parse(resource.attributes, document))
    except rest.Fault as fault:
        raise ValueError('the shared network cannot be made: %s' % fault.message) from None


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
