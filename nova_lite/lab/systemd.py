# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Runs the services as units of systemd, where that is the machine's init and we are root.

The units live under /run: they end with the machine, and stack.sh writes them anew.
"""

import pathlib
import shlex
import subprocess

from nova_lite.lab import errors
from nova_lite.lab import services

UNITS = pathlib.Path("/run/systemd/system")
_STATES = {"active": services.RUNNING, "activating": services.STARTING, "failed": "FATAL", "deactivating": "STOPPING"}


def is_init():
    """Whether systemd is this machine's init."""
    return UNITS.is_dir()


class Systemd:
    """The units `nova-lite[-N]-<service>.service` of one cloud."""

    name = "systemd"

    def __init__(self, layout):
        self._layout = layout

    def write(self, table):
        for service in table:
            (UNITS / self._unit(service.name)).write_text(unit(self._layout, service))
        _systemctl("daemon-reload")

    def start(self, names):
        known = self.status()
        for name in names:
            if known.get(name) not in (services.RUNNING, services.STARTING):
                _systemctl("reset-failed", self._unit(name), check=False)
                _systemctl("start", self._unit(name))

    def stop_service(self, name):
        _systemctl("stop", self._unit(name))

    def stop(self):
        """Stop the units and remove them."""
        remove_units(self._layout)

    def status(self):
        """{service: state} with the words of supervision.Supervisord.status."""
        states = {}
        for path in UNITS.glob(f"{self._layout.unit_prefix}*.service"):
            name = path.stem.removeprefix(self._layout.unit_prefix)
            if self._layout.suffix or not name.split("-")[0].isdigit():
                word = _systemctl("is-active", path.name, check=False)
                states[name] = _STATES.get(word, "STOPPED")
        return states

    def restart_hint(self, name):
        return f"systemctl restart {self._unit(name)}"

    def _unit(self, name):
        return f"{self._layout.unit_prefix}{name}.service"


def unit(layout, service):
    """The text of a service's unit file."""
    # Both lines expand % specifiers, ExecStart= also $ variables.
    environment = "".join(f'Environment="{key}={value.replace("%", "%%")}"\n'
                          for key, value in service.environment.items())
    command = shlex.join(service.command).replace("%", "%%").replace("$", "$$")
    return f"""# Written by stack.sh, anew at each start.
[Unit]
Description=nova_lite {service.name} ({layout.state})
StartLimitIntervalSec=0

[Service]
ExecStart={command}
{f"User={service.user}" if service.user else ""}
{environment}WorkingDirectory=/
Restart=always
RestartSec=1
KillMode={"process" if service.outlived else "control-group"}
TimeoutStopSec={service.stop_seconds}
StandardOutput=append:{layout.log / service.name}.out
StandardError=inherit
"""


def remove_units(layout):
    """Stop and remove the units of a cloud; needs nothing but systemctl."""
    paths = [path for path in UNITS.glob(f"{layout.unit_prefix}*.service")
             if layout.suffix or not path.stem.removeprefix(layout.unit_prefix).split("-")[0].isdigit()]
    if paths:
        _systemctl("stop", *(path.name for path in paths))
        for path in paths:
            path.unlink(missing_ok=True)
        _systemctl("daemon-reload")


def _systemctl(*arguments, check=True):
    done = subprocess.run(["systemctl", *arguments], capture_output=True, text=True, timeout=90)
    if check and done.returncode:
        lines = done.stderr.strip().splitlines() or ["no message"]
        raise errors.LabError(f"systemctl {arguments[0]}: {lines[0]}")
    return done.stdout.strip()
