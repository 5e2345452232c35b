# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Finds out whether KVM works here, by booting the guest image with it once.

The device file alone proves nothing: there are machines where it can be opened and no kernel gets anywhere.
"""

import json
import os
import platform
import subprocess
import time

BOOT_SECONDS = 10
KERNEL_SPEAKS = b"Linux version"
DEVICE = "/dev/kvm"


def virt_type(layout, image):
    """`kvm` where the disk image at path `image` boots with it within 10 s, else `qemu`.

    The answer is kept in the state directory, for this kernel of the host.
    """
    record = layout.state / "kvm.json"
    host = f"{platform.release()} {platform.version()}"
    try:
        known = json.loads(record.read_text())
        if known["host"] == host:
            return known["virt_type"]
    except (OSError, ValueError, KeyError, TypeError):
        pass
    found = "kvm" if os.access(DEVICE, os.R_OK | os.W_OK) and _boots(layout, image) else "qemu"
    record.write_text(json.dumps({"host": host, "virt_type": found}) + "\n")
    return found


def _boots(layout, image):
    """Whether the guest's kernel says its first line on the serial console in time."""
    console = layout.run / "kvm-console.log"
    console.unlink(missing_ok=True)
    command = ["qemu-system-x86_64", "-accel", "kvm", "-machine", "pc", "-m", "256", "-nodefaults",
               "-display", "none", "-no-user-config", "-serial", f"file:{console}",
               "-drive", f"file={image},format=qcow2,if=virtio,snapshot=on"]
    try:
        qemu = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                stderr=subprocess.DEVNULL)
    except FileNotFoundError:
        return False
    try:
        deadline = time.monotonic() + BOOT_SECONDS
        while qemu.poll() is None and time.monotonic() < deadline:
            if console.exists() and KERNEL_SPEAKS in console.read_bytes():
                return True
            time.sleep(0.1)
        return False
    finally:
        qemu.kill()
        qemu.wait()
        console.unlink(missing_ok=True)
