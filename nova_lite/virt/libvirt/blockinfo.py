# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Which disks a guest gets and what they are called: from its block devices, flavor and image to a list of Disk."""

import itertools
import string

from oslo_utils import units

from nova_lite import exception
from nova_lite.virt.libvirt import imagebackend
from nova_lite.virt.libvirt import imagecache
from nova_lite.virt.libvirt.domain import spec as guest

PREFIXES = {'virtio': 'vd', 'scsi': 'sd', 'sata': 'sd', 'usb': 'sd', 'ide': 'hd'}
MOST = {'ide': 4}
SWAP_FORMAT = 'swap'
VOLUME_DEVICES = ('disk', 'cdrom')


class DeviceNames:
    """Hands out free names: vda, vdb, …; a name is given once whatever the bus."""

    def __init__(self, taken=()):
        self._taken = set(taken)

    def take(self, bus, wish=None):
        """A name on a bus: the `wish` if it is one of that bus and free. :raises BuildAbort: the bus is full."""
        prefix = PREFIXES[bus]
        letters = (first + second for first in ('', *string.ascii_lowercase) for second in string.ascii_lowercase)
        names = [prefix + item for item in itertools.islice(letters, MOST.get(bus, 52))]
        for name in [wish] * (wish in names) + names:
            if name not in self._taken:
                self._taken.add(name)
                return name
        raise exception.BuildAbort('There is no room for another disk on the %s bus.' % bus)


def cdrom_bus(properties, machine):
    """Where CD-ROMs go: the image's wish, else what every guest of that machine has a driver for."""
    if properties.cdrom_bus:
        return properties.cdrom_bus
    return 'ide' if machine and machine.startswith('pc') else 'sata' if machine and 'q35' in machine else 'scsi'


def root_bus(image, properties, machine):
    """An ISO image is started from a CD-ROM drive."""
    return cdrom_bus(properties, machine) if image.disk_format == 'iso' else properties.disk_bus


def check(block_devices):
    """What this driver cannot attach. :raises BuildAbort:"""
    for bdm in block_devices:
        if bdm.no_device:
            continue
        local = bdm.destination_type == 'local'
        if local and bdm.source_type != 'blank' and bdm.boot_index != 0:
            raise exception.BuildAbort('This hypervisor does not attach block devices of source %s and destination %s.'
                                       % (bdm.source_type, bdm.destination_type))
        if bdm.disk_bus not in (None, *PREFIXES):
            raise exception.BuildAbort('This hypervisor has no disks on the bus %s.' % bdm.disk_bus)
        if not local and bdm.device_type not in (None, *VOLUME_DEVICES):
            raise exception.BuildAbort('This hypervisor has no volumes as devices of the type %s.' % bdm.device_type)


def name_devices(block_devices, root_name, bus_of_root, properties):
    """Give each BlockDeviceMapping a `device_name` (`/dev/vdb`) that is free on its bus, in place."""
    names = DeviceNames()
    for bdm in sorted((bdm for bdm in block_devices if not bdm.no_device), key=_order):
        bus = bdm.disk_bus if is_volume(bdm) else None
        bus = bus or (bus_of_root if bdm.boot_index == 0 else bdm.disk_bus or properties.disk_bus)
        wish = bdm.device_name or (root_name if bdm.boot_index == 0 else None)
        bdm.device_name = '/dev/' + names.take(bus, (wish or '').removeprefix('/dev/'))


def plan(request, properties, settings, machine, config_drive):
    """The Disks of a SpawnRequest, the root disk first. :raises BuildAbort: there cannot be such disks."""
    check(request.block_devices)
    flavor, image = request.instance.flavor, request.image
    blanks = [bdm for bdm in request.block_devices if bdm.source_type == 'blank' and not bdm.no_device
              and not is_volume(bdm)]
    names = DeviceNames()
    root = next((bdm for bdm in request.block_devices if bdm.boot_index == 0), None)
    root_name = _wish(root and root.device_name or request.instance.root_device_name)
    bus = root_bus(image, properties, machine)
    if root is not None and is_volume(root):
        if root.connection_info is None:
            raise exception.BuildAbort('The volume that the guest boots from is not attached.')
        disks = [volume(root, root.disk_bus or bus, names, root_name)]
    else:
        disks = [guest.Disk('disk', guest.ROOT, bus, names.take(bus, root_name), _root_format(request, settings),
                            flavor.root_gb * units.Gi, 'cdrom' if image.disk_format == 'iso' else 'disk',
                            base=imagecache.cache_name(image.id))]
    for number, (size, bdm) in enumerate(_ephemerals(blanks, flavor)):
        filesystem = (bdm and bdm.guest_format) or settings.default_ephemeral_format
        if filesystem not in imagebackend.FILESYSTEMS:
            raise exception.BuildAbort('Ephemeral disks cannot be formatted with %s here.' % filesystem)
        bus = (bdm and bdm.disk_bus) or properties.disk_bus
        disks.append(guest.Disk('disk.eph%d' % number, guest.EPHEMERAL, bus,
                                names.take(bus, bdm and _wish(bdm.device_name)), settings.images_type,
                                size * units.Gi, filesystem=filesystem, base='ephemeral_%d_%s' % (size, filesystem)))
    for size, bdm in _swap(blanks, flavor):
        bus = (bdm and bdm.disk_bus) or properties.disk_bus
        disks.append(guest.Disk('disk.swap', guest.SWAP, bus, names.take(bus, bdm and _wish(bdm.device_name)),
                                settings.images_type, size * units.Mi, base='swap_%d' % size))
    disks += [volume(bdm, bdm.disk_bus or properties.disk_bus, names) for bdm in request.block_devices
              if is_volume(bdm) and bdm is not root and bdm.connection_info is not None]
    if config_drive:
        bus = cdrom_bus(properties, machine)
        disks.append(guest.Disk('disk.config', guest.CONFIG, bus, names.take(bus), 'raw', device='cdrom'))
    return disks


def _root_format(request, settings):
    """The image of a shelved server is deleted when the server is back: its disk must not need it."""
    shelved = request.instance.system_metadata.get('shelved_image_id')
    return 'raw' if shelved and shelved == request.image.id else settings.images_type


def is_volume(bdm):
    return bdm.destination_type == 'volume'


def volume(bdm, bus, names, wish=None):
    """The Disk of a volume. names: the DeviceNames that are taken."""
    kind = guest.ROOT if bdm.boot_index == 0 else guest.VOLUME
    order = bdm.boot_index + 1 if bdm.boot_index is not None and bdm.boot_index >= 0 else None
    return guest.Disk('', kind, bus, names.take(bus, wish or _wish(bdm.device_name)), 'raw',
                      device=bdm.device_type or 'disk', connection_info=bdm.connection_info, order=order)


def _order(bdm):
    """Root, other disks, swap."""
    return bdm.boot_index != 0, bdm.guest_format == SWAP_FORMAT


def _wish(device_name):
    return (device_name or '').removeprefix('/dev/') or None


def _ephemerals(blanks, flavor):
    """(GiB, BlockDeviceMapping or None) of each ephemeral disk: as asked for, else one as the flavor says."""
    asked = [(bdm.volume_size or flavor.ephemeral_gb, bdm) for bdm in blanks if bdm.guest_format != SWAP_FORMAT]
    return asked or [(flavor.ephemeral_gb, None)] * bool(flavor.ephemeral_gb)


def _swap(blanks, flavor):
    """[(MiB, BlockDeviceMapping or None)] of the swap disk, if there is one."""
    asked = [(bdm.volume_size or flavor.swap, bdm) for bdm in blanks if bdm.guest_format == SWAP_FORMAT]
    return (asked or [(flavor.swap, None)] * bool(flavor.swap))[:1]
