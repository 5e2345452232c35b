# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Networks by way of the compute API, as up to microversion 2.35: what it can still tell of them."""

from nova_lite import exception

# What Nova's own networks had; the network service's have nothing of the kind.
ABSENT = (
    'bridge', 'bridge_interface', 'broadcast', 'cidr', 'cidr_v6', 'created_at', 'deleted', 'deleted_at', 'dhcp_server',
    'dhcp_start', 'dns1', 'dns2', 'enable_dhcp', 'gateway', 'gateway_v6', 'host', 'injected', 'mtu', 'multi_host',
    'netmask', 'netmask_v6', 'priority', 'project_id', 'rxtx_base', 'share_address', 'updated_at', 'vlan',
    'vpn_private_address', 'vpn_public_address', 'vpn_public_port')
FOR_ALL = (     # of these who is no administrator is told
    'broadcast', 'cidr', 'cidr_v6', 'dns1', 'dns2', 'gateway', 'gateway_v6', 'netmask', 'netmask_v6')


class Controller:
    def __init__(self, services):
        self._networks = services.network.queries

    def index(self, req):
        return {'networks': [_view(req, network) for network in self._usable(req)]}

    def show(self, req, id):
        return {'network': _view(req, self._get(req, id))}

    def tenant_index(self, req):
        return {'networks': [_tenant_view(network) for network in self._usable(req)]}

    def tenant_show(self, req, id):
        return {'network': _tenant_view(self._get(req, id))}

    def _usable(self, req):
        return self._networks.networks(req.context, req.context.project_id)

    def _get(self, req, id_):
        for network in self._usable(req):
            if network['id'] == id_:
                return network
        raise exception.NotFound('Network not found')


def _view(req, network):
    return {**dict.fromkeys(ABSENT if req.context.is_admin else FOR_ALL), 'id': network['id'], 'label': network['name']}


def _tenant_view(network):
    return {'id': network['id'], 'cidr': 'None', 'label': network['name']}
