# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""How many addresses of each network are used and how many there are, for administrators."""

import ipaddress

from nova_lite.standins import rest
from nova_lite.standins.neutron import access
from nova_lite.standins.neutron import faults
from nova_lite.standins.neutron import listing

_FILTERS = ('network_id', 'network_name', 'tenant_id', 'project_id')


class IpAvailabilities:
    """The calls below /v2.0/network-ip-availabilities."""

    def __init__(self, records):
        self._records = records

    def routes(self):
        many = '/v2.0/network-ip-availabilities'
        return [rest.Route('GET', many, self.list), rest.Route('GET', many + '/{network_id}', self.show)]

    def list(self, request):
        versions = set(request.query.pop('ip_version', ()))
        networks = self._records.all('network') if access.privileged(request.identity) else []
        views = [self._view(network, versions) for network in networks]
        return listing.select(request, _FILTERS, 'network_ip_availabilities', views)

    def show(self, request, network_id):
        network = self._records.get('network', network_id)
        if network is None:
            raise faults.missing('network', network_id)
        if not access.privileged(request.identity):
            raise rest.Fault(404, 'The resource could not be found.')
        return {'network_ip_availability': listing.pick(request, self._view(network, ()))}

    def _view(self, network, versions):
        """The numbers of a network; only of its subnets of some IP versions where `versions` names them as texts."""
        subnets = [self._count(subnet) for subnet in self._records.find('subnet', 'network_id', network['id'])
                   if not versions or str(subnet['ip_version']) in versions]
        return {
            'network_id': network['id'], 'network_name': network['name'], 'project_id': network['project_id'],
            'tenant_id': network['project_id'], 'subnet_ip_availability': subnets,
            'used_ips': sum(each['used_ips'] for each in subnets),
            'total_ips': sum(each['total_ips'] for each in subnets)}

    def _count(self, subnet):
        used = sum(fixed['subnet_id'] == subnet['id']
                   for port in self._records.find('port', 'subnet_id', subnet['id']) for fixed in port['fixed_ips'])
        total = sum(int(ipaddress.ip_address(pool['end'])) - int(ipaddress.ip_address(pool['start'])) + 1
                    for pool in subnet['allocation_pools'])
        return {'subnet_id': subnet['id'], 'subnet_name': subnet['name'], 'ip_version': subnet['ip_version'],
                'cidr': subnet['cidr'], 'used_ips': used, 'total_ips': total}
