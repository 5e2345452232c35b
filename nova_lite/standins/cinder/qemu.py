# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""The one place of the volume service that starts programs: qemu-img and qemu-nbd, never through a shell.

A format is never guessed, for what is in an image or a volume was written by a user. qemu-img is limited in
processor time, memory and time; qemu-nbd goes on by itself and is found again by its pid file.
"""

import os
import subprocess

from nova_lite.standins import rest

SYSTEM_PATH = '/usr/local/bin:/usr/bin:/bin'  # a supervisor's PATH may lack these
# What images call their formats, and what QEMU calls those that it is given to convert.
FORMATS = {'raw': 'raw', 'qcow2': 'qcow2', 'vmdk': 'vmdk', 'vdi': 'vdi', 'vhd': 'vpc', 'vhdx': 'vhdx'}
START_SECONDS = 10
_GIGABYTE = 1 << 30
_MEMORY = 2 * _GIGABYTE
TAKEN = 'Address already in use'
_NO_SPACE = 'No space left on device'


class QemuError(Exception):
    """A program was not there, took too long or failed. The text is one line for a log."""


def convert(source, source_format, target, target_format, size):
    """Write an image in another format; `size` is what a guest sees of it, in bytes.

    :raises QemuError: it failed; rest.Fault 413: there is no space left.
    """
    gigabytes = size // _GIGABYTE + 1
    limits = ['prlimit', '--cpu=%d' % (30 + 15 * gigabytes), '--as=%d' % _MEMORY, '--']
    _run([*limits, 'qemu-img', 'convert', '-f', FORMATS[source_format], '-O', FORMATS[target_format],
          'file:' + source, 'file:' + target], 60 + 60 * gigabytes)


def serve(path, name, address, port, *, pid_file, readonly):
    """Start a qemu-nbd that exports a raw file to any number of clients until it is told to end.

    QEMU's locks are off: the attachments say who may use a volume, and a guest that moves has it open twice.
    """
    command = ['qemu-nbd', '--fork', '--persistent', '--shared=0', '--image-opts',
               'driver=raw,file.driver=file,file.locking=off,file.filename=' + path.replace(',', ',,'),
               '--cache=writeback', '--discard=unmap', '--export-name=' + name, '--bind=' + address,
               '--port=%d' % port, '--pid-file=' + pid_file]
    _run(command + (['--read-only'] if readonly else []), START_SECONDS)


def _run(command, seconds):
    environment = {**os.environ, 'LC_ALL': 'C', 'PATH': os.environ.get('PATH', os.defpath) + ':' + SYSTEM_PATH}
    program = next(word for word in command if word.startswith('qemu-'))
    try:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                              text=True, errors='replace', timeout=seconds, env=environment, check=False)
    except FileNotFoundError as error:
        raise QemuError('%s is not installed' % error.filename) from None
    except subprocess.TimeoutExpired:
        raise QemuError('%s took longer than %d s' % (program, seconds)) from None
    if done.returncode == 0:
        return
    if _NO_SPACE in done.stderr:
        raise rest.Fault(413, 'There is not enough space for the volume.')
    if done.returncode == 127 and 'prlimit' in done.stderr:  # prlimit says so of what it cannot start
        raise QemuError('%s is not installed' % program)
    raise QemuError('%s failed: %s' % (program, ' '.join(done.stderr.split())[:300] or done.returncode))
