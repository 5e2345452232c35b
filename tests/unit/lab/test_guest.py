# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""The guest's scripts and what is read from its console; building and booting it is a system test."""

import json
import pathlib
import platform
import subprocess
import urllib.error

import pytest

from nova_lite.lab import errors
from nova_lite.lab import firstboot
from nova_lite.lab import guest
from nova_lite.lab import image as images
from nova_lite.lab import kvm
from nova_lite.lab import layout as layouts

CONSOLE = (
    "[    3.99] sr 1:0:0:0: [sr0] drive\r\n"
    "nova_lite guest: address 10.0.0.23/24\r\n"
    "nova_lite guest: uuid 83679162-1378-4288-a2d4-70e13ec132aa\r\n\r\n"
    "/ # \x1b[6n\x1b[Jls\r\n")


@pytest.mark.parametrize("name", ["guest_init.sh", "guest_udhcpc.sh"])
def test_a_shell_can_parse_the_scripts(name):
    path = pathlib.Path(guest.__file__).with_name(name)
    done = subprocess.run(["sh", "-n", str(path)], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")


def test_what_the_guest_says_is_found():
    assert firstboot.ADDRESS_LINE.search(CONSOLE)[1] == "10.0.0.23"
    assert firstboot.UUID_LINE.search(CONSOLE)[1] == "83679162-1378-4288-a2d4-70e13ec132aa"
    assert firstboot.console_lines(CONSOLE)[-2:] == [
        "nova_lite guest: uuid 83679162-1378-4288-a2d4-70e13ec132aa", "/ # ls"]


def test_a_missing_tool_is_one_line(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", "/nonexistent")
    with pytest.raises(errors.LabError, match="needs no-such-tool, which is not installed"):
        guest._run(["no-such-tool"])


def test_cirros_is_not_taken_from_a_server_that_lies(tmp_path, monkeypatch):
    source = tmp_path / "source"
    source.write_bytes(b"not CirrOS")
    target = tmp_path / "target"
    assert images._download(source.as_uri(), "0" * 64, target) is False
    assert images._download((tmp_path / "absent").as_uri(), "0" * 64, target) is False
    assert list(tmp_path.iterdir()) == [source]
    digest = "b7f8c5f3a4bd9c4a38e1f2a7a6ddc7ba0b1d9b9a59f0a7a5b0d2d1b0e4b0a1c2"
    assert images._download(source.as_uri(), digest, target) is False


def test_the_first_image_of_a_cloud_is_kept(tmp_path, monkeypatch):
    layout = layouts.under(tmp_path)

    def no_network(*arguments, **values):
        raise urllib.error.URLError("no route")

    monkeypatch.setattr(images.urllib.request, "urlopen", no_network)
    monkeypatch.setattr(images.guest, "build", lambda path: path.write_bytes(b"disk"))
    assert images.cached(layout) is None
    built = images.obtain(layout)
    assert (built.name, built.flavor) == ("nova-lite-guest", "42")
    monkeypatch.setattr(images.guest, "build", lambda path: pytest.fail("built twice"))
    assert images.obtain(layout) == images.cached(layout) == built


def test_kvm_is_proved_once_for_each_kernel(tmp_path, monkeypatch):
    layout = layouts.under(tmp_path)
    layout.run.mkdir(parents=True)
    proofs = []
    monkeypatch.setattr(kvm, "_boots", lambda layout, image: proofs.append(image) or True)
    monkeypatch.setattr(kvm.os, "access", lambda path, mode: True)
    assert [kvm.virt_type(layout, "disk") for _ in range(2)] == ["kvm", "kvm"]
    assert len(proofs) == 1
    record = json.loads((layout.state / "kvm.json").read_text())
    assert platform.release() in record["host"]
    (layout.state / "kvm.json").write_text(json.dumps(record | {"host": "another kernel"}))
    monkeypatch.setattr(kvm.os, "access", lambda path, mode: False)
    assert kvm.virt_type(layout, "disk") == "qemu"
