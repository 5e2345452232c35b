# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""What the data plane asks of the records: which networks there are, what each needs, and who has an address."""

import ipaddress

from nova_lite.standins.neutron import ports
from nova_lite.standins.neutron.dataplane import plan


class Source:
    """Reads the records for the data plane; safe from any thread."""

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
        network = self._records.get('network', network_id)
        if network is None:
            return None
        subnets = [subnet for subnet in self._records.find('subnet', 'network_id', network_id)
                   if subnet['ip_version'] == 4]
        found = self._records.find('port', 'network_id', network_id)
        dhcp = next((port for port in found if port['device_owner'] == ports.DHCP_OWNER), None)
        served = _served(subnets, dhcp)
        return plan.Network(
            id=network_id, mtu=network['mtu'], domain=ports.DNS_DOMAIN,
            gateways=_gateways(subnets) if network['provider:network_type'] == 'flat' else (),
            dhcp_port=dhcp['id'] if served else None, dhcp_mac=dhcp['mac_address'] if served else None,
            subnets=served, hosts=_hosts(found, {subnet.id for subnet in served}),
            ports=tuple(port['id'] for port in found if port['binding:host_id'] and port is not dhcp))


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
        if port['device_owner'] != ports.DHCP_OWNER:
            for fixed in port['fixed_ips']:
                if fixed['subnet_id'] in served:
                    name = ports.host_name(port, fixed['ip_address']).partition('.')[0]
                    hosts.setdefault((port['mac_address'], fixed['subnet_id']), plan.Host(
                        port['mac_address'], fixed['ip_address'], name))
    return tuple(hosts[key] for key in sorted(hosts))
