# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Networks as a server sees them: what was asked for, and the virtual interfaces (vif) that came of it."""

import dataclasses

from nova_lite.objects import base

DEVICE_NAME_LENGTH = 14      # Linux allows 15 characters; the name of a tap is `tap` and the start of its port's id


@base.register('1.0')
class NetworkRequest:
    """One entry of the API's `networks`: a network (a port is made) or a port (the user's own: only bound)."""

    network_id: str | None = None
    port_id: str | None = None
    address: str | None = None      # fixed IP asked for
    tag: str | None = None
    label: str | None = None        # name and MTU of the network, once they are known
    mtu: int | None = None


@base.register('1.0')
class FixedIP:
    """An address of a vif with what the guest needs to use it; `cidr` is the subnet's."""

    address: str
    version: int
    subnet_id: str
    cidr: str
    gateway: str | None = None
    dns: list[str] = dataclasses.field(default_factory=list)
    routes: list[dict] = dataclasses.field(default_factory=list)      # {'destination', 'nexthop'}
    dhcp: bool = False              # whether the network tells it to the guest
    floating_ips: list[str] = dataclasses.field(default_factory=list)


@base.register('1.0')
class VIF:
    """A virtual interface of an instance: the port (`id`) as the hypervisor and the API need it.

    `preserve_on_delete`: the port is the user's, so deleting the server only unbinds it.
    """

    id: str
    address: str                    # MAC
    network_id: str
    network_label: str
    vif_type: str                   # what Neutron's binding says: bridge, unbound, binding_failed, …
    bridge: str | None = None
    details: dict = dataclasses.field(default_factory=dict)
    vnic_type: str = 'normal'
    mtu: int | None = None
    fixed_ips: list[FixedIP] = dataclasses.field(default_factory=list)
    port_security: bool = True
    allowed_address_pairs: list[dict] = dataclasses.field(default_factory=list)
    preserve_on_delete: bool = False
    active: bool = True
    tag: str | None = None

    @property
    def devname(self):
        return ('tap' + self.id)[:DEVICE_NAME_LENGTH]
