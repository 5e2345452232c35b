# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""What every operation on a built server has in common: its steps, how it ends, and what it works with."""

from nova_lite import exception
from nova_lite.compute import notifications
from nova_lite.compute import power_state


class ServerOperation:
    """One operation on one instance. Subclasses say what it consists of; `engine.py` carries it out.

    A step may be done again after a crash, and undone when only part of it was done: do() and undo() have to cope.
    What a step needs to know of an earlier one is in `self.data` (plain JSON), which is kept with each step.
    """

    event = None            # name of its event among the server's actions, as in Nova
    notification = None     # the middle of compute.instance.*.start
    finished = None         # event of compute/transitions.py that ends it well
    undone = 'operation_undone'     # and the one after everything was undone

    def __init__(self, tools, ctxt, task, record):
        self.tools = tools
        self.ctxt = ctxt
        self.task = task
        self.record = record        # objects.operation.Operation
        self.block_devices = []     # those of the instance, as they were when the operation began here

    @property
    def driver(self):
        return self.tools.driver

    @property
    def instance(self):
        return self.task.instance

    @property
    def arguments(self):
        return self.record.arguments

    @property
    def data(self):
        return self.record.data

    def steps(self):
        """[steps.Step…]; called once on each host that has to do with the operation, before any of them is done."""
        raise NotImplementedError

    def values(self):
        """{field of the instance: value} that the final transition saves."""
        return {'power_state': self.power_state()}

    def undone_values(self):
        """{field of the instance: value} to save when everything was undone."""
        return {'power_state': self.power_state()}

    def withdraw(self, exc):
        """Undo what the request itself left, an image without bytes say: called when the operation does not end well,
        after its steps were undone, also when none of them was begun. May be called again."""

    def ended(self):
        """Called once after the end, when all went well: for what nobody has to wait for. Nothing is raised."""

    def result(self):
        """What a caller that waits for the end is told then; plain JSON."""
        return None

    def migration_values(self, event):
        """{field: value} of the operation's migration, `uuid` among them, to save with an event (None: a step without
        one); empty: nothing."""
        return {}

    def forget(self):
        """The instance was deleted meanwhile: give back what only this operation holds."""

    def power_state(self):
        """What the hypervisor says now; one of power_state.py."""
        try:
            return self.driver.get_info(self.instance).state
        except exception.InstanceNotFound:
            return power_state.NOSTATE

    def ability(self, protocol, what):
        """The driver, if it has an ability of virt/abilities. :raises OperationFailed: it has not"""
        if not isinstance(self.driver, protocol):
            raise exception.OperationFailed(operation=what, reason='the hypervisor of the host cannot do it')
        return self.driver

    def notify(self, phase, exc=None):
        if self.notification is not None and self.instance is not None:
            self.tools.notifier.notify(self.ctxt, self.instance, self.notification, phase,
                                       block_devices=self.block_devices, exc=exc)

    def notify_start(self):
        self.notify(notifications.START)
