# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Chooses and checks the MAC and IP addresses of ports."""

import ipaddress
import secrets

from nova_lite.standins.neutron import faults

MAC_PREFIX = 'fa:16:3e'
MAX_FIXED_IPS = 5
_EUI64_MODES = ('slaac', 'dhcpv6-stateless')


def new_mac(records, network_id):
    """An address that no port of the network has."""
    while True:
        tail = secrets.token_hex(3)
        mac = '%s:%s:%s:%s' % (MAC_PREFIX, tail[:2], tail[2:4], tail[4:])
        if not records.count('port', 'mac', (network_id, mac)):
            return mac


def require_free_mac(records, network_id, mac):
    if records.count('port', 'mac', (network_id, mac)):
        raise faults.conflict('MacAddressInUse', 'Unable to complete operation for network %s. The mac address %s '
                              'is in use.' % (network_id, mac))


class Chooser:
    """Settles the fixed addresses of one port, without taking them: they are the port's once it is put."""

    def __init__(self, records, network, mac):
        self._records = records
        self._network_id = network['id']
        self._routed = network['provider:network_type'] == 'flat'  # the host itself is the gateway
        self._mac = mac
        self._subnets = records.find('subnet', 'network_id', network['id'])

    def any(self):
        """An address for a port that asks for none: one IPv4 and one IPv6, and all that follow from the MAC."""
        chosen = []
        for version in (4, 6):
            plain = [subnet for subnet in self._subnets
                     if subnet['ip_version'] == version and subnet['ipv6_address_mode'] not in _EUI64_MODES]
            if plain:
                chosen.append(self._first_free(plain))
        return chosen + [self._derived(subnet) for subnet in self._subnets
                         if subnet['ipv6_address_mode'] in _EUI64_MODES]

    def wanted(self, requests, present=()):
        """Addresses for `requests` ({'subnet_id', 'ip_address'}, either; {}: any IPv4); what is `present` is kept."""
        if len(requests) > MAX_FIXED_IPS:
            raise faults.invalid('Exceeded maximum amount of fixed ips per port')
        kept, chosen = list(present), []
        for request in sorted(requests, key=lambda request: 'ip_address' not in request):
            chosen.append(self._settle(request, kept, chosen))
        return chosen

    def _settle(self, request, kept, chosen):
        if not request:
            return self._first_free([subnet for subnet in self._subnets if subnet['ip_version'] == 4], chosen)
        subnet = self._subnet(request)
        address = request.get('ip_address')
        for fixed in kept:
            if fixed['subnet_id'] == subnet['id'] and address in (None, fixed['ip_address']):
                kept.remove(fixed)
                return fixed
        if address is None:
            fixed = self._derived(subnet) if subnet['ipv6_address_mode'] in _EUI64_MODES else self._first_free(
                [subnet], chosen)
        else:
            fixed = {'subnet_id': subnet['id'], 'ip_address': address}
        taken_by_host = self._routed and fixed['ip_address'] == subnet['gateway_ip']
        if taken_by_host or fixed in chosen or self._records.allocators[subnet['id']].uses(fixed['ip_address']):
            raise faults.conflict('IpAddressAlreadyAllocated', 'IP address %s already allocated in subnet %s' % (
                fixed['ip_address'], subnet['id']))
        return fixed

    def _subnet(self, request):
        """The subnet that a request for an address is about."""
        address = ipaddress.ip_address(request['ip_address']) if 'ip_address' in request else None
        if 'subnet_id' not in request:
            for subnet in self._subnets:
                if address in ipaddress.ip_network(subnet['cidr']):
                    return self._require_host(subnet, address)
            raise faults.bad('IP address %s is not a valid IP for any of the subnets on the specified network.'
                             % address, 'InvalidIpForNetwork')
        subnet = self._records.get('subnet', request['subnet_id'])
        if subnet is None:
            raise faults.missing('subnet', request['subnet_id'])
        if subnet['network_id'] != self._network_id:
            raise faults.invalid('Failed to create port on network %s, because fixed_ips included invalid subnet %s'
                                 % (self._network_id, subnet['id']))
        return subnet if address is None else self._require_host(subnet, address)

    def _require_host(self, subnet, address):
        cidr = ipaddress.ip_network(subnet['cidr'])
        reserved = cidr.version == 4 and cidr.prefixlen < 31 and address in (
            cidr.network_address, cidr.broadcast_address)
        if address not in cidr or reserved:
            raise faults.bad('IP address %s is not a valid IP for the specified subnet.' % address,
                             'InvalidIpForSubnet')
        return subnet

    def _first_free(self, subnets, chosen=()):
        for subnet in subnets:
            address = self._records.allocators[subnet['id']].find(
                [fixed['ip_address'] for fixed in chosen if fixed['subnet_id'] == subnet['id']])
            if address is not None:
                return {'subnet_id': subnet['id'], 'ip_address': address}
        raise faults.conflict('IpAddressGenerationFailure',
                              'No more IP addresses available on network %s.' % self._network_id)

    def _derived(self, subnet):
        """The address that a guest gives itself from its MAC (modified EUI-64)."""
        octets = bytearray.fromhex(self._mac.replace(':', ''))
        octets[0] ^= 2
        tail = int.from_bytes(octets[:3] + b'\xff\xfe' + octets[3:], 'big')
        return {'subnet_id': subnet['id'],
                'ip_address': str(ipaddress.ip_network(subnet['cidr']).network_address + tail)}
