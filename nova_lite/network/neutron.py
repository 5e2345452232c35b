# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Client of the network service (Neutron v2.0): checks for the API, ports for nova-compute.

Checks ask with the caller's token, so that they see what the caller may see; ports are made and bound by the service
user. Ports that Nova makes are deleted with the server, ports that the user brought are only bound and unbound.
"""

import logging

from nova_lite import exception
from nova_lite.network import neutron_checks
from nova_lite.network import neutron_client
from nova_lite.network import neutron_groups
from nova_lite.network import neutron_queries
from nova_lite.network import neutron_servers
from nova_lite.objects import network

LOG = logging.getLogger(__name__)

ADDRESS_SECONDS = 60        # how long what is known of a network's subnets may be used for further servers
BRIDGE_PREFIX, BRIDGE_LENGTH = 'brq', 14
UNBOUND = {'device_id': '', 'device_owner': '', 'binding:host_id': ''}
NETWORK_FIELDS = ('id', 'name', 'mtu')
SUBNET_FIELDS = ('id', 'network_id', 'cidr', 'gateway_ip', 'dns_nameservers', 'host_routes', 'enable_dhcp')


class API(neutron_checks.Checks):
    """`adapter`: a keystoneauth Adapter for the network service, as `nova_lite/http.py` makes it."""

    def __init__(self, adapter):
        client = neutron_client.Client(adapter)
        super().__init__(client)
        self._client = client
        self.groups = neutron_groups.Groups(client)
        self.queries = neutron_queries.Queries(client)
        self.servers = neutron_servers.Servers(client)
        self._networks = neutron_client.Cache(ADDRESS_SECONDS)

    def allocate_for_instance(self, ctxt, instance, requested_networks, security_groups, host):
        """Make and bind the ports of an instance on `host`; on failure what was done is undone. A port whose making was
        not answered is found by `deallocate_for_instance`.

        requested_networks: what `validate_networks` returned (None: no NIC); security_groups: ids, empty for the
        project's default group. The user's ports keep the groups that they have.
        :returns: [VIF…] in the order of the requests
        :raises NetworkNotFound, PortNotFound, PortInUse, FixedIpAlreadyInUse, FixedIpInvalid, NoMoreFixedIps,
            PortLimitExceeded, SecurityGroupNotFound, UnableToAutoAllocateNetwork, PortBindingFailed,
            ServiceUnreachable:
        """
        requests = self._resolved(ctxt, instance, requested_networks or [])
        own = self._ports_to_bind(ctxt, instance, requests)
        binding = {'device_id': instance.uuid, 'binding:host_id': host,
                   'device_owner': 'compute:%s' % (instance.availability_zone or 'nova')}
        ports = []
        try:
            for request in requests:
                ports.append(self._bind(ctxt, own[request.port_id], binding) if request.port_id
                             else self._create(ctxt, instance, request, security_groups, binding))
            return self._vifs(ctxt, requests, ports)
        except Exception:
            self._release_all(ctxt, instance.uuid, [(port, port['id'] in own) for port in ports])
            raise

    def deallocate_for_instance(self, ctxt, instance_uuid, vifs, requested_networks=None):
        """Delete the ports that Nova made for an instance and unbind those of the user; what is gone is fine.

        vifs: its network_info; a vif's preserve_on_delete and the port ids in requested_networks tell which ports are
        the user's. Ports are found by the instance's uuid, so also those that never got into network_info.
        :raises ServiceUnreachable: after all that could be done was done
        """
        preserved = {vif.id for vif in vifs or () if vif.preserve_on_delete}
        preserved |= {request.port_id for request in requested_networks or () if request.port_id}
        found = self._client.list('ports', ctxt, [('device_id', instance_uuid)])
        failure = self._release_all(ctxt, instance_uuid, [(port, port['id'] in preserved) for port in found])
        if failure is not None:
            raise failure

    def bind_to_host(self, ctxt, instance, host):
        """Bind all ports of an instance to a host. :returns: [VIF…] as they are then

        :raises PortBindingFailed, ServiceUnreachable:
        """
        for port in self._client.list('ports', ctxt, [('device_id', instance.uuid)]):
            if port.get('binding:host_id') != host:
                self._client.send('PUT', 'ports/%s' % port['id'], ctxt, {'port': {'binding:host_id': host}},
                                  network.NetworkRequest(port_id=port['id'], network_id=port['network_id']))
        return self.get_instance_nw_info(ctxt, instance)

    def get_instance_nw_info(self, ctxt, instance):
        """[VIF…] of an instance as its ports are now, floating addresses included, in the order that was known.

        :raises ServiceUnreachable:
        """
        found = {port['id']: port for port in self._client.list('ports', ctxt, [('device_id', instance.uuid)])}
        known = [vif for vif in instance.network_info if vif.id in found]
        requests = [network.NetworkRequest(port_id=vif.id if vif.preserve_on_delete else None, tag=vif.tag)
                    for vif in known]
        vifs = self._vifs(ctxt, requests, [found[vif.id] for vif in known])
        self._add_floating(ctxt, vifs)
        return vifs

    def release_port(self, ctxt, instance_uuid, port_id, preserve):
        """Delete a port of an instance, or unbind it when it is the user's (`preserve`); what is gone is fine.

        :raises ServiceUnreachable:
        """
        for port in self._client.by_ids('ports', ctxt, [port_id]):
            if port['device_id'] == instance_uuid:
                self._release(ctxt, port, preserve)

    def release_other_ports(self, ctxt, instance_uuid, known, users=()):
        """Release the ports of an instance that are not among the ids `known`: what an attachment that was cut short
        has left. Those of the ids `users` are unbound, those that Nova made are deleted.

        :raises ServiceUnreachable:
        """
        for port in self._client.list('ports', ctxt, [('device_id', instance_uuid)]):
            ours = (port.get('device_owner') or '').startswith(neutron_queries.COMPUTE)
            if port['id'] not in known and (ours or port['id'] in users):
                self._release(ctxt, port, port['id'] in users)

    def _add_floating(self, ctxt, vifs):
        """Put the floating addresses of ports beside the fixed ones that they lead to."""
        for item in self._client.list('floatingips', ctxt, [('port_id', vif.id) for vif in vifs]) if vifs else ():
            for vif in vifs:
                for fixed_ip in vif.fixed_ips if vif.id == item['port_id'] else ():
                    if fixed_ip.address == item['fixed_ip_address']:
                        fixed_ip.floating_ips.append(item['floating_ip_address'])

    # ---- ports ---------------------------------------------------------------------------------------------------

    def _resolved(self, ctxt, instance, requests):
        """The requests with the project's automatic network in place of `auto`."""
        if not any(request.network_id == neutron_checks.AUTO for request in requests):
            return requests
        topology = self._client.get(
            'auto-allocated-topology/%s' % instance.project_id, ctxt,
            exception.UnableToAutoAllocateNetwork(project_id=instance.project_id))
        return [network.NetworkRequest(network_id=topology['auto_allocated_topology']['id'])]

    def _ports_to_bind(self, ctxt, instance, requests):
        """{id: port} of the user's ports among the requests, each of them free or bound to this instance already."""
        wanted = [request.port_id for request in requests if request.port_id]
        found = {port['id']: port for port in self._client.by_ids('ports', ctxt, wanted)}
        for port_id in wanted:
            port = found.get(port_id)
            if port is None or neutron_client.project(port) != instance.project_id:
                raise exception.PortNotFound(port_id=port_id)
            if port['device_id'] not in ('', None, instance.uuid):
                raise exception.PortInUse(port_id=port_id)
        return found

    def _create(self, ctxt, instance, request, security_groups, binding):
        body = dict(binding, network_id=request.network_id, project_id=instance.project_id, admin_state_up=True)
        if security_groups:
            body['security_groups'] = list(security_groups)
        if request.address:
            body['fixed_ips'] = [{'ip_address': request.address}]
        return self._client.send('POST', 'ports', ctxt, {'port': body}, request)['port']

    def _bind(self, ctxt, port, binding):
        """Bind a port that was free when it was read: with its revision, two servers cannot both take it."""
        headers = {}
        if port.get('revision_number') is not None and not port['device_id']:
            headers['If-Match'] = 'revision_number=%d' % port['revision_number']
        request = network.NetworkRequest(port_id=port['id'], network_id=port['network_id'])
        return self._client.send('PUT', 'ports/%s' % port['id'], ctxt, {'port': binding}, request, headers)['port']

    def _release(self, ctxt, port, preserve):
        if not preserve:
            self._client.delete('ports/%s' % port['id'], ctxt)
            return
        body = dict(UNBOUND)
        if port.get('dns_name'):
            body['dns_name'] = ''
        request = network.NetworkRequest(port_id=port['id'])
        try:
            self._client.send('PUT', 'ports/%s' % port['id'], ctxt, {'port': body}, request)
        except exception.PortNotFound:
            pass        # its owner has deleted it

    def _release_all(self, ctxt, instance_uuid, ports):
        """Release [(port, it is the user's)…] as far as possible. :returns: the last failure, or None"""
        failure = None
        for port, preserve in ports:
            try:
                self._release(ctxt, port, preserve)
            except exception.NovaException as exc:
                LOG.warning('Port %s of instance %s could not be released: %s', port['id'], instance_uuid, exc)
                failure = exc
        return failure

    # ---- what is known of the networks ---------------------------------------------------------------------------

    def _vifs(self, ctxt, requests, ports):
        known = {port['network_id']: self._networks.get(port['network_id']) for port in ports}
        stale = {port['network_id'] for port in ports if not _covers(known[port['network_id']], port)}
        if stale:
            named = {request.network_id: request for request in requests if request.label is not None}
            known.update(self._network_details(ctxt, sorted(stale), named))
        return [_vif(port, request, known[port['network_id']]) for request, port in zip(requests, ports, strict=True)]

    def _network_details(self, ctxt, network_ids, named):
        """{network id: {'name', 'mtu', 'subnets': {id: subnet}}}, as it is now; `named`: {id: NetworkRequest} of those
        whose name and MTU need no question."""
        details = {network_id: {'name': named[network_id].label, 'mtu': named[network_id].mtu, 'subnets': {}}
                   for network_id in network_ids if network_id in named}
        for item in self._client.by_ids('networks', ctxt, set(network_ids) - set(named), NETWORK_FIELDS):
            details[item['id']] = dict(item, subnets={})
        of = [('network_id', network_id) for network_id in network_ids]
        for subnet in self._client.list('subnets', ctxt, of, SUBNET_FIELDS):
            details[subnet['network_id']]['subnets'][subnet['id']] = subnet
        for network_id, item in details.items():
            self._networks.put(network_id, item)
        return details


def _covers(known, port):
    """Whether what is known of a network has all the subnets of a port."""
    return known is not None and all(item['subnet_id'] in known['subnets'] for item in port['fixed_ips'])


def _vif(port, request, known):
    details = port.get('binding:vif_details') or {}
    vif_type = port.get('binding:vif_type') or 'unbound'
    if vif_type == 'binding_failed':
        raise exception.PortBindingFailed(port_id=port['id'])
    bridge = details.get('bridge_name')
    if bridge is None and vif_type == 'bridge':
        bridge = (BRIDGE_PREFIX + port['network_id'])[:BRIDGE_LENGTH]
    return network.VIF(
        id=port['id'], address=port['mac_address'], network_id=port['network_id'], network_label=known['name'],
        vif_type=vif_type, bridge=bridge, details=details, vnic_type=port.get('binding:vnic_type') or 'normal',
        mtu=known.get('mtu'), fixed_ips=[_fixed_ip(item, known) for item in port['fixed_ips']],
        port_security=port.get('port_security_enabled', True),
        allowed_address_pairs=port.get('allowed_address_pairs') or [],
        preserve_on_delete=request.port_id is not None, active=port.get('status') == 'ACTIVE', tag=request.tag)


def _fixed_ip(item, known):
    subnet = known['subnets'][item['subnet_id']]
    return network.FixedIP(
        address=item['ip_address'], version=6 if ':' in item['ip_address'] else 4, subnet_id=item['subnet_id'],
        cidr=subnet['cidr'], gateway=subnet.get('gateway_ip'), dns=subnet.get('dns_nameservers') or [],
        routes=subnet.get('host_routes') or [], dhcp=bool(subnet.get('enable_dhcp')))
