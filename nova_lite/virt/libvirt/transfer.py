# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""The one door by which a guest's files go to another host: rsync over SSH, as the user of this service.

That user needs to log in at the other host without a password, and to write to the same directory there.
"""

import logging
import os
import subprocess

from nova_lite import exception
from nova_lite.virt import images

LOG = logging.getLogger(__name__)

REMOTE_SHELL = 'ssh -o BatchMode=yes -o ConnectTimeout=30'
SECONDS = 24 * 3600
STALLED_SECONDS = 120       # without a byte
NO_SPACE_LEFT = 11          # rsync's code of file errors at either side


def send(paths, host, directory):
    """Copy files into a directory of another host, made where it is missing; what is there already is completed.

    `host`: an address. :raises DiskFull, HypervisorError:
    """
    place = '[%s]' % host if ':' in host else host
    command = ['rsync', '--sparse', '--times', '--mkpath', '--chmod=D0710,F0600', '--timeout=%d' % STALLED_SECONDS,
               '--rsh', REMOTE_SHELL, '--', *paths, '%s:%s/' % (place, directory)]
    try:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, errors='replace',
                              timeout=SECONDS, env=os.environ | {'LC_ALL': 'C'})
    except (FileNotFoundError, subprocess.TimeoutExpired) as exc:
        raise _failed() from exc
    if done.returncode:
        LOG.error('rsync to %s ended with %d: %s', host, done.returncode, done.stderr.strip())
        if done.returncode == NO_SPACE_LEFT and images.NO_SPACE in done.stderr:
            raise exception.DiskFull(what='the disks of the instance')
        raise _failed()


def _failed():
    return exception.HypervisorError('The disks of the instance could not be copied to its new host.')
