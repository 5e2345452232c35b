# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""How people see a guest: its serial line, with a log of all that it says, and a screen."""

from nova_lite.virt.libvirt.domain import elements

LOG_NAME = 'console.log'


def configure(domain, spec):
    """The serial line is a pty (`virsh console`); virtlogd writes what comes from it to the log, and rotates it."""
    devices = elements.devices(domain)
    serial = elements.add(devices, 'serial', type='pty')
    elements.add(serial, 'log', file=spec.settings.instance_path(spec.instance.uuid, LOG_NAME), append='on')
    elements.add(serial, 'target', port=0)
    if spec.properties.guest_agent:
        channel = elements.add(devices, 'channel', type='unix')
        elements.add(channel, 'target', type='virtio', name='org.qemu.guest_agent.0')
    if spec.settings.vnc_listen:
        elements.add(devices, 'input', type='tablet', bus='usb')
        elements.add(devices, 'graphics', type='vnc', autoport='yes', listen=spec.settings.vnc_listen)
    elements.add(elements.add(devices, 'video'), 'model', type=spec.properties.video_model)
