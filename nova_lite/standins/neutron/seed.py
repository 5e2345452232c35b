# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""The shared network that the first start makes, so that servers have something to be plugged into."""

import ipaddress
import re

from nova_lite.standins import identity
from nova_lite.standins.neutron import attributes

PHYSICAL_NETWORK = 'physnet1'
_RESOLVERS = ('/run/systemd/resolve/resolv.conf', '/etc/resolv.conf')


def seed(records, networks, subnets, *, project_id, name, cidr, dns_servers):
    """Make the flat shared network and its subnet for the project, unless an earlier start did.

    Raises rest.Fault when the range is not one that a subnet can have.
    """
    if records.get('seed', 'shared') is not None:
        return
    admin = identity.Identity(user_id='seed', user_name='seed', user_domain_id='default',
                              roles=frozenset(('admin',)), project_id=project_id)
    with records.change():
        network = _create(networks, admin, {
            'name': name, 'shared': True, 'provider:network_type': 'flat',
            'provider:physical_network': PHYSICAL_NETWORK})
        _create(subnets, admin, {
            'name': name + '-subnet', 'network_id': network['id'], 'cidr': cidr,
            'ip_version': ipaddress.ip_network(cidr, strict=False).version, 'dns_nameservers': dns_servers})
        records.put('seed', {'id': 'shared', 'network_id': network['id']})


def _create(resource, admin, document):
    values = attributes.parse(resource.attributes, document)
    return resource.add(admin, values)


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
