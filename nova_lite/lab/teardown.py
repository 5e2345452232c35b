# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Stops a cloud and takes away all that it made on the machine, whether it ended well or was killed.

Only the standard library and the system's own tools, so that it works with a broken virtualenv too. What belongs
to others is never touched: processes carry a mark, domains name this cloud's directory, devices an alias.
"""

import fcntl
import json
import os
import pathlib
import shutil
import subprocess
import sys

from nova_lite.lab import errors
from nova_lite.lab import layout as layouts
from nova_lite.lab import libvirtd
from nova_lite.lab import processes
from nova_lite.lab import progress
from nova_lite.lab import systemd

LIBVIRT_CONFIG = pathlib.Path("/etc/libvirt/qemu")
FILTERS = pathlib.Path("/etc/libvirt/nwfilter")
DOMAIN_STATE = pathlib.Path("/run/libvirt/qemu")
END_SECONDS = 30
ROUNDS = 3


def run(layout, purge):
    """Stop and clean up; with `purge` remove the files too. Raises LabError with what could not be removed."""
    if not layout.state.exists():
        progress.say(f"Nothing to stop: there is no cloud in {layout.state}.")
        _remove_empty(layout)
        return
    if not os.access(layout.state, os.W_OK):
        raise errors.LabError(f"no permission for {layout.state}: run it as the user who ran stack.sh, or root")
    if purge and not layout.record.exists():
        raise errors.LabError(f"nothing is removed: {layout.state} was not made by stack.sh (it has no "
                              f"{layout.record.name})")
    layout.run.mkdir(exist_ok=True)
    with open(layout.run / "lock", "w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as exc:
            raise errors.LabError("another stack.sh or unstack.sh works on this cloud") from exc
        failures = _stop_processes(layout) + _remove_domains(layout) + _remove_networks(layout)
        _stop_port_mapper(layout)
        if os.getuid() == 0 and not processes.of_other_clouds(layout):
            _remove_filters()
            libvirtd.stop_ours()
        if failures:
            raise errors.LabError("not everything could be removed: " + "; ".join(failures))
    if purge:
        _purge(layout)
    progress.say("The cloud is stopped" + (" and its files are removed." if purge else
                 f"; its files are still in {layout.etc}, {layout.state} and {layout.log}."))


def _stop_processes(layout):
    """End the supervisor, then everything else that carries this cloud's mark."""
    left = processes.of_cloud(layout)
    units = systemd.is_init() and os.getuid() == 0 and not layout.data_dir
    if not left and not units:
        return []
    with progress.step("stopping the services"):
        if units:
            systemd.remove_units(layout)
        # supervisord ends its services in order, and would start again what is ended beside it.
        supervisors = [pid for pid in left if processes.name(pid) == "supervisord"]
        processes.end(supervisors, END_SECONDS)
        for _ in range(ROUNDS):
            left = processes.of_cloud(layout)
            if not left:
                return []
            processes.end(left, END_SECONDS / 3)
        left = processes.of_cloud(layout)
    return [f"process {pid} ({processes.name(pid)})" for pid in left]


def _remove_domains(layout):
    """Destroy and undefine the domains whose disks or consoles are in this cloud's instances directory."""
    if os.getuid() or not _mentions_domains(layout):
        return []
    with progress.step("removing the guests"):
        libvirtd.ensure()
        failures = []
        for name in _virsh("list", "--all", "--name").split():
            if f"{layout.instances}/" not in _virsh("dumpxml", name):
                continue
            if name in _virsh("list", "--name").split():
                _virsh("destroy", name)
            _virsh("undefine", name, "--managed-save", "--snapshots-metadata", "--checkpoints-metadata", "--nvram")
            if name in _virsh("list", "--all", "--name").split():
                failures.append(f"domain {name}")
    return failures


def _mentions_domains(layout):
    """Whether libvirt's files or a QEMU process name this cloud's directory; asks no daemon, which may be down."""
    mark = f"{layout.instances}/"
    for folder in (LIBVIRT_CONFIG, DOMAIN_STATE):
        for path in folder.glob("*.xml"):
            if mark in path.read_text(errors="replace"):
                return True
    return any(mark in processes.command(pid) for pid in processes.all_pids()
               if processes.name(pid).startswith("qemu-system"))


def _remove_filters():
    """The rules against spoofing that libvirt keeps, and the table that it filtered bridges in, once it is empty."""
    # The filter of a port (nova-port…) refers to the others: it has to go first.
    names = sorted((path.stem for path in FILTERS.glob("nova-*.xml")), reverse=True)
    if not names:
        return
    libvirtd.ensure()
    for name in names:
        _virsh("nwfilter-undefine", name)
    table = ["table", "bridge", "nat"]
    listed = subprocess.run(["nft", "-j", "list", *table], capture_output=True, text=True, timeout=60)
    if listed.returncode == 0 and not any("rule" in item for item in json.loads(listed.stdout)["nftables"]):
        subprocess.run(["nft", "delete", *table], capture_output=True, timeout=60)


def _remove_networks(layout):
    """Bridges, taps, namespaces, firewall tables and dnsmasq: the network stand-in's own tool knows them."""
    if os.getuid():
        return []
    done = subprocess.run(
        [sys.executable, "-m", "nova_lite.standins.neutron.dataplane.teardown", "--state-path",
         str(layout.state / "standins")], capture_output=True, text=True, timeout=120, cwd="/",
        env=os.environ | {"PYTHONPATH": str(layouts.CLONE)})
    if done.returncode == 0:
        return []
    return [line for line in done.stderr.splitlines() if line][-5:] or ["networks"]


def _stop_port_mapper(layout):
    """End Erlang's port mapper when a cloud of ours started it and no node is registered there any more."""
    for pid in processes.all_pids():
        if processes.name(pid) != "epmd" or processes.MARK not in processes.environment(pid):
            continue
        # It refuses by itself to end while a node is registered.
        subprocess.run(["epmd", "-kill"], capture_output=True, timeout=20)


def _purge(layout):
    with progress.step("removing the files"):
        for folder in (layout.etc, layout.log, layout.state):
            shutil.rmtree(folder, ignore_errors=True)
            if folder.exists():
                raise errors.LabError(f"{folder} could not be removed")
    _remove_empty(layout)


def _remove_empty(layout):
    """The directory that held everything goes too, unless somebody keeps something else there."""
    if layout.data_dir and layout.data_dir.is_dir() and not any(layout.data_dir.iterdir()):
        layout.data_dir.rmdir()


def _virsh(*arguments):
    """What virsh prints; nothing when it fails, for the caller looks at the outcome."""
    done = subprocess.run(["virsh", "-c", "qemu:///system", "-q", *arguments], capture_output=True, text=True,
                          timeout=60)
    return done.stdout if done.returncode == 0 else ""
