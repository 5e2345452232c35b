# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""The owner and mode of /dev/kvm, tried on a plain file."""

import grp
import os
import stat

import pytest

from nova_lite.lab import libvirtd

OTHER = 12345


def kvm_group():
    try:
        return grp.getgrnam("kvm").gr_gid
    except KeyError:
        return None


@pytest.mark.skipif(os.getuid() != 0 or kvm_group() is None, reason="needs root and the group kvm")
@pytest.mark.parametrize("group, mode, becomes", [
    ("root", 0o600, ("kvm", 0o660)), ("root", 0o660, ("kvm", 0o660)), ("kvm", 0o600, ("kvm", 0o660)),
    ("kvm", 0o660, ("kvm", 0o660)), ("root", 0o666, ("root", 0o666)), ("other", 0o660, ("other", 0o660))])
def test_qemu_may_use_kvm_where_nobody_has_decided(tmp_path, monkeypatch, group, mode, becomes):
    numbers = {"root": 0, "kvm": kvm_group(), "other": OTHER}
    device = tmp_path / "kvm"
    device.touch()
    os.chown(device, 0, numbers[group])
    device.chmod(mode)
    monkeypatch.setattr(libvirtd, "KVM", device)
    libvirtd.own_kvm()
    assert (device.stat().st_gid, stat.S_IMODE(device.stat().st_mode)) == (numbers[becomes[0]], becomes[1])


def test_a_machine_without_kvm(tmp_path, monkeypatch):
    monkeypatch.setattr(libvirtd, "KVM", tmp_path / "kvm")
    libvirtd.own_kvm()
    assert not (tmp_path / "kvm").exists()
