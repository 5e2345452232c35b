# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Consoles through all processes: the API's URL, the proxy, the host's word about the port, and no token in any log."""

import json
import subprocess
import sys
import threading
import urllib.parse

import pytest

from nova_lite.db import engine
from nova_lite.db import models
from tests.fixtures import cloud as clouds
from tests.fixtures import records
from tests.unit.console import test_proxy

pytest.importorskip('websockify', reason='needs websockify')


@pytest.fixture(scope='module')
def guest():
    """What all consoles of fake guests lead to."""
    server = test_proxy.socketserver.ThreadingTCPServer(('127.0.0.1', 0), test_proxy.Guest)
    server.daemon_threads, server.banner, server.flood = True, test_proxy.BANNER, None
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield server
    server.shutdown()
    server.server_close()


@pytest.fixture(scope='module')
def stack(tmp_path_factory, guest):
    """A cloud with VNC, and its proxy."""
    running = clouds.Cloud(tmp_path_factory.mktemp('consoles'), hosts=1)
    port = running.layout.port('novnc')
    running._overrides = {**clouds.SHORT, 'vnc': {
        'enabled': True, 'novncproxy_port': port, 'novncproxy_base_url': 'http://127.0.0.1:%d/vnc_lite.html' % port},
        'fake': {'console_port': guest.server_address[1]}}
    running.start()
    proxy = subprocess.Popen(
        [sys.executable, '-m', 'nova_lite.cmd.novncproxy', '--config-file', str(running.layout.nova_conf),
         '--config-dir', str(running.layout.nova_conf_d)])
    try:
        clouds.wait_for(lambda: clouds._listens(port), 60)
        yield running
    finally:
        proxy.terminate()
        assert proxy.wait(20) == 0, 'it ends when it is told to'
        running.stop()


def test_security_2020_001_a_console_and_no_token_in_any_log(stack, admin, boot, settled):
    uuid = boot()
    assert settled(uuid)['status'] == 'ACTIVE'
    made = admin.request('POST', '/servers/%s/remote-consoles' % uuid, ok=200, json={
        'remote_console': {'protocol': 'vnc', 'type': 'novnc'}}).json()['remote_console']
    query = urllib.parse.parse_qs(urllib.parse.urlsplit(made['url']).query)
    token = urllib.parse.parse_qs(query['path'][0].removeprefix('?'))['token'][0]
    told = admin.get('/os-console-auth-tokens/%s' % token)['console']
    assert told['instance_uuid'] == uuid
    world = Through(stack.layout.port('novnc'))
    status, sock = world.open(token)
    assert status == 101 and test_proxy.message(sock) == test_proxy.BANNER
    sock.sendall(test_proxy.frame(b'hello'))
    assert test_proxy.message(sock) == b'HELLO'
    sock.close()
    assert world.open('bad' + token)[0] == 403
    for path in stack.layout.log.iterdir():
        assert token not in path.read_text(errors='replace'), path
    admin.request('DELETE', '/servers/%s' % uuid, ok=204)
    clouds.wait_for(lambda: admin.request('GET', '/servers/%s' % uuid).status_code == 404)
    assert world.open(token)[0] == 403
    db = engine.Database('sqlite:///%s' % (stack.layout.state / 'nova.sqlite'))
    assert records.count_rows(db, models.console_auth_tokens) == 0
    db.close()
    assert json.dumps(told).find(token) == -1


class Through(test_proxy.World):
    """A client of the proxy at a port."""

    def __init__(self, port):
        self.proxy = type('Address', (), {'server_address': ('127.0.0.1', port)})
