# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Floating addresses: one of an external network, led by a router to one of a port behind it."""

import ipaddress

from nova_lite.standins import rest
from nova_lite.standins.neutron import access
from nova_lite.standins.neutron import attributes
from nova_lite.standins.neutron import faults
from nova_lite.standins.neutron import resources
from nova_lite.standins.neutron import service_ports

_PORT_DETAILS = ('name', 'network_id', 'mac_address', 'admin_state_up', 'status', 'device_id', 'device_owner')


class FloatingIps(resources.Resource):
    """The calls below /v2.0/floatingips."""

    kind, plural, path = 'floatingip', 'floatingips', 'floatingips'
    indexed = ('id', 'port_id', 'router_id', 'floating_network_id', 'project_id')
    attributes = {
        **attributes.standard(),
        'floating_network_id': attributes.Attribute(attributes.identifier, attributes.REQUIRED, put=False),
        'floating_ip_address': attributes.Attribute(
            attributes.optional(attributes.address), None, put=False, privileged=True),
        'subnet_id': attributes.Attribute(attributes.optional(attributes.identifier), None, put=False),
        'port_id': attributes.Attribute(attributes.optional(attributes.identifier), None),
        'fixed_ip_address': attributes.Attribute(attributes.optional(attributes.address), None),
        'dns_name': attributes.Attribute(attributes.host_name, '', put=False),
        'dns_domain': attributes.Attribute(attributes.host_name, '', put=False),
        'router_id': attributes.read_only(), 'status': attributes.read_only(),
        'port_details': attributes.read_only(), 'tags': attributes.read_only(),
    }

    def __init__(self, records, nets, ports, own_ports, look):
        """`nets` and `ports` are the resources, `own_ports` the `ServicePorts`; each change is followed by `look()`."""
        super().__init__(records)
        self._networks = nets
        self._ports = ports
        self._service_ports = own_ports
        self._look = look

    def render(self, record):
        port = self.records.get('port', record['port_id'])
        view = port and self._ports.render(port)
        return {**record, 'status': 'ACTIVE' if record['router_id'] else 'DOWN',
                'port_details': view and {name: view[name] for name in _PORT_DETAILS}}

    def build(self, identity, record):
        network = self._networks.find(identity, record['floating_network_id'])
        if not self._networks.external(identity, network):
            raise faults.malformed('floatingip', 'Network %s is not a valid external network' % network['id'])
        wanted = {'ip_address': record['floating_ip_address'], 'subnet_id': record.pop('subnet_id')}
        wanted = {name: value for name, value in wanted.items() if value is not None}
        port = self._service_ports.add(network, service_ports.FLOATING_IP, record['id'], '',
                                       [wanted])
        record['floating_ip_address'] = port['fixed_ips'][0]['ip_address']
        return {**record, **self._associate(identity, record, record['port_id'], record['fixed_ip_address'])}

    def revise(self, identity, record, values):
        # A request that names no port and changes nothing else takes the address off its port, as an empty one does.
        if 'port_id' in values or 'fixed_ip_address' in values or not values:
            values.update(self._associate(identity, record, values.get('port_id'), values.get('fixed_ip_address')))
        return {**record, **values}

    def remove(self, identity, record):
        for port in self.records.find('port', 'device_id', record['id']):
            if port['device_owner'] == service_ports.FLOATING_IP:
                self.records.delete('port', port['id'])

    def changed(self, record):
        self._look()

    # Association.

    def _associate(self, identity, record, port_id, fixed_address):
        """The values that lead the floating address to a port, or to none."""
        if port_id is None:
            if fixed_address is not None:
                raise faults.malformed('floatingip', 'fixed_ip_address cannot be specified without a port_id')
            return {'port_id': None, 'fixed_ip_address': None, 'router_id': None}
        port = self._ports.find(identity, port_id)
        if not access.privileged(identity) and port['project_id'] != record['project_id']:
            raise faults.malformed('floatingip', 'Port %s is associated with a different project than Floating IP %s '
                                   'and therefore cannot be bound' % (port_id, record['id']))
        fixed = _fixed_ip(port, fixed_address)
        for other in self.records.find('floatingip', 'port_id', port_id):
            if (other['id'] != record['id'] and other['fixed_ip_address'] == fixed['ip_address']
                    and other['floating_network_id'] == record['floating_network_id']):
                raise faults.conflict(
                    'FloatingIPPortAlreadyAssociated', 'Cannot associate floating IP %s (%s) with port %s using fixed '
                    'IP %s, as that fixed IP already has a floating IP on external network %s.' % (
                        record['floating_ip_address'], record['id'], port_id, fixed['ip_address'],
                        record['floating_network_id']))
        return {'port_id': port_id, 'fixed_ip_address': fixed['ip_address'],
                'router_id': self._router(record, port, fixed['subnet_id'])}

    def _router(self, record, port, subnet_id):
        """Id of the router between the subnet and the external network; that at the subnet's gateway if several."""
        subnet = self.records.get('subnet', subnet_id)
        found = []
        for interface in self.records.find('port', 'subnet_id', subnet_id):
            if interface['device_owner'] != service_ports.ROUTER_INTERFACE:
                continue
            router = self.records.get('router', interface['device_id'])
            gateway = router and self.records.get('port', router['gateway_port_id'])
            if gateway and gateway['network_id'] == record['floating_network_id']:
                first = any(fixed['ip_address'] == subnet['gateway_ip'] for fixed in interface['fixed_ips'])
                found.append((not first, router['id']))
        if not found:
            raise rest.Fault(
                404, 'External network %s is not reachable from subnet %s.  Therefore, cannot associate Port %s with a '
                'Floating IP.' % (record['floating_network_id'], subnet_id, port['id']),
                'ExternalGatewayForFloatingIPNotFound')
        return min(found)[1]


def _fixed_ip(port, wanted):
    """The entry of the port's fixed addresses that a floating address leads to."""
    entries = [fixed for fixed in port['fixed_ips'] if ipaddress.ip_address(fixed['ip_address']).version == 4]
    if wanted is not None:
        for fixed in entries:
            if fixed['ip_address'] == wanted:
                return fixed
        raise faults.malformed('floatingip', 'Port %s does not have fixed ip %s' % (port['id'], wanted))
    if not entries:
        raise faults.malformed('floatingip', 'Cannot add floating IP to port %s that has no fixed IPv4 addresses'
                               % port['id'])
    if len(entries) > 1:
        raise faults.malformed('floatingip', 'Port %s has multiple fixed IPv4 addresses.  Must provide a specific IPv4 '
                               'address when assigning a floating IP' % port['id'])
    return entries[0]
