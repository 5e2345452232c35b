# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Finds free addresses of a subnet in memory, so that creating a port needs no search in the database."""

import ipaddress


class Allocator:
    """The used addresses of one subnet, and the next free one of its allocation pools.

    Addresses are given out in turn, so one that was just freed is not reused while others are left: a guest that
    is going may still answer on it.
    """

    def __init__(self, record):
        self._version = record['ip_version']
        self._used = {}  # address as a number: how many ports have it
        self.set_pools(record)

    def set_pools(self, record):
        """Take over the allocation pools of a subnet's record."""
        self._ranges = [(int(ipaddress.ip_address(pool['start'])), int(ipaddress.ip_address(pool['end'])))
                        for pool in record['allocation_pools']]
        self._next = self._ranges[0][0] if self._ranges else 0

    def add(self, address):
        number = int(ipaddress.ip_address(address))
        self._used[number] = self._used.get(number, 0) + 1

    def discard(self, address):
        number = int(ipaddress.ip_address(address))
        left = self._used.get(number, 0) - 1
        if left > 0:
            self._used[number] = left
        else:
            self._used.pop(number, None)

    def uses(self, address):
        return int(ipaddress.ip_address(address)) in self._used

    def find(self, excluded=()):
        """A free address of the pools as text, None when there is none. It stays free until `add`.

        `excluded` are addresses that somebody has in mind already.
        """
        skipped = {int(ipaddress.ip_address(address)) for address in excluded}
        for first, last in self._in_turn():
            number = first
            while number <= last:
                if number not in self._used and number not in skipped:
                    self._next = number + 1
                    return str(ipaddress.ip_address(number) if self._version == 4
                               else ipaddress.IPv6Address(number))
                number += 1
        return None

    def _in_turn(self):
        """The ranges from the next address on, then those before it."""
        after = [(max(first, self._next), last) for first, last in self._ranges if last >= self._next]
        before = [(first, min(last, self._next - 1)) for first, last in self._ranges if first < self._next]
        return after + before
