# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Ends DHCP leases in the name of clients that are gone, by the DHCPRELEASE message (RFC 2131, 4.4.6).

Without it dnsmasq keeps an address for its last holder and refuses it to the port that has it next.
"""

import dataclasses
import secrets
import socket

_SERVER_PORT = 67
_COOKIE = bytes((99, 130, 83, 99))
_MESSAGE_TYPE, _SERVER_ID, _END = 53, 54, 255
_RELEASE = 7


@dataclasses.dataclass(frozen=True, slots=True)
class Lease:
    """Whose lease of which address ends, and the address of the server that gave it."""

    mac: str
    address: str
    server: str


def message(lease):
    """The bytes of a DHCPRELEASE."""
    header = bytes((1, 1, 6, 0)) + secrets.token_bytes(4) + bytes(4)  # request, Ethernet, 6-byte addresses
    addresses = socket.inet_aton(lease.address) + bytes(12)  # ciaddr; yiaddr, siaddr and giaddr unused
    hardware = bytes.fromhex(lease.mac.replace(':', '')).ljust(16, b'\0')
    options = bytes((_MESSAGE_TYPE, 1, _RELEASE, _SERVER_ID, 4)) + socket.inet_aton(lease.server)
    return header + addresses + hardware + bytes(64 + 128) + _COOKIE + options + bytes((_END,))


def send(sender, leases):
    """Send a release for each of `leases` through `sender`, a UDP socket in the server's namespace."""
    for lease in leases:
        sender.sendto(message(lease), (lease.server, _SERVER_PORT))
