# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Installs the packages of the distribution that a cloud needs, and says which and why.

Only the standard library: this runs before there is a virtualenv.
"""

import contextlib
import os
import pathlib
import shutil
import subprocess
import sys
import sysconfig

from nova_lite.lab import errors
from nova_lite.lab import preflight
from nova_lite.lab import progress
from nova_lite.lab import systemd

# Package -> (why, what shows that it is there: a program, or the path of a file)
FAKE = {
    "rabbitmq-server": ("carries the messages between the services", "/usr/lib/rabbitmq/bin/rabbitmq-server"),
}
LIBVIRT = {
    "libvirt-daemon-system": ("runs the guests", "libvirtd"),
    "libvirt-clients": ("virsh, to look at the guests", "virsh"),
    "qemu-system-x86": ("the virtual machines themselves", "qemu-system-x86_64"),
    "qemu-utils": ("makes the guests' disks", "qemu-img"),
    "dnsmasq-base": ("gives the guests their addresses", "dnsmasq"),
    "iproute2": ("makes bridges and namespaces", "ip"),
    "nftables": ("filters and translates the guests' traffic", "nft"),
    "iptables": ("libvirt's filters against spoofing", "ebtables"),
    "libvirt-dev": ("to build libvirt-python", "/usr/include/libvirt/libvirt.h"),
    "pkg-config": ("to build libvirt-python", "pkg-config"),
    "gcc": ("to build libvirt-python", "gcc"),
    "libc6-dev": ("to build libvirt-python", "/usr/include/stdio.h"),
}
GUEST = {
    "busybox-static": ("the user space of the small guest", "busybox"),
    "cpio": ("packs the guest's RAM disk", "cpio"),
    "syslinux": ("makes the guest's disk boot", "syslinux"),
    "mtools": ("fills the guest's disk", "mcopy"),
    "dosfstools": ("makes the guest's file system", "mkfs.vfat"),
    "zstd": ("unpacks the guest's kernel modules", "zstd"),
}
# For the tests only: servers that they start by themselves.
TESTS = {
    "mariadb-server": ("one of the databases that are tested", "mariadbd"),
    "postgresql": ("one of the databases that are tested", "/usr/lib/postgresql"),
}
SYSTEM_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
POLICY = pathlib.Path("/usr/sbin/policy-rc.d")
# A cloud runs a RabbitMQ node of its own, and the tests databases: the packages would start others for the whole
# machine.
POLICY_TEXT = """#!/bin/sh
# Made by nova_lite's stack.sh for the time of one package installation.
case "$1" in rabbitmq-server | mariadb | mysql | postgresql) exit 101 ;; esac
exit 0
"""


def needed(virt):
    """{package: why} of what is missing on this machine for a cloud of that kind."""
    table = FAKE | (LIBVIRT | GUEST if virt == "libvirt" else {})
    missing = {name: why for name, (why, proof) in table.items() if not _present(proof)}
    missing |= _python_packages(headers=virt == "libvirt")
    return missing


def install(missing, log):
    """Install `missing` ({package: why}); apt's own words go to the file `log`.

    Raises LabError without root, without apt, or when apt fails.
    """
    if not missing:
        return
    names = sorted(missing)
    identity, version = preflight.distribution()
    if os.getuid():
        raise errors.LabError(f"packages are missing: run 'apt-get install {' '.join(names)}' as root, then again")
    if not shutil.which("apt-get") or (identity, version) not in preflight.SUPPORTED:
        raise errors.LabError(f"this is {identity or 'an unknown system'} {version}: packages are installed on Debian "
                              f"12 and 13 and Ubuntu 24.04 only; install {', '.join(names)} by hand, then try again")
    for name in names:
        progress.say(f"      {name}: {missing[name]}")
    had_broker = _present(FAKE["rabbitmq-server"][1])
    log.parent.mkdir(parents=True, exist_ok=True)
    with progress.step(f"installing {len(names)} packages"), open(log, "a") as output, _policy():
        # The machine's lists may be missing or older than what the mirror holds.
        if _apt(["install", *names], output) and (_apt(["update"], output) or _apt(["install", *names], output)):
            raise errors.LabError(f"apt-get install failed: {_last_error(log)} (all of it in {log})")
    if not had_broker and systemd.is_init():
        subprocess.run(["systemctl", "disable", "rabbitmq-server"], capture_output=True)


def _python_packages(headers):
    """What this Python lacks for a virtualenv, and for building libvirt-python."""
    found = {}
    probe = subprocess.run([sys.executable, "-c", "import ensurepip, venv"], capture_output=True)
    if probe.returncode:
        found["python3-venv"] = "Python's virtual environments"
    if headers and not (pathlib.Path(sysconfig.get_path("include")) / "Python.h").exists():
        found["python3-dev"] = "to build libvirt-python"
    return found


def _present(proof):
    if proof.startswith("/"):
        return pathlib.Path(proof).exists()
    return shutil.which(proof, path=SYSTEM_PATH) is not None


@contextlib.contextmanager
def _policy():
    """Keep the RabbitMQ package from starting its own node, unless the machine has a policy of its own."""
    if POLICY.exists() and POLICY.read_text() != POLICY_TEXT:
        yield
        return
    POLICY.write_text(POLICY_TEXT)
    POLICY.chmod(0o755)
    try:
        yield
    finally:
        POLICY.unlink(missing_ok=True)


def _apt(arguments, output):
    command = ["apt-get", "-q", "-y", "-o", "DPkg::Lock::Timeout=300", "--no-install-recommends", *arguments]
    print(f"\n$ {' '.join(command)}", file=output, flush=True)
    return subprocess.run(command, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT,
                          env=os.environ | {"DEBIAN_FRONTEND": "noninteractive", "LC_ALL": "C.UTF-8"}).returncode


def _last_error(log):
    lines = [line for line in log.read_text(errors="replace").splitlines() if line.startswith("E:")]
    return lines[-1] if lines else "no message"


def main():
    """Install all that the tests need: `python3 -m nova_lite.lab.packages LOGFILE`."""
    databases = {name: why for name, (why, proof) in TESTS.items() if not _present(proof)}
    try:
        install(needed("libvirt") | databases, pathlib.Path(sys.argv[1]))
    except errors.LabError as exc:
        sys.exit(f"packages: {exc}")


if __name__ == "__main__":
    main()
