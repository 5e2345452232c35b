# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""What tells a client what there is: versions, collections, extensions, agents and availability zones."""

import socket
import uuid

from nova_lite.standins import rest
from nova_lite.standins.neutron import access
from nova_lite.standins.neutron import listing
from nova_lite.standins.neutron import resources

_UPDATED = '2026-01-01T00:00:00-00:00'
# alias: (name, what it adds); only what is really served
EXTENSIONS = {
    'address-scope': ('Address scope', 'Subnet pools without overlaps'),
    'agent': ('agent', 'Lists the agents that serve networks'),
    'allowed-address-pairs': ('Allowed Address Pairs', 'Ports may use further addresses'),
    'auto-allocated-topology': ('Auto Allocated Topology Services', 'Projects get a network without asking for parts'),
    'availability_zone': ('Availability Zone', 'Lists availability zones'),
    'binding': ('Port Binding', 'Ports are bound to hosts'),
    'default-subnetpools': ('Default Subnetpools', 'Subnets may come from the default pool'),
    'dns-integration': ('DNS Integration', 'Ports and networks have DNS names'),
    'empty-string-filtering': ('Empty String Filtering Extension', 'Filters match empty values'),
    'ext-gw-mode': ('Neutron L3 Configurable external gateway mode', 'Routers may leave out source NAT'),
    'external-net': ('Neutron external network', 'Networks tell whether they are external'),
    'extraroute': ('Neutron Extra Route', 'Routers have static routes'),
    'extraroute-atomic': ('Atomically add/remove extra routes', 'Static routes are added and removed one by one'),
    'filter-validation': ('Filter parameters validation', 'Unknown filters are refused'),
    'fip-port-details': ('Add port_details to Floating IP resource', 'Floating IPs tell of their port'),
    'ip-substring-filtering': ('IP address substring filtering', 'Ports are found by a part of their address'),
    'net-mtu': ('Network MTU', 'Networks tell their MTU'),
    'net-mtu-writable': ('Network MTU (writable)', 'The MTU of a network can be set'),
    'network-ip-availability': ('Network IP Availability', 'Tells how many addresses are left'),
    'network_availability_zone': ('Network Availability Zone', 'Networks tell their availability zones'),
    'pagination': ('Pagination support', 'Lists come in pages'),
    'port-security': ('Port Security', 'Port security can be switched off'),
    'project-id': ('project_id field enabled', 'Resources have project_id besides tenant_id'),
    'provider': ('Provider Network', 'Networks tell how they are made'),
    'quota_details': ('Quota details management support', 'Quotas tell what is used'),
    'quotas': ('Quota management support', 'Quotas of projects'),
    'rbac-address-scope': ('Address Scope RBAC', 'Address scopes may be shared with single projects'),
    'rbac-policies': ('RBAC Policies', 'Networks may be shared with single projects'),
    'rbac-security-groups': ('Add security_group type to network RBAC',
                             'Security groups may be shared with single projects'),
    'rbac-subnetpool': ('Subnetpool RBAC', 'Subnet pools may be shared with single projects'),
    'revision-if-match': ('If-Match constraints based on revision_number',
                          'Changes can be made conditional on a revision'),
    'router': ('Neutron L3 Router', 'Routers and floating IPs'),
    'router_availability_zone': ('Router Availability Zone', 'Routers tell their availability zones'),
    'security-group': ('security-group', 'Security groups and their rules'),
    'security-groups-normalized-cidr': ('Normalized CIDR field for security group rules',
                                        'Rules tell their prefix as a network'),
    'service-type': ('Neutron Service Type Management', 'Lists who provides services'),
    'sorting': ('Sorting support', 'Lists can be sorted'),
    'standard-attr-description': ('standard-attr-description', 'Resources have a description'),
    'standard-attr-revisions': ('Resource revision numbers', 'Resources have a revision number'),
    'standard-attr-tag': ('Tag support for resources with standard attribute', 'Resources have tags'),
    'standard-attr-timestamp': ('Resource timestamps', 'Resources have times of creation and change'),
    'subnet-external-network': ('Subnet belongs to external network',
                                'Subnets tell whether their network is external'),
    'subnet_allocation': ('Subnet Allocation', 'Subnets come from pools'),
    'subnetpool-prefix-ops': ('Subnet Pool Prefix Operations', 'Prefixes are added and removed one by one'),
    'tag-creation': ('Tag creation', 'Several tags are added at once'),
    'tag-ports-during-bulk-creation': ('Tag Ports During Bulk Creation', 'Ports can be created with tags'),
}
_COLLECTIONS = {'network': 'networks', 'subnet': 'subnets', 'port': 'ports', 'security_group': 'security-groups',
                'security_group_rule': 'security-group-rules', 'router': 'routers', 'floatingip': 'floatingips',
                'subnetpool': 'subnetpools', 'address_scope': 'address-scopes', 'rbac_policy': 'rbac-policies',
                'quota': 'quotas', 'extension': 'extensions'}
_AGENTS = {'DHCP agent': 'neutron-dhcp-agent', 'L3 agent': 'neutron-l3-agent',
           'Metadata agent': 'neutron-metadata-agent',
           'Linux bridge agent': 'neutron-linuxbridge-agent'}
_AGENT_FILTERS = ('id', 'agent_type', 'host', 'binary', 'alive', 'admin_state_up', 'topic', 'availability_zone',
                  'description')


class Discovery:
    """The calls that describe the service. `plane` tells whether this host serves networks."""

    def __init__(self, plane):
        self._plane = plane
        self._started = resources.now()
        self._host = socket.gethostname()

    def routes(self):
        return [
            rest.Route('GET', '/', self.versions, public=True), rest.Route('GET', '/v2.0', self.version, public=True),
            rest.Route('GET', '/v2.0/extensions', self.list_extensions),
            rest.Route('GET', '/v2.0/extensions/{alias}', self.show_extension),
            rest.Route('GET', '/v2.0/agents', self.list_agents),
            rest.Route('GET', '/v2.0/agents/{identifier}', self.show_agent),
            rest.Route('GET', '/v2.0/availability_zones', self.list_zones),
            rest.Route('GET', '/v2.0/service-providers', self.list_providers)]

    def versions(self, request):
        return {'versions': [{'id': 'v2.0', 'status': 'CURRENT', 'links': [
            {'rel': 'self', 'href': request.host_url + '/v2.0/'}]}]}

    def version(self, request):
        return {'resources': [
            {'name': name, 'collection': collection.replace('-', '_'), 'links': [
                {'rel': 'self', 'href': '%s/v2.0/%s' % (request.host_url, collection)}]}
            for name, collection in _COLLECTIONS.items()]}

    def list_extensions(self, request):
        return {'extensions': [listing.pick(request, _extension(alias)) for alias in EXTENSIONS]}

    def show_extension(self, request, alias):
        if alias not in EXTENSIONS:
            raise rest.Fault(404, 'Extension with alias %s does not exist' % alias[:255], 'ExtensionNotFound')
        return {'extension': _extension(alias)}

    def list_agents(self, request):
        return listing.select(request, _AGENT_FILTERS, 'agents', self._agents(request))

    def show_agent(self, request, identifier):
        for agent in self._agents(request):
            if agent['id'] == identifier:
                return {'agent': agent}
        raise rest.Fault(404, 'Agent %s could not be found.' % identifier[:255], 'AgentNotFound')

    def _agents(self, request):
        """The parts of this process that do what Neutron's agents do; none for members, or where it touches nothing."""
        if not (self._plane.enabled and access.privileged(request.identity)):
            return []
        return [{
            'id': str(uuid.uuid5(uuid.NAMESPACE_DNS, '%s.%s' % (binary, self._host))), 'agent_type': kind,
            'binary': binary, 'host': self._host, 'topic': 'N/A', 'alive': True, 'admin_state_up': True,
            'availability_zone': 'nova' if kind in ('DHCP agent', 'L3 agent') else None, 'created_at': self._started,
            'started_at': self._started, 'heartbeat_timestamp': resources.now(), 'description': '',
            'configurations': {}} for kind, binary in _AGENTS.items()]

    def list_zones(self, request):
        zones = [{'name': 'nova', 'resource': resource, 'state': 'available'}
                 for resource in ('network', 'router') if self._plane.enabled]
        return listing.select(request, ('name', 'resource', 'state'), 'availability_zones', zones)

    def list_providers(self, request):
        """Who does what services: routers are done by one, on this host."""
        providers = [{'service_type': 'L3_ROUTER_NAT', 'name': 'single_node', 'default': True}]
        return listing.select(request, ('service_type', 'name', 'default'), 'service_providers', providers)


def _extension(alias):
    name, description = EXTENSIONS[alias]
    return {'alias': alias, 'name': name, 'description': description, 'updated': _UPDATED, 'links': []}
