# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""The TCP ports of guests' consoles: free ones for serial lines, and which one a running guest has."""

import random
import socket
import time

from nova_lite import exception
from nova_lite.objects import console

RESERVED_SECONDS = 60       # a port that was chosen is not chosen again for another guest before this one listens
TRIES = 200


class SerialPorts:
    """Free ports on an address, of a range (first, last)."""

    def __init__(self, address, ports):
        self._address = address
        self._first, self._last = ports
        self._reserved = {}         # port → until when

    def choose(self):
        """A port that nobody listens on. :raises HypervisorError: none was found"""
        now = time.monotonic()
        self._reserved = {port: until for port, until in self._reserved.items() if until > now}
        for _ in range(TRIES):
            port = random.randint(self._first, self._last)      # noqa: S311 (no secret)
            if port not in self._reserved and _is_free(self._address, port):
                self._reserved[port] = now + RESERVED_SECONDS
                return port
        raise exception.HypervisorError('The hypervisor has no port left for a serial line.')


def _is_free(address, port):
    with socket.socket(socket.AF_INET6 if ':' in address else socket.AF_INET) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((address, port))
        except OSError:
            return False
    return True


def port_of(tree, kind):
    """The port of a kind of console in the XML tree of a running guest, None where it has none."""
    if kind == console.SERIAL:
        source = tree.find("devices/serial[@type='tcp']/source[@mode='bind']")
        text = None if source is None else source.get('service')
    else:
        graphics = tree.find("devices/graphics[@type='%s']" % kind)
        text = None if graphics is None else graphics.get('port')
    return int(text) if text and text.isdigit() else None
