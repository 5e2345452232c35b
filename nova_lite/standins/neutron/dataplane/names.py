# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""The names that one installation's bridges, taps, namespaces, tables and files have on the host.

All follow from the stand-ins' state path and from ids, so that they are found again after a crash, and so that
several installations on one machine never touch each other's. Neutron's own names are kept where it has them.
"""

import hashlib
import os

RUN_DIRECTORY = '/run'
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


def alias(installation_id, network_id):
    """What marks a network device as this installation's own (`ip link set … alias`)."""
    return 'nova-lite %s %s' % (installation_id, network_id)


def table(installation_id):
    """Name of this installation's nftables table."""
    return 'nova_lite_' + installation_id


def bridge(network_id):
    return 'brq' + network_id[:_NAME_ID]


def namespace(network_id):
    return 'qdhcp-' + network_id


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
