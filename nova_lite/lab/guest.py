# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Builds the lab's small guest image from packages of the distribution, without root, loop devices or mounts.

A kernel package's vmlinuz, an initial RAM disk of a static busybox with the virtio modules and `guest_init.sh`,
and syslinux on a FAT file system: 32 MiB that boot from a BIOS disk in seconds, even without KVM.
"""

import gzip
import lzma
import os
import pathlib
import re
import shutil
import subprocess
import tempfile

from nova_lite.lab import errors

# In loading order. A kernel that has one of them built in, or does not know it, does without the file.
MODULES = (
    "virtio_ring", "virtio", "virtio_pci_legacy_dev", "virtio_pci_modern_dev", "virtio_pci", "virtio_blk",
    "failover", "net_failover", "virtio_net", "evdev", "button", "rng-core", "virtio-rng", "cdrom", "isofs",
    "scsi_common", "scsi_mod", "sr_mod", "virtio_scsi", "libata", "ata_piix",
)
KERNEL_PACKAGES = ("linux-image-cloud-amd64", "linux-image-virtual")
DISK_MIB = 32
SYSLINUX = """SERIAL 0 115200
DEFAULT guest
PROMPT 0
LABEL guest
  KERNEL vmlinuz
  INITRD initrd.gz
  APPEND console=tty0 console=ttyS0,115200n8 panic=10
"""
_HERE = pathlib.Path(__file__).parent


def build(target):
    """Write a qcow2 image to the path `target`, replacing it only when the new one is whole.

    Raises LabError when the kernel package cannot be had or a tool fails.
    """
    target = pathlib.Path(target)
    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="guest-", dir=target.parent) as scratch:
        work = pathlib.Path(scratch)
        kernel, modules = _unpack_kernel(work, _download_kernel(work))
        _write_initrd(work, modules)
        _write_disk(work, kernel)
        (work / "disk.qcow2").rename(target)
    return target


def _download_kernel(work):
    """The package files of the newest kernel for virtual machines that apt knows."""
    downloads = work / "packages"
    downloads.mkdir()
    try:
        _run(["apt-get", "-q", "download", *_kernel_packages()], cwd=downloads)
    except errors.LabError:
        if os.getuid():
            raise
        # The machine's lists may be missing, or older than what the mirror holds.
        _run(["apt-get", "-q", "update"])
        _run(["apt-get", "-q", "download", *_kernel_packages()], cwd=downloads)
    return sorted(downloads.glob("*.deb"))


def _unpack_kernel(work, packages):
    """(path of vmlinuz, {module name: path}) of the unpacked package files."""
    unpacked = work / "unpacked"
    for package in packages:
        _run(["dpkg", "-x", str(package), str(unpacked)])
    kernels = sorted((unpacked / "boot").glob("vmlinuz-*"))
    if not kernels:
        raise errors.LabError(f"{', '.join(package.name for package in packages)}: no kernel (vmlinuz) in there")
    modules = {}
    for path in unpacked.glob("**/kernel/**/*.ko*"):
        modules[path.name.split(".ko")[0]] = path
    return kernels[-1], modules


def _kernel_packages():
    """Names of the versioned kernel package (and of its modules' package, where there is one)."""
    for meta in KERNEL_PACKAGES:
        shown = subprocess.run(["apt-cache", "depends", meta], capture_output=True, text=True)
        images = re.findall(r"Depends: (linux-image-\S+)", shown.stdout)
        if shown.returncode == 0 and images:
            depends = subprocess.run(["apt-cache", "depends", images[0]], capture_output=True, text=True).stdout
            return [images[0], *re.findall(r"Depends: (linux-modules-\S+)", depends)[:1]]
    raise errors.LabError("no kernel package for the guest is known to apt: run 'apt-get update' and try again")


def _write_initrd(work, modules):
    """Pack busybox, the modules and the init script as `initrd.gz`."""
    root = work / "root"
    for folder in ("bin", "etc", "modules"):
        (root / folder).mkdir(parents=True)
    shutil.copy2(_busybox(), root / "bin" / "busybox")
    (root / "bin" / "sh").symlink_to("busybox")
    for source, name in (("guest_init.sh", "init"), ("guest_udhcpc.sh", "etc/udhcpc.sh")):
        shutil.copy(_HERE / source, root / name)
        (root / name).chmod(0o755)
    present = [name for name in MODULES if name in modules]
    for name in present:
        (root / "modules" / name).write_bytes(_plain_module(modules[name]))
    (root / "modules" / "order").write_text("".join(f"{name}\n" for name in present))
    names = "\n".join(str(path.relative_to(root)) for path in sorted(root.rglob("*")))
    packed = _run(["cpio", "--quiet", "-o", "-H", "newc", "-R", "0:0"], cwd=root, stdin=names.encode())
    (work / "initrd.gz").write_bytes(gzip.compress(packed, compresslevel=6))


def _plain_module(path):
    if path.suffix == ".xz":
        return lzma.decompress(path.read_bytes())
    if path.suffix == ".zst":
        return _run(["zstd", "-dc", str(path)])
    return path.read_bytes()


def _busybox():
    """The statically linked busybox of package busybox-static."""
    for candidate in ("/bin/busybox", "/usr/bin/busybox"):
        if pathlib.Path(candidate).exists():
            return candidate
    raise errors.LabError("busybox is missing: apt-get install busybox-static")


def _write_disk(work, kernel):
    disk = str(work / "disk.raw")
    with open(disk, "wb") as handle:
        handle.truncate(DISK_MIB * 1024 * 1024)
    (work / "syslinux.cfg").write_text(SYSLINUX)
    _run(["mkfs.vfat", "-n", "GUEST", disk])
    for source, name in ((kernel, "vmlinuz"), (work / "initrd.gz", "initrd.gz"),
                         (work / "syslinux.cfg", "syslinux.cfg")):
        _run(["mcopy", "-i", disk, str(source), f"::{name}"])
    _run(["syslinux", "--install", disk])
    _run(["qemu-img", "convert", "-f", "raw", "-O", "qcow2", disk, str(work / "disk.qcow2")])


def _run(command, *, cwd=None, stdin=None):
    """Run a tool and return its output; LabError with its last line when it is missing or fails."""
    # mkfs.vfat and syslinux live in the sbin folders, which are not on everybody's path.
    search = os.environ | {"PATH": os.environ.get("PATH", "/usr/bin:/bin") + ":/usr/sbin:/sbin",
                           "LC_ALL": "C.UTF-8", "MTOOLS_SKIP_CHECK": "1"}
    try:
        done = subprocess.run(command, cwd=cwd, input=stdin, capture_output=True, env=search, timeout=120)
    except FileNotFoundError as exc:
        raise errors.LabError(f"building the guest image needs {command[0]}, which is not installed") from exc
    except subprocess.TimeoutExpired as exc:
        raise errors.LabError(f"building the guest image: {command[0]} did not end within 120 s") from exc
    if done.returncode:
        lines = done.stderr.decode(errors="replace").strip().splitlines() or ["no message"]
        raise errors.LabError(f"building the guest image: {command[0]}: {lines[-1]}")
    return done.stdout
