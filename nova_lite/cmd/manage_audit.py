# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""nova-manage audit and placement: what servers hold on hosts, in Neutron and in Placement, against the records."""

import sys

from nova_lite import context
from nova_lite import exception
from nova_lite import http
from nova_lite import rpc
from nova_lite.audit import audit as auditor
from nova_lite.audit import findings
from nova_lite.audit import mend
from nova_lite.audit import view as views
from nova_lite.cmd import manage_arguments as arguments
from nova_lite.compute import rpcapi as compute_rpcapi
from nova_lite.db import compute_nodes
from nova_lite.db import engine
from nova_lite.db import migration
from nova_lite.network import neutron
from nova_lite.scheduler.client import report
from nova_lite.volume import cinder

LEFT = 1                                            # audit
MORE, NOT_HEALED, NONE_TO_HEAL, INVALID = 1, 3, 4, 127      # heal_allocations
ORPHANS_FOUND, ORPHANS_DELETED = 3, 4               # placement audit


def audit(conf, args):
    """Compare the servers with guests, files, ports, volumes, allocations and rows that belong to them, both ways.

    Exits with 1 when something differs that was not mended.
    """
    result = auditor.audit(_tools(conf), args.fix)
    if not result:
        print('Nothing differs.')
        return None
    arguments.print_table(['Kind', 'Problem', 'Server', 'Host', 'Id', 'Details', 'Result'], [
        (item.kind, item.problem, item.instance_uuid, item.host, item.subject, item.details, outcome)
        for item, outcome in result])
    return LEFT if any(outcome != auditor.FIXED for _, outcome in result) else None


def heal_allocations(conf, args):
    """Allocate in Placement what servers take that it does not know of. Exits with 4 when there were none, with 1 when
    there are more than --max-count, with 3 when some could not be healed."""
    tools, ctxt = _tools(conf), context.admin_context()
    view = _placement_view(tools, ctxt)
    if args.instance and args.instance not in view.instances:
        print('There is no server %s.' % args.instance, file=sys.stderr)
        return INVALID
    broken = [item for item in findings.broken_allocations(view)
              if item.problem == findings.MISSING and args.instance in (None, item.instance_uuid)]
    chosen, failed = broken[:args.max_count], 0
    for item in chosen:
        if not args.dry_run:
            try:
                mend.heal_allocation(tools, ctxt, view, item)
            except exception.NovaException as exc:
                print('Server %s on %s: %s' % (item.instance_uuid, item.host, exc.message), file=sys.stderr)
                failed += 1
                continue
        if args.verbose or args.dry_run:
            print('%s server %s on %s' % ('Would heal' if args.dry_run else 'Healed', item.instance_uuid, item.host))
    if args.verbose:
        print('Healed %d of %d servers.' % (0 if args.dry_run else len(chosen) - failed, len(broken)))
    if failed:
        return NOT_HEALED
    if len(broken) > len(chosen):
        return MORE
    return None if chosen and not args.dry_run else NONE_TO_HEAL


def placement_audit(conf, args):
    """Look for what Placement holds for servers that are gone. Exits with 3 when it found some, with 4 when it deleted
    them."""
    tools, ctxt = _tools(conf), context.admin_context()
    view = _placement_view(tools, ctxt)
    provider = args.resource_provider
    if provider and provider not in view.providers:
        print('There is no resource provider %s.' % provider, file=sys.stderr)
        return INVALID
    found = [item for item in findings.orphan_allocations(view) if provider in (None, item.subject)]
    for item in found:
        if args.delete:
            mend.delete_allocation(tools, ctxt, view, item)
        if args.verbose:
            print('%s the allocation of %s on resource provider %s: %s' % (
                'Deleted' if args.delete else 'Found', item.instance_uuid, item.subject, item.details))
    if args.verbose:
        print('Processed %d allocations.' % len(found))
    if not found:
        return None
    return ORPHANS_DELETED if args.delete else ORPHANS_FOUND


def _placement_view(tools, ctxt):
    """A View of the parts that Placement's records are compared with; the servers are read last."""
    providers = tools.placement.get_providers()
    allocations = views.allocations(tools, ctxt, providers)
    nodes = {(node.host, node.hypervisor_hostname): node for node in compute_nodes.list_(tools.db)}
    view = views.View(providers=providers, allocations=allocations, nodes=nodes)
    views.read_servers(tools, view)
    return view


def _tools(conf):
    db = engine.from_conf(conf)
    migration.check(db)
    return views.Tools(db=db, compute=compute_rpcapi.ComputeAPI(rpc.Transport(conf)),
                       network=neutron.API(http.adapter(conf, 'neutron')),
                       placement=report.ReportClient(http.adapter(conf, 'placement')), volume=cinder.from_conf(conf))


_VERBOSE = arguments.switch('--verbose', help='say what is found and done')

AUDIT = {'audit': (audit, (arguments.switch('--fix', help='mend what can be mended without asking anybody'),))}
NOUNS = {
    'placement': {
        'heal_allocations': (heal_allocations, (
            arguments.argument('--max-count', type=arguments.positive, default=None, metavar='NUMBER',
                               help='at most so many servers; all of them unless said'),
            arguments.argument('--instance', metavar='UUID', help='this server only'),
            arguments.switch('--dry-run', help='only say what would be done'), _VERBOSE)),
        'audit': (placement_audit, (
            arguments.argument('--resource_provider', metavar='UUID', help='on this provider only'),
            arguments.switch('--delete', help='delete what is found'), _VERBOSE)),
    },
}
