# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Waiting for services: what counts as an answer, and what is said when none comes."""

import contextlib
import subprocess
import sys

import pytest

from nova_lite.lab import endpoints
from nova_lite.lab import errors
from nova_lite.lab import layout as layouts
from nova_lite.lab import options as lab_options
from nova_lite.lab import preflight
from nova_lite.lab import wait


class Supervisor:
    def __init__(self, state):
        self.state = state

    def status(self):
        return dict.fromkeys(("nova-api", "nova-conductor", "rabbitmq"), self.state)


SERVER = """
import http.server, sys

class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(int(sys.argv[2]))
        self.send_header("Content-Length", "0")
        self.end_headers()

server = http.server.HTTPServer(("127.0.0.1", int(sys.argv[1])), Handler)
print("listening", flush=True)
server.serve_forever()
"""


@contextlib.contextmanager
def served(port, status=300):
    """A process that answers each GET on `port` with `status`."""
    process = subprocess.Popen([sys.executable, "-c", SERVER, str(port), str(status)], stdout=subprocess.PIPE,
                               stderr=subprocess.DEVNULL)
    try:
        process.stdout.readline()
        yield
    finally:
        process.kill()
        process.wait()
        process.stdout.close()


@pytest.fixture
def layout(tmp_path):
    for offset in range(20000, 23000, 7):
        place = layouts.under(tmp_path, offset)
        with contextlib.suppress(errors.LabError):
            preflight.check_ports(place, ["compute", "metadata", "amqp"])
            preflight.make_directories(place)
            return place
    raise AssertionError("no free ports")


@pytest.fixture
def waiter(layout):
    keys = {"rabbit_password": "x", "admin_password": "x"}
    return wait.Waiter(layout, keys, endpoints.Endpoints(layout, lab_options.Options(), keys), ["host"])


def test_an_http_service_answers_when_all_its_ports_do(layout, waiter):
    assert not waiter.answers("nova-api")
    with served(layout.port("compute")):
        assert not waiter.answers("nova-api")
        with served(layout.port("metadata"), status=500):
            assert not waiter.answers("nova-api")
        with served(layout.port("metadata"), status=404):
            waiter.wait("nova-api", Supervisor("RUNNING"))


def test_no_broker_is_no_answer(waiter):
    for name in ("rabbitmq", "nova-conductor", "nova-compute"):
        assert not waiter.answers(name)


def test_what_keeps_dying_is_not_waited_for(layout, waiter, monkeypatch):
    monkeypatch.setattr(wait, "DEAD_SECONDS", 0.2)
    (layout.log / "nova-conductor.out").write_text("Traceback\n  File\nValueError: no such option\n\n")
    with pytest.raises(errors.LabError, match=r"nova-conductor does not answer after 0 s \(BACKOFF\): "
                                              r"ValueError: no such option \(see .*nova-conductor\.out\)"):
        waiter.wait("nova-conductor", Supervisor("BACKOFF"))


def test_what_stays_silent_is_not_waited_for_for_ever(waiter, monkeypatch):
    monkeypatch.setattr(wait, "SECONDS", 0.3)
    with pytest.raises(errors.LabError, match=r"rabbitmq does not answer after 0 s \(RUNNING\): no log yet in "):
        waiter.wait("rabbitmq", Supervisor("RUNNING"))
