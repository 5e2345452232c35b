# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Many services in one process start and stop side by side."""

import time

import pytest

from nova_lite import concurrency
from nova_lite import service


class Member:
    """A service that takes `seconds` to start and to stop, or cannot start."""

    def __init__(self, seconds=0.0, error=None):
        self.seconds, self.error, self.seen = seconds, error, []

    def start(self):
        concurrency.sleep(self.seconds)
        if self.error is not None:
            raise self.error
        self.seen.append('started')

    def stop(self, graceful=True):
        concurrency.sleep(self.seconds)
        self.seen.append('stopped')


def test_all_at_once():
    members = [Member(0.05) for _ in range(40)]
    group = service.Group(members)
    started = time.monotonic()
    group.start()
    group.stop()
    assert time.monotonic() - started < 1
    assert all(member.seen == ['started', 'stopped'] for member in members)


def test_one_that_cannot_start_is_told():
    with pytest.raises(OSError):
        service.Group([Member(), Member(error=OSError('no'))]).start()
