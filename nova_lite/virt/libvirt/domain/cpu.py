# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""The processor that a guest sees: its model and how its virtual processors sit in sockets."""

from nova_lite import exception
from nova_lite.virt.libvirt.domain import elements

EMULATED_MODEL = 'Nehalem'      # the least that distributions for x86-64-v2 start on; QEMU can emulate all of it


def configure(domain, spec):
    mode, model = _choice(spec.settings, spec.x86)
    attributes = {'mode': mode, 'match': 'exact', 'check': 'none'} if mode == 'custom' else {'mode': mode}
    cpu = elements.add(domain, 'cpu', **attributes)
    if model:
        elements.add(cpu, 'model', model, fallback='allow')
    sockets, cores, threads = topology(spec)
    elements.add(cpu, 'topology', sockets=sockets, cores=cores, threads=threads)


def _choice(settings, x86):
    """(mode, model) of the configuration; None for what the hypervisor chooses."""
    mode = settings.cpu_mode
    if mode is None and settings.virt_type == 'kvm':
        return 'host-model', None
    if mode is None and x86:
        return 'custom', EMULATED_MODEL
    if mode in (None, 'none'):
        return None, None
    if mode == 'custom':
        return mode, settings.cpu_models[0] if settings.cpu_models else EMULATED_MODEL
    return mode, None


def topology(spec):
    """(sockets, cores, threads), whose product is the flavor's vcpus; one socket for each unless the image says more.

    :raises ImageUnacceptable: the image's wishes do not divide the number of processors.
    """
    vcpus, wish = spec.instance.flavor.vcpus, spec.properties
    cores, threads = wish.cores or 1, wish.threads or 1
    sockets = wish.sockets or max(vcpus // (cores * threads), 1)
    if wish.sockets and not wish.cores:
        cores = max(vcpus // (sockets * threads), 1)
    if sockets * cores * threads != vcpus:
        raise exception.ImageUnacceptable(
            image_id=spec.image.id, reason='its processor topology does not fit a flavor with %d vcpus' % vcpus)
    return sockets, cores, threads
