# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""What the data plane has to make of one network: plain values, derived from the database by its owner."""

import dataclasses


@dataclasses.dataclass(frozen=True, slots=True)
class Host:
    """One address of one port, as DHCP gives it out."""

    mac: str
    address: str
    name: str  # host name without domain


@dataclasses.dataclass(frozen=True, slots=True)
class Subnet:
    """An IPv4 subnet with DHCP. Addresses are texts, `cidr` as in 10.0.0.0/24."""

    id: str
    cidr: str
    gateway: str | None
    dhcp_address: str
    dns_servers: tuple = ()
    routes: tuple = ()  # (destination CIDR, next hop)


@dataclasses.dataclass(frozen=True, slots=True)
class Network:
    """One network. `gateways` are the addresses with prefix length that the host itself has on the bridge."""

    id: str
    mtu: int
    domain: str
    gateways: tuple = ()
    dhcp_port: str | None = None  # id of the DHCP port; None where no subnet has DHCP
    dhcp_mac: str | None = None
    subnets: tuple = ()
    hosts: tuple = ()
    ports: tuple = ()  # ids of the ports, whose taps are put back when the bridge is made anew

    @property
    def shape(self):
        """All but what changes with each port: while it stays the same, new port lists are all that is to do."""
        return dataclasses.replace(self, hosts=(), ports=())
