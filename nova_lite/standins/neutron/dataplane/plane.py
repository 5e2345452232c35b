# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Keeps the host's bridges, DHCP, metadata proxies, filters and routers as the database says, in a thread of its own.

Callers only say which network changed, so no request waits for a command, but for the bridge that a guest is about
to be plugged into. Every few seconds the thread looks for what died or was removed and makes it again.
"""

import ipaddress
import logging
import os
import threading
import time
import zlib

from nova_lite.standins.neutron.dataplane import commands
from nova_lite.standins.neutron.dataplane import conntrack
from nova_lite.standins.neutron.dataplane import dnsmasq
from nova_lite.standins.neutron.dataplane import filters
from nova_lite.standins.neutron.dataplane import firewall
from nova_lite.standins.neutron.dataplane import links
from nova_lite.standins.neutron.dataplane import listeners
from nova_lite.standins.neutron.dataplane import metadata_proxy
from nova_lite.standins.neutron.dataplane import names
from nova_lite.standins.neutron.dataplane import nftables
from nova_lite.standins.neutron.dataplane import routers

LOG = logging.getLogger(__name__)

CHECK_SECONDS = 5
_EXPECTED = (OSError, ValueError)  # what a host may fail with; CommandError is an OSError
_METADATA_ADDRESS = metadata_proxy.ADDRESS + '/32'
_ZONES = 65535  # of connection tracking, beside 0


class NoDataPlane:
    """Stands in where networks are records only: the fake compute driver needs nothing on the host."""

    enabled = False

    def host_ranges(self):
        """The ranges that networks should keep clear of: none."""
        return []

    def start(self):
        """Nothing to make."""

    def stop(self):
        """Nothing runs."""

    def changed(self, network_id):
        """Nothing depends on it."""

    def refresh(self):
        """Nothing depends on it."""

    def plug(self, network_id, filtered_port_id):
        """No guest is plugged anywhere."""


class LinuxBridge:
    """The data plane of one installation on this host; needs root.

    `source` reads the database: `networks()` gives the ids, `plan(network_id)` a `plan.Network` (None when it is
    gone), `security()` a `plan.Security`, `owner_at(network_id, address)` the (instance id, project id) that has an
    address, or None; and what `routers.Routers` asks.
    """

    enabled = True

    def __init__(self, source, state_path, forwarder):
        self._source = source
        self._installation = names.installation(state_path)
        self._firewall = nftables.Table('inet', names.table(self._installation))
        self._filters = nftables.Table('bridge', names.table(self._installation))
        self._tracking = None  # what `conntrack.find` gave
        self._work = threading.Lock()  # held by whoever changes the host
        self._wake = threading.Condition()
        self._dirty = set()
        self._refresh = self._stopped = False
        self._made = {}  # network id: its plan as last made
        self._listeners = listeners.Listeners(forwarder)
        self._routers = routers.Routers(source, self._installation, self._listeners)
        self._bridges = {}  # network id: its `firewall.Bridge`
        self._checked = 0.0
        self._complaints = {}  # what failed last, so that the log says it once
        self._thread = threading.Thread(target=self._run, name='dataplane', daemon=True)

    def host_ranges(self):
        """The IPv4 ranges that this machine reaches already, which networks should keep clear of."""
        return links.routes()

    def start(self):
        """Begin: make all that the database asks for and remove networks that it no longer has."""
        self._dirty.update(self._source.networks(), names.recorded_networks(self._installation))
        self._attempt('bridges', self._know_bridges)
        self._thread.start()

    def stop(self):
        """End the thread and the proxies; what is on the host stays, for the guests."""
        with self._wake:
            self._stopped = True
            self._wake.notify()
        if self._thread.is_alive():
            self._thread.join(commands.SECONDS)
        self._listeners.close_all()

    def _know_bridges(self):
        """Know what all networks will have, so that no table is ever made for the first few only."""
        for network_id in self._source.networks():
            network = self._source.plan(network_id)
            self._bridges[network_id] = self._bridge(network, self._safe_gateways(network))

    def changed(self, network_id):
        """Note that the network, its subnets or its ports changed."""
        with self._wake:
            self._dirty.add(network_id)
            self._wake.notify()

    def refresh(self):
        """Note that something else changed: a security group, a router, a floating address."""
        with self._wake:
            self._refresh = True
            self._wake.notify()

    def plug(self, network_id, filtered_port_id):
        """Return once a guest can be plugged in: its network's bridge is there, and its port's filter.

        `filtered_port_id` is None for a port without filter. Raises OSError when it cannot be.
        """
        with self._work:
            if not links.is_bridge(names.bridge(network_id)):
                network = self._source.plan(network_id)
                if network is None:
                    raise commands.CommandError('the network %s is gone' % network_id)
                self._make_bridge(network)
                self.changed(network_id)
            applied = self._filters.applied
            if filtered_port_id and not (applied and filters.covers(applied, filtered_port_id)):
                self._filter()

    def _run(self):
        while True:
            with self._wake:
                if not (self._dirty or self._refresh or self._stopped):
                    self._wake.wait(CHECK_SECONDS)
                if self._stopped:
                    return
                dirty, self._dirty, self._refresh = self._dirty, set(), False
            with self._work:
                self._attempt('check', self._round, dirty)

    def _round(self, dirty):
        now = time.monotonic()
        check = now - self._checked >= CHECK_SECONDS
        if check:
            self._checked = now
            dirty.update(self._broken())
            for table in (self._firewall, self._filters):
                self._attempt('firewall', table.present)
        for network_id in dirty:
            self._attempt('network ' + network_id, self._update, network_id)
        self._attempt('firewall', self._protect)
        self._attempt('filters', self._filter)
        self._attempt('routers', self._routers.update, self._attempt, check)

    def _attempt(self, what, action, *arguments):
        try:
            action(*arguments)
        except Exception as error:  # whatever it is, the other networks still need this thread
            if self._complaints.get(what) != str(error):
                LOG.error('Data plane, %s: %s (tried again every %d s)', what, error, CHECK_SECONDS,
                          exc_info=not isinstance(error, _EXPECTED))
            self._complaints[what] = str(error)
        else:
            self._complaints.pop(what, None)

    def _broken(self):
        """Ids of the networks of which something is missing, or is left although they are no more."""
        present = self._source.networks()
        return {network_id for network_id in present if not self._whole(network_id)} | (
            names.recorded_networks(self._installation) - set(present))

    def _whole(self, network_id):
        made = self._made.get(network_id)
        if made is None or not links.is_bridge(names.bridge(network_id)):
            return False
        if made.dhcp_port is None:
            return True
        return (self._listeners.current(names.namespace(network_id))
                and links.master(names.tap(made.dhcp_port)) == names.bridge(network_id)
                and self._dnsmasq(network_id).serves())

    def _dnsmasq(self, network_id):
        return dnsmasq.Dnsmasq(names.record(self._installation, network_id), names.namespace(network_id))

    def _update(self, network_id):
        """Bring what the host has of one network to what the database says."""
        network = self._source.plan(network_id)
        made = self._made.get(network_id)
        if network is None:
            self._remove(network_id)
        elif made is not None and made.shape == network.shape and self._whole(network_id):
            if network.dhcp_port is not None:
                self._dnsmasq(network_id).apply(network, names.namespace_device(network.dhcp_port),
                                                self._listeners.sender(names.namespace(network_id)))
            self._made[network_id] = network
        else:
            self._made.pop(network_id, None)
            self._make(network)
            self._made[network_id] = network

    def _make(self, network):
        self._make_bridge(network)
        if network.dhcp_port is None:
            self._remove_dhcp(network.id)
        else:
            self._make_dhcp(network)
        gateways = self._safe_gateways(network)
        self._bridges[network.id] = self._bridge(network, gateways)
        self._protect()  # before the address that it protects
        links.set_addresses(None, names.bridge(network.id), gateways)

    def _bridge(self, network, gateways):
        cidrs = tuple(str(ipaddress.ip_interface(gateway).network) for gateway in gateways)
        return firewall.Bridge(names.bridge(network.id), cidrs, 0 if cidrs else self._zone(network.id))

    def _make_bridge(self, network):
        os.makedirs(names.record(self._installation, network.id), mode=0o755, exist_ok=True)
        bridge = names.bridge(network.id)
        made = links.ensure_bridge(bridge, names.alias(self._installation, network.id),
                                   names.bridge_mac(network.id), network.mtu)
        self._track().prepare(bridge)
        if made:
            for port_id in network.ports:
                links.adopt(names.tap(port_id), bridge)

    def _make_dhcp(self, network):
        namespace = names.namespace(network.id)
        tap, device = names.tap(network.dhcp_port), names.namespace_device(network.dhcp_port)
        mark = names.alias(self._installation, network.id)
        for other, text in links.owned(mark).items():
            if text == mark and other not in (tap, names.bridge(network.id)):
                links.delete(other)
        links.ensure_namespace(namespace)
        links.ensure_veth(tap, device, network.dhcp_mac, bridge=names.bridge(network.id), namespace=namespace,
                          mtu=network.mtu, mark=mark)
        addresses = ['%s/%d' % (subnet.dhcp_address, ipaddress.ip_network(subnet.cidr).prefixlen)
                     for subnet in network.subnets]
        links.set_addresses(namespace, device, [*addresses, _METADATA_ADDRESS])
        self._dnsmasq(network.id).apply(network, device)
        self._listeners.ensure(namespace, lambda address: self._source.owner_at(network.id, address))

    def _safe_gateways(self, network):
        """The gateways of the network that take nothing away from the host's own networks."""
        others = links.routes(but_for=names.bridge(network.id)) if network.gateways else []
        taken = [ipaddress.ip_network(text) for text in others]
        safe = []
        for gateway in network.gateways:
            cidr = ipaddress.ip_interface(gateway).network
            clash = next((other for other in taken if other.overlaps(cidr)), None)
            if clash is None:
                safe.append(gateway)
            else:
                LOG.error('Network %s: the host does not take the gateway address %s, because it reaches %s '
                          'elsewhere', network.id, gateway, clash)
        return safe

    def _remove_dhcp(self, network_id):
        self._listeners.close(names.namespace(network_id))
        self._dnsmasq(network_id).stop()
        mark = names.alias(self._installation, network_id)
        for device, text in links.owned(mark).items():
            if text == mark and device != names.bridge(network_id):
                links.delete(device)
        links.delete_namespace(names.namespace(network_id))

    def _remove(self, network_id):
        """Remove all that the host has of a network that is no more."""
        self._remove_dhcp(network_id)
        bridge = names.bridge(network_id)
        if links.alias(bridge) == names.alias(self._installation, network_id):
            links.delete(bridge)
        self._made.pop(network_id, None)
        self._bridges.pop(network_id, None)
        names.forget(self._installation, network_id)

    def _zone(self, network_id):
        """A connection tracking zone that no other network has, the same after a restart where possible."""
        taken = {bridge.zone for other, bridge in self._bridges.items() if other != network_id}
        zone = zlib.crc32(network_id.encode()) % _ZONES + 1
        while zone in taken:
            zone = zone % _ZONES + 1
        return zone

    def _track(self):
        if self._tracking is None:
            self._tracking = conntrack.find()
        return self._tracking

    def _own_bridges(self):
        return sorted(self._bridges.values(), key=lambda bridge: bridge.name)

    def _protect(self):
        """Make the firewall table fit the bridges."""
        bridges = self._own_bridges()
        if any(bridge.cidrs for bridge in bridges):
            firewall.forward(names.record(self._installation, firewall.NOTE))
        self._firewall.apply(firewall.ruleset(bridges, self._track()))

    def _filter(self):
        """Make what guests may send and get fit their ports and security groups."""
        security, bridges = self._source.security(), self._own_bridges()
        for bridge in bridges:
            self._track().prepare(bridge.name)
        known = {names.tap(port_id) for port_id in security.known}
        strangers = [tap for bridge in bridges for tap in links.taps(bridge.name) if tap not in known]
        self._filters.apply(filters.ruleset(security, strangers, self._track(), bridges))
