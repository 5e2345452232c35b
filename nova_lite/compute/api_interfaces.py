# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""What the REST API calls to change how a server is connected: interfaces, addresses, security groups."""

import dataclasses

from oslo_log import log

from nova_lite import exception
from nova_lite.compute import api_checks
from nova_lite.compute import vm_states
from nova_lite.db import instances
from nova_lite.db import operations as operations_db

LOG = log.getLogger(__name__)

WITH_ADDRESSES = (vm_states.ACTIVE, vm_states.PAUSED, vm_states.SUSPENDED, vm_states.STOPPED)


class Interfaces:
    """operations: api_operations.Operations; network: network.neutron.API; refresh(ctxt, instance): takes over into the
    record what the network service says of the ports."""

    def __init__(self, db, operations, network, refresh):
        self._db = db
        self._operations = operations
        self._network = network
        self._refresh = refresh

    # ---- interfaces ----------------------------------------------------------------------------------------------

    def attach(self, ctxt, instance, request):
        """Give a server an interface, and wait for it. request: a NetworkRequest, without port and network for the
        project's one network.

        :returns: the id of its port
        :raises Invalid, NotFound, Forbidden, Conflict: as the network service refuses; Conflict: the state forbids it,
            or it failed; MessagingUnavailable: nobody knows yet what comes of it
        """
        self._operations.check(ctxt, instance, 'attach_interface', 'attach_interface')
        try:
            requests = self._network.validate_networks(
                ctxt, [request] if request.port_id or request.network_id else [], 1)
        except exception.NetworkAmbiguous as exc:
            raise exception.Invalid(exc.message) from exc
        if not requests:
            raise exception.Invalid('No specific network was requested and none are available for project %s.'
                                    % instance.project_id)
        try:
            return self._operations.run(ctxt, instance, 'attach_interface', method='attach_interface',
                                        request=dataclasses.replace(requests[0], tag=request.tag))
        except exception.Abort as exc:
            raise exception.Conflict(exc.message) from exc

    def detach(self, ctxt, instance, port_id):
        """:raises PortNotFound: the server has no such interface; Conflict:"""
        self._operations.check(ctxt, instance, 'detach_interface', 'detach_interface')
        vif = next((vif for vif in instance.network_info if vif.id == port_id), None)
        if vif is None:
            raise exception.PortNotFound(port_id=port_id[:64])
        self._operations.begin(ctxt, instance, 'detach_interface', method='detach_interface', vif=vif)

    def port_deleted(self, ctxt, instance, port_id):
        """The network service says that a port is gone: take the interface away, unless somebody is about to."""
        if operations_db.list_by_instance(self._db, instance.uuid):
            return
        try:
            self.detach(ctxt, instance, port_id)
        except (exception.PortNotFound, exception.Conflict) as exc:
            LOG.info('Port %s was deleted: %s', port_id, exc, instance_uuid=instance.uuid)

    # ---- addresses -----------------------------------------------------------------------------------------------

    def add_fixed_ip(self, ctxt, instance, network_id):
        """:raises Invalid: the server has no interface there, or no address is left; Conflict:"""
        self._check_addresses(ctxt, instance, 'add_fixed_ip')
        self._network.servers.add_fixed_ip(ctxt, instance.uuid, network_id)
        self._refresh(ctxt, instance)

    def remove_fixed_ip(self, ctxt, instance, address):
        """:raises Invalid: the server has no such address; Conflict:"""
        self._check_addresses(ctxt, instance, 'remove_fixed_ip')
        self._network.servers.remove_fixed_ip(ctxt, instance.uuid, address)
        self._refresh(ctxt, instance)

    @staticmethod
    def _check_addresses(ctxt, instance, method):
        api_checks.check_unlocked(ctxt, instance)
        api_checks.check_state(instance, method, WITH_ADDRESSES)

    def associate_floating_ip(self, ctxt, instance, address, fixed_address=None):
        """Let a floating address lead to a server's fixed one, by default the first that has none.

        :raises NotFound: there is no such address; Invalid: the server has no (such) fixed address
        """
        self._network.servers.associate(ctxt, instance, address, fixed_address)
        self._refresh(ctxt, instance)

    def disassociate_floating_ip(self, ctxt, instance, address):
        """:raises NotFound: there is no such address; Conflict: it does not lead to this server"""
        self._network.servers.disassociate(ctxt, instance, address)
        self._refresh(ctxt, instance)

    # ---- security groups -----------------------------------------------------------------------------------------

    def add_security_group(self, ctxt, instance, name):
        """:raises NotFound: no such group, or no interface; Conflict: several of that name"""
        self._network.servers.add_security_group(ctxt, instance.uuid, name)
        self._save_groups(ctxt, instance)

    def remove_security_group(self, ctxt, instance, name):
        """:raises NotFound: no such group, or the server is not in it; Conflict: several of that name"""
        self._network.servers.remove_security_group(ctxt, instance.uuid, name)
        self._save_groups(ctxt, instance)

    def _save_groups(self, ctxt, instance):
        names = [group['name'] for group in self._network.queries.security_groups(ctxt, instance.uuid)]
        instances.modify(self._db, instance.uuid, 'security_groups', lambda current: names)
