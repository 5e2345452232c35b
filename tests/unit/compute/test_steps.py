# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""The engine of long operations, with every step failing in turn."""

import pytest

from nova_lite import concurrency
from nova_lite import exception
from nova_lite.compute.tasks import steps
from nova_lite.compute.tasks import task
from tests.unit.compute import doubles

NAMES = ['a', 'b', 'c', 'd']


class Recorder:
    """Steps that note what happens to them; the step `fail` raises half-way."""

    def __init__(self, fail=None, fail_undo=()):
        self.seen, self.fail, self.fail_undo = [], fail, fail_undo

    def steps(self):
        return [steps.Step(name, lambda name=name: self.do(name), lambda exc, name=name: self.undo(name))
                for name in NAMES]

    def do(self, name):
        self.seen.append(name)
        if name == self.fail:
            raise exception.DiskFull(what=name)

    def undo(self, name):
        self.seen.append('-' + name)
        if name in self.fail_undo:
            raise RuntimeError('cannot undo')


@pytest.fixture
def door(world):
    return task.InstanceTask(world.tools, doubles.new_context(), world.order().instance.uuid, on_failure=None)


def test_all_in_order(door):
    recorder = Recorder()
    steps.run(door, recorder.steps())
    assert recorder.seen == NAMES and door.step == 'd'


@pytest.mark.parametrize('fail', NAMES)
def test_a_failure_undoes_what_was_begun_in_reverse(door, fail):
    recorder = Recorder(fail)
    with pytest.raises(exception.DiskFull):
        steps.run(door, recorder.steps())
    begun = NAMES[:NAMES.index(fail) + 1]
    assert recorder.seen == begun + ['-' + name for name in reversed(begun)]
    assert door.step == fail


def test_an_undo_is_tried_again_and_does_not_stop_the_others(door):
    recorder = Recorder('d', fail_undo=('b',))
    with pytest.raises(exception.DiskFull):
        steps.run(door, recorder.steps())
    assert recorder.seen == NAMES + ['-d', '-c'] + ['-b'] * steps.UNDO_TRIES + ['-a']


def test_an_interruption_comes_before_the_next_step(door):
    recorder = Recorder()
    plan = recorder.steps()
    plan[1] = steps.Step('b', lambda: (recorder.do('b'), door.interrupt(exception.DiskFull(what='x'))),
                         lambda exc: recorder.undo('b'))
    with pytest.raises(exception.DiskFull):
        steps.run(door, plan)
    assert recorder.seen == ['a', 'b', '-b', '-a']


def test_an_interruptible_step_ends_at_once_and_another_does_not(door):
    for interruptible, expected in ((True, []), (False, ['slept'])):
        seen = []
        ended = concurrency.Event()

        def work(seen=seen, ended=ended, interruptible=interruptible):
            try:
                steps.run(door, [steps.Step('sleep', lambda: (concurrency.sleep(0.1), seen.append('slept')),
                                            interruptible=interruptible), steps.Step('after', lambda: None)])
            except exception.DiskFull as exc:
                ended.send(exc)
        door._interruption = None
        concurrency.spawn(work)
        concurrency.sleep(0.02)
        door.interrupt(exception.DiskFull(what='x'))
        assert isinstance(ended.wait(2), exception.DiskFull)
        assert seen == expected


def test_a_step_interrupted_while_it_is_undone_is_undone_to_the_end(door):
    seen = []

    def fail():
        raise exception.DiskFull(what='x')

    def undo(exc):
        door.interrupt(RuntimeError('late'))
        concurrency.sleep(0.01)
        seen.append('undone')
    with pytest.raises(exception.DiskFull):
        steps.run(door, [steps.Step('x', fail, undo, interruptible=True)])
    assert seen == ['undone']
