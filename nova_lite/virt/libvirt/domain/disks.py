# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""The disks of a guest: files in its directory, each with the format that was recorded when it was made, and volumes.
"""

from nova_lite.virt.libvirt.domain import elements
from nova_lite.virt.libvirt.domain import spec as guest
from nova_lite.virt.libvirt.volume import kinds

FIRST = 1


def configure(domain, spec):
    devices = elements.devices(domain)
    bootable = not spec.kernel and spec.boot_disk.kind != guest.RESCUE
    for disk in spec.disks:
        if disk.connection_info is not None:
            add_volume(devices, disk, bootable)
            continue
        element = elements.add(devices, 'disk', type='file', device=disk.device)
        elements.add(element, 'driver', name='qemu', type=disk.format,
                     discard='unmap' if disk.device == 'disk' else None)
        elements.add(element, 'source', file=spec.settings.instance_path(spec.instance.uuid, disk.name))
        if disk.format == 'qcow2':
            _add_base(element, disk.base and spec.settings.cache_path(disk.base))
        elements.add(element, 'target', dev=disk.dev, bus=disk.bus)
        if disk.kind == guest.CONFIG:
            elements.add(element, 'readonly')
        if disk is spec.boot_disk and not spec.kernel:
            elements.add(element, 'boot', order=FIRST)
    buses = {disk.bus for disk in spec.disks}
    if 'scsi' in buses:
        elements.add(devices, 'controller', type='scsi', index=0, model=spec.properties.scsi_model)
    if 'usb' not in buses and not spec.settings.has_screen:
        # An emulated USB controller costs time even without devices. With a screen, a tablet sits on it.
        elements.add(devices, 'controller', type='usb', index=0, model='none')


def add_volume(parent, disk, bootable=False):
    """The <disk> of a volume, also for a guest that exists; `bootable`: the guest may start from it."""
    info, data = disk.connection_info, disk.connection_info['data']
    kind, attributes, inside = kinds.source(info)
    element = elements.add(parent, 'disk', type=kind, device=disk.device)
    elements.add(element, 'driver', name='qemu', type='raw', discard='unmap' if data.get('discard') else None,
                 cache='none' if info.get('multiattach') else None)
    source = elements.add(element, 'source', **attributes)
    for tag, values in inside:
        elements.add(source, tag, **values)
    elements.add(element, 'target', dev=disk.dev, bus=disk.bus)
    limits = kinds.limits(info)
    if limits:
        tune = elements.add(element, 'iotune')
        for name, number in limits.items():
            elements.add(tune, name, number)
    if data.get('access_mode') == 'ro' or disk.device == 'cdrom':
        elements.add(element, 'readonly')
    if info.get('multiattach'):
        elements.add(element, 'shareable')
    elements.add(element, 'serial', info['serial'])
    if bootable and disk.order:
        elements.add(element, 'boot', order=disk.order)
    return element


def _add_base(element, path):
    """Say what an overlay lies on, so that nobody has to read it from a file that belongs to a guest."""
    if path is None:
        elements.add(element, 'backingStore')
        return
    base = elements.add(element, 'backingStore', type='file')
    elements.add(base, 'format', type='raw')
    elements.add(base, 'source', file=path)
    elements.add(base, 'backingStore')
