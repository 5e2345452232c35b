# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Connects routers to subnets and disconnects them: a subnet's gateway address, or a port that is there already."""

import ipaddress

from nova_lite.standins import rest
from nova_lite.standins.neutron import access
from nova_lite.standins.neutron import attributes
from nova_lite.standins.neutron import faults
from nova_lite.standins.neutron import routers as router_module
from nova_lite.standins.neutron import service_ports


class RouterInterfaces:
    """The calls `add_router_interface` and `remove_router_interface` of a router."""

    def __init__(self, records, routers, subs, ports, own_ports):
        """`routers`, `subs` and `ports` are the resources, `own_ports` the `ServicePorts`."""
        self._records = records
        self._routers = routers
        self._subnets = subs
        self._ports = ports
        self._service_ports = own_ports

    def routes(self):
        one = '/v2.0/routers/{identifier}'
        return [rest.Route('PUT', one + '/add_router_interface', self.add),
                rest.Route('PUT', one + '/remove_router_interface', self.remove)]

    # Adding.

    def add(self, request, identifier):
        identity, body = request.identity, _named(request)
        with self._records.change():
            router = self._routers.find_own(identity, identifier, 'add_router_interface')
            if len(body) == 2:
                raise faults.malformed('router', 'Cannot specify both subnet-id and port-id')
            port = (self._attach(identity, router, body['port_id']) if 'port_id' in body
                    else self.connect(identity, router, body['subnet_id']))
            self._routers.save(router)
        self._ports.changed(port)
        return _answer(router, port)

    def connect(self, identity, router, subnet_id):
        """Make a port of the router that has the subnet's gateway address; only inside a change block."""
        subnet = self._subnets.find(identity, subnet_id)
        network = self._records.get('network', subnet['network_id'])
        if not (access.owns(identity, subnet) or self._subnets.networks.shared(identity, network)):
            raise faults.malformed('router', 'Cannot add interface to router because subnet %s is not owned by project '
                                   'making the request' % subnet_id)
        if not subnet['gateway_ip']:
            raise faults.malformed('router', 'Subnet for router interface must have a gateway IP')
        self._check(router, [subnet])
        return self._service_ports.add(
            network, service_ports.ROUTER_INTERFACE, router['id'], router['project_id'],
            [{'subnet_id': subnet_id, 'ip_address': subnet['gateway_ip']}])

    def _attach(self, identity, router, port_id):
        """Take a port that nobody uses."""
        port = self._ports.find_own(identity, port_id, 'update_port')
        if port['device_id'] or port['device_owner']:
            raise faults.port_in_use(port)
        if not port['fixed_ips']:
            raise faults.malformed('router', 'Router port must have at least one fixed IP')
        subnets = [self._records.get('subnet', fixed['subnet_id']) for fixed in port['fixed_ips']]
        if len({subnet['id'] for subnet in subnets if subnet['ip_version'] == 4}) > 1:
            raise faults.malformed('router', 'Cannot have multiple IPv4 subnets on router port')
        self._check(router, list({subnet['id']: subnet for subnet in subnets}.values()))
        return self._service_ports.take(port, service_ports.ROUTER_INTERFACE, router['id'])

    def _check(self, router, subnets):
        gateway = self._records.get('port', router['gateway_port_id'])
        outside = [self._records.get('subnet', fixed['subnet_id']) for fixed in gateway['fixed_ips']] if gateway else []
        for subnet in subnets:
            router_module.require_apart(subnet, [*self._routers.subnets(router['id']), *outside])

    # Removing.

    def remove(self, request, identifier):
        identity, body = request.identity, _named(request)
        with self._records.change():
            router = self._routers.find_own(identity, identifier, 'remove_router_interface')
            port = self._find(identity, router, body)
            subnets = {fixed['subnet_id'] for fixed in port['fixed_ips']}
            if 'subnet_id' in body and body['subnet_id'] not in subnets:
                raise rest.Fault(400, 'Subnet on port %s does not match the requested subnet %s.' % (
                    port['id'], body['subnet_id']), 'SubnetMismatchForPort')
            for subnet_id in subnets:
                self._require_unused(router, subnet_id)
            self._records.delete('port', port['id'])
            self._routers.save(router)
        self._ports.changed(port)
        return _answer(router, port)

    def _find(self, identity, router, body):
        """The router's port that the request names."""
        ports = service_ports.interfaces(self._records, router['id'])
        if 'port_id' in body:
            for port in ports:
                if port['id'] == body['port_id']:
                    return port
            raise rest.Fault(404, 'Router %s does not have an interface with id %s' % (router['id'], body['port_id']),
                             'RouterInterfaceNotFound')
        subnet = self._subnets.find(identity, body['subnet_id'])
        for port in ports:
            if any(fixed['subnet_id'] == subnet['id'] for fixed in port['fixed_ips']):
                return port
        raise rest.Fault(404, 'Router %s has no interface on subnet %s' % (router['id'], subnet['id']),
                         'RouterInterfaceNotFoundForSubnet')

    def _require_unused(self, router, subnet_id):
        cidr = ipaddress.ip_network(self._records.get('subnet', subnet_id)['cidr'])
        text = 'Router interface for subnet %s on router %s cannot be deleted, as it is required by one or more %s.'
        if any(ipaddress.ip_address(floating['fixed_ip_address']) in cidr
               for floating in self._records.find('floatingip', 'router_id', router['id'])):
            raise faults.conflict('RouterInterfaceInUseByFloatingIP', text % (subnet_id, router['id'], 'floating IPs'))
        if any(ipaddress.ip_address(route['nexthop']) in cidr for route in router['routes']):
            raise faults.conflict('RouterInterfaceInUseByRoute', text % (subnet_id, router['id'], 'routes'))


def _named(request):
    """The ids in the request's body: {'subnet_id'} or {'port_id'} or both."""
    body = request.json()
    named = {name: body[name] for name in ('subnet_id', 'port_id') if body.get(name)} if isinstance(body, dict) else {}
    if not named:
        raise faults.malformed('router', 'Either subnet_id or port_id must be specified')
    try:
        return {name: attributes.identifier(value) for name, value in named.items()}
    except ValueError as error:
        raise faults.malformed('router', str(error).rstrip('.')) from None


def _answer(router, port):
    subnets = list(dict.fromkeys(fixed['subnet_id'] for fixed in port['fixed_ips']))
    return {'id': router['id'], 'tenant_id': router['project_id'], 'project_id': router['project_id'],
            'port_id': port['id'], 'network_id': port['network_id'], 'subnet_id': subnets[0], 'subnet_ids': subnets}

