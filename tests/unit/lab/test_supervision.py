# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""The two supervisors: a real supervisord with small programs, and the units for systemd."""

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time

import pytest

from nova_lite.lab import errors
from nova_lite.lab import layout as layouts
from nova_lite.lab import preflight
from nova_lite.lab import processes
from nova_lite.lab import services
from nova_lite.lab import supervision
from nova_lite.lab import systemd


@pytest.fixture
def layout():
    # The path of a socket may have little more than a hundred characters.
    with tempfile.TemporaryDirectory(prefix="nl-") as place:
        layout = layouts.under(place)
        preflight.make_directories(layout)
        yield layout
        processes.end(processes.of_cloud(layout))


def program(layout, name, text):
    return services.Service(name, (sys.executable, "-c", text),
                            {processes.MARK: str(layout.state), "ODD": "100% $HOME, 'x' y"})


def eventually(what, seconds=10):
    deadline = time.monotonic() + seconds
    while not what():
        assert time.monotonic() < deadline
        time.sleep(0.05)


def test_supervisord_restarts_what_dies_and_leaves_nothing(layout):
    supervisor = supervision.Supervisord(layout)
    assert supervisor.status() == {}
    supervisor.write([program(layout, "one", "import os, time; print(os.environ['ODD'], flush=True); time.sleep(60)"),
                      program(layout, "two", "import time; time.sleep(60)")])
    supervisor.start(["one"])
    eventually(lambda: supervisor.status() == {"one": services.RUNNING, "two": "STOPPED"})
    assert (layout.log / "one.out").read_text() == "100% $HOME, 'x' y\n"
    pid = next(pid for pid in processes.of_cloud(layout) if "ODD" in processes.command(pid))
    os.kill(pid, signal.SIGKILL)
    eventually(lambda: (layout.log / "one.out").read_text().count("\n") == 2)
    supervisor.start(["one", "two"])
    eventually(lambda: set(supervisor.status().values()) == {services.RUNNING})
    supervisor.stop_service("two")
    assert supervisor.status()["two"] == "STOPPED"
    supervisor.stop()
    eventually(lambda: not processes.of_cloud(layout))
    assert supervisor.status() == {}


def test_what_has_gone_its_own_way_outlives_a_stop(layout):
    supervisor = supervision.Supervisord(layout)
    supervisor.write([program(layout, "parent", "import subprocess, time; subprocess.Popen(['sleep', '61'], "
                              "start_new_session=True); subprocess.Popen(['sleep', '62']); time.sleep(60)")])
    supervisor.start(["parent"])

    def commands():
        return {processes.command(pid) for pid in processes.of_cloud(layout)}
    eventually(lambda: {"sleep 61", "sleep 62"} <= commands())
    supervisor.stop_service("parent")
    eventually(lambda: "sleep 62" not in commands())
    assert "sleep 61" in commands()


def test_units_end_all_that_they_started_but_for_what_serves_guests(layout):
    killed = {service.name: [line for line in systemd.unit(layout, service).splitlines() if "KillMode" in line]
              for service in services.table(layout)}
    assert killed.pop("nova-lite-standins") == ["KillMode=process"]
    assert set(map(tuple, killed.values())) == {("KillMode=control-group",)}


def test_a_path_too_long_for_a_socket_is_one_line(layout):
    deep = layouts.under(layout.data_dir / ("x" * 100))
    preflight.make_directories(deep)
    supervisor = supervision.Supervisord(deep)
    supervisor.write([])
    with pytest.raises(errors.LabError, match="choose a shorter --data-dir"):
        supervisor.start([])


def test_units_are_what_systemd_understands(layout):
    text = systemd.unit(layout, services.Service(
        "probe", ("/bin/sh", "-c", "echo 100% $HOME"), {"ODD": "100% x"}, user="root"))
    assert "ExecStart=/bin/sh -c 'echo 100%% $$HOME'\n" in text
    assert 'Environment="ODD=100%% x"\n' in text
    assert "Restart=always\n" in text
    if shutil.which("systemd-analyze"):
        path = layout.run / "nova-lite-probe.service"
        path.write_text(text)
        done = subprocess.run(["systemd-analyze", "verify", str(path)], capture_output=True, text=True)
        assert "nova-lite-probe" not in done.stderr


def test_the_table_has_the_broker_the_services_and_the_console_proxies(layout):
    table = services.table(layout)
    assert [service.name for service in table] == [
        "rabbitmq", "nova-lite-standins", "nova-conductor", "nova-scheduler", "nova-api", "nova-compute",
        "nova-novncproxy", "nova-serialproxy"]
    assert {service.environment[processes.MARK] for service in table} == {str(layout.state)}
    assert all("--config-file" in service.command for service in table[1:])
