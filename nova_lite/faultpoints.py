# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Named places where a test can make a service fail: raise, sleep, exit or drop an RPC reply.

Off unless the option `[fault_points] directory` names a directory.  A fault is a file there called after the point
(`compute.after_claim`), or after point and host (`compute.after_claim@host1`), that holds one line:

* `raise TEXT`: raise RuntimeError(TEXT);
* `sleep SECONDS`: wait;
* `exit`: end the process at once, as `kill -9` would;
* `drop`: raise DropReply, which the RPC layer takes as "do not answer".

A line that starts with `once ` works for the first process that reaches the point and removes the file.
"""

import os
import pathlib

from nova_lite import concurrency
from nova_lite import exception

_directory = None


def enable(directory):
    """Look for faults in `directory`; None switches the points off."""
    global _directory
    _directory = pathlib.Path(directory) if directory else None


def hit(point, host=None):
    """Pass the named point: do what a test asked for there, else nothing."""
    if _directory is None:
        return
    for name in (point, '%s@%s' % (point, host)):
        line = _take(_directory / name)
        if line:
            _act(point, line)


def _take(path):
    try:
        line = path.read_text().strip()
        if line.startswith('once '):
            path.unlink()       # of several processes only one succeeds
            line = line[len('once '):]
        return line
    except FileNotFoundError:
        return None


def _act(point, line):
    verb, _, rest = line.partition(' ')
    if verb == 'exit':
        os._exit(137)
    elif verb == 'sleep':
        concurrency.sleep(float(rest))
    elif verb == 'drop':
        raise exception.DropReply()
    elif verb == 'raise':
        raise RuntimeError(rest or 'fault point %s' % point)
    else:
        raise ValueError('unknown fault %r at %s' % (line, point))
