# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""The order of jobs that touch the same things."""

import threading

from nova_lite.standins.cinder import jobs


def test_jobs_that_touch_the_same_come_in_order():
    runner, seen, gate = jobs.Jobs(), [], threading.Event()
    runner.submit(['a'], gate.wait, 30)
    for number, names in enumerate((['a'], ['a', 'b'], ['b'], ['a'])):
        runner.submit(names, seen.append, number)
    runner.submit(['c'], seen.append, 'apart')
    while seen != ['apart']:
        threading.Event().wait(0.01)
    gate.set()
    runner.wait()
    assert seen[0] == 'apart'
    assert [number for number in seen if number in (0, 1, 2)] == [0, 1, 2]
    assert seen.index(3) > seen.index(1)


def test_a_job_that_fails_holds_nobody_up(capsys, monkeypatch):
    monkeypatch.setattr(threading, 'excepthook', lambda args: None)
    runner, seen = jobs.Jobs(), []
    runner.submit(['a'], lambda: 1 / 0)
    runner.submit(['a'], seen.append, 1)
    runner.wait()
    assert seen == [1]
