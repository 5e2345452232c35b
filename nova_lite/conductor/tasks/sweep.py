# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""The sweep: no build, no delete and no other operation waits for ever.

Every state in which something is under way has a deadline.  What is past it is driven on: :func:`decide` says how, by
the record alone, and of several conductors the one acts that touches the record first.
"""

import datetime
import logging

from nova_lite import context
from nova_lite import exception
from nova_lite.compute import task_states
from nova_lite.conductor.tasks import build
from nova_lite.conductor.tasks import delete
from nova_lite.conductor.tasks import faults
from nova_lite.conductor.tasks import operations
from nova_lite.conductor.tasks import release
from nova_lite.conductor.tasks import resizing
from nova_lite.db import actions
from nova_lite.db import build_requests
from nova_lite.db import orders
from nova_lite.db import services

LOG = logging.getLogger(__name__)


def run(tools):
    """One pass over all that is late."""
    now = orders.clock(tools.db)
    tools.first_sweep = tools.first_sweep or now
    found = orders.late(tools.db, _before(now, tools.deadlines.resend), tools.host, tools.run_id)
    is_up = _hosts(tools, now) if found else None
    for item in found:
        act = decide(item, now, is_up, tools)
        if act is not None and orders.touch(tools.db, item):
            LOG.info('Instance %s is late in %s: %s', item.uuid, item.task_state or item.vm_state, act.__name__)
            tools.pool.spawn(act, tools, _context(tools.db, item.uuid), item)
    operations.sweep(tools, now, _before(now, tools.deadlines.resend), lambda: _hosts(tools, now))
    operations.clean_up(tools, _before(now, tools.deadlines.resend), services.hosts_up(tools.db).__contains__)
    resizing.clear_deleted(tools)
    for uuid, project_id, kept_ports in orders.unreleased(tools.db, _before(now, tools.deadlines.take_over)):
        tools.pool.spawn(release.again, tools, _context(tools.db, uuid, project_id), uuid, kept_ports)


def _hosts(tools, now):
    """A function that tells whether a host is up. When everything starts at once, hosts get the time to report."""
    if tools.first_sweep > _before(now, tools.db.service_down_time):
        return lambda host: True
    return services.hosts_up(tools.db).__contains__


def decide(item, now, is_up, tools):
    """The function to call for a Late instance, or None; `is_up` tells whether a host is."""
    deadlines = tools.deadlines
    if item.task_state == task_states.DELETING:
        return delete_again
    if item.task_state == task_states.SCHEDULING and item.scheduled_host is not None:
        return send_again if is_up(item.scheduled_host) else host_went_down
    if item.host is not None:
        if not is_up(item.host):
            return host_went_down
        since = item.host_since or item.created_at
        return abort_build if deadlines.build and since < _before(now, deadlines.build) else None
    if deadlines.build and item.created_at < _before(now, deadlines.build):
        return give_up
    if (item.scheduled_by is None or not item.scheduled_by.startswith(tools.run_id + ':')
            and item.scheduled_by.startswith(tools.host + ':')):
        return take_over
    return take_over if item.updated_at < _before(now, deadlines.take_over) else None


def _before(now, seconds):
    return now - datetime.timedelta(seconds=seconds)


def _context(db, uuid, project_id=None):
    """The context of the request that the instance's unfinished action is about, so that logs and events go with it."""
    action = actions.latest_unfinished(db, uuid)
    if action is None:
        return context.RequestContext(project_id=project_id, is_admin=True, overwrite=False)
    return context.RequestContext(user_id=action.user_id, project_id=action.project_id, request_id=action.request_id,
                                  is_admin=True, overwrite=False)


# ---- what is done about it -----------------------------------------------------------------------------------

def take_over(tools, ctxt, item):
    """Nobody took the order, or who took it is gone."""
    request = build_requests.get(tools.db, item.uuid)
    if request is not None:
        build.build_instances(tools, ctxt, [request], instead_of=item.scheduled_by)


def send_again(tools, ctxt, item):
    """The chosen host did not begin: the message may be lost. If it is not, the host drops this one."""
    request = build_requests.get(tools.db, item.uuid)
    if request is not None:
        tools.compute.build_and_run_instance(ctxt, item.scheduled_host, request)


def host_went_down(tools, ctxt, item):
    """The host that builds it, or was chosen to, is down: another may do."""
    request = build_requests.get(tools.db, item.uuid)
    if request is None:
        return
    host, step = item.host or item.scheduled_host, _last_step(tools.db, item.uuid)
    error = exception.RescheduledException(instance_uuid=item.uuid, reason='its host went down during step %s' % step,
                                           details='nova-compute on host %s is down; last step: %s' % (host, step))
    build.reschedule_instance(tools, ctxt, request, host, faults.from_exception(error, host), retry=True)


def abort_build(tools, ctxt, item):
    """The host takes too long: it shall undo the build, and hand it back."""
    tools.compute.abort_build(ctxt, item.host, item.uuid)


def give_up(tools, ctxt, item):
    """No host was found in all that time."""
    request = build_requests.get(tools.db, item.uuid)
    if request is None:
        return
    step = _last_step(tools.db, item.uuid)
    error = exception.OperationTimedOut(operation='The build', step=step, details='No host was chosen in %d seconds; '
                                        'last step: %s' % (tools.deadlines.build, step))
    build.fail(tools, ctxt, request, None, faults.from_exception(error, None))


def delete_again(tools, ctxt, item):
    """The delete did not end: its host is asked again, or it is done here when that is down."""
    delete.delete_instance(tools, ctxt, item.uuid)


def _last_step(db, uuid):
    return next(reversed(actions.open_events(db, uuid)), build.SCHEDULE)
