# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""What a server is connected to: its network interfaces and security groups."""

import uuid

from nova_lite import exception
from nova_lite.api.openstack.compute.views import security_groups as group_view
from nova_lite.objects import network


class Controller:
    def __init__(self, services):
        self._compute = services.compute_api

    def _instance(self, req, server_id):
        instance = self._compute.get(req.context, server_id)
        req.authorize(instance)
        return instance

    # ---- interfaces ----------------------------------------------------------------------------------------------

    def interfaces(self, req, server_id):
        return {'interfaceAttachments': self._interfaces(req, self._instance(req, server_id))}

    def interface(self, req, server_id, id):
        return {'interfaceAttachment': self._interface(req, self._instance(req, server_id), id)}

    def attach_interface(self, req, server_id, body):
        wanted = body['interfaceAttachment']
        port_id, network_id, addresses = (wanted.get(name) for name in ('port_id', 'net_id', 'fixed_ips'))
        if port_id and network_id:
            raise exception.Invalid('Must not input both network_id and port_id')
        if addresses and not network_id:
            raise exception.Invalid('Must input network_id when request IP address')
        request = network.NetworkRequest(
            network_id=_canonical(network_id), port_id=_canonical(port_id), tag=wanted.get('tag'),
            address=addresses[0]['ip_address'] if addresses else None)
        instance = self._instance(req, server_id)
        attached = self._compute.interfaces.attach(req.context, instance, request)
        return {'interfaceAttachment': self._interface(req, self._compute.get(req.context, server_id), attached)}

    def detach_interface(self, req, server_id, id):
        self._compute.interfaces.detach(req.context, self._instance(req, server_id), id)

    def _interface(self, req, instance, port_id):
        for item in self._interfaces(req, instance):
            if item['port_id'] == port_id:
                return item
        raise exception.NotFound('Instance %s does not have a port with id %s' % (instance.uuid, port_id[:64]))

    def _interfaces(self, req, instance):
        tags = {vif.id: vif.tag for vif in instance.network_info}
        return [{'port_id': port['id'], 'net_id': port['network_id'], 'mac_addr': port['mac_address'],
                 'port_state': port['status'], 'fixed_ips': port['fixed_ips'],
                 **({'tag': tags.get(port['id'])} if req.version >= (2, 70) else {})}
                for port in self._compute.get_ports(req.context, instance)]

    # ---- security groups -----------------------------------------------------------------------------------------

    def security_groups(self, req, server_id):
        found = self._compute.get_security_groups(req.context, self._instance(req, server_id))
        names = {group['id']: group for group in found}
        return {'security_groups': [group_view.group(group, names) for group in found]}


def _canonical(identifier):
    """An id as its service shows it: with dashes, in lower case; None for None."""
    return identifier and str(uuid.UUID(identifier))
