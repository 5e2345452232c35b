# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""The hypervisor of the host can run what the image says it is made for."""

from nova_lite.scheduler.filters import base

_ARCHITECTURES = {'amd64': 'x86_64', 'x64': 'x86_64', 'arm64': 'aarch64',
                  'i386': 'i686', 'i486': 'i686', 'i586': 'i686'}


class ImagePropertiesFilter(base.Filter):
    """hw_architecture, img_hv_type and hw_vm_mode, with the names that older images use for them."""

    def refuses(self, host, spec):
        image = spec.image
        arch = image.property('hw_architecture') or image.property('architecture')
        wanted = (arch and _ARCHITECTURES.get(arch.lower(), arch.lower()),
                  _lower(image.property('img_hv_type') or image.property('hypervisor_type')),
                  _lower(image.property('hw_vm_mode') or image.property('vm_mode')))
        if not any(wanted):
            return None
        for offered in host.supported_instances:
            if all(want in (None, have.lower()) for want, have in zip(wanted, offered, strict=False)):
                return None
        return 'the image wants %s' % '/'.join(want or 'any' for want in wanted)


def _lower(value):
    return value.lower() if value else None
