# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""The one place that runs qemu-img.

A format is never guessed: a guest or an uploader could write a header that names a file of the host. Every call says
which format its input has, by a record that they cannot write, and is limited in processor time, memory and time.
"""

import dataclasses
import json
import logging
import os
import subprocess

from oslo_utils import units

from nova_lite import exception

LOG = logging.getLogger(__name__)

PROGRAMS = ('prlimit', 'qemu-img')
FORMATS = frozenset(('raw', 'qcow2', 'vmdk', 'vdi', 'vpc', 'vhdx'))
NO_SPACE = 'No space left on device'


@dataclasses.dataclass(frozen=True)
class Limits:
    """What one run may use: seconds of processor, seconds by the clock, bytes of address space."""

    cpu: int = 30
    wall: int = 60
    memory: int = 2 * units.Gi

    @classmethod
    def for_copy(cls, size):
        """Enough to copy `size` bytes to a slow disk."""
        gigabytes = size // units.Gi + 1
        return cls(cpu=30 + 15 * gigabytes, wall=60 + 60 * gigabytes)


QUICK = Limits()


def qemu_img(subcommand, image_format, *arguments, limits=QUICK):
    """Run `qemu-img SUBCOMMAND -f IMAGE_FORMAT ARGUMENTS…` and return its output.

    :raises DiskFull: no space; HypervisorError: anything else, its text is in the log.
    """
    if image_format not in FORMATS:
        raise ValueError('qemu-img %s needs a format, not %r' % (subcommand, image_format))
    limiter, program = PROGRAMS
    command = [limiter, '--cpu=%d' % limits.cpu, '--as=%d' % limits.memory, '--',
               program, subcommand, '-f', image_format, *arguments]
    try:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, errors='replace',
                              timeout=limits.wall, env=os.environ | {'LC_ALL': 'C'})
    except subprocess.TimeoutExpired as exc:
        LOG.error('qemu-img %s took longer than %d s: %s', subcommand, limits.wall, arguments)
        raise _failed(subcommand) from exc
    except FileNotFoundError as exc:
        raise _failed(subcommand) from exc
    if done.returncode:
        LOG.error('qemu-img %s ended with %d: %s', subcommand, done.returncode, done.stderr.strip())
        if NO_SPACE in done.stderr:
            raise exception.DiskFull(what='a disk image')
        raise _failed(subcommand)
    return done.stdout


def _failed(subcommand):
    return exception.HypervisorError('The hypervisor could not work on a disk image (qemu-img %s).' % subcommand)


def info(path, image_format, in_use=False):
    """What qemu-img knows of an image: a dict with `virtual-size` (bytes), `backing-filename` where it has one, …

    in_use: a guest may be writing to it.
    """
    return json.loads(qemu_img('info', image_format, *['--force-share'] * in_use, '--output=json', path))


def create(path, image_format, size, base=None):
    """Make an empty image of `size` bytes; with `base`, the path of a raw image, one that shows its contents."""
    backing = ['-b', base, '-F', 'raw'] if base else []
    qemu_img('create', image_format, '-q', *backing, path, str(size))


def grow(path, image_format, size):
    """Make an image as large as `size` bytes for a guest; a larger one stays as it is."""
    if info(path, image_format)['virtual-size'] < size:
        qemu_img('resize', image_format, '-q', path, str(size))


def convert(source, image_format, target, target_format, size):
    """Write the contents of an image, with all that it lies on, to a sparse file; `size` is what a guest would see,
    in bytes."""
    qemu_img('convert', image_format, '-O', target_format, source, target, limits=Limits.for_copy(size))
