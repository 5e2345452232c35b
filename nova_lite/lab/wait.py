# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Waits until a service really answers: HTTP services over HTTP, RPC services by a consumer on their queue."""

import time

import amqp
import requests

from nova_lite.lab import errors
from nova_lite.lab import rabbit
from nova_lite.lab import services

SECONDS = 60
HTTP = {"nova-lite-standins": ("identity", "image", "network", "placement"), "nova-api": ("compute", "metadata")}
QUEUES = {"nova-conductor": "conductor", "nova-scheduler": "scheduler"}


class Waiter:
    """Knows how to tell that each service of a cloud answers.

    `compute_queues` are the RPC queues that nova-compute reads, one for each of its hosts.
    """

    def __init__(self, layout, keys, compute_queues):
        self._layout = layout
        self._password = keys["rabbit_password"]
        self._compute_queues = compute_queues

    def answers(self, name):
        """Whether the service answers now."""
        if name == "rabbitmq":
            return rabbit.answers(self._layout)
        if name in HTTP:
            return all(self._http(port) for port in HTTP[name])
        return self._consumed([QUEUES[name]] if name in QUEUES else self._compute_queues)

    def wait(self, name, supervisor):
        """Return when the service answers; LabError with the place of its log when it does not within a minute."""
        deadline = time.monotonic() + SECONDS
        while not self.answers(name):
            if time.monotonic() > deadline:
                state = supervisor.status().get(name, "not supervised")
                raise errors.LabError(f"{name} does not answer after {SECONDS} s ({state}): {self.last_words(name)}")
            time.sleep(0.1)

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
            with amqp.Connection(f"127.0.0.1:{self._layout.port('amqp')}", "nova_lite", self._password,
                                 connect_timeout=3) as connection:
                channel = connection.channel()
                return all(channel.queue_declare(queue, passive=True).consumer_count for queue in queues)
        except (OSError, amqp.AMQPError):
            return False


def _tail(path, size=4096):
    try:
        with open(path, "rb") as handle:
            handle.seek(0, 2)
            handle.seek(max(0, handle.tell() - size))
            return [line for line in handle.read().decode(errors="replace").splitlines() if line.strip()]
    except OSError:
        return []
