# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""What the data plane has to make: plain values, derived from the database by its owner."""

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


@dataclasses.dataclass(frozen=True, slots=True)
class SecuredPort:
    """A port whose guest may use its own addresses only, and what its security groups allow.

    `addresses` are pairs of MAC and network, as ('fa:16:3e:00:00:05', '10.0.0.5/32').
    """

    id: str
    mac: str
    addresses: tuple
    groups: tuple  # ids


@dataclasses.dataclass(frozen=True, slots=True)
class Rule:
    """A rule of a security group. `low` and `high` are ports, or type and code of ICMP; None means any."""

    direction: str  # 'ingress' or 'egress'
    version: int  # 4 or 6
    protocol: int | None = None
    low: int | None = None
    high: int | None = None
    prefix: str | None = None  # of the other side
    remote_group: str | None = None


@dataclasses.dataclass(frozen=True, slots=True)
class Security:
    """All that guests are allowed: ports, rules by id of the group, and networks of the members of remote groups."""

    ports: tuple = ()
    groups: dict = dataclasses.field(default_factory=dict)
    members: dict = dataclasses.field(default_factory=dict)
    known: frozenset = frozenset()  # ids of all ports, secured or not


@dataclasses.dataclass(frozen=True, slots=True)
class Interface:
    """A router's port on a network. `addresses` are IPv4 with prefix length, as 10.5.0.1/24."""

    port_id: str
    mac: str
    network_id: str
    mtu: int
    addresses: tuple


@dataclasses.dataclass(frozen=True, slots=True)
class Router:
    """A router. `floating` are pairs of a floating address and the guest's, `routes` of destination and next hop."""

    id: str
    interfaces: tuple = ()
    gateway: Interface | None = None  # on the external network
    next_hop: str | None = None  # where everything else goes
    snat: bool = True  # whether guests without a floating address share the router's
    floating: tuple = ()
    routes: tuple = ()

    @property
    def all_interfaces(self):
        return (*self.interfaces, *((self.gateway,) if self.gateway else ()))

    @property
    def outside_addresses(self):
        """The addresses that the router answers for on the external network."""
        return (*self.gateway.addresses, *(floating + '/32' for floating, _fixed in self.floating))

    @property
    def all_routes(self):
        """{destination: next hop}, the default one included; one of `routes` may take its place."""
        own = {'default': self.next_hop} if self.next_hop else {}
        return {**own, **{'default' if destination == '0.0.0.0/0' else destination: hop
                          for destination, hop in self.routes}}
