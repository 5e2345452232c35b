# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""The kinds of volumes (`driver_volume_type`) that guests can have, and what is the same for all of them.

A kind is a module with `check(data)` and `source(data)`. QEMU itself opens the volumes of all kinds that there are,
so the host has nothing to set up before and nothing to take down after.
"""

from nova_lite import exception
from nova_lite.virt.libvirt.volume import local
from nova_lite.virt.libvirt.volume import nbd

KINDS = {module.KIND: module for module in (local, nbd)}
# The volume service's names of limits (qos_specs) are libvirt's own.
LIMITS = tuple('%s_%s_sec%s' % (which, what, more) for what in ('bytes', 'iops') for which in ('total', 'read', 'write')
               for more in ('', '_max'))


def check(connection_info):
    """:raises VolumeUnsupported: a volume of this kind cannot be had here"""
    kind, data = connection_info.get('driver_volume_type'), connection_info.get('data') or {}
    if kind not in KINDS:
        raise exception.VolumeUnsupported(kind=kind, reason='there are only %s' % ', '.join(sorted(KINDS)))
    if data.get('encrypted'):
        raise exception.VolumeUnsupported(kind=kind, reason='it is encrypted')
    KINDS[kind].check(data)


def source(connection_info):
    """(type of the disk, attributes of its <source>, [(tag, attributes)… in it])"""
    return KINDS[connection_info['driver_volume_type']].source(connection_info['data'])


def limits(connection_info):
    """{limit: number} of what the hypervisor is to keep a volume's reads and writes within."""
    given = connection_info['data'].get('qos_specs') or {}
    return {name: int(given[name]) for name in LIMITS if str(given.get(name, '')).isdecimal()}
