# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""nova-manage service and cell_v2: the services of the cloud and its hypervisor nodes."""

import sys

from nova_lite.cmd import manage_arguments as arguments
from nova_lite.db import compute_nodes
from nova_lite.db import engine
from nova_lite.db import instances
from nova_lite.db import services

COMPUTE = 'nova-compute'
IN_USE = 1


def service_list(conf, args):
    """Print the services and whether they are up."""
    found = services.list_(engine.from_conf(conf))
    arguments.print_table(['Binary', 'Host', 'Status', 'State', 'Last seen'], [
        (service.binary, service.host, 'disabled' if service.disabled else 'enabled',
         'up' if service.up else 'down', str(service.last_seen_up or '').partition('.')[0]) for service in found])


def service_delete(conf, args):
    """Forget a service that does not run any more; one that runs registers again."""
    db = engine.from_conf(conf)
    if args.binary == COMPUTE and instances.list_(db, {'host': args.service_host}, limit=1):
        print('There are servers on host %s: delete or migrate them first.' % args.service_host, file=sys.stderr)
        return IN_USE
    services.delete(db, args.service_host, args.binary)
    return None


def discover_hosts(conf, args):
    """Hosts make themselves known as soon as they run: there is nothing to discover, only to look at."""
    found = compute_nodes.list_(engine.from_conf(conf))
    if args.verbose:
        for node in found:
            print('Host %s, node %s, uuid %s' % (node.host, node.hypervisor_hostname, node.uuid))
        print('Found %d hosts.' % len(found))


NOUNS = {
    'service': {
        'list': (service_list, ()),
        'delete': (service_delete, (
            arguments.argument('service_host', metavar='host', help='as service list shows it'),
            arguments.argument('binary', nargs='?', default=COMPUTE, help='%s unless said' % COMPUTE))),
    },
    'cell_v2': {
        'discover_hosts': (discover_hosts, (
            arguments.switch('--verbose', help='print the hosts'),
            arguments.switch('--by-service', help='accepted for the sake of scripts'))),
    },
}
