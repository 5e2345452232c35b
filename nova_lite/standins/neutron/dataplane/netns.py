# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Network namespaces: what tells them apart, writing their settings, and sockets that live inside them.

A socket belongs for life to the namespace that it was made in. So a short-lived child makes it there and hands it
over, and nothing of this process, with its threads, ever enters a namespace.
"""

import os
import socket
import sys

from nova_lite.standins.neutron.dataplane import commands
from nova_lite.standins.neutron.dataplane import socket_maker

DIRECTORY = '/run/netns'


def identity(name):
    """What tells a namespace from a later one of the same name: device and inode; None when there is none."""
    try:
        status = os.stat(os.path.join(DIRECTORY, name))
    except FileNotFoundError:
        return None
    return status.st_dev, status.st_ino


def identity_of(process_id):
    """The same of the namespace that a process is in. Raises OSError when it has ended."""
    status = os.stat('/proc/%d/ns/net' % process_id)
    return status.st_dev, status.st_ino


def set_value(name, place, text):
    """Write a setting below /proc/sys/net in the named namespace."""
    commands.run('ip', 'netns', 'exec', name, 'tee', '/proc/sys/net/' + place, stdin=text)


def sockets(name, address, port):
    """A TCP socket that listens on address and port inside the namespace, and an unbound UDP one.

    Raises CommandError.
    """
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM)
    with ours, theirs:
        commands.run('ip', 'netns', 'exec', name, sys.executable, '-I', '-S', socket_maker.__file__, address,
                     str(port), stdin=theirs)
        _text, descriptors, _flags, _sender = socket.recv_fds(ours, 1, 2)
    listener, sender = (socket.socket(fileno=descriptor) for descriptor in descriptors)
    return listener, sender
