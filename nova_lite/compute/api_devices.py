# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Block devices of a server to be made: what a user may ask for, and what follows from image and flavor.

What the volume service has to say of volumes is asked in `api_volumes.py`.
"""

import dataclasses

from nova_lite import exception
from nova_lite.objects import block_device

SWAP = 'swap'
SOURCES = ('image', 'volume', 'snapshot', 'blank')
DESTINATIONS = ('local', 'volume')
DEVICE_TYPES = ('disk', 'cdrom', 'floppy', 'lun')
BUSES = ('virtio', 'scsi', 'ide', 'sata', 'usb', 'fdc')


def from_request(item, image_given):
    """A BlockDeviceMapping of one entry of block_device_mapping_v2 that passed its schema; None for `no_device`.

    :raises InvalidBDM: it makes no sense
    """
    if item.get('no_device'):
        return None
    source = item.get('source_type', '')
    if source not in SOURCES:
        raise _invalid('Invalid source_type field.')
    identifier = item.get('uuid') or item.get('%s_id' % source)
    if source == 'blank' and identifier:
        raise _invalid('Invalid device UUID.')
    if source != 'blank' and not identifier:
        raise _invalid('Missing device UUID.')
    destination = item.get('destination_type') or ('local' if source in ('image', 'blank') else 'volume')
    if destination not in DESTINATIONS:
        raise _invalid('Invalid destination_type field.')
    boot_index = None if item.get('boot_index') is None else int(item['boot_index'])
    size = None if item.get('volume_size') is None else int(item['volume_size'])
    if size is not None and size < 1:
        raise _invalid('Invalid volume_size.')
    if destination == 'local':
        if source not in ('image', 'blank'):
            raise _invalid('Mapping %s to local is not supported.' % source)
        if source == 'image' and not (image_given and boot_index == 0):
            raise _invalid('Mapping image to local is not supported.')
    elif size is None and source in ('image', 'blank'):
        raise _invalid('%s source with destination_type volume needs a non-zero size.' % source.capitalize())
    return block_device.BlockDeviceMapping(
        source_type=source, destination_type=destination, boot_index=boot_index, volume_size=size,
        guest_format=item.get('guest_format'), device_name=item.get('device_name'), tag=item.get('tag'),
        device_type=_choice(item.get('device_type') or 'disk', DEVICE_TYPES, 'device_type'),
        disk_bus=_choice(item.get('disk_bus') or None, (None, *BUSES), 'disk_bus'),
        delete_on_termination=bool(item.get('delete_on_termination', destination == 'local')),
        volume_type=item.get('volume_type'),
        image_id=identifier if source == 'image' else None, volume_id=identifier if source == 'volume' else None,
        snapshot_id=identifier if source == 'snapshot' else None)


def complete(devices, flavor, image_id, max_local):
    """All disks of a server, the root disk first and volumes last: those asked for and, of each kind on the host that
    was not, what the flavor has.

    Sizes are in GiB, but for swap in MiB, the flavor's own unit. `max_local`: most disks on the host, or -1.
    :raises InvalidBDM: they do not fit together, or are more than the flavor gives
    """
    if not devices and image_id:
        devices = [block_device.BlockDeviceMapping(source_type='image', boot_index=0, image_id=image_id,
                                                   delete_on_termination=True)]
    _check_boot_sequence(devices)
    if len({device.device_name for device in devices if device.device_name}) != sum(
            bool(device.device_name) for device in devices):
        raise _invalid('a device name is used twice.')
    local = [device for device in devices if device.destination_type == 'local']
    if 0 <= max_local < len(local):
        raise _invalid('You specified more local devices than the limit allows')
    root = next(device for device in devices if device.boot_index == 0)
    _check_root(root, image_id)
    if root in local:
        root = dataclasses.replace(root, volume_size=flavor.root_gb)
    others = [device for device in local if device.boot_index != 0]
    swap = [device for device in others if device.guest_format == SWAP]
    ephemeral = [device for device in others if device.guest_format != SWAP]
    volumes = [device for device in devices if device.destination_type == 'volume' and device.boot_index != 0]
    named = [device.volume_id for device in devices if device.volume_id]
    if len(set(named)) < len(named):
        raise _invalid('a volume is named twice.')
    return [root, *_ephemeral(ephemeral, flavor), *_swap(swap, flavor), *volumes]


def _check_root(root, image_id):
    if root.destination_type == 'local':
        if root.source_type != 'image' or root.image_id != image_id:
            raise _invalid('the root disk must be made from the image of the server.')
    elif root.source_type == 'image' and image_id not in (None, root.image_id):
        raise _invalid('the root volume must be made from the image of the server.')


def _check_boot_sequence(devices):
    indexes = sorted(item.boot_index for item in devices if item.boot_index is not None and item.boot_index >= 0)
    if not indexes or indexes != list(range(len(indexes))):
        raise _invalid('Boot sequence for the instance and image/block device mapping combination is not valid.')


def _ephemeral(devices, flavor):
    sized = [dataclasses.replace(device, volume_size=device.volume_size or flavor.ephemeral_gb) for device in devices]
    if sum(device.volume_size for device in sized) > flavor.ephemeral_gb or any(not item.volume_size for item in sized):
        raise _invalid('Ephemeral disks requested are larger than the instance type allows.')
    if not sized and flavor.ephemeral_gb:
        sized = [block_device.BlockDeviceMapping(source_type='blank', boot_index=-1, volume_size=flavor.ephemeral_gb,
                                                 delete_on_termination=True)]
    return sized


def _swap(devices, flavor):
    if len(devices) > 1:
        raise _invalid('More than one swap drive requested.')
    sized = [dataclasses.replace(device, volume_size=device.volume_size or flavor.swap) for device in devices]
    if sum(device.volume_size for device in sized) > flavor.swap or any(not item.volume_size for item in sized):
        raise _invalid('Swap drive requested is larger than instance type allows.')
    if not sized and flavor.swap:
        sized = [block_device.BlockDeviceMapping(source_type='blank', boot_index=-1, guest_format=SWAP,
                                                 volume_size=flavor.swap, delete_on_termination=True)]
    return sized


def _choice(value, allowed, field):
    if value not in allowed:
        raise _invalid('Invalid %s field.' % field)
    return value


def _invalid(details):
    return exception.InvalidBDM(reason=details)
