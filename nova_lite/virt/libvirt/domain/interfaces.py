# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""The network interfaces of a guest: taps that libvirt plugs into a bridge, behind a filter against spoofing."""

from nova_lite.virt.libvirt import filters
from nova_lite.virt.libvirt.domain import elements


def configure(domain, spec):
    devices = elements.devices(domain)
    for vif in spec.vifs:
        add(devices, vif, spec.properties.vif_model)


def add(devices, vif, model):
    """The interface of a vif, added to `devices`; model: what the guest sees."""
    element = elements.add(devices, 'interface', type='bridge')
    elements.add(element, 'mac', address=vif.address)
    elements.add(element, 'source', bridge=vif.bridge)
    elements.add(element, 'target', dev=vif.devname)
    elements.add(element, 'model', type=model)
    if vif.mtu:
        elements.add(element, 'mtu', size=vif.mtu)
    if vif.port_security:
        reference = elements.add(element, 'filterref', filter=filters.filter_name(vif))
        for name, value in filters.parameters(vif):
            elements.add(reference, 'parameter', name=name, value=value)
    return element
