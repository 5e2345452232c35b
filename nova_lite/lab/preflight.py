# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Looks whether this machine can carry a cloud, before anything is changed on it."""

import os
import pathlib
import platform
import shutil
import socket

from nova_lite.lab import errors
from nova_lite.lab import processes

MIB = 1024 * 1024
NEEDED_DISK = {"libvirt": 1500, "fake": 300}      # MiB where the state goes
NEEDED_MEMORY = {"libvirt": 1200, "fake": 700}    # MiB available
SUPPORTED = {("debian", "12"), ("debian", "13"), ("ubuntu", "24.04")}


def check_user(options, layout):
    """Root is needed for real guests and for the fixed places."""
    if os.getuid() == 0:
        return
    if options.virt == "libvirt":
        raise errors.LabError("real guests need root: run 'sudo ./stack.sh', or without root "
                              "'./stack.sh --virt fake --data-dir DIR'")
    if layout.data_dir is None:
        raise errors.LabError(f"without root {layout.etc} cannot be written: add --data-dir DIR")


def check_machine(options):
    """Only x86-64 guests are built here, and only for libvirt does it matter."""
    if options.virt == "libvirt" and platform.machine() not in ("x86_64", "amd64"):
        raise errors.LabError(f"the guest image is for x86-64, this machine is {platform.machine()}: "
                              "use --virt fake")


def distribution():
    """(ID, VERSION_ID) of /etc/os-release, ("", "") where there is none."""
    try:
        release = platform.freedesktop_os_release()
    except OSError:
        return "", ""
    return release.get("ID", ""), release.get("VERSION_ID", "")


def check_ours(layout):
    """Another Nova's configuration or state is not to be written over."""
    if layout.record.exists():
        return
    for path in (layout.nova_conf, layout.instances):
        if path.exists():
            raise errors.LabError(f"{path} is there and was not made by stack.sh: another Nova's? Choose another place "
                                  "with --data-dir DIR")


def make_directories(layout):
    """Make the three places of the cloud. The state must stay open to the users that QEMU and RabbitMQ run as."""
    try:
        for folder in (layout.etc, layout.state, layout.log, layout.run):
            folder.mkdir(mode=0o755, parents=True, exist_ok=True)
            if not os.access(folder, os.W_OK):
                raise PermissionError(f"no permission to write in {folder}")
    except OSError as exc:
        raise errors.LabError(f"cannot make the cloud's directories: {exc}") from exc


def check_reach(options, layout):
    """QEMU runs as a user of its own and has to get to the disks."""
    if options.virt != "libvirt":
        return
    for folder in layout.instances.parents:
        if folder.exists() and not folder.stat().st_mode & 0o001:
            raise errors.LabError(f"{folder} is closed to other users, so QEMU could not reach the guests' disks: "
                                  "choose another --data-dir")


def check_disk(options, layout, extra_mib=0):
    """Enough room for state, logs and what is still to be downloaded."""
    for folder in (layout.state, layout.log):
        place = _existing(folder)
        free = shutil.disk_usage(place).free // MIB
        needed = NEEDED_DISK[options.virt] + extra_mib
        if free < needed:
            raise errors.LabError(f"the disk is too full: {free} MiB are free at {place}, {needed} MiB are needed")


def check_memory(options):
    available = _available_memory()
    needed = NEEDED_MEMORY[options.virt]
    if available < needed:
        raise errors.LabError(f"too little memory: {available} MiB are available, {needed} MiB are needed")


def check_ports(layout, names):
    """Nobody else may listen on the ports of the named services."""
    for name in names:
        port = layout.port(name)
        if not _taken(port):
            continue
        pid, program = processes.holder(port)
        holder = f"{program} (pid {pid})" if pid else "somebody who cannot be seen from here"
        raise errors.LabError(f"port {port} ({name}) is taken by {holder}: stop it, or choose other ports "
                              "with --port-offset N")


def _taken(port):
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
        # As servers do: a connection that is only just closed does not count.
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return True
    return False


def _available_memory():
    for line in pathlib.Path("/proc/meminfo").read_text().splitlines():
        if line.startswith("MemAvailable:"):
            return int(line.split()[1]) // 1024
    return 0


def _existing(folder):
    while not folder.exists():
        folder = folder.parent
    return folder
