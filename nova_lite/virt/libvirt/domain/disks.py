# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""The disks of a guest: files in its directory, each with the format that was recorded when it was made."""

from nova_lite.virt.libvirt.domain import elements
from nova_lite.virt.libvirt.domain import spec as guest

FIRST = 1


def configure(domain, spec):
    devices = elements.devices(domain)
    for disk in spec.disks:
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
    if 'usb' not in buses and not spec.settings.vnc_listen:
        # An emulated USB controller costs time even without devices. With a screen, a tablet sits on it.
        elements.add(devices, 'controller', type='usb', index=0, model='none')


def _add_base(element, path):
    """Say what an overlay lies on, so that nobody has to read it from a file that belongs to a guest."""
    if path is None:
        elements.add(element, 'backingStore')
        return
    base = elements.add(element, 'backingStore', type='file')
    elements.add(base, 'format', type='raw')
    elements.add(base, 'source', file=path)
    elements.add(base, 'backingStore')
