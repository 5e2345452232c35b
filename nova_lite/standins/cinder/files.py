# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""The back end: a volume or a snapshot is a sparse raw file in one directory.

A file is written under another name and renamed once it is whole. What was never written reads as zeros, so no
volume shows what another has held. Others may pass through the directory and not list it, and a file is its owner's
alone: libvirt hands it to QEMU's user for as long as a guest has it.
"""

import contextlib
import errno
import fcntl
import hashlib
import logging
import os
import re
import stat
import time

from oslo_utils.imageutils import format_inspector

from nova_lite.standins import rest
from nova_lite.standins.cinder import qemu

LOG = logging.getLogger(__name__)

GIGABYTE = 1 << 30
CHUNK = 1 << 20
_PARTIAL = '.part'
_OURS = re.compile(r'(volume|snapshot|image)-([0-9a-f-]{36})(\.part|\.image)?\Z')
_FICLONE = 0x40049409  # the ioctl that lets a file share another's blocks, where the file system can
_NO_SPACE = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
_STILL_SECONDS = 0.02  # longer than the clock tick that times of change are rounded to
_ATTEMPTS = 5
# What the content of a disk format may look like, where it is not just the format itself.
LOOKS = {'raw': ('raw', 'gpt', 'luks'), 'ami': ('raw', 'gpt'), 'iso': ('iso', 'gpt')}
AS_THEY_ARE = frozenset(LOOKS)  # formats that need no conversion


class Unusable(Exception):
    """The work cannot be done with what is there. The text is for the user."""


class Files:
    """Raw files in `directory`. `run(function, *args)` runs what would hold up the process."""

    def __init__(self, directory, run):
        self.directory = directory
        self._run = run
        os.makedirs(directory, exist_ok=True)
        os.chmod(directory, 0o711)

    def path(self, kind, identifier):
        return os.path.join(self.directory, '%s-%s' % (kind, identifier))

    def there(self, kind, identifier):
        return os.path.exists(self.path(kind, identifier))

    def tidy(self, known):
        """Remove what the end of an earlier process left half-written; name whole files that nobody knows of.

        `known`: a set of (kind, id).
        """
        for name in os.listdir(self.directory):
            match = _OURS.match(name)
            if match is None:
                continue
            if match[3] or match[1] == 'image':
                os.unlink(os.path.join(self.directory, name))
            elif (match[1], match[2]) not in known:
                LOG.warning('%s belongs to no volume or snapshot that is known here',
                            os.path.join(self.directory, name))

    def create(self, kind, identifier, gigabytes):
        """An empty file."""
        with self._whole(kind, identifier) as partial:
            with open(partial, 'wb', opener=_private) as file:
                file.truncate(gigabytes * GIGABYTE)

    def copy(self, source, target, gigabytes):
        """Copy the file of `source` to that of `target`, both (kind, id), and let it have so many gigabytes.

        A guest may write to the source at any time: it is copied again until nothing was written to it meanwhile.

        :raises Unusable: it was written to all the time; rest.Fault 413: there is no space left.
        """
        path = self.path(*source)
        with self._whole(*target) as partial:
            for _ in range(_ATTEMPTS):
                before = os.stat(path)
                time.sleep(_STILL_SECONDS)
                atomic = self._run(_copy, path, partial)
                if atomic or before.st_mtime_ns == os.stat(path).st_mtime_ns:
                    break
            else:
                raise Unusable('The volume was written to all the time while it was copied. Stop or pause the server '
                               'that uses it and try again.')
            os.truncate(partial, gigabytes * GIGABYTE)

    def extend(self, identifier, gigabytes):
        """Let a volume be larger."""
        with _space():
            path = self.path('volume', identifier)
            if os.path.getsize(path) < gigabytes * GIGABYTE:
                os.truncate(path, gigabytes * GIGABYTE)

    def write_image(self, identifier, image, pieces, gigabytes):
        """Let a volume hold the content of an image, whose bytes `pieces` gives one after the other.

        :raises Unusable: it is not what the image's record says, or does not fit.
        """
        fetched = self.path('volume', identifier) + '.image'
        size = gigabytes * GIGABYTE
        disk_format = image['disk_format']
        try:
            with self._whole('volume', identifier) as partial:
                _receive(fetched, image, pieces)
                virtual_size = self._run(_inspect, fetched, disk_format)
                if virtual_size > size:
                    raise Unusable('The image holds a disk of %d bytes, which is more than the %d GB of the volume.'
                                   % (virtual_size, gigabytes))
                if disk_format in AS_THEY_ARE:
                    os.rename(fetched, partial)
                else:
                    open(partial, 'wb', opener=_private).close()
                    qemu.convert(fetched, disk_format, partial, 'raw', virtual_size)
                os.truncate(partial, size)
        finally:
            with contextlib.suppress(FileNotFoundError):
                os.unlink(fetched)

    @contextlib.contextmanager
    def image_of(self, identifier, disk_format, gigabytes):
        """The path of a volume's content in a format of images, there inside the block only."""
        path = self.path('volume', identifier)
        if disk_format == 'raw':
            yield path
            return
        target = self.path('image', identifier)
        try:
            open(target, 'wb', opener=_private).close()
            qemu.convert(path, 'raw', target, disk_format, gigabytes * GIGABYTE)
            yield target
        finally:
            with contextlib.suppress(FileNotFoundError):
                os.unlink(target)

    def remove(self, kind, identifier):
        """Remove a file, and with it all that it held."""
        for name in (self.path(kind, identifier), self.path(kind, identifier) + _PARTIAL):
            with contextlib.suppress(FileNotFoundError):
                self._run(os.unlink, name)

    def space(self):
        """(bytes of the file system in all, bytes that are free)."""
        found = os.statvfs(self.directory)
        return found.f_blocks * found.f_frsize, found.f_bavail * found.f_frsize

    @contextlib.contextmanager
    def _whole(self, kind, identifier):
        """The path to write a file at, which gets its own name when the block ends without an exception."""
        path = self.path(kind, identifier)
        partial = path + _PARTIAL
        try:
            with _space():
                yield partial
                self._run(_sync, partial)
                os.rename(partial, path)
        except BaseException:
            with contextlib.suppress(FileNotFoundError):
                os.unlink(partial)
            raise


@contextlib.contextmanager
def _space():
    """Turn what a full disk or too large a file gives into a 413."""
    try:
        yield
    except OSError as error:
        if error.errno in _NO_SPACE:
            raise rest.Fault(413, 'There is not enough space for the volume.') from error
        raise


def _private(path, flags):
    return os.open(path, flags, 0o600)


def _sync(path):
    with open(path, 'rb') as file:
        os.fsync(file.fileno())


def _copy(source, target):
    """Copy a file with its holes; whether that was done at one instant, by sharing its blocks."""
    with open(source, 'rb') as old, open(target, 'wb', opener=_private) as new:
        if not stat.S_ISREG(os.fstat(old.fileno()).st_mode):
            raise OSError(errno.EINVAL, 'not a regular file', source)
        try:
            fcntl.ioctl(new.fileno(), _FICLONE, old.fileno())
            return True
        except OSError:
            pass  # the file system cannot share blocks
        size = os.fstat(old.fileno()).st_size
        os.truncate(target, size)
        start = end = 0
        while True:
            try:
                start = os.lseek(old.fileno(), end, os.SEEK_DATA)
            except OSError as error:
                if error.errno != errno.ENXIO:
                    raise
                return False  # only a hole is left
            end = os.lseek(old.fileno(), start, os.SEEK_HOLE)
            while start < end:
                done = os.copy_file_range(old.fileno(), new.fileno(), min(end - start, 64 * CHUNK), start, start)
                if done == 0:
                    return False
                start += done


def _receive(path, image, pieces):
    """Write the bytes of an image to a file. :raises Unusable: they are not those that the image's record tells."""
    algorithm = image.get('os_hash_algo') if image.get('os_hash_value') else 'md5'
    wanted = image.get('os_hash_value') or image.get('checksum')
    if wanted is not None and algorithm not in hashlib.algorithms_available:
        raise Unusable('The image has a checksum of the unknown kind %s.' % algorithm)
    digest, size = hashlib.new(algorithm, usedforsecurity=False), 0
    with open(path, 'wb', opener=_private) as file:
        for piece in pieces:
            size += len(piece)
            if size > image['size']:
                break
            file.write(piece)
            digest.update(piece)
            time.sleep(0)  # let requests have their turn
    if size != image['size']:
        raise Unusable('The image did not come as the %d bytes that it should have.' % image['size'])
    if wanted is not None and digest.hexdigest() != wanted:
        raise Unusable('The content of the image does not have the checksum of its record.')


def _inspect(path, disk_format):
    """The bytes that a guest sees of an image. :raises Unusable: it is not of its format, or not safe."""
    with open(path, 'rb') as file:
        wrapper = format_inspector.InspectWrapper(file)
        while wrapper.formats is None and wrapper.read(CHUNK):
            pass
        wrapper.close()
    found = wrapper.formats or []
    names = {str(inspector) for inspector in found}
    if not names <= set(LOOKS.get(disk_format, (disk_format,))) or (disk_format == 'iso' and 'iso' not in names):
        raise Unusable('The content of the image is not %s, as its disk_format says.' % disk_format)
    if disk_format in AS_THEY_ARE:
        return os.path.getsize(path)
    if not found:
        raise Unusable('The content of the image is not %s, as its disk_format says.' % disk_format)
    try:
        found[0].safety_check()
    except (format_inspector.ImageFormatError, format_inspector.SafetyCheckFailed) as error:
        raise Unusable('The image is not safe to use: %s' % error) from error
    return found[0].virtual_size
