# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Carries bytes between a WebSocket and a TCP connection, with bounded memory: nothing is read that the other side has
not taken yet."""

import selectors

from websockify import websocket

CHUNK = 65536
LARGEST_MESSAGE = 1 << 20       # bytes that a client may send without completing a message


class MeteredSocket:
    """A client's socket that ends the connection when a message takes more than LARGEST_MESSAGE bytes."""

    def __init__(self, sock):
        self._socket = sock
        self.unread = 0

    def __getattr__(self, name):
        return getattr(self._socket, name)

    def recv(self, size):
        data = self._socket.recv(size)
        self.unread += len(data)
        if self.unread > LARGEST_MESSAGE:
            raise ConnectionAbortedError('a message is too large')
        return data


def run(client, metered, target):
    """Until one side closes. client: a websockify WebSocket on the MeteredSocket; target: a socket.

    :raises OSError: a side is gone, does not take anything for longer than its time-out, or sends too much at once
    """
    with selectors.DefaultSelector() as selector:
        selector.register(metered, selectors.EVENT_READ, True)
        selector.register(target, selectors.EVENT_READ, False)
        while True:
            for key, _ in selector.select():
                if key.data:
                    if not _from_client(client, metered, target):
                        return
                else:
                    data = target.recv(CHUNK)
                    if not data:
                        client.close(1000, 'Target closed')
                        return
                    _send(client, data)


def _from_client(client, metered, target):
    """Pass on what has come whole. :returns: False: the client has closed"""
    while True:
        try:
            message = client.recvmsg()
        except websocket.WebSocketWantReadError:
            return True
        metered.unread = 0
        if message is None:
            return False
        target.sendall(message)
        if not client.pending():
            return True


def _send(client, data):
    """The socket waits until the client takes it, or its time-out is over."""
    while True:
        try:
            client.sendmsg(data)
            return
        except websocket.WebSocketWantWriteError:
            continue
