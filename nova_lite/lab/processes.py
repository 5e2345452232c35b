# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Finds and ends the processes of a cloud, also those whose supervisor was killed.

Each process that the lab starts, and whatever it starts in turn, carries the cloud's state directory in an
environment variable. /proc tells it, so no pid file has to be right.
"""

import os
import pathlib
import signal
import time

MARK = "NOVA_LITE_STATE"
_SHARED = ("epmd",)


def environment(pid):
    """The environment that process `pid` was started with, {} when it is gone or somebody else's."""
    try:
        raw = pathlib.Path(f"/proc/{pid}/environ").read_bytes()
    except OSError:
        return {}
    pairs = (item.partition(b"=") for item in raw.split(b"\0") if item)
    return {key.decode(errors="replace"): value.decode(errors="replace") for key, _, value in pairs}


def name(pid):
    """Short name of a process, "" when it is gone."""
    try:
        return pathlib.Path(f"/proc/{pid}/comm").read_text().strip()
    except OSError:
        return ""


def command(pid):
    """Its command line as one string, "" when it is gone."""
    try:
        return pathlib.Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace").strip()
    except OSError:
        return ""


def all_pids():
    """Pids of what runs. A daemon that has ended does not count, though it stays a zombie where init collects none."""
    numbers = [int(entry.name) for entry in pathlib.Path("/proc").iterdir() if entry.name.isdigit()]
    return [pid for pid in numbers if _alive(pid)]


def of_cloud(layout):
    """Pids of the live processes of this cloud; Erlang's port mapper, which all nodes share, is not among them."""
    mark = str(layout.state)
    return [pid for pid in all_pids()
            if pid != os.getpid() and environment(pid).get(MARK) == mark and name(pid) not in _SHARED]


def of_other_clouds(layout):
    """Pids of the processes of other clouds of nova_lite on this machine."""
    mark = str(layout.state)
    return [pid for pid in all_pids() if environment(pid).get(MARK, mark) != mark and name(pid) not in _SHARED]


def end(pids, grace=10.0):
    """SIGTERM, then SIGKILL for those that are there after `grace` seconds. Returns those that outlive even that."""
    for number, wait in ((signal.SIGTERM, grace), (signal.SIGKILL, 5.0)):
        for pid in pids:
            try:
                os.kill(pid, number)
            except ProcessLookupError:
                continue
        deadline = time.monotonic() + wait
        while pids and time.monotonic() < deadline:
            pids = [pid for pid in pids if _alive(pid)]
            time.sleep(0.05)
    return pids


def _alive(pid):
    """Whether the process runs; a zombie has ended, its parent only has not looked yet."""
    try:
        state = pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"


def holder(port):
    """(pid, name) of the process that listens on TCP `port`, or else has a connection from it; (None, "") when
    nobody can be seen to."""
    listening, connected = set(), set()
    for table in ("/proc/net/tcp", "/proc/net/tcp6"):
        try:
            lines = pathlib.Path(table).read_text().splitlines()[1:]
        except OSError:
            continue
        for fields in map(str.split, lines):
            if int(fields[1].rpartition(":")[2], 16) == port:
                (listening if fields[3] == "0A" else connected).add(f"socket:[{fields[9]}]")
    inodes = listening or connected
    for pid in all_pids() if inodes else []:
        try:
            for entry in os.scandir(f"/proc/{pid}/fd"):
                if os.readlink(entry.path) in inodes:
                    return pid, name(pid)
        except OSError:
            continue
    return None, ""
