# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Uses the libvirtd of the machine: starts it where it does not run, and stops only what a cloud started.

What the lab starts itself carries a mark in its environment, so that no record can be out of date.
"""

import grp
import json
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
START_SECONDS = 60
# The daemon that answers qemu:///system is one for all drivers, or QEMU's own of the modular set.
DAEMONS = ("virtlogd", "libvirtd")
# Made by ebtables for libvirt's filters, which are taken out one by one but for the empty table.
FILTER_TABLES = ("nat", "filter")


def ensure():
    """Make sure that qemu:///system answers. Raises LabError when it cannot be brought to."""
    own_kvm()
    if not answers():
        _start()
    # libvirt asks each QEMU once for all that it can, which takes seconds; here that delays no guest.
    _virsh("domcapabilities", "--virttype", "qemu")


def _start():
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
    while reason := _silence():
        if time.monotonic() > deadline:
            raise errors.LabError(f"libvirtd does not answer at qemu:///system: {reason}")
        time.sleep(0.2)


def answers():
    """Whether the daemon of qemu:///system serves requests."""
    return not _silence()


def _silence():
    """Why the daemon of qemu:///system serves no requests, "" when it does."""
    try:
        done = subprocess.run(["virsh", "-c", "qemu:///system", "-q", "list", "--name"], capture_output=True, text=True,
                              timeout=60)
    except (FileNotFoundError, subprocess.TimeoutExpired) as exc:
        return str(exc)
    return (done.stderr.strip().splitlines() or ["no message"])[-1] if done.returncode else ""


def own_kvm():
    """Give /dev/kvm the owner and mode that udev gives it, where nobody has.

    libvirt otherwise takes KVM for usable when it probes QEMU and for unusable when it checks its cache, and
    probes anew, for the better part of a minute, at every domain that is made.
    """
    try:
        status, group = KVM.stat(), grp.getgrnam("kvm").gr_gid
    except (FileNotFoundError, KeyError):
        return
    mode = stat.S_IMODE(status.st_mode)
    open_to_all, open_to_group = mode & 0o006 == 0o006, status.st_gid == group and mode & 0o060 == 0o060
    if not open_to_all and not open_to_group and status.st_gid in (0, group):
        os.chown(KVM, 0, group)
        os.chmod(KVM, 0o660)


def stop_ours():
    """Where no domain runs any more: stop the daemons that the lab started, drop the tables of libvirt's filters."""
    if not shutil.which("virsh") or _virsh("list", "--name").split():
        return
    processes.end([pid for name in reversed(DAEMONS) for pid in _running(name)
                   if MARK in processes.environment(pid)])
    for table in FILTER_TABLES:
        if _does_nothing(table):
            subprocess.run(["nft", "delete", "table", "bridge", table], capture_output=True, timeout=30)


def _does_nothing(table):
    """Whether a table of the bridge family is there and lets everything pass, as ebtables leaves it."""
    done = subprocess.run(["nft", "-j", "list", "table", "bridge", table], capture_output=True, text=True, timeout=30)
    if done.returncode:
        return False
    entries = [entry for entry in json.loads(done.stdout)["nftables"] if not {"metainfo", "table"} & set(entry)]
    return all(entry.get("chain", {}).get("policy") == "accept" for entry in entries)


def _virsh(*arguments):
    """What virsh prints; nothing when the daemon does not answer."""
    try:
        done = subprocess.run(["virsh", "-c", "qemu:///system", "-q", *arguments], capture_output=True, text=True,
                              timeout=60)
    except (FileNotFoundError, subprocess.TimeoutExpired):
        return ""
    return done.stdout if done.returncode == 0 else ""


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
