# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""What users have changed on the ports of a server by way of the compute API: security groups and addresses."""

from nova_lite import exception
from nova_lite.network import neutron_client


class Servers:
    """`client`: a neutron_client.Client, which works with the caller's token.

    :raises Invalid, Forbidden, NotFound, Conflict, ServiceUnreachable: as the service refuses, in its words
    """

    def __init__(self, client):
        self._client = client

    def _ports(self, ctxt, instance_uuid):
        return self._client.list('ports', ctxt, [('device_id', instance_uuid)])

    def _change(self, ctxt, port, **values):
        self._client.call('PUT', 'ports/%s' % port['id'], ctxt, {'port': values})

    # ---- security groups -----------------------------------------------------------------------------------------

    def add_security_group(self, ctxt, instance_uuid, name):
        """Put all ports of a server into a group, given by name or id."""
        group_id = self._group(ctxt, name)
        ports = self._ports(ctxt, instance_uuid)
        if not ports:
            raise exception.SecurityGroupNotFound('instance_id %s could not be found as device id on any ports'
                                                  % instance_uuid)
        for port in ports:
            if not port.get('port_security_enabled', True) or not port['fixed_ips']:
                raise exception.Invalid('Network requires port_security_enabled and subnet associated in order to '
                                        'apply security groups.')
        for port in ports:
            if group_id not in port.get('security_groups', ()):
                self._change(ctxt, port, security_groups=[*port.get('security_groups', ()), group_id])

    def remove_security_group(self, ctxt, instance_uuid, name):
        group_id = self._group(ctxt, name)
        ports = [port for port in self._ports(ctxt, instance_uuid) if group_id in port.get('security_groups', ())]
        if not ports:
            raise exception.SecurityGroupNotFound('Security group %s not associated with the instance %s'
                                                  % (name[:64], instance_uuid))
        for port in ports:
            self._change(ctxt, port, security_groups=[item for item in port['security_groups'] if item != group_id])

    def _group(self, ctxt, name):
        """The id of the caller's group of that name or id."""
        groups = self._client.list('security_groups', ctxt, fields=('id', 'name', 'project_id', 'tenant_id', 'shared'))
        usable = [group for group in groups if neutron_client.project(group) == ctxt.project_id or group.get('shared')]
        if any(group['id'] == name for group in (groups if ctxt.auth_token else usable)):
            return name
        found = [group['id'] for group in usable if group['name'] == name]
        if not found:
            raise exception.SecurityGroupNotFound(security_group_id=name[:64])
        if len(found) > 1:
            raise exception.NoUniqueMatch(name=name[:64])
        return found[0]

    # ---- fixed addresses -----------------------------------------------------------------------------------------

    def add_fixed_ip(self, ctxt, instance_uuid, network_id):
        """Give the server's first port on a network one more address, of the first subnet that has one."""
        ports = [port for port in self._ports(ctxt, instance_uuid) if port['network_id'] == network_id]
        if not ports:
            raise exception.Invalid('Instance %s has no interface on network %s.' % (instance_uuid, network_id))
        port = ports[0]
        for subnet in self._client.list('subnets', ctxt, [('network_id', network_id)]):
            try:
                return self._change(ctxt, port, fixed_ips=[*port['fixed_ips'], {'subnet_id': subnet['id']}])
            except (exception.Invalid, exception.Conflict):
                continue
        raise exception.Invalid('No fixed IP addresses available for network: %s' % network_id)

    def remove_fixed_ip(self, ctxt, instance_uuid, address):
        for port in self._ports(ctxt, instance_uuid):
            left = [item for item in port['fixed_ips'] if item['ip_address'] != address]
            if len(left) < len(port['fixed_ips']):
                return self._change(ctxt, port, fixed_ips=left)
        raise exception.Invalid('Fixed IP %s is not associated with instance %s.' % (address, instance_uuid))

    # ---- floating addresses --------------------------------------------------------------------------------------

    def associate(self, ctxt, instance, address, fixed_address):
        fixed = [(vif.id, item) for vif in instance.network_info for item in vif.fixed_ips if item.version == 4]
        if not fixed:
            raise exception.Invalid(
                'Unable to associate floating IP %s to any fixed IPs for instance %s. Instance has no fixed IPv4 '
                'addresses to associate.' % (address, instance.uuid))
        if fixed_address is not None:
            fixed = [(port_id, item) for port_id, item in fixed if item.address == fixed_address]
            if not fixed:
                raise exception.Invalid('Specified fixed address not assigned to instance')
        port_id, item = next(((port_id, item) for port_id, item in fixed if not item.floating_ips), fixed[0])
        floating = self._floating(ctxt, address)
        self._set_port(ctxt, floating, {'port_id': port_id, 'fixed_ip_address': item.address})

    def disassociate(self, ctxt, instance, address):
        floating = self._floating(ctxt, address)
        if floating.get('port_id') not in {vif.id for vif in instance.network_info}:
            raise exception.Conflict('Floating IP %s is not associated with instance %s.' % (address, instance.uuid))
        self._set_port(ctxt, floating, {'port_id': None})

    def _floating(self, ctxt, address):
        found = self._client.list('floatingips', ctxt, [('floating_ip_address', address)])
        if not found:
            raise exception.NotFound('floating IP not found')
        return found[0]

    def _set_port(self, ctxt, floating, values):
        self._client.call('PUT', 'floatingips/%s' % floating['id'], ctxt, {'floatingip': values})
