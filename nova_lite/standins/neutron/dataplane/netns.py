# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Runs a function inside a network namespace, in a thread that does nothing else and then ends.

`setns` moves only the thread that calls it, and that thread is never used again, so no failure can leave any
other part of the process in the wrong namespace. A socket belongs for life to the namespace it was made in.
"""

import ctypes
import os
import socket
import threading
from concurrent import futures

DIRECTORY = '/run/netns'
_CLONE_NEWNET = 0x40000000
_libc = ctypes.CDLL(None, use_errno=True)


def path(name):
    return os.path.join(DIRECTORY, name)


def identity(name):
    """What tells a namespace from a later one of the same name: device and inode; None when there is none."""
    try:
        status = os.stat(path(name))
    except FileNotFoundError:
        return None
    return status.st_dev, status.st_ino


def call(name, function):
    """The result of `function()` run inside the named namespace. Raises OSError when it cannot be entered."""
    caller = threading.get_native_id()

    def inside():
        if threading.get_native_id() == caller:
            raise RuntimeError('threads are not real here: the whole process would change its namespace')
        descriptor = os.open(path(name), os.O_RDONLY | os.O_CLOEXEC)
        try:
            if _libc.setns(descriptor, _CLONE_NEWNET):
                number = ctypes.get_errno()
                raise OSError(number, os.strerror(number), path(name))
        finally:
            os.close(descriptor)
        return function()

    with futures.ThreadPoolExecutor(max_workers=1) as pool:
        return pool.submit(inside).result()


def listen(name, address, port, backlog=128):
    """A TCP socket that listens inside the named namespace."""
    def make():
        listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        try:
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listener.bind((address, port))
            listener.listen(backlog)
        except OSError:
            listener.close()
            raise
        return listener
    return call(name, make)


def set_sysctls(name, values):
    """Write `{path below /proc/sys/net: text}` in the named namespace (None: on the host)."""
    def write():
        for place, text in values.items():
            with open(os.path.join('/proc/sys/net', place), 'w', encoding='ascii') as entry:
                entry.write(text)
    if name is None:
        write()
    else:
        call(name, write)
