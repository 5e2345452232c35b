# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""What nova-api checks with the network service before it accepts a server; nothing here changes anything."""

import dataclasses

from nova_lite import exception
from nova_lite.network import neutron_client
from nova_lite.objects import network

AUTO = 'auto'               # a NetworkRequest's network_id: the project's automatic network, made when it is needed
QUOTA_SECONDS = 60          # how long a project's room for ports is believed while it is not used up
UNLIMITED = -1
NETWORK_FIELDS = ('id', 'project_id', 'tenant_id', 'shared', 'router:external', 'subnets', 'name', 'mtu')
PORT_FIELDS = ('id', 'project_id', 'tenant_id', 'device_id', 'fixed_ips', 'ip_allocation', 'network_id')


class Checks:
    """`client`: a neutron_client.Client."""

    def __init__(self, client):
        self._client = client
        self._room = neutron_client.Cache(QUOTA_SECONDS)

    def validate_networks(self, ctxt, requested_networks, count):
        """Check what is asked for `count` servers alike, and complete it.

        requested_networks: [NetworkRequest…]; an empty list stands for the one network that the project has, a single
        request for the network `auto` for that one too or, where there is none, the project's automatic network.
        :returns: [NetworkRequest…] to hand to `allocate_for_instance`; None when the servers get no NIC
        :raises NetworkNotFound, NetworkAmbiguous, UnableToAutoAllocateNetwork, PortNotFound, PortInUse,
            FixedIpAlreadyInUse, PortLimitExceeded, Invalid, Forbidden, ServiceUnreachable:
        """
        auto = [request.network_id for request in requested_networks] == [AUTO]
        if auto or not requested_networks:
            return self._default_networks(ctxt, auto, count)
        self._check_ports(ctxt, [request.port_id for request in requested_networks if request.port_id], count)
        named = self._named_networks(
            ctxt, {request.network_id for request in requested_networks if not request.port_id})
        self._check_addresses(ctxt, [request for request in requested_networks if request.address], count)
        self._check_port_quota(ctxt, sum(not request.port_id for request in requested_networks) * count)
        return [request if request.port_id else _known(request, named[request.network_id])
                for request in requested_networks]

    def validate_security_groups(self, ctxt, names):
        """The ids of security groups that are given by name or id; an empty list for the default group alone.

        :raises SecurityGroupNotFound, NoUniqueMatch, ServiceUnreachable:
        """
        if not names or set(names) == {'default'}:
            return []
        groups = self._client.list('security_groups', ctxt, fields=('id', 'name', 'project_id', 'tenant_id', 'shared'))
        usable = [group for group in groups if neutron_client.project(group) == ctxt.project_id or group.get('shared')]
        ids = {group['id'] for group in (groups if ctxt.auth_token else usable)}
        return list(dict.fromkeys(name if name in ids else _group_by_name(usable, name) for name in names))

    def _default_networks(self, ctxt, auto, count):
        networks = [item for item in self._client.list('networks', ctxt, fields=NETWORK_FIELDS)
                    if item.get('shared') or neutron_client.project(item) == ctxt.project_id]
        if len(networks) > 1:
            raise exception.NetworkAmbiguous()
        if networks:
            _check_subnets(networks)
            self._check_port_quota(ctxt, count)
            return [_known(network.NetworkRequest(network_id=networks[0]['id']), networks[0])]
        if not auto:
            return None
        self._client.get('auto-allocated-topology/%s' % ctxt.project_id, ctxt,
                         exception.UnableToAutoAllocateNetwork(project_id=ctxt.project_id),
                         params=[('fields', 'dry-run')])
        self._check_port_quota(ctxt, count)
        return [network.NetworkRequest(network_id=AUTO)]

    def _named_networks(self, ctxt, wanted):
        """{id: network} of networks that the caller may use."""
        found = {item['id']: item for item in self._client.by_ids('networks', ctxt, wanted, NETWORK_FIELDS)}
        for network_id in sorted(wanted):
            item = found.get(network_id)
            own = item and (ctxt.is_admin or item.get('shared') or neutron_client.project(item) == ctxt.project_id)
            if item and not own and item.get('router:external'):
                raise exception.Forbidden(
                    'It is not allowed to create an interface on external network %s' % network_id)
            if not own:
                raise exception.NetworkNotFound(network_id=network_id)
        _check_subnets(found.values())
        return found

    def _check_ports(self, ctxt, wanted, count):
        if wanted and count > 1:
            raise exception.Invalid('Unable to launch multiple instances with a single configured port ID. Please '
                                    'launch your instance one by one with different ports.')
        if len(set(wanted)) != len(wanted):
            raise exception.Invalid('A port may be named only once in the networks of a server.')
        found = {port['id']: port for port in self._client.by_ids('ports', ctxt, wanted, PORT_FIELDS)}
        for port_id in wanted:
            port = found.get(port_id)
            if port is None or neutron_client.project(port) != ctxt.project_id:
                raise exception.PortNotFound(port_id=port_id)
            if port.get('device_id'):
                raise exception.PortInUse(port_id=port_id)
            if not port.get('fixed_ips') and port.get('ip_allocation') == 'deferred':
                raise exception.Invalid('Port %s requires a FixedIP in order to be used.' % port_id)

    def _check_addresses(self, ctxt, requests, count):
        """A fixed IP must be free. The service user asks: it sees the ports of all projects on a shared network."""
        if requests and count > 1:
            raise exception.Invalid('Failed to launch instances: max_count cannot be greater than 1 if a fixed_ip is '
                                    'specified.')
        if len({(request.network_id, request.address) for request in requests}) != len(requests):
            raise exception.FixedIpAlreadyInUse(address=requests[0].address)
        if not requests:
            return
        filters = [('network_id', request.network_id) for request in requests]
        filters += [('fixed_ips', 'ip_address=%s' % request.address) for request in requests]
        used = {(port['network_id'], item['ip_address'])
                for port in self._client.list('ports', ctxt, filters, ('network_id', 'fixed_ips'), as_service=True)
                for item in port['fixed_ips']}
        for request in requests:
            if (request.network_id, request.address) in used:
                raise exception.FixedIpAlreadyInUse(address=request.address)

    def _check_port_quota(self, ctxt, needed):
        """Room for so many more ports. What was last heard is believed, less what was let pass since, until it runs
        out or gets old; the network service has the last word when the ports are made, and the only one on a single
        port, for which the question is not worth a request to each server."""
        if needed <= 1:
            return
        room = self._room.get(ctxt.project_id)
        if room is None or room[0] < needed:
            room = [self._port_room(ctxt)]
            self._room.put(ctxt.project_id, room)
        if room[0] < needed:
            raise exception.PortLimitExceeded()
        room[0] -= needed

    def _port_room(self, ctxt):
        """How many ports the project may still make; infinite too where the service does not tell."""
        try:
            quota = self._client.get('quotas/%s/details' % ctxt.project_id, ctxt, exception.NotFound(),
                                     as_service=True)['quota']['port']
        except exception.NotFound:
            return float('inf')
        if quota['limit'] == UNLIMITED:
            return float('inf')
        return quota['limit'] - quota['used'] - quota.get('reserved', 0)


def _known(request, item):
    """A request with what is known of its network, so that nobody has to ask again."""
    return dataclasses.replace(request, label=item['name'], mtu=item.get('mtu'))


def _check_subnets(networks):
    for item in networks:
        if not item.get('subnets'):
            raise exception.Invalid('Network %s requires a subnet in order to boot instances on.' % item['id'])


def _group_by_name(groups, name):
    matches = [group['id'] for group in groups if group['name'] == name]
    if len(matches) > 1:
        raise exception.NoUniqueMatch(name=name)
    if not matches:
        raise exception.SecurityGroupNotFound(security_group_id=name)
    return matches[0]
