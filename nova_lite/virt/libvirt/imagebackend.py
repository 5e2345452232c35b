# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Makes the disk files of a guest, and records the format of each in `disk.info`.

qcow2: the disk holds what differs from a raw file of the image cache. raw: the disk is a copy of its own. The record
is what later operations go by: a guest can write whatever header it likes into its own disk.
"""

import json
import os
import struct
import subprocess

from nova_lite import exception
from nova_lite.virt import images
from nova_lite.virt.libvirt.domain import spec as guest

INFO_NAME = 'disk.info'
TOOL_SECONDS = 300
_MKFS = {'ext2': ('mkfs.ext2', '-q', '-F', '-L'), 'ext3': ('mkfs.ext3', '-q', '-F', '-L'),
         'ext4': ('mkfs.ext4', '-q', '-F', '-L'), 'vfat': ('mkfs.vfat', '-n')}
FILESYSTEMS = tuple(_MKFS)
EPHEMERAL_LABEL = 'ephemeral0'
_QCOW2_HEADER = struct.Struct('>4sIQI')     # magic, version, offset and length of the backing file's name


class ImageBackend:
    """Makes disks in a guest's directory from the image cache."""

    def __init__(self, cache, access):
        self._cache = cache
        self._access = access

    def create(self, ctxt, directory, disk, image):
        """Make one Disk: with the contents of an ImageMeta for the root disk, else with none.

        :raises: what :meth:`ImageCache.disk_image` raises, and DiskFull, HypervisorError
        """
        target = os.path.join(directory, disk.name)
        if disk.kind == guest.ROOT:
            limit = 0 if disk.device == 'cdrom' else disk.size
            source = self._cache.disk_image(ctxt, image, limit)
        elif disk.kind == guest.SWAP:
            source = self._cache.template(disk.base, lambda path: _make_swap(path, disk.size))
        else:
            source = self._cache.template(disk.base, lambda path: _make_filesystem(path, disk.size, disk.filesystem))
        with source as base:
            size = max(disk.size, os.path.getsize(base))
            if disk.format == 'qcow2':
                images.create(target, 'qcow2', size, base)
            else:
                _copy(base, target, size)
        self._access.private(target)

    def copy_boot_file(self, ctxt, image_id, target):
        """A copy of a kernel or RAM disk: libvirt hands the file that a guest uses to QEMU's user."""
        with self._cache.boot_file(ctxt, image_id) as source:
            _copy(source, target, os.path.getsize(source))
        self._access.private(target)


def write_info(directory, disks):
    """Record the formats of a guest's disks."""
    path = os.path.join(directory, INFO_NAME)
    with open(path, 'w') as target:
        json.dump({os.path.join(directory, disk.name): disk.format for disk in disks}, target)
    os.chmod(path, 0o600)


def backing_names(directory):
    """Names of the cache's files that the disks of a guest's directory show parts of."""
    try:
        with open(os.path.join(directory, INFO_NAME)) as record:
            formats = json.load(record)
    except (OSError, ValueError):
        return set()
    return {os.path.basename(base) for path, kind in formats.items() if kind == 'qcow2' for base in _backing_file(path)}


def _backing_file(path):
    """[the file that a qcow2 overlay of ours lies on]; QEMU, not the guest, writes that header."""
    try:
        with open(path, 'rb') as disk:
            magic, _, offset, length = _QCOW2_HEADER.unpack(disk.read(_QCOW2_HEADER.size))
            if magic != b'QFI\xfb' or not offset:
                return []
            disk.seek(offset)
            return [os.fsdecode(disk.read(length))]
    except (OSError, struct.error):
        return []


def _copy(source, target, size):
    """A copy of its own that takes no more room than it needs, grown to `size` bytes."""
    _tool('cp', '--reflink=auto', '--sparse=always', '--no-preserve=all', '--', source, target)
    os.truncate(target, size)


def _make_swap(path, size):
    with open(path, 'wb') as target:
        target.truncate(size)
    _tool('mkswap', '--', path)


def _make_filesystem(path, size, filesystem):
    with open(path, 'wb') as target:
        target.truncate(size)
    _tool(*_MKFS[filesystem], EPHEMERAL_LABEL, path)


def _tool(*command):
    """Run a tool that writes a file. :raises DiskFull, HypervisorError:"""
    environment = os.environ | {'LC_ALL': 'C', 'PATH': os.environ.get('PATH', '') + ':/usr/sbin:/sbin'}
    try:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, errors='replace',
                              timeout=TOOL_SECONDS, env=environment)
    except (FileNotFoundError, subprocess.TimeoutExpired) as exc:
        raise exception.HypervisorError('The hypervisor could not make a disk (%s).' % command[0]) from exc
    if images.NO_SPACE in done.stderr:
        raise exception.DiskFull(what='a disk image')
    if done.returncode:
        raise exception.HypervisorError('The hypervisor could not make a disk (%s).' % command[0]) from (
            subprocess.CalledProcessError(done.returncode, command, stderr=done.stderr))
