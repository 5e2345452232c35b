# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""The image cache: images as raw files that guests' disks are made from, one download for however many boots.

An image is believed only step by step: downloaded to a private place and hashed, compared with its record, inspected
for what it really is, refused if it refers to other files, measured against the flavor, converted under limits, and
only then renamed to where it is used from.
"""

import collections
import contextlib
import dataclasses
import errno
import hashlib
import logging
import os
import shutil
import tempfile
import time

from oslo_utils.imageutils import format_inspector

from nova_lite import concurrency
from nova_lite import exception
from nova_lite.virt import images

LOG = logging.getLogger(__name__)


@dataclasses.dataclass(frozen=True)
class _Format:
    """What a file of a format is when it is looked at, and qemu-img's name for it."""

    looks_like: tuple
    qemu: str


_RAW = _Format(('raw', 'gpt'), 'raw')
# by the image service's names
DISK_FORMATS = {'raw': _RAW, 'ami': _RAW, 'iso': _Format(('iso',), 'raw'), 'qcow2': _Format(('qcow2',), 'qcow2'),
                'vmdk': _Format(('vmdk',), 'vmdk'), 'vdi': _Format(('vdi',), 'vdi'),
                'vhd': _Format(('vhd', 'vpc'), 'vpc'), 'vhdx': _Format(('vhdx',), 'vhdx')}
BOOT_FILE_FORMATS = ('aki', 'ari', 'raw')      # kernels and RAM disks, which QEMU reads as a whole
CONTAINER_FORMATS = (None, 'bare', 'ami', 'aki', 'ari')
DOWNLOAD_ATTEMPTS = 2
FETCH_PREFIX = '.fetch-'
NO_SPACE = (errno.ENOSPC, errno.EDQUOT)
GRACE_SECONDS = 60      # no file younger than this is aged, whatever the configuration says


class ImageCache:
    """`directory` is the cache's own; `image_api` has get(ctxt, id) and download(ctxt, id) → chunks of bytes."""

    def __init__(self, directory, image_api, access):
        self._directory = directory
        self._image_api = image_api
        self._access = access
        self._locks = concurrency.NamedLocks()
        self._busy = collections.Counter()      # name of a file → disks that are being made from it now

    def prepare(self):
        """Make the directory; remove what downloads of an earlier life left."""
        self._access.make_directory(self._directory)
        for name in os.listdir(self._directory):
            if name.startswith(FETCH_PREFIX):
                shutil.rmtree(os.path.join(self._directory, name), ignore_errors=True)

    def has(self, name):
        """Whether there is a file of that name."""
        return os.path.exists(os.path.join(self._directory, name))

    @contextlib.contextmanager
    def disk_image(self, ctxt, image, limit):
        """The path of a raw file with the contents of an ImageMeta, for the block; `limit` in bytes, 0 for none.

        :raises ImageUnacceptable, ImageChecksumMismatch, ImageDownloadFailed, FlavorDiskSmallerThanImage, DiskFull:
        """
        if image.disk_format not in DISK_FORMATS:
            raise _unacceptable(image, 'its disk format %s cannot be booted from' % image.disk_format)
        _check_size(image.virtual_size or 0, limit)
        with self._entry(cache_name(image.id), lambda scratch: self._disk_image(ctxt, image, limit, scratch)) as path:
            _check_size(os.path.getsize(path), limit)
            yield path

    @contextlib.contextmanager
    def boot_file(self, ctxt, image_id):
        """The path of a kernel or RAM disk, for the block. :raises: as :meth:`disk_image`"""
        image = self._image_api.get(ctxt, image_id)
        if image.disk_format not in BOOT_FILE_FORMATS:
            raise _unacceptable(image, 'its disk format %s is not that of a kernel or RAM disk' % image.disk_format)
        with self._entry(cache_name(image.id), lambda scratch: self._download(ctxt, image, scratch)) as path:
            yield path

    @contextlib.contextmanager
    def template(self, name, make):
        """The path of a file that `make(path)` makes the first time that its `name` is asked for."""
        def fill(scratch):
            path = os.path.join(scratch, 'template')
            make(path)
            return path
        with self._entry(name, fill) as path:
            yield path

    @contextlib.contextmanager
    def _entry(self, name, fill):
        """A file of the cache, kept from ageing in the block; a missing one is what `fill(scratch folder)` returns."""
        path = os.path.join(self._directory, name)
        self._busy[name] += 1
        try:
            with self._locks.hold(name), space_errors('the image'):
                if not os.path.exists(path):
                    self._fill(path, fill)
                os.utime(path)
            yield path
        finally:
            self._busy[name] -= 1
            if not self._busy[name]:
                del self._busy[name]

    def _fill(self, path, fill):
        scratch = tempfile.mkdtemp(prefix=FETCH_PREFIX, dir=self._directory)
        try:
            made = fill(scratch)
            self._access.share(made)
            concurrency.run_native(_sync, made)     # a crash of the host must not leave holes behind a good name
            os.rename(made, path)
        finally:
            shutil.rmtree(scratch, ignore_errors=True)

    # ---- one image -------------------------------------------------------------------------------------------

    def _disk_image(self, ctxt, image, limit, scratch):
        if image.container_format not in CONTAINER_FORMATS:
            raise _unacceptable(image, 'its container format %s cannot be booted from' % image.container_format)
        declared = DISK_FORMATS[image.disk_format]
        if declared.qemu == 'raw':
            _check_size(image.size or 0, limit)
        path = self._download(ctxt, image, scratch)
        size = inspect(path, image)
        if declared.qemu == 'raw':
            return path
        _check_size(size, limit)
        converted = os.path.join(scratch, 'raw')
        try:
            size = max(size, images.info(path, declared.qemu)['virtual-size'])
            _check_size(size, limit)
            images.convert(path, declared.qemu, converted, 'raw', size)
        except exception.HypervisorError as exc:
            raise _unacceptable(image, 'it cannot be read as %s' % image.disk_format) from exc
        os.unlink(path)
        return converted

    def _download(self, ctxt, image, scratch):
        """Download to a file in `scratch`, tried once more where it came broken."""
        path = os.path.join(scratch, 'download')
        for attempt in range(1, DOWNLOAD_ATTEMPTS + 1):
            started = time.monotonic()
            try:
                self._download_once(ctxt, image, path)
            except exception.ImageDownloadFailed as exc:
                LOG.warning('Attempt %d to download image %s failed: %s', attempt, image.id, exc)
                if attempt == DOWNLOAD_ATTEMPTS:
                    raise
            else:
                LOG.info('Downloaded image %s in %.2f seconds', image.id, time.monotonic() - started)
                return path

    def _download_once(self, ctxt, image, path):
        digest, expected = _digest(image)
        size = 0
        with open(path, 'wb') as target:
            for chunk in self._image_api.download(ctxt, image.id):
                size += len(chunk)
                if image.size is not None and size > image.size:
                    raise exception.ImageChecksumMismatch(image_id=image.id)
                concurrency.run_native(_take, digest, target, chunk)
        if digest.hexdigest() != expected:
            raise exception.ImageChecksumMismatch(image_id=image.id)

    # ---- ageing ----------------------------------------------------------------------------------------------

    def age(self, in_use, minimum_age):
        """Remove files that nobody used for `minimum_age` seconds; `in_use` are names of files that are needed.

        :returns: the names of those removed.
        """
        oldest = time.time() - max(minimum_age, GRACE_SECONDS)
        removed = []
        for entry in list(os.scandir(self._directory)):
            idle = entry.name not in in_use and not self._busy[entry.name] and not self._locks.held(entry.name)
            if idle and entry.is_file(follow_symlinks=False) and entry.stat().st_mtime < oldest:
                os.unlink(entry.path)
                removed.append(entry.name)
        return removed


def cache_name(image_id):
    """The name of an image's file in the cache."""
    return hashlib.sha1(image_id.encode(), usedforsecurity=False).hexdigest()


def inspect(path, image):
    """Look at a downloaded file. :returns: its size for a guest, in bytes, as its header says.

    :raises ImageUnacceptable: it is not what its record says, or it would make QEMU open other files.
    """
    try:
        found = format_inspector.detect_file_format(path)
        if str(found) not in DISK_FORMATS[image.disk_format].looks_like:
            raise _unacceptable(image, 'its record says %s but its contents are %s' % (image.disk_format, found))
        found.safety_check()
        return found.virtual_size
    except format_inspector.SafetyCheckFailed as exc:
        raise _unacceptable(image, 'it is not safe: %s' % ', '.join(sorted(exc.failures))) from exc
    except format_inspector.ImageFormatError as exc:
        raise _unacceptable(image, 'its contents are no proper %s' % image.disk_format) from exc


def _digest(image):
    """(hash object, the hexadecimal digest that it has to end with): the best that the image's record has."""
    if image.os_hash_value and image.os_hash_algo in hashlib.algorithms_available:
        return hashlib.new(image.os_hash_algo), image.os_hash_value
    if image.checksum:
        return hashlib.md5(usedforsecurity=False), image.checksum
    raise _unacceptable(image, 'its record has no checksum')


def _take(digest, target, chunk):
    digest.update(chunk)
    target.write(chunk)


def _sync(path):
    with open(path, 'rb') as handle:
        os.fsync(handle.fileno())


def _check_size(size, limit):
    if limit and size > limit:
        raise exception.FlavorDiskSmallerThanImage(flavor_size=limit, image_size=size)


def _unacceptable(image, reason):
    return exception.ImageUnacceptable(image_id=image.id, reason=reason)


@contextlib.contextmanager
def space_errors(what):
    """Turn a full disk into DiskFull."""
    try:
        yield
    except OSError as exc:
        if exc.errno in NO_SPACE:
            raise exception.DiskFull(what=what) from exc
        raise
