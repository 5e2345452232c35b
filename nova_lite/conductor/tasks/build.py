# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Finds hosts for new servers and hands the orders to them; goes on to the next host when one fails.

An order is worked on by whoever has the claim on it (`db/orders.py`), so one that comes twice, or that another
conductor took over, is dropped.  Whatever stops between two steps is found by the sweep.
"""

import dataclasses
import logging

from nova_lite import exception
from nova_lite import faultpoints
from nova_lite.compute import task_states
from nova_lite.compute import vm_states
from nova_lite.conductor.tasks import faults
from nova_lite.conductor.tasks import release
from nova_lite.db import actions
from nova_lite.db import instance_groups
from nova_lite.db import instances
from nova_lite.db import orders

LOG = logging.getLogger(__name__)

# Events of the server's action `create`.
SCHEDULE, RESCHEDULE = 'conductor_schedule_and_build_instances', 'conductor_build_instances'
EVENTS = [SCHEDULE, RESCHEDULE]


# ---- a new order ---------------------------------------------------------------------------------------------

def build_instances(tools, ctxt, build_requests, instead_of=None):
    """Place and build the instances of a list of BuildRequest that share a request spec.

    instead_of: the claim of a conductor whose order is taken over.
    """
    claim = tools.new_claim()
    taken = set(orders.take(tools.db, [request.instance.uuid for request in build_requests], claim,
                            tools.step(ctxt, begin=[SCHEDULE]), instead_of))
    mine = [request for request in build_requests if request.instance.uuid in taken]
    if len(mine) < len(build_requests):
        LOG.info('%d orders are taken already, or their servers gone', len(build_requests) - len(mine))
    if not mine:
        return
    try:
        selections = _select_destinations(tools, ctxt, mine)
    except exception.Unavailable as exc:
        LOG.warning('No host could be chosen now, the sweep will try again: %s', exc)
        orders.let_go(tools.db, sorted(taken), claim)
    except Exception as exc:
        if not isinstance(exc, exception.NoValidHost):
            LOG.exception('Choosing hosts failed')
        for request in mine:
            fail(tools, ctxt, request, None, faults.from_exception(exc, None))
    else:
        for request, hosts in zip(mine, selections, strict=True):
            _send(tools, ctxt, request, claim, hosts)


def _select_destinations(tools, ctxt, build_requests):
    """[[chosen Selection, alternate…]…] for the orders. :raises NoValidHost:"""
    faultpoints.hit('conductor.before_schedule', tools.host)
    for request in build_requests:
        if _retry(request)['hosts']:
            release.ports(tools, ctxt, request)     # of a host that failed, should its conductor have died before
            release.renew_volumes(tools, ctxt, request)
    spec = build_requests[0].request_spec
    group = spec.instance_group
    if group is not None:
        group = instance_groups.find(tools.db, group.uuid)      # with its members as of now
    selections = tools.scheduler.select_destinations(ctxt, dataclasses.replace(
        spec, instance_uuids=[request.instance.uuid for request in build_requests], instance_group=group,
        num_instances=len(build_requests),
        ignore_hosts=[*spec.ignore_hosts, *(host for host, _ in _retry(build_requests[0])['hosts'])]))
    faultpoints.hit('conductor.after_schedule', tools.host)
    return selections


def _send(tools, ctxt, request, claim, hosts):
    """Record the chosen one of [Selection…], the others being alternates, and tell it to build; never raises."""
    chosen = hosts[0]
    try:
        tried = [*_retry(request)['hosts'], [chosen.service_host, chosen.nodename]]
        request.filter_properties['retry'] = {'num_attempts': len(tried), 'hosts': tried}
        request.node, request.limits, request.host_list = chosen.nodename, chosen.limits, hosts[1:]
        instance = orders.choose_host(tools.db, request, claim, chosen, tools.step(ctxt, end=EVENTS))
        if instance is None:
            _not_wanted(tools, ctxt, request.instance.uuid)
            return
        request.instance = instance
        faultpoints.hit('conductor.before_compute_cast', tools.host)
        tools.compute.build_and_run_instance(ctxt, chosen.service_host, request)
    except exception.Unavailable as exc:
        LOG.warning('The order for instance %s is left to the sweep: %s', request.instance.uuid, exc)
    except Exception as exc:
        LOG.exception('Sending the order for instance %s failed', request.instance.uuid)
        for host in (chosen.service_host, None):        # as it was recorded, or not yet
            fail(tools, ctxt, request, host, faults.from_exception(exc, chosen.service_host))


def _not_wanted(tools, ctxt, uuid):
    """The instance was deleted while a host was chosen: give back what was claimed, unless somebody else builds it."""
    try:
        instance = instances.get(tools.db, uuid, read_deleted=True)
        if instance.vm_state == vm_states.BUILDING and instance.task_state != task_states.DELETING:
            LOG.info('Instance %s is being built by another conductor', uuid)
            return
    except exception.InstanceNotFound:
        pass
    LOG.info('Instance %s is not wanted any more', uuid)
    tools.placement.delete_allocation_for_instance(ctxt, uuid)
    orders.released(tools.db, uuid)


def _retry(request):
    """{'num_attempts': n, 'hosts': [[host, node]…]} of an order."""
    return request.filter_properties.get('retry') or {'num_attempts': 0, 'hosts': []}


# ---- a host that failed --------------------------------------------------------------------------------------

def reschedule_instance(tools, ctxt, request, host, fault, retry):
    """`host` could not build it: try the next alternate if `retry`, else (or when none is left) end in ERROR.

    The message may come twice, or when the build is somebody else's already: only the host that has it counts.
    """
    if not retry:
        fail(tools, ctxt, request, host, fault)
        return
    if not request.host_list or _retry(request)['num_attempts'] >= tools.max_attempts:
        fail(tools, ctxt, request, host, faults.exhausted(fault))
        return
    claim = tools.new_claim()
    step = _failure_report(tools, ctxt, request, fault, begin=[RESCHEDULE])
    try:
        request.instance = instances.take_from_host(tools.db, request, host, claim, step)
    except (exception.UnexpectedTaskStateError, exception.InstanceNotFound) as exc:
        LOG.info('Not rescheduled: %s', exc.message)
        return
    try:
        release.ports(tools, ctxt, request)
        release.renew_volumes(tools, ctxt, request)
        _next_alternate(tools, ctxt, request, claim, fault)
    except exception.Unavailable as exc:
        LOG.warning('Rescheduling instance %s is left to the sweep: %s', request.instance.uuid, exc)
        orders.let_go(tools.db, [request.instance.uuid], claim)
    except Exception as exc:
        LOG.exception('Rescheduling instance %s failed', request.instance.uuid)
        fail(tools, ctxt, request, None, faults.from_exception(exc, None))


def _next_alternate(tools, ctxt, request, claim, fault):
    """Claim the first alternate that still has room and send the order there."""
    hosts = list(request.host_list)
    while hosts:
        chosen = hosts[0]
        if tools.placement.claim_resources(
                ctxt, request.instance.uuid, chosen.allocation_request, request.instance.project_id,
                request.instance.user_id, chosen.allocation_request_version):
            LOG.info('Choosing host %s for instance %s', chosen.service_host, request.instance.uuid)
            _send(tools, ctxt, request, claim, hosts)
            return
        LOG.info('Alternate %s has no room for instance %s any more', chosen.service_host, request.instance.uuid)
        hosts.pop(0)
    fail(tools, ctxt, request, None, faults.exhausted(fault))


# ---- the end of one that cannot be built ---------------------------------------------------------------------

def fail(tools, ctxt, request, host, fault):
    """ERROR with a fault, if the build is `host`'s (None: no host was chosen yet); what it holds is given back."""
    try:
        instances.fail_build(tools.db, request, host,
                             _failure_report(tools, ctxt, request, fault, action_done=True), fault)
    except (exception.UnexpectedTaskStateError, exception.InstanceNotFound) as exc:
        LOG.info('Not set to ERROR: %s', exc.message)
        return
    LOG.info('Instance %s cannot be built: %s', request.instance.uuid, fault.message)
    release.everything(tools, ctxt, request)


def _failure_report(tools, ctxt, request, fault, **fields):
    """A StepReport that closes all that is open as failed."""
    fault.created_at = orders.clock(tools.db)
    return tools.step(ctxt, end=actions.open_events(tools.db, request.instance.uuid), result=actions.ERROR,
                      details=fault.details or fault.message, **fields)
