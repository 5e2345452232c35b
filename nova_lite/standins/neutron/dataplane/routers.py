# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Makes, checks and removes the namespaces of routers: their devices on bridges, addresses, routes and translation."""

import os
import sys

from nova_lite.standins.neutron.dataplane import announcer
from nova_lite.standins.neutron.dataplane import commands
from nova_lite.standins.neutron.dataplane import links
from nova_lite.standins.neutron.dataplane import metadata_proxy
from nova_lite.standins.neutron.dataplane import names
from nova_lite.standins.neutron.dataplane import nat
from nova_lite.standins.neutron.dataplane import netns
from nova_lite.standins.neutron.dataplane import nftables

_TABLE = 'nova_lite'
_LOOPBACK = ('127.0.0.1/8', metadata_proxy.ADDRESS + '/32')


class Routers:
    """The routers of one installation on this host.

    `source` gives `routers()`, a list of `plan.Router`, and `owner_behind(router_id, address)`, the (instance id,
    project id) of a server on one of the router's networks, or None.
    """

    def __init__(self, source, installation, listeners):
        self._source = source
        self._installation = installation
        self._listeners = listeners
        self._made = {}  # router id: (its plan as last made, its namespace's identity)
        self._tables = {}  # router id: its `nftables.Table`

    def update(self, attempt, check):
        """Make what changed, and with `check` what broke. `attempt(what, action, *arguments)` notes failures."""
        wanted = {router.id: router for router in self._source.routers()}
        gone = self._made.keys() - wanted.keys()
        if check:
            gone |= names.recorded_routers(self._installation) - wanted.keys()
        for router_id in gone:
            attempt('router ' + router_id, self._remove, router_id)
        for router in wanted.values():
            made, _ = self._made.get(router.id, (None, None))
            if made != router or check and not self._whole(router):
                attempt('router ' + router.id, self._make, router)

    def _whole(self, router):
        namespace = names.router_namespace(router.id)
        return (netns.identity(namespace) == self._made[router.id][1] and self._listeners.current(namespace)
                and all(links.master(names.tap(interface.port_id)) == names.bridge(interface.network_id)
                        for interface in router.all_interfaces))

    def _make(self, router):
        made, _ = self._made.pop(router.id, (None, None))
        namespace, mark = names.router_namespace(router.id), names.alias(self._installation, router.id)
        os.makedirs(names.record(self._installation, namespace), mode=0o755, exist_ok=True)
        taps = {names.tap(interface.port_id) for interface in router.all_interfaces}
        for device, text in links.owned(mark).items():
            if text == mark and device not in taps:
                links.delete(device)
        new = links.ensure_namespace(namespace, forward=True)
        if new or router.id not in self._tables:
            self._tables[router.id] = nftables.Table('ip', _TABLE, namespace)
        self._tables[router.id].apply(nat.ruleset(router))
        links.set_addresses(namespace, 'lo', _LOOPBACK)
        for interface in router.all_interfaces:
            self._connect(router, interface, namespace, mark)
        links.set_routes(namespace, router.all_routes)
        self._listeners.ensure(namespace, lambda address: self._source.owner_behind(router.id, address))
        if router.gateway is not None:
            known = set() if new or made is None else set(made.outside_addresses)
            self._announce(namespace, router.gateway, set(router.outside_addresses) - known)
        self._made[router.id] = router, netns.identity(namespace)

    def _connect(self, router, interface, namespace, mark):
        outside = interface is router.gateway
        device = (names.gateway_device if outside else names.router_device)(interface.port_id)
        links.ensure_veth(
            names.tap(interface.port_id), device, interface.mac, bridge=names.bridge(interface.network_id),
            namespace=namespace, mtu=interface.mtu, mark=mark)
        links.set_addresses(namespace, device, router.outside_addresses if outside else interface.addresses)

    def _announce(self, namespace, gateway, addresses):
        """Tell the external network's hosts where addresses are now."""
        if addresses:
            commands.run('ip', 'netns', 'exec', namespace, sys.executable, '-I', '-S', announcer.__file__,
                         names.gateway_device(gateway.port_id), gateway.mac,
                         *(address.partition('/')[0] for address in sorted(addresses)))

    def _remove(self, router_id):
        """Remove all that the host has of a router that is no more."""
        namespace, mark = names.router_namespace(router_id), names.alias(self._installation, router_id)
        self._listeners.close(namespace)
        for device, text in links.owned(mark).items():
            if text == mark:
                links.delete(device)
        links.delete_namespace(namespace)
        self._made.pop(router_id, None)
        self._tables.pop(router_id, None)
        names.forget(self._installation, namespace)
