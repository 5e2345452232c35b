# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""The child that makes sockets inside a network namespace: `socket_maker.py ADDRESS PORT`.

It sends a listening TCP socket and an unbound UDP socket over the UNIX socket that is its standard input. It is
run by itself, by `ip netns exec`, and imports nothing but the standard library.
"""

import socket
import sys


def main(address, port):
    control = socket.socket(fileno=0)
    with socket.create_server((address, port), backlog=128) as listener, \
            socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
        socket.send_fds(control, [b'.'], [listener.fileno(), sender.fileno()])


if __name__ == '__main__':
    try:
        main(sys.argv[1], int(sys.argv[2]))
    except OSError as error:
        sys.exit('cannot listen on %s port %s: %s' % (sys.argv[1], sys.argv[2], error))
