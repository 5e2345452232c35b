# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Removes all that the data plane of one installation left on the host, whether its service ended well or not.

    python -m nova_lite.standins.neutron.dataplane.teardown --state-path DIR

The service itself must not run any more. What belongs to others is never touched; run again, it finds nothing.
"""

import argparse
import os
import shutil
import signal
import sys

from nova_lite.standins.neutron.dataplane import commands
from nova_lite.standins.neutron.dataplane import dnsmasq
from nova_lite.standins.neutron.dataplane import firewall
from nova_lite.standins.neutron.dataplane import links
from nova_lite.standins.neutron.dataplane import names
from nova_lite.standins.neutron.dataplane import netns
from nova_lite.standins.neutron.dataplane import nftables


def teardown(state_path):
    """Remove every process, device, namespace, table and file of the installation with this state path.

    Goes on past a failure. Returns one line of text for each thing that could not be removed.
    """
    installation = names.installation(state_path)
    directory = names.run_directory(installation)
    devices = links.owned(names.alias(installation, ''))
    if not devices and not os.path.isdir(directory):
        return []
    owners = {text.split()[-1] for text in devices.values()}  # networks and routers
    owners |= names.recorded_networks(installation) | names.recorded_routers(installation)
    failures = []
    for owner_id in sorted(owners):
        _attempt(failures, _remove, installation, owner_id)
    for device in links.owned(names.alias(installation, '')):
        _attempt(failures, links.delete, device)
    for family in ('inet', 'bridge'):
        _attempt(failures, nftables.Table(family, names.table(installation)).remove)
    if not failures:
        _attempt(failures, firewall.restore_forward, os.path.join(directory, firewall.NOTE), _bridges())
        shutil.rmtree(directory, ignore_errors=True)
    return failures


def _attempt(failures, action, *arguments):
    try:
        action(*arguments)
    except OSError as error:
        failures.append(str(error))


def _remove(installation, owner_id):
    """Remove what was made for a network or a router; names of the other kind find nothing."""
    dnsmasq.Dnsmasq(names.record(installation, owner_id), names.namespace(owner_id)).stop()
    mark, bridge = names.alias(installation, owner_id), names.bridge(owner_id)
    for namespace in (names.namespace(owner_id), names.router_namespace(owner_id)):
        if netns.identity(namespace) is not None:
            for number in commands.run('ip', 'netns', 'pids', namespace).split():
                _kill(int(number))
    for device, text in links.owned(mark).items():
        if text == mark:
            links.delete(device)
    for namespace in (names.namespace(owner_id), names.router_namespace(owner_id)):
        links.delete_namespace(namespace)
    if links.is_bridge(bridge) and not links.alias(bridge):
        links.delete(bridge)  # made, but not marked yet when its maker was killed


def _kill(number):
    try:
        os.kill(number, signal.SIGKILL)
    except ProcessLookupError:
        pass


def _bridges():
    """The bridges that are left on the host."""
    return [device for device in os.listdir(links.SYSFS) if links.is_bridge(device)]


def main():
    parser = argparse.ArgumentParser(description='Remove what the data plane left on this host.')
    parser.add_argument('--state-path', required=True, metavar='DIR', help='state_path of standins.conf')
    failures = teardown(parser.parse_args().state_path)
    for failure in failures:
        print('Not removed: %s' % failure, file=sys.stderr)
    return 1 if failures else 0


if __name__ == '__main__':
    sys.exit(main())
