# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""The one door to an instance on its host: whoever works on one holds it through an InstanceTask.

It owns the instance's lock, the instance as last seen, its state (nothing else makes a transition), the events of the
server's action, and the end: quiet when somebody else moved the instance on, else the operation's own `on_failure`.
"""

import contextlib

from oslo_log import log

from nova_lite import concurrency
from nova_lite import exception
from nova_lite.compute import conductor_client
from nova_lite.compute import faults
from nova_lite.objects import action as action_obj
from nova_lite.objects import operation as operation_obj

LOG = log.getLogger(__name__)

_GONE = (exception.UnexpectedDeletingTaskStateError, exception.InstanceNotFound)
_REFUSALS = (*_GONE, exception.OperationGone, exception.UnexpectedTaskStateError, exception.InvalidTransition)


class TakenAway(Exception):
    """The instance is not this task's any more: it is being deleted (`deleting`), or another process moved it on."""

    def __init__(self, reason, deleting):
        super().__init__(reason)
        self.deleting = deleting


class InstanceTask:
    """One operation on one instance. tools: a toolbox.Toolbox; on_failure(exc) is called, inside the lock, when the
    operation failed and the instance is still this task's."""

    def __init__(self, tools, ctxt, instance_uuid, on_failure):
        self.tools = tools
        self.ctxt = ctxt
        self.uuid = instance_uuid
        self.instance = None
        self.step = 'waiting for its turn'
        self.progress = None        # objects.operation.Progress that goes with the next reports
        self.taken_away = False     # whether it ended because the instance was not its own any more
        self._on_failure = on_failure
        self._open = []             # names of action events that were (or may have been) begun and not ended
        self._finished = []         # those of them that ended well: the next report says so
        self._interruption = None
        self._thread = None         # set while it may be interrupted

    # ---- the door ------------------------------------------------------------------------------------------------

    @contextlib.contextmanager
    def hold(self):
        """Hold the instance's lock, and see to the end of the operation in the block: nothing is raised."""
        self.ctxt.resource_uuid = self.uuid     # the log's formatter puts it, and the request id, before each line
        self.ctxt.update_store()
        with self.tools.locks.hold(self.uuid):
            try:
                yield self
            except TakenAway as exc:
                self.taken_away = True
                LOG.info('Ending quietly at step %s: %s', self.step, exc)
                self.report_failure(exc)
            except (Exception, concurrency.Timeout) as exc:
                LOG.warning('Step %s failed: %s', self.step, exc, exc_info=not isinstance(exc, exception.NovaException))
                self._fail(exc)

    def _fail(self, exc):
        try:
            self._on_failure(exc)
        except TakenAway as taken:
            LOG.info('Ending quietly after a failure: %s', taken)
        except (Exception, concurrency.Timeout):
            LOG.exception('The failure of step %s could not be dealt with; the sweep of nova-conductor will', self.step)

    # ---- state ---------------------------------------------------------------------------------------------------

    def transition(self, event, *, begin=(), fault=None, result='Success', done=False, patience=None, **values):
        """Move the instance by an event of compute/transitions.py, save `values` with it, report steps.

        begin: action events that begin now; those finished since the last report end now, with `result`. done: this
        ends the whole action. patience: see conductor_client.
        :raises TakenAway: the instance is not in a state that the event may start from
        """
        ended = list(self._open) if done else list(self._finished)
        step = self._step_report(begin=list(begin), end=ended, result=result, action_done=done)
        if result != 'Success' and fault is not None:
            step.details, step.traceback = fault.message, fault.details
        with self._reporting(step):
            self.instance = self.tools.conductor.instance_transition(
                self.ctxt, self.uuid, event, values, step, fault, patience=patience)
        return self.instance

    def final_transition(self, event, **values):
        """The :meth:`transition` that ends an operation well. It waits for an answer as long as it takes: with none, a
        guess could undo what the database takes for done."""
        return self.transition(event, done=True, patience=conductor_client.FOR_EVER, **values)

    def load(self):
        """Read the instance again. :raises TakenAway: it is gone"""
        try:
            self.instance = self.tools.conductor.instance_get(self.ctxt, self.uuid)
        except exception.InstanceNotFound as exc:
            raise TakenAway(exc.message, deleting=True) from exc
        return self.instance

    # ---- action events -------------------------------------------------------------------------------------------

    def report(self, begin=()):
        """Report steps without a transition."""
        step = self._step_report(begin=list(begin), end=list(self._finished))
        with self._reporting(step):
            self.tools.conductor.instance_update(self.ctxt, self.uuid, {}, step)

    def report_finished(self):
        """Report the events that ended well, should no other report come from here."""
        if self._finished:
            self.progress = None
            self.report()

    def report_progress(self, record, migration):
        """Report fields of the migration that an Operation is about, in the middle of a step. Best effort."""
        progress = operation_obj.Progress(operation_uuid=record.uuid, step=record.step, data=record.data,
                                          migration=migration)
        step = self._step_report()
        step.progress = progress
        try:
            self.tools.conductor.instance_update(self.ctxt, self.uuid, {}, step, patience=0)
        except exception.Unavailable as lost:
            LOG.info('Progress was not recorded: %s', lost)

    @contextlib.contextmanager
    def _reporting(self, step):
        """Around a call to the conductor with a StepReport: what it begins counts as open unless it was refused."""
        before = list(self._open)
        self._open += step.begin
        try:
            yield
        except _REFUSALS as exc:
            self._open = before
            raise TakenAway(exc.message, deleting=isinstance(exc, _GONE)) from exc
        self._open = [name for name in self._open if name not in step.end]
        self._finished = [name for name in self._finished if name not in step.end]

    def is_open(self, name):
        return name in self._open

    def reopen(self, *names):
        """These action events were begun by whoever had the operation before."""
        self._open.extend(names)

    def finish(self, *names):
        """These action events ended well; the next report says so."""
        self._finished.extend(name for name in names if name in self._open)

    def report_failure(self, exc):
        """Close what is open: what had finished well, then the rest as failed. Best effort: the state says it too."""
        self.progress = None
        closing = [self._step_report(end=list(self._finished))] if self._finished else []
        failed = [name for name in self._open if name not in self._finished]
        if failed:
            closing.append(self._step_report(
                end=failed, result='Error', details=faults.message(exc) if not isinstance(exc, TakenAway) else str(exc),
                traceback=faults.details(exc, self.tools.host, self.step)))
        try:
            for step in closing:
                self.tools.conductor.instance_update(self.ctxt, self.uuid, {}, step, patience=0)
        except exception.NovaException as lost:
            LOG.info('Step events were not recorded: %s', lost)
        self._open, self._finished = [], []

    def _step_report(self, **fields):
        return action_obj.StepReport(host=self.tools.host, request_id=self.ctxt.request_id, progress=self.progress,
                                     **fields)

    # ---- interruption --------------------------------------------------------------------------------------------

    def interrupt(self, error):
        """Have the task end with `error` as soon as it may: at once in an interruptible step, else before the next."""
        self._interruption = error
        thread, self._thread = self._thread, None
        if thread is not None:
            concurrency.interrupt(thread, error)

    @property
    def interrupted(self):
        """Whether somebody asked for its end."""
        return self._interruption is not None

    def check_interrupted(self):
        if self._interruption is not None:
            raise self._interruption

    @contextlib.contextmanager
    def interruptible(self):
        """In the block, :meth:`interrupt` need not wait."""
        self.check_interrupted()
        self._thread = concurrency.current()
        try:
            yield
        finally:
            self._thread = None
