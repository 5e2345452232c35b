# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Who may reach a guest's files: this service and QEMU's own user, nobody else.

libvirt hands each disk to QEMU's user when a guest starts, but does not open the directories above it. Those of ours
let QEMU's group pass through and not list (0710); images that many guests share may be read by that group (0640).
"""

import os
import pwd

from nova_lite import exception

DIRECTORY_MODE, SHARED_MODE, PRIVATE_MODE = 0o710, 0o640, 0o600
READ_WRITE, PASS = 0o6, 0o1


class QemuUser:
    """The user that libvirt runs QEMU as."""

    def __init__(self, uid, gid):
        self.uid = uid
        self.gid = gid
        entry = pwd.getpwuid(uid)
        self.name = entry.pw_name
        self._groups = {gid, *os.getgrouplist(entry.pw_name, entry.pw_gid)}

    def may(self, path, bits):
        """Whether the mode of a path gives this user `bits` (4 read, 2 write, 1 execute or pass through)."""
        status = os.stat(path)
        shift = 6 if status.st_uid == self.uid else 3 if status.st_gid in self._groups else 0
        return self.uid == 0 or (status.st_mode >> shift) & bits == bits


class Access:
    """`user`: the QemuUser, None where QEMU runs as this service does."""

    def __init__(self, user):
        self._user = user

    def make_directory(self, path):
        """A directory, made with those above it where missing, that QEMU can pass through."""
        os.makedirs(path, exist_ok=True)
        self._give(path, DIRECTORY_MODE)

    def share(self, path):
        """Let QEMU read a file of ours."""
        self._give(path, SHARED_MODE)

    def private(self, path):
        """A file for us alone, until libvirt hands it to QEMU."""
        os.chmod(path, PRIVATE_MODE)

    def _give(self, path, mode):
        if self._user is not None and os.getuid() == 0:
            os.chown(path, -1, self._user.gid)
        os.chmod(path, mode)

    def check_reach(self, path):
        """Whether QEMU gets to a directory. :raises HypervisorError: it names the first one on the way that is closed.
        """
        for directory in _from_the_root(os.path.realpath(path)):
            if self._user is not None and not self._user.may(directory, PASS):
                raise exception.HypervisorError(
                    'QEMU\'s user %s cannot reach %s: %s is closed to it (chmod o+x, or choose another instances_path)'
                    % (self._user.name, path, directory))


def _from_the_root(path):
    """`/`, `/a`, `/a/b` for the path `/a/b`."""
    above = os.path.dirname(path)
    return [path] if above == path else [*_from_the_root(above), path]
