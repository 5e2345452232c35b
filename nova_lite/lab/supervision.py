# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Runs the services under supervisord: each restarted when it dies, its output in a rotated file.

`systemd.py` has the same interface for machines where systemd runs and we are root.
"""

import os
import shlex
import subprocess
import time
import xmlrpc.client

from supervisor import xmlrpc as supervisor_xmlrpc

from nova_lite.lab import errors
from nova_lite.lab import layout as layouts
from nova_lite.lab import processes
from nova_lite.lab import secrets
from nova_lite.lab import services

START_SECONDS = 10


class Supervisord:
    """A supervisord of this cloud's own, spoken to over its socket."""

    name = "supervisord"

    def __init__(self, layout):
        self._layout = layout
        self.config = layout.etc / "supervisord.conf"
        self._socket = layout.run / "supervisor.sock"

    def write(self, table):
        """Write its configuration; a running supervisord takes changes over at the next start()."""
        layout = self._layout
        text = _GENERAL.format(socket=self._socket, pid=layout.run / "supervisord.pid",
                               log=layout.log / "supervisord.log")
        # What started first is stopped last: the message broker outlives those who use it.
        for priority, service in enumerate(table, start=1):
            text += _PROGRAM.format(
                name=service.name, priority=priority, seconds=service.stop_seconds,
                command=_escape(shlex.join(service.command)),
                user=f"user={service.user}\n" if service.user else "",
                environment=",".join(f'{key}="{_escape(value)}"' for key, value in service.environment.items()),
                out=layout.log / f"{service.name}.out")
        for group in sorted({service.group for service in table} - {""}):
            members = ",".join(service.name for service in table if service.group == group)
            text += f"\n[group:{group}]\nprograms={members}\npriority={len(table) + 1}\n"
        secrets.write_private(self.config, text)

    def start(self, names):
        """Start services that do not run; supervisord itself first where it does not."""
        self._ensure()
        known = self.status()
        for name in names:
            if known.get(name) not in (services.RUNNING, services.STARTING):
                self._call("startProcess", self._full_name(name), False)

    def stop_service(self, name):
        """Stop one service; it stays stopped until start()."""
        self._call("stopProcess", self._full_name(name), True)

    def stop(self):
        """Stop all services and supervisord."""
        try:
            self._proxy().supervisor.shutdown()
        except (OSError, xmlrpc.client.Error):
            return
        deadline = time.monotonic() + 40
        while self._answers() and time.monotonic() < deadline:
            time.sleep(0.1)

    def status(self):
        """{service: state}, where state is RUNNING, STARTING, BACKOFF, FATAL, EXITED or STOPPED; {} when it is down."""
        try:
            return {entry["name"]: entry["statename"] for entry in self._proxy().supervisor.getAllProcessInfo()}
        except (OSError, xmlrpc.client.Error):
            return {}

    def restart_hint(self, name):
        """What a person types to restart a service."""
        return f"{layouts.script('supervisorctl')} -c {self.config} restart {self._full_name(name)}"

    def _full_name(self, name):
        """What supervisord calls a service: with its group in front."""
        for service in services.table(self._layout):
            if service.name == name and service.group:
                return f"{service.group}:{name}"
        return name

    def _ensure(self):
        if self._answers():
            self._proxy().supervisor.reloadConfig()
            return
        self._socket.unlink(missing_ok=True)
        if len(str(self._socket)) > 100:
            raise errors.LabError(f"the path {self._socket} is too long for a socket: choose a shorter --data-dir")
        done = subprocess.run([layouts.script("supervisord"), "-c", str(self.config)], cwd="/", text=True,
                              stdin=subprocess.DEVNULL, capture_output=True, timeout=30,
                              env=os.environ | {processes.MARK: str(self._layout.state)})
        deadline = time.monotonic() + START_SECONDS
        while done.returncode == 0 and time.monotonic() < deadline:
            if self._answers():
                return
            time.sleep(0.05)
        lines = (done.stderr or done.stdout).strip().splitlines() or ["it does not answer"]
        raise errors.LabError(f"supervisord does not start: {lines[-1]} (see {self._layout.log}/supervisord.log)")

    def _answers(self):
        try:
            return self._proxy().supervisor.getState()["statename"] == services.RUNNING
        except (OSError, xmlrpc.client.Error):
            return False

    def _proxy(self):
        return xmlrpc.client.ServerProxy("http://127.0.0.1", transport=supervisor_xmlrpc.SupervisorTransport(
            None, None, f"unix://{self._socket}"))

    def _call(self, method, *arguments):
        try:
            return getattr(self._proxy().supervisor, method)(*arguments)
        except xmlrpc.client.Fault as exc:
            if exc.faultCode == supervisor_xmlrpc.Faults.ALREADY_STARTED:
                return None
            raise errors.LabError(f"supervisord: {exc.faultString}") from exc
        except OSError as exc:
            raise errors.LabError(f"supervisord does not answer: {exc}") from exc


def _escape(text):
    return text.replace("%", "%%")


_GENERAL = """; Written by stack.sh, anew at each start.
[unix_http_server]
file={socket}
chmod=0700
[supervisord]
pidfile={pid}
logfile={log}
logfile_maxbytes=5MB
logfile_backups=1
[rpcinterface:supervisor]
supervisor.rpcinterface_factory=supervisor.rpcinterface:make_main_rpcinterface
[supervisorctl]
serverurl=unix://{socket}
"""
_PROGRAM = """
[program:{name}]
command={command}
directory=/
priority={priority}
{user}environment={environment}
autostart=false
autorestart=true
startsecs=1
startretries=1000
stopwaitsecs={seconds}
stopasgroup=true
killasgroup=true
redirect_stderr=true
stdout_logfile={out}
stdout_logfile_maxbytes=10MB
stdout_logfile_backups=2
"""
