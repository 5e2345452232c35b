# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""The child that tells neighbours of new addresses, in a namespace: `announcer.py DEVICE MAC ADDRESS…`.

It sends a gratuitous ARP request and reply for each, so that nobody goes on to send to an address's last holder. It is
run by itself, by `ip netns exec`, and imports nothing but the standard library.
"""

import socket
import sys

_EVERYBODY = b'\xff' * 6
_ARP = 0x0806
_REQUEST, _REPLY = 1, 2


def frame(mac, address, operation):
    """The bytes of the frame that says: `address` (text) is at `mac` (bytes)."""
    own = socket.inet_aton(address)
    header = _EVERYBODY + mac + _ARP.to_bytes(2, 'big') + bytes((0, 1, 8, 0, 6, 4, 0, operation))
    return header + mac + own + _EVERYBODY + own


def main(device, mac, *addresses):
    own = bytes.fromhex(mac.replace(':', ''))
    with socket.socket(socket.AF_PACKET, socket.SOCK_RAW) as sender:
        sender.bind((device, 0))
        for address in addresses:
            for operation in (_REQUEST, _REPLY):
                sender.send(frame(own, address, operation))


if __name__ == '__main__':
    try:
        main(*sys.argv[1:])
    except OSError as error:
        sys.exit('cannot announce addresses on %s: %s' % (sys.argv[1], error))
