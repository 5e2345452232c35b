# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""`nbd` volumes: network block devices, which QEMU itself connects to."""

from nova_lite import exception

KIND = 'nbd'


def check(data):
    """:raises VolumeUnsupported:"""
    if data.get('format', 'raw') != 'raw':
        raise exception.VolumeUnsupported(kind=KIND, reason='the format %s is not raw' % data['format'])
    if not data.get('hosts') or len(data['hosts']) != len(data.get('ports') or ()):
        raise exception.VolumeUnsupported(kind=KIND, reason='the volume service tells no address')
    if data.get('auth_enabled'):
        raise exception.VolumeUnsupported(kind=KIND, reason='it asks for a password')


def source(data):
    """(type of the disk, attributes of its <source>, [(tag, attributes)… in it])"""
    hosts = [('host', {'name': host, 'port': port}) for host, port in zip(data['hosts'], data['ports'], strict=True)]
    return 'network', {'protocol': 'nbd', 'name': data.get('name')}, hosts
