# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Subnets: their ranges, gateways and allocation pools, which must fit each other, and their DHCP port."""

import ipaddress

from nova_lite.standins.neutron import access
from nova_lite.standins.neutron import attributes
from nova_lite.standins.neutron import faults
from nova_lite.standins.neutron import resources
from nova_lite.standins.neutron import service_ports

_IPV6_MODES = ('slaac', 'dhcpv6-stateful', 'dhcpv6-stateless')
_pool = attributes.record({'start': attributes.address, 'end': attributes.address})
_route = attributes.record({'destination': attributes.cidr, 'nexthop': attributes.address})


class Subnets(resources.Resource):
    """The calls below /v2.0/subnets."""

    kind, plural, path = 'subnet', 'subnets', 'subnets'
    indexed = ('id', 'network_id', 'subnetpool_id', 'project_id')
    attributes = {
        **attributes.standard(),
        'network_id': attributes.Attribute(attributes.identifier, attributes.REQUIRED, put=False),
        'name': attributes.Attribute(attributes.text(255), ''),
        'ip_version': attributes.Attribute(attributes.integer(4, 6), attributes.REQUIRED, put=False),
        'cidr': attributes.Attribute(attributes.optional(attributes.cidr), None, put=False),
        'prefixlen': attributes.Attribute(attributes.optional(attributes.integer(0, 128)), None, put=False),
        'use_default_subnetpool': attributes.Attribute(attributes.boolean, False, put=False),
        'gateway_ip': attributes.Attribute(attributes.optional(attributes.address)),
        'allocation_pools': attributes.Attribute(attributes.list_of(_pool)),
        'dns_nameservers': attributes.Attribute(attributes.list_of(attributes.address, 5), ()),
        'host_routes': attributes.Attribute(attributes.list_of(_route, 20), ()),
        'enable_dhcp': attributes.Attribute(attributes.boolean, True),
        'ipv6_address_mode': attributes.Attribute(
            attributes.optional(attributes.one_of(*_IPV6_MODES)), None, put=False),
        'ipv6_ra_mode': attributes.Attribute(
            attributes.optional(attributes.one_of(*_IPV6_MODES)), None, put=False),
        'subnetpool_id': attributes.Attribute(attributes.optional(attributes.identifier), None, put=False),
        'router:external': attributes.read_only(), 'tags': attributes.read_only(),
    }

    def __init__(self, records, nets, pools, own_ports, plane):
        """`nets` and `pools` are the resources, `own_ports` the `ServicePorts`."""
        super().__init__(records)
        self.networks = nets
        self._pools = pools
        self._service_ports = own_ports
        self._plane = plane

    def visible(self, identity, record):
        network = self.records.get('network', record['network_id'])
        return access.owns(identity, record) or (network is not None and self.networks.visible(identity, network))

    def build(self, identity, record):
        network = self.networks.find(identity, record['network_id'])
        if not access.owns(identity, network):
            raise faults.forbidden('create_subnet')
        record = self._choose_range(identity, record, network)
        cidr = ipaddress.ip_network(record['cidr'])
        _check_version(record, cidr)
        for other in self.records.find('subnet', 'network_id', network['id']):
            if cidr.version == other['ip_version'] and cidr.overlaps(ipaddress.ip_network(other['cidr'])):
                raise faults.invalid('Requested subnet with cidr: %s for network: %s overlaps with another subnet'
                                     % (cidr, network['id']))
        record = {**record, 'tenant_id': network['project_id'], 'project_id': network['project_id'],
                  'dns_nameservers': list(record['dns_nameservers']), 'host_routes': list(record['host_routes'])}
        if 'gateway_ip' not in record:
            record['gateway_ip'] = _first_address(cidr)
        if 'allocation_pools' not in record:
            record['allocation_pools'] = _default_pools(cidr, record['gateway_ip'])
        _check(record, cidr)
        return record

    def _choose_range(self, identity, record, network):
        """The record with its range, from a pool if it asks for one."""
        record = dict(record)
        length, default, version = record.pop('prefixlen'), record.pop('use_default_subnetpool'), record['ip_version']
        if default and record['subnetpool_id'] is not None:
            raise faults.malformed('subnets', 'subnetpool_id and use_default_subnetpool cannot both be specified')
        if length is not None and record['cidr'] is not None:
            raise faults.malformed('subnets', 'cidr and prefixlen must not be supplied together')
        pool = None
        if default:
            pool = self._pools.default(version)
        elif record['subnetpool_id'] is not None:
            pool = self._pools.find(identity, record['subnetpool_id'])
        elif record['cidr'] is None:
            raise faults.malformed('subnets', 'a subnetpool must be specified in the absence of a cidr')
        if pool is not None and pool['ip_version'] != version:
            raise faults.malformed('subnets', 'Cannot allocate IPv%d subnet from IPv%d subnet pool'
                                   % (version, pool['ip_version']))
        record['subnetpool_id'] = pool and pool['id']
        if any(other['ip_version'] == version and other['subnetpool_id'] != record['subnetpool_id']
               for other in self.records.find('subnet', 'network_id', network['id'])):
            raise faults.bad('Subnets hosted on the same network must be allocated from the same subnet pool.',
                             'NetworkSubnetPoolAffinityError')
        if pool is not None:
            record['cidr'] = self._pools.allocate(pool, network['project_id'], length, record['cidr'])
        return record

    def view(self, identity, record):
        network = self.records.get('network', record['network_id'])
        return {**super().view(identity, record),
                'router:external': network is not None and self.networks.external(identity, network)}

    def built(self, record):
        self._service_ports.ensure_dhcp(record['network_id'])

    def revise(self, identity, record, values):
        gateway = values.get('gateway_ip')
        old = record['gateway_ip']
        if 'gateway_ip' in values and old and gateway != old:
            for port in self.records.find('port', 'address', (record['id'], old)):
                if port['device_owner'] == service_ports.ROUTER_INTERFACE:
                    raise faults.conflict('GatewayIpInUse', 'Current gateway ip %s already in use by port %s. Unable '
                                          'to update.' % (old, port['id']))
        if gateway and gateway != old and self.records.find('port', 'address',
                                                                             (record['id'], gateway)):
            raise faults.conflict('GatewayIpInUse', 'Current gateway ip %s already in use. Unable to update.'
                                  % gateway)
        if 'allocation_pools' in values and not values['allocation_pools']:
            raise faults.invalid('allocation_pools cannot be empty')
        record = {**record, **values}
        _check(record, ipaddress.ip_network(record['cidr']))
        return record

    def save(self, record):
        record = super().save(record)
        self._service_ports.ensure_dhcp(record['network_id'])
        return record

    def remove(self, identity, record):
        ports = self.records.find('port', 'subnet_id', record['id'])
        if any(port['device_owner'] not in service_ports.AUTO_DELETED for port in ports):
            raise faults.conflict('SubnetInUse', 'Unable to complete operation on subnet %s: One or more ports have '
                                  'an IP allocation from this subnet.' % record['id'])
        self._service_ports.ensure_dhcp(record['network_id'], without=record['id'])

    def changed(self, record):
        self._plane.changed(record['network_id'])


def _check_version(record, cidr):
    if record['ip_version'] not in (4, 6):
        raise faults.bad('Invalid input for ip_version. Reason: %d is not in [4, 6].' % record['ip_version'])
    if cidr.version != record['ip_version']:
        raise faults.invalid("cidr '%s' does not match the ip_version '%d'" % (cidr, record['ip_version']))
    if cidr.version == 4 and (record['ipv6_address_mode'] or record['ipv6_ra_mode']):
        raise faults.invalid('ipv6_ra_mode or ipv6_address_mode cannot be set when ip_version is set to 4')
    if cidr.version == 6 and (record['ipv6_address_mode'] or record['ipv6_ra_mode']) and not record['enable_dhcp']:
        raise faults.invalid('ipv6_ra_mode or ipv6_address_mode cannot be set when enable_dhcp is set to False')
    if record['ipv6_address_mode'] in ('slaac', 'dhcpv6-stateless') and cidr.prefixlen != 64:
        raise faults.invalid('Invalid CIDR %s for IPv6 address mode. OpenStack uses the EUI-64 address format, '
                             'which requires the prefix to be /64' % cidr)
    if cidr.is_multicast or cidr.is_loopback or cidr.is_link_local or cidr.prefixlen == 0:
        raise faults.invalid('cidr %s is not a range that hosts may have' % cidr)


def _check(record, cidr):
    """Raise a fault unless gateway, pools, servers and routes fit the range and each other."""
    if record['enable_dhcp'] and cidr.version == 4 and cidr.prefixlen > 30:
        raise faults.invalid('CIDR %s is too small for DHCP: its prefix length must be 30 or less' % cidr)
    addresses = [*record['dns_nameservers'], *([record['gateway_ip']] if record['gateway_ip'] else [])]
    for route in record['host_routes']:
        addresses += [route['destination'].partition('/')[0], route['nexthop']]
    for address in addresses:
        if ipaddress.ip_address(address).version != cidr.version:
            raise faults.invalid("'%s' does not match the ip_version '%d'" % (address, cidr.version))
    gateway = record['gateway_ip']
    if gateway and not _usable(cidr, ipaddress.ip_address(gateway)):
        raise faults.invalid('Gateway is not valid on subnet')
    _check_pools(record['allocation_pools'], cidr, gateway)


def _check_pools(pools, cidr, gateway):
    ranges = []
    for pool in pools:
        start, end = ipaddress.ip_address(pool['start']), ipaddress.ip_address(pool['end'])
        shown = '%s-%s' % (start, end)
        if start.version != cidr.version or end.version != cidr.version or start > end:
            raise faults.bad('The allocation pool %s is not valid.' % shown, 'InvalidAllocationPool')
        if not (_usable(cidr, start) and _usable(cidr, end)):
            raise faults.bad('The allocation pool %s spans beyond the subnet cidr %s.' % (shown, cidr),
                             'OutOfBoundsAllocationPool')
        if gateway and start <= ipaddress.ip_address(gateway) <= end:
            raise faults.conflict('GatewayConflictWithAllocationPools',
                                  'Gateway ip %s conflicts with allocation pool %s.' % (gateway, shown))
        ranges.append((start, end, shown))
    ranges.sort(key=lambda entry: entry[0])
    for (_start, end, first), (start, _end, second) in zip(ranges, ranges[1:], strict=False):
        if start <= end:
            raise faults.conflict('OverlappingAllocationPools', 'Found overlapping allocation pools: %s %s for '
                                  'subnet %s.' % (first, second, cidr))


def _usable(cidr, address):
    """Whether a host may have the address: in the range, not the network's own nor the broadcast address."""
    if address not in cidr:
        return False
    if cidr.version == 4 and cidr.prefixlen < 31:
        return address not in (cidr.network_address, cidr.broadcast_address)
    return True


def _first_address(cidr):
    """The gateway's address where the caller names none."""
    return str(cidr.network_address + (1 if cidr.prefixlen < cidr.max_prefixlen else 0))


def _default_pools(cidr, gateway):
    """All that hosts may have, but for the gateway."""
    first, last = int(cidr.network_address), int(cidr.broadcast_address)
    if cidr.version == 4 and cidr.prefixlen < 31:
        first, last = first + 1, last - 1
    elif cidr.version == 6 and cidr.prefixlen < 127:
        first += 1
    parts = [(first, last)]
    if gateway and ipaddress.ip_address(gateway) in cidr:
        middle = int(ipaddress.ip_address(gateway))
        parts = [(first, middle - 1), (middle + 1, last)]
    kind = ipaddress.IPv4Address if cidr.version == 4 else ipaddress.IPv6Address
    return [{'start': str(kind(start)), 'end': str(kind(end))} for start, end in parts if start <= end]
