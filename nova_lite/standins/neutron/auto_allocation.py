# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""A project's ready-made topology, made when first asked for: a network with a router to the external network."""

import dataclasses

from nova_lite.standins import rest
from nova_lite.standins.neutron import access
from nova_lite.standins.neutron import attributes
from nova_lite.standins.neutron import faults
from nova_lite.standins.neutron import service_ports

_NETWORK, _SUBNET, _ROUTER = 'auto_allocated_network', 'auto_allocated_subnet_v%d', 'auto_allocated_router'


class AutoAllocatedTopologies:
    """The calls below /v2.0/auto-allocated-topology."""

    def __init__(self, records, nets, subs, pools, routers, interfaces):
        """The records and the resources that a topology is made of."""
        self._records = records
        self._networks = nets
        self._subnets = subs
        self._pools = pools
        self._routers = routers
        self._interfaces = interfaces

    def routes(self):
        one = '/v2.0/auto-allocated-topology/{project_id}'
        return [rest.Route('GET', one, self.show), rest.Route('DELETE', one, self.delete)]

    def show(self, request, project_id):
        identity = _require_own(request.identity, project_id)
        access.require_writer(identity, 'get_auto_allocated_topology')
        with self._records.change():
            topology = self._find(project_id)
            external, pools = self._requirements()
            if 'dry-run' in request.query.get('fields', ()):
                return _answer('dry-run=pass', project_id)
            made = [] if topology else self._make(identity, project_id, external, pools)
            network_id = (topology or self._find(project_id))['network_id']
        for resource, record in made:
            resource.changed(record)
        return _answer(network_id, project_id)

    def _requirements(self):
        external = next((network for network in self._records.all('network')
                         if network['is_default'] and network['router:external']), None)
        if external is None:
            raise _failure('No default router:external network.')
        pools = [pool for pool in self._records.all('subnetpool') if pool['is_default']]
        if not pools:
            raise _failure('No default subnetpools defined.')
        return external, pools

    def _find(self, project_id):
        """{'network_id', 'router_id'} of the project's topology, None where there is none any more."""
        topology = self._records.get('topology', project_id)
        return topology if topology and self._records.get('network', topology['network_id']) else None

    def _make(self, identity, project_id, external, pools):
        """Make the topology; [(resource, record)] of what others have to be told of."""
        owner = dataclasses.replace(identity, project_id=project_id)
        network = _add(self._networks, owner, {'name': _NETWORK})
        router = _add(self._routers, owner, {'name': _ROUTER, 'external_gateway_info': {'network_id': external['id']}})
        made = [(self._networks, network)]
        for pool in pools:
            subnet = _add(self._subnets, owner, {
                'name': _SUBNET % pool['ip_version'], 'network_id': network['id'], 'ip_version': pool['ip_version'],
                'subnetpool_id': pool['id']})
            made.append((self._subnets, subnet))
            self._interfaces.connect(owner, router, subnet['id'])
        self._records.put('topology', {'id': project_id, 'network_id': network['id'], 'router_id': router['id']})
        return [*made, (self._routers, router)]

    def delete(self, request, project_id):
        identity = _require_own(request.identity, project_id)
        access.require_writer(identity, 'delete_auto_allocated_topology')
        with self._records.change():
            topology = self._find(project_id)
            if topology is None:
                return
            network = self._records.get('network', topology['network_id'])
            router = self._records.get('router', topology['router_id'])
            if router is not None:
                for port in service_ports.interfaces(self._records, router['id']):
                    self._records.delete('port', port['id'])
                self._routers.remove(identity, router)
                self._records.delete('router', router['id'])
            self._networks.remove(identity, network)
            self._records.delete('network', network['id'])
            self._records.delete('topology', project_id)
        self._networks.changed(network)


def _add(resource, identity, document):
    return resource.add(identity, attributes.parse(resource.attributes, document))


def _require_own(identity, project_id):
    if project_id != identity.project_id and not access.privileged(identity):
        raise rest.Fault(403, 'Not authorized.', 'NotAuthorized')
    return identity


def _failure(reason):
    return faults.conflict('AutoAllocationFailure', 'Deployment error: %s' % reason)


def _answer(identifier, project_id):
    return {'auto_allocated_topology': {'id': identifier, 'project_id': project_id, 'tenant_id': project_id}}
