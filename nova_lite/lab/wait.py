# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Waits until a service really answers: HTTP services over HTTP, RPC services by a consumer on their queue."""

import time

import amqp
import requests

from nova_lite.lab import errors
from nova_lite.lab import layout as layouts
from nova_lite.lab import rabbit
from nova_lite.lab import rest
from nova_lite.lab import services

SECONDS = 60
DEAD_SECONDS = 4
PAUSE = 0.1
QUEUES = {"nova-conductor": "conductor", "nova-scheduler": "scheduler"}


class Waiter:
    """Knows how to tell that each service of a cloud answers.

    `endpoints` is the cloud's endpoints.Endpoints, `hosts` are the names of the hosts that nova-compute answers for.
    """

    def __init__(self, layout, keys, endpoints, hosts):
        self._layout = layout
        self._keys = keys
        self._endpoints = endpoints
        self._listeners = {"nova-lite-standins": endpoints.stand_ins, "nova-api": ("compute", "metadata"),
                           **{name: (port,) for name, port in layouts.CONSOLES.items()}}
        self._hosts = set(hosts)
        self._admin = None

    def answers(self, name):
        """Whether the service answers now."""
        if name == "rabbitmq":
            return rabbit.answers(self._layout)
        if name in self._listeners:
            return all(self._http(port) for port in self._listeners[name])
        if name in QUEUES:
            return self._consumed([QUEUES[name]])
        return self._consumed([f"compute.{host}" for host in self._hosts]) and self._hosts_up()

    def wait(self, name, supervisor):
        """Return when the service answers.

        Raises LabError with its last words and the place of its log when it does not within a minute, or keeps
        ending at once.
        """
        began = time.monotonic()
        died = 0
        while not self.answers(name):
            elapsed = time.monotonic() - began
            state = supervisor.status().get(name, "not supervised")
            died += state in services.DEAD
            if elapsed > SECONDS or died * PAUSE > DEAD_SECONDS:
                raise errors.LabError(f"{name} does not answer after {elapsed:.0f} s ({state}): "
                                      f"{self.last_words(name)}")
            time.sleep(PAUSE)

    def last_words(self, name):
        """The last line that a service logged, and where the rest is."""
        for service in services.table(self._layout):
            if service.name == name:
                for path in (self._layout.log / f"{name}.out", service.log(self._layout)):
                    lines = _tail(path)
                    if lines:
                        return f"{lines[-1].strip()[-200:]} (see {path})"
        return f"no log yet in {self._layout.log}"

    def _http(self, port):
        try:
            return requests.get(self._layout.url(port, "/"), timeout=3).status_code < 500
        except requests.RequestException:
            return False

    def _consumed(self, queues):
        """Whether somebody reads each of the queues."""
        try:
            with amqp.Connection(f"127.0.0.1:{self._layout.port('amqp')}", "nova_lite", self._keys["rabbit_password"],
                                 connect_timeout=3) as connection:
                channel = connection.channel()
                return all(channel.queue_declare(queue, passive=True).consumer_count for queue in queues)
        except (OSError, amqp.AMQPError):
            return False


    def _hosts_up(self):
        """Whether the scheduler may choose every host: its heartbeat has been heard."""
        try:
            if self._admin is None:
                self._admin = rest.Cloud(self._endpoints, "admin")
            found = self._admin.get("compute", "/v2.1/os-services", binary="nova-compute")["services"]
        except errors.LabError:
            return False
        return self._hosts <= {service["host"] for service in found if service["state"] == "up"}


def _tail(path, size=4096):
    try:
        with open(path, "rb") as handle:
            handle.seek(0, 2)
            handle.seek(max(0, handle.tell() - size))
            return [line for line in handle.read().decode(errors="replace").splitlines() if line.strip()]
    except OSError:
        return []
