# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Reads the end of a guest's console log, across the files that virtlogd rotates it through."""

import os

MOST_BYTES = 100 * 1024
ROTATED = 10        # virtlogd names them console.log.0 (the youngest), .1, …


def read(path, most=MOST_BYTES):
    """The last `most` bytes of the log at `path`, oldest first. :raises FileNotFoundError: there is none."""
    parts, left = [_tail(path, most)], most
    for number in range(ROTATED):
        left -= len(parts[0])
        rotated = '%s.%d' % (path, number)
        if left <= 0 or not os.path.exists(rotated):
            break
        parts.insert(0, _tail(rotated, left))
    return b''.join(parts)


def _tail(path, most):
    with open(path, 'rb') as log:
        log.seek(max(os.fstat(log.fileno()).st_size - most, 0))
        return log.read(most)
