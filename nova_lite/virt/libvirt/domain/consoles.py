# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""How people see a guest: its serial line, with a log of all that it says, and a screen."""

from nova_lite.virt.libvirt.domain import elements

LOG_NAME = 'console.log'


def configure(domain, spec):
    """The serial line is a pty (`virsh console`), or a TCP port; virtlogd writes what comes from it to the log, and
    rotates it."""
    devices = elements.devices(domain)
    if spec.serial_port:
        serial = elements.add(devices, 'serial', type='tcp')
        elements.add(serial, 'source', mode='bind', host=spec.settings.serial_listen, service=spec.serial_port)
        elements.add(serial, 'protocol', type='raw')
    else:
        serial = elements.add(devices, 'serial', type='pty')
    elements.add(serial, 'log', file=spec.settings.instance_path(spec.instance.uuid, LOG_NAME), append='on')
    elements.add(serial, 'target', port=0)
    if spec.properties.guest_agent:
        channel = elements.add(devices, 'channel', type='unix')
        elements.add(channel, 'target', type='virtio', name='org.qemu.guest_agent.0')
    if spec.settings.spice_listen and spec.settings.spice_agent:
        channel = elements.add(devices, 'channel', type='spicevmc')
        elements.add(channel, 'target', type='virtio', name='com.redhat.spice.0')
    if spec.settings.has_screen:
        elements.add(devices, 'input', type='tablet', bus='usb')
    for kind, listen in (('vnc', spec.settings.vnc_listen), ('spice', spec.settings.spice_listen)):
        if listen:
            elements.add(devices, 'graphics', type=kind, autoport='yes', listen=listen)
    elements.add(elements.add(devices, 'video'), 'model', type=spec.properties.video_model)
