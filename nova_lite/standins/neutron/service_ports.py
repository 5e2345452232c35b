# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""The ports that the service makes for itself: those of DHCP servers, routers and floating addresses."""

import socket

from nova_lite.standins.neutron import addresses
from nova_lite.standins.neutron import resources

DHCP = 'network:dhcp'
ROUTER_INTERFACE = 'network:router_interface'
ROUTER_GATEWAY = 'network:router_gateway'
FLOATING_IP = 'network:floatingip'
MANAGED = (ROUTER_INTERFACE, ROUTER_GATEWAY, FLOATING_IP)  # these come and go with what they belong to
AUTO_DELETED = (DHCP,)  # these go with their network or subnet


class ServicePorts:
    """Makes and removes such ports; every call only inside a change block of the records."""

    def __init__(self, records, plane):
        self._records = records
        self._plane = plane

    def add(self, network, owner, device_id, project_id, requests=None):
        """Make a port of the network; `requests` are the addresses wanted, None means one of each IP version."""
        port = self._new(network, owner, device_id, project_id)
        chooser = addresses.Chooser(self._records, network, port['mac_address'])
        fixed = chooser.any() if requests is None else chooser.wanted(requests)
        port = {**port, 'fixed_ips': fixed}
        self._records.put('port', port)
        return port

    def take(self, port, owner, device_id):
        """Use a port that somebody made."""
        port = resources.revised({**port, 'device_owner': owner, 'device_id': device_id,
                                  'binding:host_id': socket.gethostname()})
        self._records.put('port', port)
        return port

    def readdress(self, port, requests):
        """Give a port other addresses."""
        network = self._records.get('network', port['network_id'])
        chooser = addresses.Chooser(self._records, network, port['mac_address'])
        self._records.put('port', resources.revised({
            **port, 'fixed_ips': chooser.wanted(requests, port['fixed_ips'])}))

    def ensure_dhcp(self, network_id, without=None):
        """Give the network a DHCP port with an address in each subnet that has DHCP, or none where no subnet has.

        The subnet with the id `without` counts as gone. Does nothing where the host serves no DHCP.
        """
        if not self._plane.enabled:
            return
        network = self._records.get('network', network_id)
        subnets = {subnet['id'] for subnet in self._records.find('subnet', 'network_id', network_id)
                   if subnet['ip_version'] == 4 and subnet['enable_dhcp'] and subnet['id'] != without}
        port = next((port for port in self._records.find('port', 'network_id', network_id)
                     if port['device_owner'] == DHCP), None)
        if not subnets:
            if port is not None:
                self._records.delete('port', port['id'])
            return
        kept = [fixed for fixed in port['fixed_ips'] if fixed['subnet_id'] in subnets] if port else []
        missing = subnets - {fixed['subnet_id'] for fixed in kept}
        if port is None:
            port = self._new(network, DHCP, 'dhcp-' + network['id'], network['project_id'])
        elif not missing and kept == port['fixed_ips']:
            return
        chooser = addresses.Chooser(self._records, network, port['mac_address'])
        added = chooser.wanted([{'subnet_id': subnet_id} for subnet_id in sorted(missing)])
        self._records.put('port', resources.revised({**port, 'fixed_ips': kept + added}))

    def _new(self, network, owner, device_id, project_id):
        return {
            **resources.standard(project_id), 'network_id': network['id'], 'name': '', 'description': '',
            'admin_state_up': True, 'mac_address': addresses.new_mac(self._records, network['id']), 'fixed_ips': [],
            'device_id': device_id, 'device_owner': owner, 'security_groups': [], 'allowed_address_pairs': [],
            'port_security_enabled': False, 'dns_name': '', 'tags': [],
            'binding:host_id': '' if owner == FLOATING_IP else socket.gethostname(), 'binding:profile': {},
            'binding:vnic_type': 'normal', 'binding_failed': False}


def interfaces(records, router_id):
    """The ports that connect a router to its own networks, oldest first."""
    return [port for port in records.find('port', 'device_id', router_id)
            if port['device_owner'] == ROUTER_INTERFACE]
