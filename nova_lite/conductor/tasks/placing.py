# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Chooses the hosts of operations that begin at the conductor, and hands them to the first of those hosts.

An operation is worked on by whoever has the claim on it, so one that comes twice, or that another conductor took over,
is dropped. What a stage does may be repeated; whatever stops in the middle is found by the sweep.
"""

import logging

from nova_lite import exception
from nova_lite import faultpoints
from nova_lite.conductor.tasks import faults
from nova_lite.conductor.tasks import stages
from nova_lite.db import actions
from nova_lite.db import instances
from nova_lite.db import operations as operations_db
from nova_lite.objects import operation as operation_obj

LOG = logging.getLogger(__name__)


def run_operation(tools, ctxt, operation_uuid):
    """Choose the hosts of an operation that nobody has begun with."""
    operation = operations_db.get(tools.db, operation_uuid)
    if operation is None or operation.host is not None or operation.claimed_by is not None:
        LOG.info('Operation %s is under way already, or has ended', operation_uuid)
        return
    place(tools, ctxt, operation)


def place(tools, ctxt, operation, give_up=None):
    """Choose the hosts of an Operation instead of the one who had the claim, should there be one.

    give_up: an exception to end it with, instead of choosing.
    """
    claim = tools.new_claim()
    if not operations_db.claim(tools.db, operation, claim, instead_of=operation.claimed_by):
        LOG.info('Operation %s is taken already', operation.uuid)
        return
    try:
        instance = instances.get(tools.db, operation.instance_uuid)
    except exception.InstanceNotFound:
        LOG.info('The instance of operation %s is gone', operation.uuid)
        return
    stage = stages.stage(operation.name)(tools, ctxt, instance, operation)
    try:
        if give_up is not None:
            raise give_up
        _choose(tools, ctxt, stage, claim)
    except exception.Unavailable as exc:
        LOG.warning('Operation %s will be tried again: %s', operation.name, exc)
        operations_db.let_go(tools.db, operation, claim)
    except Exception as exc:
        if not isinstance(exc, exception.NovaException):
            LOG.exception('Choosing hosts failed')
        _fail(tools, ctxt, stage, claim, exc)


def _choose(tools, ctxt, stage, claim):
    instance, operation = stage.instance, stage.operation
    name = 'conductor.operation.%s' % operation.name
    if stage.event not in actions.open_events(tools.db, instance.uuid):
        instances.update(tools.db, instance.uuid, {}, tools.step(ctxt, begin=[stage.event]))
    faultpoints.hit(name, tools.host)
    host = stage.place()
    faultpoints.hit(name + '.placed', tools.host)
    instances.update(tools.db, instance.uuid, {}, tools.step(ctxt, end=[stage.event]))
    if not operations_db.give_to_host(tools.db, operation, host, claim):
        _not_wanted(tools, stage)
        return
    LOG.info('Operation %s of instance %s begins at host %s', operation.name, instance.uuid, host)
    try:
        tools.compute.run_operation(ctxt, host, instance.uuid, operation.uuid)
    except exception.Unavailable as exc:
        LOG.warning('Operation %s is left to the sweep: %s', operation.uuid, exc)


def _fail(tools, ctxt, stage, claim, exc):
    """End the operation as if it had not been asked for, but for the fault."""
    instance, operation = stage.instance, stage.operation
    if not operations_db.is_claimed(tools.db, operation, claim):
        _not_wanted(tools, stage)
        return
    fault = faults.from_exception(exc, tools.host)
    LOG.info('Operation %s of instance %s cannot begin: %s', operation.name, instance.uuid, fault.message)
    try:
        stage.undo()
    except exception.Unavailable as unavailable:
        LOG.warning('Giving back what was claimed will be tried again: %s', unavailable)
        operations_db.let_go(tools.db, operation, claim)
        return
    report = tools.step(ctxt, end=[stage.event], result=actions.ERROR, details=fault.details or fault.message,
                        action_done=True, progress=operation_obj.Progress(
                            operation_uuid=operation.uuid, done=True, migration=stage.failed_migration()))
    try:
        instances.transition(tools.db, instance.uuid, stage.undone, step=report, fault=fault)
    except (exception.InstanceNotFound, exception.UnexpectedTaskStateError) as error:
        LOG.info('Operation %s has ended: %s', operation.uuid, error)


def _not_wanted(tools, stage):
    """Another conductor goes on with it; or the instance is being deleted: then nothing may stay claimed for it."""
    if operations_db.get(tools.db, stage.operation.uuid) is None:
        LOG.info('Operation %s is not wanted any more', stage.operation.uuid)
        stage.clear()
