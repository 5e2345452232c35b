# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Uses the libvirtd of the machine: starts it where it does not run, and stops only what a cloud started.

What the lab starts itself carries a mark in its environment, so that no record can be out of date.
"""

import grp
import os
import pathlib
import shutil
import stat
import subprocess
import time

from nova_lite.lab import errors
from nova_lite.lab import processes
from nova_lite.lab import systemd

MARK = "NOVA_LITE_STARTED"
KVM = pathlib.Path("/dev/kvm")
START_SECONDS = 20
# The daemon that answers qemu:///system is one for all drivers, or QEMU's own of the modular set.
DAEMONS = ("virtlogd", "libvirtd")


def ensure():
    """Make sure that qemu:///system answers. Raises LabError when it cannot be brought to."""
    own_kvm()
    if answers():
        return
    if not shutil.which("libvirtd", path="/usr/sbin:/usr/bin"):
        raise errors.LabError("libvirt is not installed: apt-get install libvirt-daemon-system (as root)")
    if systemd.is_init():
        _run(["systemctl", "start", "virtlogd.socket", "libvirtd.service"])
    else:
        # Without its own directory under /run neither of them can make its socket.
        pathlib.Path("/run/libvirt").mkdir(exist_ok=True)
        for name in DAEMONS:
            if not _running(name):
                _run([name, "-d"])
    deadline = time.monotonic() + START_SECONDS
    while not answers():
        if time.monotonic() > deadline:
            raise errors.LabError("libvirtd does not answer at qemu:///system (see its log, or 'virsh list')")
        time.sleep(0.2)


def answers():
    """Whether the daemon of qemu:///system serves requests."""
    try:
        return subprocess.run(["virsh", "-c", "qemu:///system", "-q", "list", "--name"], capture_output=True,
                              timeout=60).returncode == 0
    except (FileNotFoundError, subprocess.TimeoutExpired):
        return False


def own_kvm():
    """Give /dev/kvm the owner and mode that udev gives it, where nobody has.

    libvirt otherwise takes KVM for usable when it probes QEMU and for unusable when it checks its cache, and
    probes anew, for the better part of a minute, at every domain that is made.
    """
    try:
        status = KVM.stat()
        group = grp.getgrnam("kvm")
    except (FileNotFoundError, KeyError):
        return
    if status.st_uid == 0 and status.st_gid == 0 and stat.S_IMODE(status.st_mode) == 0o600:
        os.chown(KVM, 0, group.gr_gid)
        os.chmod(KVM, 0o660)


def stop_ours():
    """Stop the daemons that the lab started, unless somebody has a domain running."""
    ours = [pid for name in reversed(DAEMONS) for pid in _running(name)
            if MARK in processes.environment(pid)]
    if ours and not _domains():
        processes.end(ours)


def _domains():
    """Names of the running domains; a daemon that does not answer has none that it could tell of."""
    done = subprocess.run(["virsh", "-c", "qemu:///system", "-q", "list", "--name"], capture_output=True, text=True,
                          timeout=60)
    return done.stdout.split() if done.returncode == 0 else []


def _running(name):
    return [pid for pid in processes.all_pids() if processes.name(pid) == name]


def _run(command):
    # Logs go to libvirt's own files; nothing of the terminal is handed to a daemon.
    environment = {name: value for name, value in os.environ.items() if name != processes.MARK} | {MARK: "1"}
    done = subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=60, cwd="/",
                          env=environment | {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin"})
    if done.returncode:
        lines = done.stderr.strip().splitlines() or ["no message"]
        raise errors.LabError(f"{command[0]} does not start: {lines[-1]}")
