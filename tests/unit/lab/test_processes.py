# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Finding and ending the processes of one cloud and of no other."""

import os
import signal
import socket
import subprocess
import sys
import time

import pytest

from nova_lite.lab import errors
from nova_lite.lab import layout as layouts
from nova_lite.lab import preflight
from nova_lite.lab import processes
from nova_lite.lab import teardown


@pytest.fixture
def spawn():
    """Start a Python program with a cloud's mark; all of them are gone afterwards."""
    started = []

    def start(layout, program="import time; print(flush=True); time.sleep(60)"):
        process = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE,
                                   env=os.environ | {processes.MARK: str(layout.state)})
        process.stdout.readline()
        started.append(process)
        return process.pid

    yield start
    for process in started:
        process.kill()
        process.wait()
        process.stdout.close()


def test_a_mark_tells_whose_a_process_is(tmp_path, spawn):
    ours, other = layouts.under(tmp_path / "a"), layouts.under(tmp_path / "b")
    first, second = spawn(ours), spawn(other)
    assert processes.of_cloud(ours) == [first]
    assert second in processes.of_other_clouds(ours)
    assert first not in processes.of_other_clouds(ours)


def test_children_carry_the_mark_and_outlive_their_parent(tmp_path, spawn):
    layout = layouts.under(tmp_path)
    parent = spawn(layout, "import subprocess, time; subprocess.Popen(['sleep', '60']); print(flush=True); "
                           "time.sleep(60)")
    os.kill(parent, signal.SIGKILL)
    left = []
    deadline = time.monotonic() + 5
    # A program that has only just been started has no name yet.
    while not left and time.monotonic() < deadline:
        left = [pid for pid in processes.of_cloud(layout) if processes.name(pid) == "sleep"]
    assert len(left) == 1
    assert processes.end(left) == []


def test_one_that_has_ended_does_not_count_though_nobody_collects_it(tmp_path, spawn):
    pid = spawn(layouts.under(tmp_path))
    assert pid in processes.all_pids()
    assert processes.end([pid]) == []
    assert os.path.exists(f"/proc/{pid}")
    assert pid not in processes.all_pids()


def test_who_ignores_sigterm_is_killed(tmp_path, spawn):
    pid = spawn(layouts.under(tmp_path),
                "import signal, time; signal.signal(15, signal.SIG_IGN); print(flush=True); time.sleep(60)")
    assert processes.end([pid], grace=0.2) == []


def test_a_taken_port_names_its_holder(tmp_path):
    layout = layouts.under(tmp_path)
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        layout = layouts.under(tmp_path, port - layouts.PORTS["compute"])
        with pytest.raises(errors.LabError, match=rf"port {port} \(compute\) is taken by .*\(pid {os.getpid()}\)"):
            preflight.check_ports(layout, ["compute"])
    preflight.check_ports(layout, ["compute"])


def test_a_connection_holds_its_port_too():
    with socket.create_server(("127.0.0.1", 0)) as server, socket.create_connection(server.getsockname()) as client:
        assert processes.holder(client.getsockname()[1])[0] == os.getpid()


def test_unstack_ends_what_was_left_behind(tmp_path, spawn, capsys):
    layout = layouts.under(tmp_path / "cloud")
    preflight.make_directories(layout)
    layout.record.write_text("{}")
    spawn(layout)
    teardown.run(layout, purge=True)
    assert processes.of_cloud(layout) == []
    assert not (tmp_path / "cloud").exists()
    teardown.run(layout, purge=False)
    assert "there is no cloud" in capsys.readouterr().out


def test_unstack_removes_no_files_that_are_not_ours(tmp_path):
    layout = layouts.under(tmp_path)
    preflight.make_directories(layout)
    with pytest.raises(errors.LabError, match="was not made by stack.sh"):
        teardown.run(layout, purge=True)
    assert layout.state.exists()
