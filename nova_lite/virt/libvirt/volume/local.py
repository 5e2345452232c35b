# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""`local` volumes: a file or block device that is on this host, under the path that the volume service tells."""

import os
import stat

from nova_lite import exception

KIND = 'local'
FORMATS = ('raw',)      # of anything else QEMU would believe a header that a guest has written


def check(data):
    """:raises VolumeUnsupported:"""
    if data.get('format', 'raw') not in FORMATS:
        raise exception.VolumeUnsupported(kind=KIND, reason='the format %s is not raw' % data['format'])
    if not os.path.isabs(data.get('device_path') or ''):
        raise exception.VolumeUnsupported(kind=KIND, reason='the volume service tells no path')


def source(data):
    """(type of the disk, attributes of its <source>, [(tag, attributes)… in it])"""
    path = data['device_path']
    try:
        block = stat.S_ISBLK(os.stat(path).st_mode)
    except OSError as exc:
        raise exception.HypervisorError('The volume is not on this host.') from exc
    return ('block', {'dev': path}, []) if block else ('file', {'file': path}, [])
