# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Operations on built servers, as nova-conductor sees to them: what is late is driven on, undone, or given up."""

import datetime
import logging

from nova_lite import context
from nova_lite import exception
from nova_lite.compute import operations
from nova_lite.conductor.tasks import faults
from nova_lite.conductor.tasks import placing
from nova_lite.db import actions
from nova_lite.db import instances
from nova_lite.db import operations as operations_db
from nova_lite.db import services

LOG = logging.getLogger(__name__)

BEFORE = 'before it was begun'


def sweep(tools, now, before, hosts):
    """See to the operations that nothing was heard of since the time `before`; hosts(): a function that tells whether a
    host is up."""
    late = operations_db.late(tools.db, before)
    is_up = hosts() if late else None
    for operation in late:
        if operation.host is None:
            act = decide_placing(operation, now, tools)
            wanted = act is not None        # what follows is a compare-and-swap itself
        else:
            act = decide(operation, now, is_up)
            wanted = operations_db.touch(tools.db, operation)
        if wanted:
            LOG.info('Operation %s of instance %s is late: %s', operation.name, operation.instance_uuid, act.__name__)
            tools.pool.spawn(act, tools, _context(operation), operation)


def clean_up(tools, before, is_up):
    """Have hosts that are back clean up what was given up while they were away."""
    for operation in operations_db.left_over(tools.db, before):
        if is_up(operation.host) and operations_db.touch(tools.db, operation):
            tools.pool.spawn(send_again, tools, _context(operation), operation)


def decide(operation, now, is_up):
    """The function to call for a late Operation."""
    deadline = _deadline(operation)
    if not is_up(operation.host):
        return give_up
    return abort if deadline < now and not operation.undoing else send_again


def decide_placing(operation, now, tools):
    """The function to call for a late Operation whose host is to be chosen, or None: somebody is at it."""
    if _deadline(operation) < now:
        return give_up_placing
    claim = operation.claimed_by
    if claim is None or claim.startswith(tools.host + ':') and not claim.startswith(tools.run_id + ':'):
        return placing.place
    taken_over = now - datetime.timedelta(seconds=tools.deadlines.take_over)
    return placing.place if operation.updated_at < taken_over else None


def _deadline(operation):
    return operation.created_at + datetime.timedelta(seconds=operations.SPECS[operation.name].deadline)


def _context(operation):
    return context.RequestContext(user_id=operation.user_id, project_id=operation.project_id,
                                  request_id=operation.request_id, is_admin=True, overwrite=False)


def send_again(tools, ctxt, operation):
    """The message may be lost, or the host forgot it; if not, the host drops this one."""
    tools.compute.run_operation(ctxt, operation.host, operation.instance_uuid, operation.uuid)


def give_up_placing(tools, ctxt, operation):
    """No host was found in all that time."""
    placing.place(tools, ctxt, operation, give_up=exception.OperationTimedOut(
        operation='The operation', step='the choice of a host'))


def abort(tools, ctxt, operation):
    """The host takes too long: it shall undo the operation."""
    tools.compute.abort_operation(ctxt, operation.host, operation.instance_uuid, operation.uuid)


def give_up(tools, ctxt, operation):
    """The host is down: the operation has failed. What it left there the host undoes when it comes back; another host
    that has to do with it does that now."""
    step = operation.step or BEFORE
    error = exception.OperationFailed(
        operation=operation.name, reason='its host went down during step %s' % step,
        details='nova-compute on host %s is down; last step: %s' % (operation.host, step))
    fault = faults.from_exception(error, operation.host)
    other = _other_host(tools, operation)
    if other is not None:
        operation.data['lost'] = [*operation.lost, operation.host]
        operation.undoing, operation.fault = True, operation.fault or fault
        operations_db.hand_over(tools.db, operation, other)
        instances.update(tools.db, operation.instance_uuid, {}, tools.step(
            ctxt, end=actions.open_events(tools.db, operation.instance_uuid), result='Error', details=fault.message,
            traceback=fault.details))
        tools.compute.run_operation(ctxt, other, operation.instance_uuid, operation.uuid)
        return
    report = tools.step(ctxt, result='Error', details=fault.message, traceback=fault.details, action_done=True)
    try:
        instance = instances.abandon_operation(tools.db, 'operation_undone', operation, report, fault)
        if instance.host is None:       # it was on its way there
            tools.placement.delete_allocation_for_instance(ctxt, instance.uuid)
    except (exception.InstanceNotFound, exception.UnexpectedTaskStateError) as exc:
        LOG.info('Operation %s has ended: %s', operation.uuid, exc)


def _other_host(tools, operation):
    """A host that is up and has to do with an Operation whose own host is down, or None."""
    migration = operation.data.get('migration') or operation.arguments.get('migration')
    if migration is None or operation.step is None:
        return None
    hosts = {migration.source_compute, migration.dest_compute} - {operation.host, *operation.lost}
    return next(iter(hosts & set(services.hosts_up(tools.db))), None)
