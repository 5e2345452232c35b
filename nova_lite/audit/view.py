# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""What there is of every server in all places: the records, the hosts, Neutron, Cinder and Placement."""

import dataclasses

from nova_lite import exception
from nova_lite.compute import rpcapi as compute_rpcapi
from nova_lite.db import block_devices
from nova_lite.db import compute_nodes
from nova_lite.db import engine
from nova_lite.db import instances as instances_db
from nova_lite.db import leftovers
from nova_lite.db import moves
from nova_lite.db import services
from nova_lite.network import neutron
from nova_lite.scheduler.client import report
from nova_lite.volume import cinder


@dataclasses.dataclass(frozen=True)
class Tools:
    """Where the audit looks, and what it mends with."""

    db: engine.Database
    compute: compute_rpcapi.ComputeAPI
    network: neutron.API
    placement: report.ReportClient
    volume: cinder.API


@dataclasses.dataclass
class View:
    """All of it at (almost) one time.

    instances: {uuid: Instance} without deleted ones; guests, directories: {host: {uuid…}}, of hosts that answered (and,
    for directories, keep any); silent: hosts that did not; nodes: {(host, node name): ComputeNode}; providers: {uuid:
    name}; allocations: {consumer uuid: {provider uuid: {resource class: amount}}}; ports: [port…] of servers, as
    Neutron shows them; attachments: {id: cinder.Attachment} of servers, None where Cinder does not answer; devices:
    [BlockDeviceMapping…] with an attachment; rows: [(table, instance uuid)…] of instances that are
    gone; migrations: uuids of those that have not ended.
    """

    instances: dict = dataclasses.field(default_factory=dict)
    guests: dict = dataclasses.field(default_factory=dict)
    directories: dict = dataclasses.field(default_factory=dict)
    silent: list = dataclasses.field(default_factory=list)
    nodes: dict = dataclasses.field(default_factory=dict)
    providers: dict = dataclasses.field(default_factory=dict)
    allocations: dict = dataclasses.field(default_factory=dict)
    ports: list = dataclasses.field(default_factory=list)
    attachments: dict | None = dataclasses.field(default_factory=dict)
    devices: list = dataclasses.field(default_factory=list)
    rows: list = dataclasses.field(default_factory=list)
    migrations: set = dataclasses.field(default_factory=set)


def look(tools, ctxt):
    """The View as of now. The records are read last: what was found before and has none then is nobody's.

    :raises ServiceUnreachable: Neutron, Placement or the database
    """
    view = View()
    for service in services.list_(tools.db, binary='nova-compute'):
        _ask_host(tools, ctxt, service, view)
    view.ports = tools.network.queries.server_ports(ctxt)
    view.providers = tools.placement.get_providers()
    view.allocations = allocations(tools, ctxt, view.providers)
    view.nodes = {(node.host, node.hypervisor_hostname): node for node in compute_nodes.list_(tools.db)}
    view.attachments = _attachments(tools, ctxt)
    view.devices = block_devices.get_attached(tools.db)
    view.rows = leftovers.find(tools.db)
    read_servers(tools, view)
    return view


def read_servers(tools, view):
    """Fill in the instances, and the migrations of them."""
    view.migrations = {migration.uuid for migration in moves.under_way(tools.db)}
    view.instances = {instance.uuid: instance for instance in instances_db.list_(tools.db, {})}


def _ask_host(tools, ctxt, service, view):
    try:
        if not service.up:
            raise exception.MessagingUnavailable()
        found = tools.compute.list_guests(ctxt, service.host)
    except exception.NovaException:
        view.silent.append(service.host)
        return
    view.guests[service.host] = set(found['guests'])
    if found['directories'] is not None:
        view.directories[service.host] = set(found['directories'])


def _attachments(tools, ctxt):
    try:
        return {item.id: item for item in tools.volume.attachment_get_all(ctxt) if item.instance_id}
    except exception.ServiceUnreachable:
        return None


def allocations(tools, ctxt, providers):
    """{consumer uuid: {provider uuid: {resource class: amount}}} on some providers."""
    found = {}
    for provider in providers:
        for consumer, resources in tools.placement.get_allocations_for_provider(ctxt, provider).items():
            found.setdefault(consumer, {})[provider] = resources
    return found
