# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Makes the XML of a guest: each configurator adds its part of the domain, in this order."""

from xml.etree import ElementTree

from nova_lite.virt.libvirt.domain import consoles
from nova_lite.virt.libvirt.domain import cpu
from nova_lite.virt.libvirt.domain import disks
from nova_lite.virt.libvirt.domain import extras
from nova_lite.virt.libvirt.domain import interfaces
from nova_lite.virt.libvirt.domain import machine
from nova_lite.virt.libvirt.domain import metadata

CONFIGURATORS = (
    machine.configure_identity,
    metadata.configure,
    machine.configure_sysinfo,
    machine.configure_boot,
    machine.configure_features,
    cpu.configure,
    machine.configure_lifecycle,
    disks.configure,
    interfaces.configure,
    consoles.configure,
    extras.configure,
)


def build(spec):
    """The domain XML of a GuestSpec. :raises ImageUnacceptable: the image and the flavor do not go together."""
    domain = ElementTree.Element('domain')
    for configure in CONFIGURATORS:
        configure(domain, spec)
    ElementTree.indent(domain)
    return ElementTree.tostring(domain, encoding='unicode') + '\n'
