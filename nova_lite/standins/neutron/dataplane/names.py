# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""The names that one installation's bridges, taps, namespaces, tables and files have on the host.

All follow from the stand-ins' state path and from ids, so that they are found again after a crash, and so that
several installations on one machine never touch each other's. Neutron's own names are kept where it has them.
"""

import hashlib
import os
import shutil

RUN_DIRECTORY = '/run'
_ROUTER = 'qrouter-'
_NAME_ID = 11  # characters of an id in a device name; the kernel allows 15 in all


def installation(state_path):
    """Eight hexadecimal digits that stand for the installation whose stand-ins have this state path."""
    return hashlib.sha256(os.path.realpath(state_path).encode()).hexdigest()[:8]


def run_directory(installation_id):
    """Where the files of this installation's dnsmasq processes are.

    Outside the state path, which only its owner may enter: dnsmasq reads them again after it gave up root. Like
    bridges and namespaces, it is gone after a reboot.
    """
    return os.path.join(RUN_DIRECTORY, 'nova-lite-' + installation_id)


def record(installation_id, name):
    """The directory that says that something was made for a network (its id) or a router (its namespace)."""
    return os.path.join(run_directory(installation_id), name)


def forget(installation_id, name):
    shutil.rmtree(record(installation_id, name), ignore_errors=True)


def recorded_networks(installation_id):
    """Ids of the networks that something was made for, also by an earlier life."""
    return {name for name in _recorded(installation_id) if not name.startswith(_ROUTER)}


def recorded_routers(installation_id):
    return {name.removeprefix(_ROUTER) for name in _recorded(installation_id) if name.startswith(_ROUTER)}


def _recorded(installation_id):
    try:
        with os.scandir(run_directory(installation_id)) as entries:
            return [entry.name for entry in entries if entry.is_dir()]
    except FileNotFoundError:
        return []


def alias(installation_id, owner_id):
    """What marks a network device as this installation's own (`ip link set … alias`), made for a network or router."""
    return 'nova-lite %s %s' % (installation_id, owner_id)


def table(installation_id):
    """Name of this installation's nftables table."""
    return 'nova_lite_' + installation_id


def bridge(network_id):
    return 'brq' + network_id[:_NAME_ID]


def namespace(network_id):
    return 'qdhcp-' + network_id


def router_namespace(router_id):
    return _ROUTER + router_id


def router_device(port_id):
    """Device of a router's port in its namespace."""
    return 'qr-' + port_id[:_NAME_ID]


def gateway_device(port_id):
    """Device in a router's namespace that is on the external network."""
    return 'qg-' + port_id[:_NAME_ID]


def tap(port_id):
    """Device of a port on the bridge's side."""
    return 'tap' + port_id[:_NAME_ID]


def namespace_device(port_id):
    """Device of a DHCP port in its namespace."""
    return 'ns-' + port_id[:_NAME_ID]


def bridge_mac(network_id):
    """A fixed address for the bridge: without one it changes, and the guests' gateway with it, as taps come."""
    digest = hashlib.sha256(network_id.encode()).hexdigest()
    return 'fa:16:3f:%s:%s:%s' % (digest[:2], digest[2:4], digest[4:6])
