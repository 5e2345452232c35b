# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""What the data plane asks of the records: which networks there are, what each needs, and who has an address."""

import ipaddress

from nova_lite.standins.neutron import ports
from nova_lite.standins.neutron import security_group_rules
from nova_lite.standins.neutron import service_ports
from nova_lite.standins.neutron.dataplane import plan


class Source:
    """Reads the records for the data plane; safe from any thread.

    What needs records that fit each other is read in a change block, in which nobody else changes them.
    """

    def __init__(self, records):
        self._records = records

    def networks(self):
        return [network['id'] for network in self._records.all('network')]

    def owner_at(self, network_id, address):
        """(instance id, project id) of the server that has the address, None when none has."""
        for subnet in self._records.find('subnet', 'network_id', network_id):
            for port in self._records.find('port', 'address', (subnet['id'], address)):
                if port['device_id'] and not port['device_owner'].startswith('network:'):
                    return port['device_id'], port['project_id']
        return None

    def plan(self, network_id):
        """The `plan.Network` of a network, None when it is gone."""
        with self._records.change():
            network = self._records.get('network', network_id)
            return network and self._network(network)

    def _network(self, network):
        subnets = [subnet for subnet in self._records.find('subnet', 'network_id', network['id'])
                   if subnet['ip_version'] == 4]
        found = self._records.find('port', 'network_id', network['id'])
        dhcp = next((port for port in found if port['device_owner'] == service_ports.DHCP), None)
        served = _served(subnets, dhcp)
        return plan.Network(
            id=network['id'], mtu=network['mtu'], domain=ports.DNS_DOMAIN,
            gateways=_gateways(subnets) if network['provider:network_type'] == 'flat' else (),
            dhcp_port=dhcp['id'] if served else None, dhcp_mac=dhcp['mac_address'] if served else None,
            subnets=served, hosts=_hosts(found, {subnet.id for subnet in served}),
            ports=tuple(port['id'] for port in found if port['binding:host_id'] and port is not dhcp))

    def routers(self):
        """A `plan.Router` of each router that is switched on."""
        with self._records.change():
            return [self._router(router) for router in self._records.all('router') if router['admin_state_up']]

    def _router(self, router):
        gateway = self._records.get('port', router['gateway_port_id'])
        hops = [self._records.get('subnet', fixed['subnet_id'])['gateway_ip']
                for fixed in (gateway['fixed_ips'] if gateway else ()) if ':' not in fixed['ip_address']]
        return plan.Router(
            id=router['id'], snat=router['enable_snat'], next_hop=hops[0] if hops else None,
            interfaces=tuple(self._interface(port)
                             for port in service_ports.interfaces(self._records, router['id'])),
            gateway=self._interface(gateway) if gateway else None,
            floating=tuple((floating['floating_ip_address'], floating['fixed_ip_address'])
                           for floating in self._records.find('floatingip', 'router_id', router['id'])),
            routes=tuple((route['destination'], route['nexthop']) for route in router['routes']
                         if ':' not in route['nexthop']))

    def _interface(self, port):
        return plan.Interface(
            port['id'], port['mac_address'], port['network_id'],
            self._records.get('network', port['network_id'])['mtu'],
            tuple('%s/%s' % (fixed['ip_address'],
                             self._records.get('subnet', fixed['subnet_id'])['cidr'].partition('/')[2])
                  for fixed in port['fixed_ips'] if ':' not in fixed['ip_address']))

    def owner_behind(self, router_id, address):
        """(instance id, project id) of the server at the address on one of the router's own networks, or None."""
        for port in service_ports.interfaces(self._records, router_id):
            owner = self.owner_at(port['network_id'], address)
            if owner is not None:
                return owner
        return None

    def security(self):
        """The `plan.Security` of all ports."""
        with self._records.change():
            return self._security()

    def _security(self):
        found = self._records.all('port')
        secured = tuple(
            plan.SecuredPort(port['id'], port['mac_address'], _addresses(port), tuple(port['security_groups']))
            for port in found if ports.filtered(port))
        used = dict.fromkeys(group for port in secured for group in port.groups)
        groups = {group: tuple(_rule(record) for record in self._records.find(
            'security_group_rule', 'security_group_id', group)) for group in used}
        remote = {rule.remote_group for rules in groups.values() for rule in rules} - {None}
        return plan.Security(
            secured, groups, {group: self._members(group) for group in remote},
            frozenset(port['id'] for port in found))

    def _members(self, group_id):
        """The addresses of the ports of a security group, as networks."""
        return frozenset(network for port in self._records.find('port', 'security_group_id', group_id)
                         for _mac, network in _addresses(port))


def _addresses(port):
    """(MAC, network) of all that a port may use."""
    pairs = [(port['mac_address'], fixed['ip_address']) for fixed in port['fixed_ips']]
    pairs += [(pair['mac_address'], pair['ip_address']) for pair in port['allowed_address_pairs']]
    return tuple((mac, str(ipaddress.ip_network(address))) for mac, address in pairs)


def _rule(record):
    protocol = record['protocol']
    return plan.Rule(
        direction=record['direction'], version=4 if record['ethertype'] == 'IPv4' else 6,
        protocol=None if protocol is None else security_group_rules.PROTOCOLS.get(protocol) or int(protocol),
        low=record['port_range_min'], high=record['port_range_max'], prefix=record['normalized_cidr'],
        remote_group=record['remote_group_id'])


def _gateways(subnets):
    return tuple('%s/%d' % (subnet['gateway_ip'], ipaddress.ip_network(subnet['cidr']).prefixlen)
                 for subnet in subnets if subnet['gateway_ip'])


def _served(subnets, dhcp):
    """The subnets in which the DHCP port has an address."""
    addresses = {fixed['subnet_id']: fixed['ip_address'] for fixed in dhcp['fixed_ips']} if dhcp else {}
    return tuple(
        plan.Subnet(
            id=subnet['id'], cidr=subnet['cidr'], gateway=subnet['gateway_ip'], dhcp_address=addresses[subnet['id']],
            dns_servers=tuple(subnet['dns_nameservers']),
            routes=tuple((route['destination'], route['nexthop']) for route in subnet['host_routes']))
        for subnet in subnets if subnet['enable_dhcp'] and subnet['id'] in addresses)


def _hosts(found, served):
    """One address of every port in every subnet that is served, sorted so that equal plans compare equal."""
    hosts = {}
    for port in found:
        if port['device_owner'] != service_ports.DHCP:
            for fixed in port['fixed_ips']:
                if fixed['subnet_id'] in served:
                    name = ports.host_name(port, fixed['ip_address']).partition('.')[0]
                    hosts.setdefault((port['mac_address'], fixed['subnet_id']), plan.Host(
                        port['mac_address'], fixed['ip_address'], name))
    return tuple(hosts[key] for key in sorted(hosts))
