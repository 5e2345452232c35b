# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Carries out an operation on a built server: step by step, each recorded before it begins; or undoes it, in reverse.

The record says where an operation is. So whoever comes next - this process after an error, its next life after a crash,
another host that the next step is for, the conductor's sweep when a message got lost - goes on from there: the same
message may come twice, late, or never.
"""

from oslo_log import log

from nova_lite import concurrency
from nova_lite import exception
from nova_lite import faultpoints
from nova_lite.compute import faults
from nova_lite.compute import notifications
from nova_lite.compute import operations
from nova_lite.compute.tasks import orphans
from nova_lite.compute.tasks import power
from nova_lite.compute.tasks import steps
from nova_lite.compute.tasks import task
from nova_lite.compute.tasks.operations import registry
from nova_lite.objects import operation as operation_obj

LOG = log.getLogger(__name__)


def start(tools, ctxt, instance_uuid, operation_uuid, give_up=None):
    """Work on an operation in a green thread of its own, unless one does so already."""
    if operation_uuid in tools.operations:
        LOG.info('This operation is under way already', instance_uuid=instance_uuid)
        return
    run = tools.operations[operation_uuid] = Run(tools, ctxt, instance_uuid, operation_uuid, give_up)
    concurrency.spawn(_run, tools, run)


def _run(tools, run):
    try:
        run.run()
    finally:
        del tools.operations[run.uuid]
        run.ended.send(None)
    if run.task.taken_away:
        run.look_behind()


def carry_out(tools, ctxt, instance_uuid, operation_uuid):
    """As start(), and wait for its end here. :returns: the operation's result() :raises: what it failed with"""
    start(tools, ctxt, instance_uuid, operation_uuid)
    run = tools.operations[operation_uuid]
    run.ended.wait()
    if run.failure is None:
        return run.result
    if isinstance(run.failure, exception.NovaException):
        raise run.failure
    raise exception.OperationFailed(operation='The operation', reason=faults.message(run.failure))


def abort(tools, ctxt, instance_uuid, operation_uuid):
    """Have an operation undone, whether it is being worked on or not."""
    run = tools.operations.get(operation_uuid)
    step = run.task.step if run is not None else 'before it was begun'
    reason = exception.OperationTimedOut(operation='The operation', step=step)
    if run is not None:
        run.task.interrupt(reason)
    else:
        start(tools, ctxt, instance_uuid, operation_uuid, give_up=reason)


class Run:
    """One go at an operation, in this process. give_up: an exception to undo it with, instead of carrying on."""

    def __init__(self, tools, ctxt, instance_uuid, operation_uuid, give_up=None):
        self.tools = tools
        self.ctxt = ctxt
        self.instance_uuid = instance_uuid
        self.uuid = operation_uuid
        self.task = task.InstanceTask(tools, ctxt, instance_uuid, self._left_to_the_sweep)
        self._give_up = give_up
        self._operation = None
        self._steps = []
        self._failed = False
        self.ended = concurrency.Event()
        self.failure = None         # an exception, when it has ended here
        self.result = None

    def run(self):
        """As far as this host has to do with it, under the instance's lock; nothing is raised."""
        with self.task.hold():
            record = self.tools.conductor.operation_get(self.ctxt, self.uuid)
            if record is None or record.host != self.tools.host:
                LOG.info('This operation is not under way here any more')
                return
            self._go_on(record)
        if self._failed:
            power.sync(self.tools, self.instance_uuid)

    def look_behind(self):
        """A delete at another host did not see what was being done here."""
        orphans.look_at(self.tools, self.instance_uuid)
        if self._operation is not None and orphans.is_gone(self.tools, self.ctxt, self.instance_uuid):
            self._operation.forget()

    def _go_on(self, record):
        self.ctxt.request_id, self.ctxt.user_id, self.ctxt.project_id = (
            record.request_id, record.user_id, record.project_id)
        self.ctxt.update_store()
        self.task.load()
        self._operation = registry.operation(record.name)(self.tools, self.ctxt, self.task, record)
        self._operation.block_devices = self.tools.conductor.block_devices_get(self.ctxt, self.instance_uuid)
        self._steps = self._operation.steps()
        position = self._position(record)
        if record.abandoned:
            self._clean_up(position)
        elif record.undoing:
            self.task.reopen(self._operation.event)
            self._undo(position)
        elif position < 0:
            LOG.info('Starting operation %s', record.name)
            self._operation.notify_start()
            self._forward(0)
        else:
            self._resume(position)

    def _position(self, record):
        """Index of the last step that began; -1: none."""
        names = [step.name for step in self._steps]
        return names.index(record.step) if record.step in names else -1

    def _resume(self, position):
        """Go on with what an earlier life of this process began, or another host handed over."""
        record, step = self._operation.record, self._steps[position]
        self.task.reopen(self._operation.event)
        if self._host_of(step) != self.tools.host:
            self._forward(position + 1)
        elif self._give_up is None and operations.SPECS[record.name].resumes:
            LOG.info('Operation %s goes on with step %s', record.name, step.name)
            self._forward(position)
        else:
            self._fail(position, self._give_up or exception.OperationFailed(
                operation=record.name, reason='nova-compute was restarted during step %s' % step.name))

    def _host_of(self, step):
        return step.on() if step.on is not None else self.tools.host

    # ---- forward -------------------------------------------------------------------------------------------------

    def _forward(self, start):
        operation, position = self._operation, start
        try:
            if self._give_up is not None:
                raise self._give_up
            for position, step in enumerate(self._steps[start:], start):    # noqa: B007 (undone from there)
                host = self._host_of(step)
                if host != self.tools.host:
                    return self._hand_over(host)
                self._do(step)
            self.task.step = operation.finished
            self._done(operation.finished)
            self.task.final_transition(operation.finished, **operation.values())
        except task.TakenAway as exc:
            self._end_quietly(position, exc)
            raise
        except (Exception, concurrency.Timeout) as exc:
            return self._fail(position, exc)
        self.result = operation.result()
        LOG.info('Operation %s has ended', operation.record.name)
        operation.ended()
        operation.notify(notifications.END)

    def _do(self, step):
        operation, record = self._operation, self._operation.record
        self.task.check_interrupted()
        self.task.step = record.step = step.name
        begin = [name for name in (operation.event, step.action) if name and not self.task.is_open(name)]
        self._progress(step, begin)
        point = 'operation.%s.%s' % (record.name, step.name)
        faultpoints.hit(point, self.tools.host)
        if step.interruptible:
            with self.task.interruptible():
                step.do()
        else:
            step.do()
        faultpoints.hit(point + '.done', self.tools.host)
        if step.action:
            self.task.finish(step.action)

    def _progress(self, step, begin):
        record = self._operation.record
        self.task.progress = operation_obj.Progress(
            operation_uuid=self.uuid, step=step.name, data=record.data,
            migration=self._operation.migration_values(step.transition))
        if step.transition:
            self.task.transition(step.transition, begin=begin, **step.values())
        else:
            self.task.report(begin=begin)

    def _hand_over(self, host):
        LOG.info('Operation %s goes on at host %s', self._operation.record.name, host)
        self.task.report_finished()
        try:
            self.tools.conductor.operation_hand_over(self.ctxt, self._operation.record, host)
        except exception.OperationGone as exc:
            raise task.TakenAway(exc.message, deleting=False) from exc

    # ---- backward ------------------------------------------------------------------------------------------------

    def _fail(self, position, exc):
        """A step failed: from now on the operation is being undone, whoever carries it on."""
        self.failure, record = exc, self._operation.record
        LOG.warning('Step %s of operation %s failed: %s', self.task.step, record.name, exc,
                    exc_info=not isinstance(exc, exception.NovaException))
        record.fault = faults.from_exception(exc, self.tools.host, self.task.step)
        record.undoing = True
        self._operation.notify(notifications.ERROR, exc)
        self._undo(position, exc)

    def _undo(self, position, exc=None):
        """Undo the steps up to a position, in reverse, and end the operation."""
        record = self._operation.record
        exc = exc or exception.OperationFailed(operation=record.name, reason=record.fault.message)
        self._failed, clean = True, True
        for step in reversed(self._steps[:position + 1]):
            host = self._host_of(step)
            if host in record.lost:
                continue
            if host != self.tools.host:
                record.step = step.name
                self.task.report_failure(exc)       # nobody there knows which events are open here
                return self._hand_over(host)
            self.task.step = step.name
            faultpoints.hit('operation.%s.%s.undo' % (record.name, step.name), self.tools.host)
            clean = steps.undo_one(step, exc) and clean
        clean = steps.undo_one(self._request(), exc) and clean
        event = self._operation.undone if clean else 'operation_failed'
        self._done(event)
        self.task.transition(event, fault=record.fault, result='Error', done=True, **self._operation.undone_values())

    def _request(self):
        """What the request itself did, as the step before all others."""
        return steps.Step('request', None, self._operation.withdraw)

    def _done(self, event):
        """With the next report the operation has ended, but for what a host that was lost has to clean up."""
        self.task.progress = operation_obj.Progress(
            operation_uuid=self.uuid, done=True, migration=self._operation.migration_values(event),
            left_to=next(iter(self._operation.record.lost), None))

    def _end_quietly(self, position, exc):
        """Somebody deletes the instance, or took this host for dead: leave nothing behind."""
        self.failure = exc
        self._operation.notify(notifications.ERROR, exc)
        here = [step for step in self._steps[:position + 1] if self._host_of(step) == self.tools.host]
        steps.undo([self._request(), *here], exc)
        record = self.tools.conductor.operation_get(self.ctxt, self.uuid)
        if record is not None and record.abandoned:
            self.tools.conductor.operation_finish(self.ctxt, self.uuid)
            self._failed = True

    def _clean_up(self, position):
        """The operation was given up while this host was away."""
        record = self._operation.record
        LOG.info('Undoing operation %s, which was given up', record.name)
        self._failed = True
        exc = exception.OperationFailed(operation=record.name, reason=record.fault.message)
        for step in reversed(self._steps[:position + 1]):
            host = self._host_of(step)
            if host == self.tools.host:
                steps.undo_one(step, exc)
            elif not record.lost:
                record.step = step.name
                return self._hand_over(host)
        steps.undo_one(self._request(), exc)
        self.tools.conductor.operation_finish(self.ctxt, self.uuid)

    def _left_to_the_sweep(self, exc):
        """Who cannot even report leaves it to the conductor, which will have it gone on with."""
        LOG.error('Operation %s is left to the sweep of nova-conductor: %s', self.uuid, exc)
