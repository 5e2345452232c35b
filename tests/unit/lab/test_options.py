# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""The command lines of stack.sh and unstack.sh, and what is remembered between them."""

import os
import pathlib
import stat

import pytest

from nova_lite.lab import errors
from nova_lite.lab import layout as layouts
from nova_lite.lab import options as lab_options


def remember(directory, *arguments):
    options, layout = lab_options.parse_stack([*arguments, "--data-dir", str(directory)])
    layout.state.mkdir(parents=True)
    lab_options.write_record(layout, options)
    return layout


def test_fixed_places():
    options, layout = lab_options.parse_stack([])
    assert (layout.etc, layout.state, layout.log) == tuple(
        map(pathlib.Path, ("/etc/nova", "/var/lib/nova", "/var/log/nova")))
    assert layout.instances == pathlib.Path("/var/lib/nova/instances")
    assert (options.virt, options.hosts, options.boot) == ("libvirt", 1, True)
    assert layout.port("compute") == 8774


def test_a_second_cloud_has_places_ports_and_names_of_its_own():
    first, second = layouts.default(), lab_options.parse_stack(["--port-offset", "100"])[1]
    assert second.etc == pathlib.Path("/etc/nova-100")
    assert second.port("identity") == 5100
    assert first.rabbit_node != second.rabbit_node
    assert first.unit_prefix != second.unit_prefix


def test_data_dir_holds_everything(tmp_path):
    _, layout = lab_options.parse_stack(["--data-dir", str(tmp_path)])
    assert (layout.etc, layout.state, layout.log) == (tmp_path / "etc", tmp_path / "state", tmp_path / "log")


def test_what_is_not_said_is_as_the_last_time(tmp_path):
    remember(tmp_path, "--virt", "fake", "--hosts", "7", "--port-offset", "40", "--database", "mysql+pymysql://u:p@h/n")
    options, layout = lab_options.parse_stack(["--data-dir", str(tmp_path), "--no-boot"])
    assert (options.virt, options.hosts, options.port_offset, options.boot) == ("fake", 7, 40, False)
    assert options.database == "mysql+pymysql://u:p@h/n"
    assert options.said == frozenset()
    assert layout.offset == 40
    assert lab_options.parse_unstack(["--data-dir", str(tmp_path), "--purge"]) == (layout, True)


def test_the_record_may_hold_a_password(tmp_path):
    layout = remember(tmp_path, "--virt", "fake")
    assert stat.S_IMODE(os.stat(layout.record).st_mode) == 0o600


@pytest.mark.parametrize("arguments", [
    ["--virt", "xen"], ["--hosts", "0"], ["--hosts", "x"], ["--hosts", "2"], ["--port-offset", "-1"],
    ["--port-offset", "60000"], ["--virt", "libvirt", "--hosts", "2"], ["--no-bo"],
])
def test_wrong_command_lines_end_with_a_usage_message(arguments, capsys):
    with pytest.raises(SystemExit) as ended:
        lab_options.parse_stack([*arguments, "--data-dir", "/nonexistent"])
    assert ended.value.code == 2
    assert "usage: stack.sh" in capsys.readouterr().err


def test_the_offset_of_a_cloud_does_not_change(tmp_path, capsys):
    remember(tmp_path, "--virt", "fake", "--port-offset", "40")
    with pytest.raises(SystemExit):
        lab_options.parse_stack(["--data-dir", str(tmp_path), "--port-offset", "50"])
    assert "has port offset 40" in capsys.readouterr().err


@pytest.mark.parametrize("path", ["/tmp/a b", "/tmp/it's", "/tmp/100%", "/tmp/a$b", "/tmp/ü"])
def test_odd_paths_are_refused(path, capsys):
    with pytest.raises(SystemExit):
        lab_options.parse_stack(["--data-dir", path])
    assert "has characters" in capsys.readouterr().err


def test_a_broken_record_is_one_line(tmp_path):
    layout = remember(tmp_path, "--virt", "fake")
    layout.record.write_text("{")
    with pytest.raises(errors.LabError, match="cloud.json cannot be read"):
        lab_options.parse_stack(["--data-dir", str(tmp_path)])


def test_consoles_are_remembered_and_can_be_left_out_again(tmp_path):
    layout = remember(tmp_path, "--consoles")
    again = lab_options.parse_stack(["--data-dir", str(tmp_path)])[0]
    assert again.consoles and not lab_options.Options().consoles
    changed = lab_options.parse_stack(["--data-dir", str(tmp_path), "--no-consoles"])[0]
    assert not changed.consoles and "consoles" in changed.said and layout.record.exists()
