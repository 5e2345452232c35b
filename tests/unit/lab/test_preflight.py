# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""What stops a start before anything is changed."""

import os
import shutil

import pytest

from nova_lite.lab import errors
from nova_lite.lab import layout as layouts
from nova_lite.lab import options as lab_options
from nova_lite.lab import preflight

FAKE = lab_options.Options(virt="fake")
LIBVIRT = lab_options.Options()


def test_without_root(tmp_path, monkeypatch):
    monkeypatch.setattr(os, "getuid", lambda: 1000)
    preflight.check_user(FAKE, layouts.under(tmp_path))
    with pytest.raises(errors.LabError, match="sudo ./stack.sh"):
        preflight.check_user(LIBVIRT, layouts.under(tmp_path))
    with pytest.raises(errors.LabError, match="add --data-dir"):
        preflight.check_user(FAKE, layouts.default())


def test_a_full_disk(tmp_path, monkeypatch):
    preflight.check_disk(FAKE, layouts.under(tmp_path / "not" / "there"))
    monkeypatch.setattr(shutil, "disk_usage", lambda place: shutil._ntuple_diskusage(10, 10, 5 * preflight.MIB))
    with pytest.raises(errors.LabError, match="disk is too full: 5 MiB are free at .*, 300 MiB are needed"):
        preflight.check_disk(FAKE, layouts.under(tmp_path))


def test_too_little_memory(monkeypatch):
    preflight.check_memory(FAKE)
    monkeypatch.setattr(preflight, "_available_memory", lambda: 50)
    with pytest.raises(errors.LabError, match="50 MiB are available, 1200 MiB are needed"):
        preflight.check_memory(LIBVIRT)


def test_qemu_has_to_reach_the_disks(tmp_path):
    closed = tmp_path / "closed"
    closed.mkdir(mode=0o700)
    layout = layouts.under(closed / "cloud")
    preflight.check_reach(FAKE, layout)
    with pytest.raises(errors.LabError, match="closed to other users"):
        preflight.check_reach(LIBVIRT, layout)


def test_another_novas_files_are_left_alone(tmp_path):
    layout = layouts.under(tmp_path)
    preflight.make_directories(layout)
    preflight.check_ours(layout)
    layout.nova_conf.write_text("[DEFAULT]\n")
    with pytest.raises(errors.LabError, match="not made by stack.sh"):
        preflight.check_ours(layout)
    layout.record.write_text("{}")
    preflight.check_ours(layout)


def test_directories_that_cannot_be_made(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(errors.LabError, match="cannot make the cloud's directories"):
        preflight.make_directories(layouts.under(tmp_path / "file"))
