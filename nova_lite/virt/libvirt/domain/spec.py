# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""What a guest is to be, in the words of this driver: all that its XML is made from."""

import dataclasses
import datetime

from nova_lite.objects import image_meta
from nova_lite.objects import instance as instance_obj
from nova_lite.objects import network
from nova_lite.virt.libvirt import settings as driver_settings
from nova_lite.virt.libvirt.domain import properties as hardware

ROOT, RESCUE, EPHEMERAL, SWAP = 'root', 'rescue', 'ephemeral', 'swap'
CONFIG, VOLUME = 'config', 'volume'


@dataclasses.dataclass(frozen=True)
class Disk:
    """One disk of a guest: the file `name` in the guest's directory, shown as `dev` (vda, …) on `bus`.

    `size` in bytes; 0 for a root disk as large as its image. `filesystem` is what an ephemeral disk is formatted with.
    `base`: the name of the file of the image cache that it is made from. `connection_info`: it is a volume, and no file
    of the guest's; `order`: its place among what the guest tries to boot from, from 1.
    """

    name: str
    kind: str
    bus: str
    dev: str
    format: str
    size: int = 0
    device: str = 'disk'        # or cdrom
    filesystem: str | None = None
    base: str | None = None
    connection_info: dict | None = None
    order: int | None = None


@dataclasses.dataclass(frozen=True)
class HostFacts:
    """What a guest's XML depends on of the host: its architecture and the machine types that it can be."""

    arch: str
    machines: frozenset = frozenset()


@dataclasses.dataclass
class GuestSpec:
    """All about one guest. `name` is the domain's; `kernel` and `ramdisk` are paths, for images without boot loader."""

    name: str
    instance: instance_obj.Instance
    image: image_meta.ImageMeta
    properties: hardware.Properties
    settings: driver_settings.Settings
    host: HostFacts
    disks: list[Disk]
    vifs: list[network.VIF]
    created_at: datetime.datetime
    kernel: str | None = None
    ramdisk: str | None = None
    serial_port: int | None = None      # of TCP; None: the serial line is a pty

    @property
    def machine(self):
        """The machine type, None for the hypervisor's own choice."""
        return machine_type(self.properties, self.settings, self.host)

    @property
    def boot_disk(self):
        """The Disk that the guest starts from: that of a rescue while there is one."""
        return next((disk for disk in self.disks if disk.kind == RESCUE), self.disks[0])

    @property
    def x86(self):
        return self.host.arch in ('x86_64', 'i686')


def machine_type(properties, settings, host):
    """What the image asks for, else the configuration, else the one that boots fastest on a PC."""
    default = 'pc' if host.arch in ('x86_64', 'i686') else None
    return properties.machine_type or settings.machine_types.get(host.arch, default)
