# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Makes the disk files of a guest, and records the format of each in `disk.info`.

qcow2: the disk holds what differs from a raw file of the image cache. raw: the disk is a copy of its own. The record
is what later operations go by: a guest can write whatever header it likes into its own disk.
"""

import dataclasses
import json
import logging
import os
import struct
import subprocess

from nova_lite import exception
from nova_lite.virt import images
from nova_lite.virt.libvirt import imagecache
from nova_lite.virt.libvirt.domain import spec as guest

LOG = logging.getLogger(__name__)

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
        if disk.kind in (guest.ROOT, guest.RESCUE):
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

    def complete(self, ctxt, directory, disk, image):
        """Make sure that the guest can start from a disk of its directory: what can be made anew is.

        :raises HypervisorError: what the guest wrote is gone; and what :meth:`create` raises
        """
        path, known = os.path.join(directory, disk.name), read_info(directory)
        there = os.path.exists(path)
        if there and path in known and self._has_base(ctxt, disk, image):
            return
        # What is not recorded was never given to a guest, and what a guest swapped is worth nothing.
        if not known or disk.kind not in (guest.EPHEMERAL, guest.SWAP) or (disk.kind != guest.SWAP and path in known):
            LOG.error('%s, or the record of its format, or what it lies on, is gone', path)
            raise exception.HypervisorError('A disk of the instance is missing on its host.')
        if there:
            os.unlink(path)
        self.create(ctxt, directory, disk, image)

    def _has_base(self, ctxt, disk, image):
        """Whether what an overlay lies on is there; an image is fetched again. Only images are the same when they are
        made again: a file system gets a new identity."""
        if disk.format != 'qcow2' or not disk.base or self._cache.has(disk.base):
            return True
        if not image.id or disk.base != imagecache.cache_name(image.id):
            return False
        with self._cache.disk_image(ctxt, image, 0):
            return True

    def copy_boot_file(self, ctxt, image_id, target):
        """A copy of a kernel or RAM disk: libvirt hands the file that a guest uses to QEMU's user."""
        with self._cache.boot_file(ctxt, image_id) as source:
            _copy(source, target, os.path.getsize(source))
        self._access.private(target)


def write_info(directory, disks):
    """Record the formats of a guest's disks."""
    write_formats(directory, {disk.name: disk.format for disk in disks if disk.name})


def write_formats(directory, formats):
    """Record {name of a disk: format}, whole or not at all."""
    path = os.path.join(directory, INFO_NAME)
    with open(path + '.new', 'w', opener=lambda name, flags: os.open(name, flags, 0o600)) as target:
        json.dump({os.path.join(directory, name): kind for name, kind in formats.items()}, target)
    os.replace(path + '.new', path)


def read_info(directory):
    """{path: format} of the disks that a guest's directory was made with; empty where there is no record."""
    try:
        with open(os.path.join(directory, INFO_NAME)) as record:
            return json.load(record)
    except (OSError, ValueError):
        return {}


def as_made(directory, disk):
    """A Disk with format and base as they were recorded when it was made, which configuration does not change."""
    path = os.path.join(directory, disk.name)
    kind = read_info(directory).get(path)
    if kind is None or disk.kind == guest.CONFIG or not os.path.exists(path):
        return disk
    base = next((os.path.basename(name) for name in backing_file(path)), None) if kind == 'qcow2' else disk.base
    return dataclasses.replace(disk, format=kind, base=base)


def backing_names(directory):
    """Names of the cache's files that the disks of a guest's directory show parts of."""
    return {os.path.basename(base) for path, kind in read_info(directory).items() if kind == 'qcow2'
            for base in backing_file(os.path.join(directory, os.path.basename(path)))}


def backing_file(path):
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


def copy(source, target):
    """A copy of its own that takes no more room than it needs, for us alone."""
    _tool('cp', '--reflink=auto', '--sparse=always', '--no-preserve=all', '--', source, target)
    os.chmod(target, 0o600)


def _copy(source, target, size):
    """A copy grown to `size` bytes."""
    copy(source, target)
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
