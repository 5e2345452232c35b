# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""What nova-api shows of the network service: networks, and the ports of a server with their security groups."""

from nova_lite.network import neutron_client

COMPUTE = 'compute:'       # how the device_owner of servers' ports begins


class Queries:
    """`client`: a neutron_client.Client. It asks with the caller's token, so nobody sees more than there."""

    def __init__(self, client):
        self._client = client

    def ports(self, ctxt, instance_uuid):
        """[port…] of an instance, as the network service shows them. :raises ServiceUnreachable:"""
        return self._client.list('ports', ctxt, [('device_id', instance_uuid)])

    def server_ports(self, ctxt):
        """[port…] of all servers, as the service user sees them. :raises ServiceUnreachable:"""
        return [port for port in self._client.list('ports', ctxt, as_service=True)
                if (port.get('device_owner') or '').startswith(COMPUTE) and port.get('device_id')]

    def security_groups(self, ctxt, instance_uuid):
        """[security group…] of the ports of an instance, each once. :raises ServiceUnreachable:"""
        ids = {group_id for port in self.ports(ctxt, instance_uuid) for group_id in port.get('security_groups', ())}
        return sorted(self._client.by_ids('security_groups', ctxt, ids), key=lambda group: (group['name'], group['id']))

    def networks(self, ctxt, project_id):
        """[network…] of a project and those that are shared. :raises ServiceUnreachable:"""
        return [network for network in self._client.list('networks', ctxt)
                if network.get('shared') or neutron_client.project(network) == project_id]
