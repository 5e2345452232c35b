# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Routers: their gateway to an external network, their static routes, and what keeps them from being deleted."""

import ipaddress

from nova_lite.standins import rest
from nova_lite.standins.neutron import access
from nova_lite.standins.neutron import attributes
from nova_lite.standins.neutron import faults
from nova_lite.standins.neutron import networks
from nova_lite.standins.neutron import quotas
from nova_lite.standins.neutron import resources
from nova_lite.standins.neutron import service_ports

_fixed_ip = attributes.record({}, {'subnet_id': attributes.identifier, 'ip_address': attributes.address})
_gateway = attributes.record({'network_id': attributes.identifier}, {
    'enable_snat': attributes.boolean, 'external_fixed_ips': attributes.list_of(_fixed_ip)})
_route = attributes.record({'destination': attributes.cidr, 'nexthop': attributes.address})
_routes = attributes.list_of(_route, 1000)


class Routers(resources.Resource):
    """The calls below /v2.0/routers, but for those on interfaces."""

    kind, plural, path = 'router', 'routers', 'routers'
    indexed = ('id', 'project_id')
    attributes = {
        **attributes.standard(),
        'name': attributes.Attribute(attributes.text(255), ''),
        'admin_state_up': attributes.Attribute(attributes.boolean, True),
        'external_gateway_info': attributes.Attribute(
            lambda value: _gateway(value) if value else attributes.mapping(value)),
        'routes': attributes.Attribute(_routes, post=False),
        'availability_zone_hints': attributes.Attribute(networks.zone_hints, (), put=False),
        'status': attributes.read_only(), 'availability_zones': attributes.read_only(),
        'flavor_id': attributes.read_only(), 'ha': attributes.read_only(),
        'distributed': attributes.read_only(), 'tags': attributes.read_only(),
    }

    def __init__(self, records, nets, own_ports, plane):
        """`own_ports` are the `ServicePorts`."""
        super().__init__(records)
        self._networks = nets
        self._service_ports = own_ports
        self._plane = plane

    def routes(self):
        one = '/v2.0/routers/{identifier}'
        return [*super().routes(), rest.Route('PUT', one + '/add_extraroutes', self.add_routes),
                rest.Route('PUT', one + '/remove_extraroutes', self.remove_routes)]

    def render(self, record):
        port = self.records.get('port', record['gateway_port_id'])
        gateway = port and {'network_id': port['network_id'], 'enable_snat': record['enable_snat'],
                            'external_fixed_ips': port['fixed_ips']}
        return {**record, 'external_gateway_info': gateway, 'status': 'ACTIVE', 'flavor_id': None,
                'ha': False, 'distributed': False,
                'availability_zones': ['nova'] if self._plane.enabled else []}

    def build(self, identity, record):
        networks.require_zones(record)
        wanted = record.pop('external_gateway_info', None)
        record = {**record, 'availability_zone_hints': list(record['availability_zone_hints']), 'routes': [],
                  'gateway_port_id': None, 'enable_snat': True}
        return self._set_gateway(identity, record, wanted, 'create_router') if wanted else record

    def revise(self, identity, record, values):
        if 'external_gateway_info' in values:
            record = self._set_gateway(identity, record, values.pop('external_gateway_info'), 'update_router')
        if 'routes' in values:
            self._check_routes(record, values['routes'])
        return {**record, **values}

    def remove(self, identity, record):
        ports = service_ports.interfaces(self.records, record['id'])
        if ports:
            raise faults.conflict('RouterInUse', 'Router %s has ports still attached: %s' % (
                record['id'], ', '.join(port['id'] for port in ports)))
        if record['gateway_port_id']:
            self.records.delete('port', record['gateway_port_id'])

    def changed(self, record):
        self._plane.refresh()

    # The gateway.

    def _set_gateway(self, identity, record, wanted, rule):
        """The router's record with the gateway that `wanted` asks for, whose port is made, changed or removed."""
        port = self.records.get('port', record['gateway_port_id'])
        if not wanted:
            self._drop_gateway(record, port)
            return {**record, 'gateway_port_id': None, 'enable_snat': True}
        for name in ('enable_snat', 'external_fixed_ips'):
            if name in wanted and not access.privileged(identity):
                raise faults.forbidden('%s:external_gateway_info:%s' % (rule, name))
        network = self._networks.find(identity, wanted['network_id'])
        if not self._networks.external(identity, network):
            raise faults.malformed('router', 'Network %s is not an external network' % network['id'])
        self._check_overlap(record, network)
        requests = wanted.get('external_fixed_ips')
        if port is not None and port['network_id'] != network['id']:
            self._drop_gateway(record, port)
            port = None
        if port is None:
            port = self._service_ports.add(network, service_ports.ROUTER_GATEWAY, record['id'], '', requests or None)
        elif requests:
            self._service_ports.readdress(port, requests)
        return {**record, 'gateway_port_id': port['id'], 'enable_snat': wanted.get('enable_snat', True)}

    def _drop_gateway(self, record, port):
        if port is None:
            return
        if any(floating['floating_network_id'] == port['network_id']
               for floating in self.records.find('floatingip', 'router_id', record['id'])):
            raise faults.conflict(
                'RouterExternalGatewayInUseByFloatingIp', 'Gateway cannot be updated for router %s, since a gateway to '
                'external network %s is required by one or more floating IPs.' % (record['id'], port['network_id']))
        self.records.delete('port', port['id'])

    def _check_overlap(self, record, network):
        for subnet in self.records.find('subnet', 'network_id', network['id']):
            require_apart(subnet, self.subnets(record['id']))

    def subnets(self, router_id):
        """The subnets that a router is on by its interfaces."""
        return [self.records.get('subnet', fixed['subnet_id'])
                for port in service_ports.interfaces(self.records, router_id) for fixed in port['fixed_ips']]

    # Static routes.

    def _check_routes(self, record, wanted):
        if len(wanted) > quotas.limits(self.records, record['project_id'])['router_route'] >= 0:
            raise faults.over_quota('router_route')
        gateway = self.records.get('port', record['gateway_port_id'])
        ports = [*service_ports.interfaces(self.records, record['id']), *([gateway] if gateway else [])]
        fixed = [entry for port in ports for entry in port['fixed_ips']]
        ranges = [ipaddress.ip_network(self.records.get('subnet', entry['subnet_id'])['cidr']) for entry in fixed]
        own = {entry['ip_address'] for entry in fixed}
        for route in wanted:
            hop = ipaddress.ip_address(route['nexthop'])
            if ipaddress.ip_network(route['destination']).version != hop.version or not any(
                    hop in cidr for cidr in ranges):
                raise _invalid(wanted, 'the nexthop is not connected with router')
            if route['nexthop'] in own:
                raise _invalid(wanted, 'the nexthop is used by router')

    def add_routes(self, request, identifier):
        return self._change_routes(request, identifier, lambda old, named: old + [
            route for route in named if route not in old])

    def remove_routes(self, request, identifier):
        return self._change_routes(request, identifier, lambda old, named: [
            route for route in old if route not in named])

    def _change_routes(self, request, identifier, change):
        identity, body = request.identity, request.json()
        document = body.get('router') if isinstance(body, dict) else None
        values = attributes.parse({'routes': attributes.Attribute(_routes)}, document, update=True)
        with self.records.change():
            record = self.find_own(identity, identifier, 'update_router:routes')
            wanted = change(record['routes'], values.get('routes', []))
            self._check_routes(record, wanted)
            record = self.save({**record, 'routes': wanted})
        self._plane.refresh()
        return {'router': self.view(identity, record)}


def _invalid(routes, reason):
    return rest.Fault(400, 'Invalid format for routes: %s, %s' % (str(routes)[:500], reason), 'InvalidRoutes')


def require_apart(subnet, others):
    """Raise a 400 when a subnet cannot be on the router that has the other subnets."""
    cidr = ipaddress.ip_network(subnet['cidr'])
    for other in others:
        if other['id'] == subnet['id']:
            raise faults.malformed('router', 'Router already has a port on subnet %s' % subnet['id'])
        if other['ip_version'] == subnet['ip_version'] and cidr.overlaps(ipaddress.ip_network(other['cidr'])):
            raise faults.malformed('router', 'Cidr %s of subnet %s overlaps with cidr %s of subnet %s' % (
                subnet['cidr'], subnet['id'], other['cidr'], other['id']))
