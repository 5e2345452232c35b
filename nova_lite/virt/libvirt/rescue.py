# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Which disks a guest has while it is rescued, and what they are called on the host."""

import dataclasses
import os

from oslo_utils import units

from nova_lite import exception
from nova_lite.virt.libvirt import blockinfo
from nova_lite.virt.libvirt import imagecache
from nova_lite.virt.libvirt.domain import spec as guest

DEVICE, BUS = 'hw_rescue_device', 'hw_rescue_bus'
DEVICES = ('disk', 'cdrom')
SUFFIX = '.rescue'
DISK_NAME, CONFIG_NAME = 'disk' + SUFFIX, 'disk.config' + SUFFIX


def is_stable(image):
    """Whether the guest's own disks keep their places when it is rescued with an ImageMeta."""
    return bool(image.property(DEVICE) or image.property(BUS))


def check(instance, image):
    """:raises InstanceNotRescuable: the image asks for a device that this hypervisor has not."""
    for name, choices in ((DEVICE, DEVICES), (BUS, tuple(blockinfo.PREFIXES))):
        value = image.property(name)
        if value and value not in choices:
            raise exception.InstanceNotRescuable(
                instance_id=instance.uuid,
                reason='property %s of the image cannot be %r, only %s' % (name, value, ', '.join(choices)))


def plan(wanted, image):
    """The Disks for the rescue of a GuestSpec with an ImageMeta; `wanted.properties` are those that the guest shall
    have. A stable rescue adds its disk behind the others, else it is the first one and the others move on."""
    own = [disk for disk in wanted.disks if disk.kind != guest.CONFIG]
    drives = [disk for disk in wanted.disks if disk.kind == guest.CONFIG]
    if is_stable(image):
        return [*wanted.disks, _stable(wanted, image)]
    names = blockinfo.DeviceNames()
    bus = blockinfo.root_bus(image, wanted.properties, wanted.machine)
    device = 'cdrom' if image.disk_format == 'iso' else 'disk'
    disks = [_disk(wanted, image, device, bus, names.take(bus))]
    for disk in own:
        disks.append(dataclasses.replace(disk, dev=names.take(disk.bus)))
    for disk in drives:
        disks.append(dataclasses.replace(disk, dev=names.take(disk.bus), name=CONFIG_NAME))
    return disks


def _stable(wanted, image):
    cdrom_bus = blockinfo.cdrom_bus(wanted.properties, wanted.machine)
    device = image.property(DEVICE, 'disk')
    bus = image.property(BUS) or (cdrom_bus if device == 'cdrom' else wanted.properties.disk_bus)
    names = blockinfo.DeviceNames(disk.dev for disk in wanted.disks)
    return _disk(wanted, image, device, bus, names.take(bus))


def _disk(wanted, image, device, bus, name):
    return guest.Disk(DISK_NAME, guest.RESCUE, bus, name, wanted.settings.images_type,
                      wanted.instance.flavor.root_gb * units.Gi, device, base=imagecache.cache_name(image.id))


def files(directory):
    """Paths of what a rescue made in a guest's directory."""
    try:
        return [os.path.join(directory, name) for name in os.listdir(directory) if name.endswith(SUFFIX)]
    except FileNotFoundError:
        return []
