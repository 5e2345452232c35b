# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""The engine of long operations: a list of named steps, done in order; when one fails, undone in reverse.

A step counts as begun before it does anything, so its undo also runs when it failed half-way: an undo has to cope
with whatever part of its step was done. What ends with the process is undone by the next start (`reconcile.py`).
"""

import collections.abc
import contextlib
import dataclasses

from oslo_log import log

from nova_lite import concurrency

LOG = log.getLogger(__name__)

UNDO_TRIES, UNDO_PAUSE = 3, 1.0     # seconds


@dataclasses.dataclass(frozen=True)
class Step:
    """name: the method that learners know it by; do(); undo(exc), None where there is nothing to undo.

    transition: the event of compute/transitions.py that the step begins with, saved with the fields that values()
    returns. action: the name of its event among the server's actions. aside: do() only starts it, and who waits for
    it says `task.finish(action)`. interruptible: a delete or a deadline need not wait for the end of do().
    on(): the host that the step is for, in an operation that crosses hosts; None: the one that has the instance.
    """

    name: str
    do: collections.abc.Callable
    undo: collections.abc.Callable | None = None
    transition: str | None = None
    values: collections.abc.Callable = dict
    action: str | None = None
    aside: bool = False
    interruptible: bool = False
    on: collections.abc.Callable | None = None


def run(task, steps):
    """Do all steps under an InstanceTask. What a step raises comes out again, after the steps begun were undone."""
    begun = []
    try:
        for step in steps:
            task.check_interrupted()
            task.step = step.name
            actions = (step.action,) if step.action else ()
            if step.transition:
                task.transition(step.transition, begin=actions, **step.values())
            elif actions:
                task.report(begin=actions)
            begun.append(step)
            with task.interruptible() if step.interruptible else contextlib.nullcontext():
                step.do()
            if not step.aside:
                task.finish(*actions)
    except (Exception, concurrency.Timeout) as exc:
        undo(begun, exc)
        raise


def undo(begun, exc):
    """Undo steps in reverse because of `exc`. One that cannot be undone is left to those who look for leftovers; the
    others go on."""
    for step in reversed(begun):
        undo_one(step, exc)


def undo_one(step, exc):
    """Undo a step, with some patience. :returns: whether it is undone"""
    if step.undo is None:
        return True
    for remaining in reversed(range(UNDO_TRIES)):
        try:
            step.undo(exc)
            return True
        except (Exception, concurrency.Timeout):
            LOG.warning('Step %s could not be undone (%s)', step.name,
                        'trying again' if remaining else 'giving up', exc_info=True)
        if remaining:
            concurrency.sleep(UNDO_PAUSE)
    return False
