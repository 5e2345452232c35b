# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""The one table of what a cloud runs: each service's program, user, environment and what it waits for."""

import dataclasses

from nova_lite.lab import layout as layouts
from nova_lite.lab import novnc
from nova_lite.lab import processes
from nova_lite.lab import rabbit

# States of a service, in supervisord's words.
RUNNING = "RUNNING"
STARTING = "STARTING"
DEAD = ("BACKOFF", "FATAL", "EXITED")

@dataclasses.dataclass(frozen=True)
class Service:
    """One supervised process. `user` is None for the user that runs the supervisor."""

    name: str
    command: tuple
    environment: dict
    user: str | None = None
    stop_seconds: int = 10
    own_log: bool = True
    group: str = ""     # the services of a group are stopped at the same time
    outlived: bool = False      # what it starts (DHCP servers, exports of volumes) serves guests while it restarts

    def log(self, layout):
        """Where to look when it fails: its own log, or what it printed when it has none."""
        return layout.log / (f"{self.name}.log" if self.own_log else f"{self.name}.out")


def table(layout):
    """The services of a cloud, in starting order."""
    mark = {processes.MARK: str(layout.state), "PYTHONUNBUFFERED": "1", "LANG": "C.UTF-8",
            "PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"}
    broker = Service("rabbitmq", (str(rabbit.SCRIPTS / "rabbitmq-server"),), mark | rabbit.environment(layout),
                     user=rabbit.node_user(layout), stop_seconds=20, own_log=False)
    standins = Service("nova-lite-standins", (layouts.script("nova-lite-standins"), "--config-file",
                                              str(layout.standins_conf)), mark, own_log=False,
                       outlived=True)
    nova = [Service(name, nova_program(layout, name), mark, group="nova")
            for name in ("nova-conductor", "nova-scheduler", "nova-api", "nova-compute")]
    proxies = [Service(name, (*nova_program(layout, name), *_web(layout, name)), mark, group="nova")
               for name in layouts.CONSOLES]
    return [broker, standins, *nova, *proxies]


def _web(layout, name):
    """The words of a proxy's command line that say what its web client is."""
    found = novnc.directory(layout) if name == "nova-novncproxy" else None
    return ("--web", str(found)) if found else ()


def nova_program(layout, name):
    """Command line of a program of Nova's: files in nova.conf.d win over nova.conf, which each start writes anew."""
    return (layouts.script(name), "--config-file", str(layout.nova_conf), "--config-dir", str(layout.nova_conf_d))
