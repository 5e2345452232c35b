# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""nova-api as a process: it listens, reports itself, ends when told to, and says in one line why it cannot start."""

import http.client
import json
import signal
import socket
import subprocess
import sys
import time

import pytest

from nova_lite.db import services as services_db
from tests.unit.api import conftest

DEADLINE = 60       # seconds; on a busy machine an interpreter with all libraries takes some


def free_port():
    with socket.socket() as probe:
        probe.bind(('127.0.0.1', 0))
        return probe.getsockname()[1]


@pytest.fixture
def settings(tmp_path, db):
    return {'DEFAULT': {'host': 'h', 'osapi_compute_listen': '127.0.0.1', 'osapi_compute_listen_port': free_port(),
                        'metadata_listen': '127.0.0.1', 'metadata_listen_port': free_port(),
                        'transport_url': 'rabbit://127.0.0.1:1/', 'state_path': tmp_path},
            'api': {'auth_strategy': 'noauth2'}, 'wsgi': {'api_paste_config': conftest.PASTE},
            'database': {'connection': db.engine.url.render_as_string()}}


@pytest.fixture
def start(tmp_path, settings):
    """A function that starts nova-api with the settings as they are then."""
    started = []

    def run():
        path = tmp_path / 'nova.conf'
        path.write_text('\n'.join('[%s]\n%s' % (group, '\n'.join('%s = %s' % item for item in options.items()))
                                  for group, options in settings.items()))
        process = subprocess.Popen([sys.executable, '-m', 'nova_lite.cmd.api', '--config-file', str(path)],
                                   stderr=subprocess.PIPE, text=True)
        started.append(process)
        return process
    yield run
    for process in started:
        process.kill()
        process.communicate()


def get(port, path):
    connection = http.client.HTTPConnection('127.0.0.1', port, timeout=DEADLINE)
    connection.request('GET', path, headers={'X-Auth-Token': 'demo:demo'})
    answer = connection.getresponse()
    return answer.status, answer.read()


def wait_for(condition, process):
    end = time.monotonic() + DEADLINE
    while time.monotonic() < end:
        assert process.poll() is None, process.stderr.read()
        try:
            if condition():
                return
        except OSError:
            pass
        time.sleep(0.1)
    raise AssertionError('not within %d s' % DEADLINE)


@pytest.mark.parametrize('workers', [1, 2])
def test_life(settings, start, db, workers):
    settings['DEFAULT']['osapi_compute_workers'] = workers
    process = start()
    port = settings['DEFAULT']['osapi_compute_listen_port']
    wait_for(lambda: get(port, '/')[0] == 200, process)
    status, body = get(port, '/v2.1/limits')
    assert status == 200 and json.loads(body)['limits']['absolute']['maxTotalInstances'] == 10
    assert get(settings['DEFAULT']['metadata_listen_port'], '/latest')[0] == 404
    wait_for(lambda: [item.up for item in services_db.list_(db, binary='nova-api', host='h')] == [True], process)
    process.send_signal(signal.SIGTERM)
    assert process.wait(DEADLINE) in (0, -signal.SIGTERM)
    with pytest.raises(OSError):
        get(port, '/')


def test_port_taken(settings, start):
    with socket.socket() as taken:
        taken.bind(('127.0.0.1', 0))
        taken.listen()
        port = settings['DEFAULT']['osapi_compute_listen_port'] = taken.getsockname()[1]
        process = start()
        assert process.wait(DEADLINE) == 1
    assert 'nova-api: osapi_compute cannot listen on 127.0.0.1:%d' % port in process.stderr.read().splitlines()[-1]


def test_paste_file_missing(settings, start):
    settings['wsgi']['api_paste_config'] = '/nonexistent/api-paste.ini'
    process = start()
    assert process.wait(DEADLINE) == 1
    assert '/nonexistent/api-paste.ini' in process.stderr.read().splitlines()[-1]
