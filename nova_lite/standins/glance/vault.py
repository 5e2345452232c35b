# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""The files of images: written under another name and renamed when whole, and looked into before that."""

import contextlib
import dataclasses
import errno
import hashlib
import os
import time

from oslo_utils.imageutils import format_inspector

from nova_lite.standins import rest

CHUNK = 256 * 1024
PARTIAL = '.part'
HASH = 'sha512'
PACKED = ('ova', 'docker', 'compressed')  # containers whose content is not the disk itself
# What the content of a disk format may look like, where it is not just the format itself. A partition table is no
# format: it stands at the start of raw disks, of ISO images that boot from a stick, and of some kernels.
LOOKS = {'raw': ('raw', 'gpt', 'luks'), 'ami': ('raw', 'gpt'), 'aki': ('raw', 'gpt'), 'ari': ('raw', 'gpt'),
         'ploop': ('raw', 'gpt'), 'iso': ('iso', 'gpt')}


@dataclasses.dataclass(slots=True)
class Content:
    """What is known of a file once it is whole."""

    size: int
    virtual_size: int | None
    checksum: str
    hash_value: str


class Vault:
    """A directory of image files. `run(function, *args)` runs what would hold up the process."""

    def __init__(self, directory, run):
        self._directory = directory
        self._run = run
        os.makedirs(directory, mode=0o700, exist_ok=True)
        os.chmod(directory, 0o700)
        for name in os.listdir(directory):
            if name.endswith(PARTIAL):  # from an upload that the end of the process cut short
                os.unlink(os.path.join(directory, name))

    def path(self, image_id):
        return os.path.join(self._directory, image_id)

    def remove(self, image_id):
        with contextlib.suppress(FileNotFoundError):
            os.unlink(self.path(image_id))

    def names(self):
        """The ids of the images that have a file."""
        return os.listdir(self._directory)

    def keep(self, image_id):
        """Let a received file be the image's content."""
        os.rename(self.path(image_id) + PARTIAL, self.path(image_id))

    def discard(self, image_id):
        """Remove what was received of an image that is not to be."""
        with contextlib.suppress(FileNotFoundError):
            os.unlink(self.path(image_id) + PARTIAL)

    def receive(self, image_id, pieces, limit):
        """Write a file from an iterator of bytes: (size, md5, sha512). 413 past `limit` bytes or on a full disk."""
        size, md5, sha512 = 0, hashlib.md5(usedforsecurity=False), hashlib.new(HASH)
        try:
            with open(self.path(image_id) + PARTIAL, 'wb', opener=_private) as file:
                for piece in pieces:
                    size += len(piece)
                    if size > limit:
                        raise rest.Fault(413, 'The image is larger than the %d bytes that it may have.' % limit)
                    file.write(piece)
                    md5.update(piece)
                    sha512.update(piece)
                    time.sleep(0)  # let other requests have their turn
                file.flush()
                self._run(os.fsync, file.fileno())
        except OSError as error:
            if error.errno in (errno.ENOSPC, errno.EDQUOT):
                raise rest.Fault(413, 'There is not enough space for the image.') from error
            raise
        return size, md5.hexdigest(), sha512.hexdigest()

    def inspect(self, image_id, disk_format, container_format, size):
        """The virtual size in bytes of a received file; 415 when it is not what it is said to be, or not safe."""
        if container_format in PACKED:
            return None
        found = self._run(_inspect, self.path(image_id) + PARTIAL)
        names = {str(inspector) for inspector in found}
        if not names <= set(LOOKS.get(disk_format, (disk_format,))) or (disk_format == 'iso' and 'iso' not in names):
            raise rest.Fault(415, 'The content of the image is not %s, as its disk_format says: it looks like %s.' % (
                disk_format, ' and '.join(sorted(names)) or 'nothing known'))
        if disk_format in LOOKS:
            return size
        inspector = found[0]
        try:
            inspector.safety_check()
        except (format_inspector.ImageFormatError, format_inspector.SafetyCheckFailed) as error:
            raise rest.Fault(415, 'The image is not safe to use: %s' % error) from error
        return inspector.virtual_size

    def open(self, image_id):
        """The file of an image, opened for reading; 404 when it is gone."""
        try:
            return open(self.path(image_id), 'rb')
        except FileNotFoundError:
            raise rest.Fault(404, 'The content of image %s is missing.' % image_id) from None


def _private(path, flags):
    return os.open(path, flags, 0o600)


def _inspect(path):
    """The inspectors of all formats that a file looks like."""
    with open(path, 'rb') as file:
        wrapper = format_inspector.InspectWrapper(file)
        while wrapper.formats is None and wrapper.read(CHUNK):
            pass
        wrapper.close()
    return wrapper.formats or []


def read(file, start, length):
    """Send `length` bytes of a file from `start` on; a generator that closes it at the end."""
    with file:
        file.seek(start)
        while length > 0:
            piece = file.read(min(CHUNK, length))
            if not piece:
                break
            length -= len(piece)
            yield piece
