# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""./stack.sh and ./unstack.sh as a person runs them: real packages, real RabbitMQ, real guests. Needs root."""

import contextlib
import os
import pathlib
import re
import signal
import subprocess

import pytest

from nova_lite.lab import layout as layouts
from nova_lite.lab import options as lab_options
from nova_lite.lab import processes
from nova_lite.standins.neutron.dataplane import links
from nova_lite.standins.neutron.dataplane import names

OFFSET = 6100        # its ports stay below those that the kernel gives to clients
LAYOUT = layouts.default(OFFSET)
PLACES = (LAYOUT.etc, LAYOUT.state, LAYOUT.log)
UUID = "[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"

pytestmark = pytest.mark.skipif(os.getuid() != 0, reason="real guests need root")


def run(script, *arguments, code=0, seconds=400, user=None):
    """Run a script of the clone and return all that it printed."""
    done = subprocess.run([str(layouts.CLONE / script), *arguments], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, timeout=seconds, cwd="/", user=user, group=user,
                          extra_groups=[] if user else None, env=os.environ | ({"HOME": "/"} if user else {}))
    assert done.returncode == code, done.stdout
    assert "Traceback" not in done.stdout
    return done.stdout


def shell(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True, timeout=60).stdout


def machine():
    """What a cloud may leave behind on a machine, by kind."""
    return {
        "links": set(os.listdir("/sys/class/net")),
        "namespaces": set(shell("ip", "netns", "list").split()),
        "tables": set(shell("nft", "list", "tables").splitlines()),
        "domains": {path.name for folder in ("/etc/libvirt/qemu", "/run/libvirt/qemu")
                    for path in pathlib.Path(folder).glob("*.xml")},
        "mounts": {line.split()[1] for line in pathlib.Path("/proc/mounts").read_text().splitlines()},
        "processes": {processes.command(pid) for pid in processes.all_pids()
                      if str(LAYOUT.state) in processes.command(pid) + processes.environment(pid).get("HOME", "")},
    }


def left_behind(before):
    after = machine()
    return {kind: sorted(after[kind] - before[kind]) for kind in before if after[kind] - before[kind]}


def kill_everything():
    for pid in processes.of_cloud(LAYOUT):
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


@pytest.fixture(scope="module")
def before():
    """The machine as it was; whatever an earlier run of these tests left is gone."""
    run("unstack.sh", "--port-offset", str(OFFSET), "--purge")
    yield None
    run("unstack.sh", "--port-offset", str(OFFSET), "--purge")
    assert not [path for path in PLACES if path.exists()]


@pytest.fixture(scope="module")
def first(before):
    """What the first stack.sh of this cloud printed."""
    return run("stack.sh", "--port-offset", str(OFFSET))


def server_id(output):
    return re.search(rf"guest: uuid ({UUID})", output)[1]


def test_the_guest_tells_its_address_and_uuid(first):
    states = re.findall(r"^ +[0-9.]+ s  (\w+) +vm_state (\S+) +task_state (\S+)", first, re.MULTILINE)
    assert states[0][0] == "BUILD"
    assert states[-1] == ("ACTIVE", "active", "-")
    assert re.search(r"guest: address 10\.[0-9.]+", first)
    assert "/unstack.sh" in first or "./unstack.sh" in first
    assert "curl -i http://127.0.0.1:" in first


def test_the_domain_and_its_files_are_there(first):
    uuid = server_id(first)
    assert uuid in shell("virsh", "-c", "qemu:///system", "-q", "list", "--uuid").split()
    names = {path.name for path in (LAYOUT.instances / uuid).iterdir()}
    assert {"libvirt.xml", "disk", "console.log"} <= names


def test_the_services_are_processes_and_talk_over_rabbitmq(first):
    commands = [processes.command(pid) for pid in processes.of_cloud(LAYOUT)]
    for name in ("nova-api", "nova-conductor", "nova-scheduler", "nova-compute", "nova-lite-standins"):
        assert [line for line in commands if f"/{name} " in line], name
    queues = shell("sh", "-c", f". {LAYOUT.etc}/openrc-admin && rabbitmqctl -q list_queues name").split()
    assert {"conductor", "scheduler"} <= set(queues)
    assert [queue for queue in queues if queue.startswith("compute.")]


def test_everything_listens_on_the_loopback_only(first):
    offset_ports = {port + OFFSET for port in layouts.PORTS.values()}
    for line in shell("ss", "-ltnH").splitlines():
        address, _, port = line.split()[3].rpartition(":")
        if int(port) in offset_ports:
            assert address in ("127.0.0.1", "[::1]"), line


def test_again_changes_nothing_and_repairs(first):
    assert "already running: all services answer" in run("stack.sh", "--port-offset", str(OFFSET))
    control = [str(layouts.CLONE / ".venv/bin/supervisorctl"), "-c", str(LAYOUT.etc / "supervisord.conf")]
    if (LAYOUT.etc / "supervisord.conf").exists():
        shell(*control, "stop", "nova:nova-scheduler")
        assert "but for nova-scheduler" in run("stack.sh", "--port-offset", str(OFFSET))
    assert "runs with --virt libvirt" in run("stack.sh", "--port-offset", str(OFFSET), "--virt", "fake", code=1)


def test_a_taken_port_is_one_line(first):
    data_dir = "/tmp/nova-lite-taken"
    try:
        said = run("stack.sh", "--virt", "fake", "--data-dir", data_dir, "--port-offset", str(OFFSET), code=1)
        assert re.fullmatch(r"stack\.sh: port \d+ \(\w+\) is taken by \S+ \(pid \d+\): .*", said.splitlines()[-1])
    finally:
        run("unstack.sh", "--data-dir", data_dir, "--purge")


def test_unstack_after_kill_9_leaves_nothing(first):
    kill_everything()
    run("unstack.sh", "--port-offset", str(OFFSET))
    found = machine()
    assert found["processes"] == set()
    assert not [name for name in found["domains"] if name.startswith(f"instance-{OFFSET}-")]
    assert links.owned(names.alias(names.installation(LAYOUT.state / "standins"), "")) == {}
    assert LAYOUT.record.exists()


def test_stack_again_boots_again_and_leaves_nothing(first):
    was = machine()
    said = run("stack.sh", "--port-offset", str(OFFSET))
    assert server_id(said) != server_id(first)
    kill_everything()
    said = run("stack.sh", "--port-offset", str(OFFSET))
    assert "processes of an earlier start" in said or "ACTIVE" in said
    run("unstack.sh", "--port-offset", str(OFFSET))
    assert left_behind(was) == {}


@pytest.mark.skipif(not all(folder.stat().st_mode & 0o001 for folder in layouts.CLONE.parents),
                    reason="nobody but root can read this clone")
def test_without_root_in_a_directory_of_ones_own(before):
    data_dir = pathlib.Path("/tmp/nova-lite-nobody")
    subprocess.run(["rm", "-rf", str(data_dir)], check=True)
    data_dir.mkdir()
    os.chown(data_dir, 65534, 65534)
    layout = layouts.under(data_dir, OFFSET)
    try:
        said = run("stack.sh", "--virt", "fake", "--hosts", "3", "--data-dir", str(data_dir), "--port-offset",
                   str(OFFSET), user=65534)
        assert re.search(r"ACTIVE +vm_state active", said)
        owners = {os.stat(f"/proc/{pid}").st_uid for pid in processes.of_cloud(layout)}
        assert owners == {65534}
        queues = shell("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups",
                       str(layout.state / "rabbitmqctl"), "-q", "list_queues", "name").split()
        assert len([queue for queue in queues if re.fullmatch(r"compute\..+-[123]", queue)]) == 3
        assert lab_options.read_record(layout)["hosts"] == 3
    finally:
        run("unstack.sh", "--data-dir", str(data_dir), "--purge", user=65534)
    assert processes.of_cloud(layout) == []


@pytest.mark.skipif(not all(folder.stat().st_mode & 0o001 for folder in layouts.CLONE.parents),
                    reason="nobody but root can read this clone")
def test_real_guests_without_root_are_refused(before):
    said = run("stack.sh", "--data-dir", "/tmp/nova-lite-refused", code=1, user=65534)
    assert said.count("\n") == 1
    assert "sudo ./stack.sh" in said
