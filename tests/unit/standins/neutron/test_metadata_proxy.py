# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""The metadata proxy over real sockets: who it says asks, what it passes on, and what it refuses."""

import hashlib
import hmac
import socket
import threading
import time
from http import server

import pytest

from nova_lite.standins.neutron.dataplane import metadata_proxy

SECRET = 'shared'


class _Metadata(server.BaseHTTPRequestHandler):
    """Notes each request and gives the answer that the test wants."""

    protocol_version = 'HTTP/1.1'

    def log_message(self, *_arguments):
        """Nothing to print."""

    def do_GET(self):
        length = int(self.headers.get('Content-Length', 0))
        self.server.seen.append((self.command, self.path, self.headers.items(), self.rfile.read(length)))
        status, body = self.server.answer
        self.send_response(status)
        self.send_header('Content-Type', 'text/plain')
        self.send_header('Set-Cookie', 'a=b')
        if not self.path.startswith('/chunked'):
            self.send_header('Content-Length', str(len(body)))
        else:
            self.send_header('Connection', 'close')
            self.close_connection = True
        self.end_headers()
        if self.command != 'HEAD':
            self.wfile.write(body)

    do_POST = do_HEAD = do_GET


@pytest.fixture
def upstream():
    running = server.ThreadingHTTPServer(('127.0.0.1', 0), _Metadata)
    running.daemon_threads = True
    running.seen, running.answer = [], (200, b'hello')
    threading.Thread(target=running.serve_forever, args=(0.01,), daemon=True).start()
    yield running
    running.shutdown()
    running.server_close()


@pytest.fixture
def proxy(upstream):
    started = []

    def start(owner=('i-1', 'p-1'), url=None):
        listener = socket.create_server(('127.0.0.1', 0))
        forwarder = metadata_proxy.Forwarder(url or 'http://127.0.0.1:%d' % upstream.server_port, SECRET)
        started.append(metadata_proxy.MetadataProxy(listener, forwarder, lambda address: owner))
        return listener.getsockname()
    yield start
    for running in started:
        running.stop()


def ask(place, text):
    """The raw answer to raw bytes."""
    with socket.create_connection(place, timeout=5) as connection:
        connection.sendall(text)
        pieces = []
        while piece := connection.recv(65536):
            pieces.append(piece)
    return b''.join(pieces)


def get(path, *headers, method='GET', body=b''):
    lines = ['%s %s HTTP/1.1' % (method, path), 'Host: 169.254.169.254', *headers]
    return '\r\n'.join([*lines, '', '']).encode() + body


def test_tells_who_asks_and_signs_it(proxy, upstream):
    answer = ask(proxy(), get('/openstack/latest?x=1', 'User-Agent: cloud-init'))
    assert answer.startswith(b'HTTP/1.1 200') and answer.endswith(b'hello')
    assert b'Set-Cookie' not in answer
    method, path, fields, _body = upstream.seen[0]
    headers = dict(fields)
    assert (method, path) == ('GET', '/openstack/latest?x=1')
    assert headers['X-Instance-ID'] == 'i-1' and headers['X-Tenant-ID'] == 'p-1'
    assert headers['X-Forwarded-For'] == '127.0.0.1' and headers['User-Agent'] == 'cloud-init'
    assert headers['X-Instance-ID-Signature'] == hmac.new(SECRET.encode(), b'i-1', hashlib.sha256).hexdigest()


def test_a_guest_cannot_pose_as_another(proxy, upstream):
    ask(proxy(), get('/', 'X-Instance-ID: evil', 'x-instance-id: evil', 'X_Instance_ID: evil', 'X-Tenant-ID: evil',
                     'X-Forwarded-For: evil', 'X-Instance-ID-Signature: evil', 'X-Metadata-Provider: evil',
                     'Accept: a\r\n X-Instance-ID: evil'))
    fields = [(name.lower(), value) for name, value in upstream.seen[0][2]]
    assert [value for name, value in fields if name == 'x-instance-id'] == ['i-1']
    assert [name for name, value in fields if value == 'evil'] == []
    assert ('accept', 'a X-Instance-ID: evil') in fields


def test_bodies_go_both_ways(proxy, upstream):
    upstream.answer = (200, b'x' * 300000)
    answer = ask(proxy(), get('/openstack/latest/password', 'Content-Length: 3', method='POST', body=b'abc'))
    assert upstream.seen[0][0] == 'POST' and upstream.seen[0][3] == b'abc'
    assert answer.partition(b'\r\n\r\n')[2] == b'x' * 300000
    assert ask(proxy(), get('/chunked')).endswith(b'x' * 1000)
    assert ask(proxy(), get('/', method='HEAD')).endswith(b'\r\n\r\n')


def test_answers_of_the_service_are_passed_on(proxy, upstream):
    upstream.answer = (404, b'not here')
    answer = ask(proxy(), get('/x'))
    assert answer.startswith(b'HTTP/1.1 404') and answer.endswith(b'not here')


def test_an_address_of_nobody(proxy, upstream):
    answer = ask(proxy(owner=None), get('/'))
    assert answer.startswith(b'HTTP/1.1 404') and b'No server of this network has the address' in answer
    assert upstream.seen == []


def test_no_metadata_service(proxy):
    with socket.create_server(('127.0.0.1', 0)) as unused:
        port = unused.getsockname()[1]
    answer = ask(proxy(url='http://127.0.0.1:%d' % port), get('/'))
    assert answer.startswith(b'HTTP/1.1 503') and b'cannot be reached' in answer


@pytest.mark.parametrize('request_text', [
    get('http://evil.example/'), get('/', 'Content-Length: x'), get('/', 'Content-Length: 99999999'),
    get('/', 'Content-Length: 1' + '0' * 5000), get('/', 'Transfer-Encoding: chunked'), b'nonsense\r\n\r\n',
    'GET /é HTTP/1.1\r\n\r\n'.encode()])
def test_malformed_requests(proxy, upstream, request_text):
    answer = ask(proxy(), request_text)
    assert b' 400 ' in answer.splitlines()[0] + b' ' or b'Error code: 400' in answer
    assert upstream.seen == []


def test_an_answer_that_is_too_long(proxy, upstream, monkeypatch):
    monkeypatch.setattr(metadata_proxy, 'MAX_ANSWER', 1000)
    upstream.answer = (200, b'x' * 2000)
    assert ask(proxy(), get('/')).startswith(b'HTTP/1.1 503')
    assert ask(proxy(), get('/chunked')).count(b'x' * 100) <= 10


def test_one_guest_cannot_take_every_connection(proxy, upstream, monkeypatch):
    place = proxy()
    held = [socket.create_connection(place) for _ in range(metadata_proxy.CONNECTIONS_PER_GUEST)]
    time.sleep(0.2)
    with pytest.raises((ConnectionError, AssertionError)):
        assert ask(place, get('/'))
    for connection in held:
        connection.close()
    time.sleep(0.2)
    assert ask(place, get('/')).endswith(b'hello')


def test_a_stopped_proxy_listens_no_more():
    listener = socket.create_server(('127.0.0.1', 0))
    place = listener.getsockname()
    running = metadata_proxy.MetadataProxy(listener, metadata_proxy.Forwarder('http://127.0.0.1:1', ''), None)
    running.stop()
    with pytest.raises(ConnectionError):
        socket.create_connection(place, timeout=2)
