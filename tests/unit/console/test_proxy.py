# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""A console proxy between a client's socket and a console's: who gets through, and that nothing leaks."""

import contextlib
import datetime
import logging
import os
import socket
import socketserver
import struct
import threading
import uuid

import pytest
import sqlalchemy as sa

from nova_lite import exception
from nova_lite.db import console_auth_tokens
from nova_lite.db import models
from nova_lite.objects import console
from tests.fixtures import records

pytest.importorskip('websockify', reason='needs websockify')

from nova_lite.console import gate  # noqa: E402 (only where websockify is)
from nova_lite.console import proxy  # noqa: E402
from nova_lite.console import pump  # noqa: E402

BANNER = b'RFB 003.008\n'


class Guest(socketserver.BaseRequestHandler):
    """A console that says its banner and then what it is told, in capitals; `flood`: sends that for ever instead."""

    def handle(self):
        self.request.sendall(self.server.banner)
        while self.server.flood:
            try:
                self.request.sendall(self.server.flood)
            except OSError:
                return
        with contextlib.suppress(OSError):
            while data := self.request.recv(65536):
                self.request.sendall(data.upper())


class Compute:
    """compute.rpcapi.ComputeAPI."""

    def __init__(self):
        self.ports, self.away = {}, False

    def validate_console_port(self, ctxt, host, instance, port, console_type):
        if self.away:
            raise exception.MessagingUnavailable()
        return host == 'host1' and self.ports.get(instance.uuid) == port


@pytest.fixture
def guest():
    """start(banner) → the server of a console."""
    started = []

    def start(banner=BANNER, flood=None):
        server = socketserver.ThreadingTCPServer(('127.0.0.1', 0), Guest)
        server.daemon_threads, server.banner, server.flood = True, banner, flood
        threading.Thread(target=server.serve_forever, daemon=True).start()
        started.append(server)
        return server
    yield start
    for server in started:
        server.shutdown()
        server.server_close()


class World:
    """A proxy of noVNC consoles with a database; limits: 3 consoles of a server, 5 in all."""

    def __init__(self, tmp_path, monkeypatch):
        self.db = records.database(tmp_path)
        self.compute = Compute()
        web = tmp_path / 'web'
        web.mkdir()
        (web / 'vnc_lite.html').write_text('<html>noVNC</html>')
        (web / 'folder').mkdir()
        monkeypatch.chdir(web)
        self.gate = gate.Gate('novnc', 'http://127.0.0.1:6080/vnc_lite.html', ['dashboard'], self.db, self.compute,
                              limit=5, limit_per_server=3)
        self.proxy = proxy.Proxy('127.0.0.1', 0, self.gate, web=True, limit=5)
        threading.Thread(target=self.proxy.serve_forever, daemon=True).start()

    def server(self, guest):
        """A server whose console is that of a guest."""
        instance = records.active(self.db, records.user_context())
        self.compute.ports[instance.uuid] = guest.server_address[1]
        return instance.uuid

    def token(self, instance_uuid, ttl=600, console_type='novnc', port=None):
        token = str(uuid.uuid4())
        console_auth_tokens.create(self.db, token, console.ConsoleAuth(
            console_type=console_type, instance_uuid=instance_uuid, host='127.0.0.1',
            port=port or self.compute.ports[instance_uuid]), ttl)
        return token

    def send(self, *lines):
        """A socket on which a request was sent."""
        sock = socket.create_connection(self.proxy.server_address, 10)
        sock.sendall('\r\n'.join([*lines, '', '']).encode())
        return sock

    def open(self, token, *headers, host='127.0.0.1:6080'):
        """(status, socket behind the headers of the answer) of a request to upgrade."""
        sock = self.send('GET /?token=%s HTTP/1.1' % token, 'Host: %s' % host, 'Upgrade: websocket',
                         'Connection: Upgrade', 'Sec-WebSocket-Key: x3JJHMbDL1EzLkh9GBhXDw==',
                         'Sec-WebSocket-Version: 13', 'Sec-WebSocket-Protocol: binary', *headers)
        head = b''
        while not head.endswith(b'\r\n\r\n'):
            piece = sock.recv(1)
            assert piece, head
            head += piece
        return int(head.split()[1]), sock

    def get(self, path):
        """(status, whole answer) of a GET of a file."""
        sock = self.send('GET %s HTTP/1.1' % path, 'Host: proxy', 'Connection: close')
        answer = b''
        while piece := sock.recv(65536):
            answer += piece
        sock.close()
        return int(answer.split()[1]), answer


@pytest.fixture
def world(tmp_path, monkeypatch):
    made = World(tmp_path, monkeypatch)
    yield made
    made.proxy.shutdown()
    made.proxy.server_close()
    made.db.close()


def frame(data):
    """A client's binary message."""
    mask = os.urandom(4)
    length = struct.pack('>B', 0x80 | len(data)) if len(data) < 126 else struct.pack('>BQ', 0x80 | 127, len(data))
    return b'\x82' + length + mask + bytes(byte ^ mask[index % 4] for index, byte in enumerate(data))


def read(sock, length):
    data = b''
    while len(data) < length:
        piece = sock.recv(length - len(data))
        assert piece, 'closed after %r' % data
        data += piece
    return data


def message(sock):
    """The next message of the proxy, None when it closed."""
    head = sock.recv(2)
    if len(head) < 2 or head[0] & 0x0f == 8:
        return None
    length = head[1] & 0x7f
    if length == 126:
        length = struct.unpack('>H', read(sock, 2))[0]
    elif length == 127:
        length = struct.unpack('>Q', read(sock, 8))[0]
    return read(sock, length)


def test_bytes_go_both_ways(world, guest):
    status, sock = world.open(world.token(world.server(guest())))
    assert status == 101 and message(sock) == BANNER
    sock.sendall(frame(b'hello'))
    assert message(sock) == b'HELLO'
    big = b'a' * 200000
    sock.sendall(frame(big))
    got = b''
    while len(got) < len(big):
        got += message(sock)
    assert got == big.upper()
    sock.close()


def test_security_2014_035_each_token_reaches_its_own_server(world, guest):
    world.gate._limit = 100
    tokens = [(b'guest %02d\n' % number, world.token(world.server(guest(b'guest %02d\n' % number))))
              for number in range(20)]
    found, threads = [], []

    def look(banner, token):
        status, sock = world.open(token)
        found.append(status == 101 and message(sock) == banner)
        sock.close()
    for item in tokens:
        threads.append(threading.Thread(target=look, args=item))
        threads[-1].start()
    for thread in threads:
        thread.join(20)
    assert found == [True] * 20


def test_security_2014_035_a_port_that_went_to_another_guest(world, guest):
    first, second = guest(), guest()
    uuid_ = world.server(first)
    token = world.token(uuid_)
    world.compute.ports[uuid_] = second.server_address[1]
    assert world.open(token)[0] == 403


@pytest.mark.parametrize('wrong', ['', 'x', 'é', 'a' * 5000, str(uuid.UUID(int=1))])
def test_tokens_that_are_none(world, wrong):
    status, sock = world.open(wrong)
    assert status == 403 and sock.recv(1) == b''


def test_a_token_opens_one_kind_of_console_as_long_as_it_lives(world, guest):
    uuid_ = world.server(guest())
    assert world.open(world.token(uuid_, console_type='serial'))[0] == 403
    token = world.token(uuid_)
    status, sock = world.open(token)
    assert status == 101
    world.db.write(lambda connection: connection.execute(sa.update(models.console_auth_tokens).values(
        expires=datetime.datetime(2001, 1, 1))))
    assert world.open(token)[0] == 403
    assert message(sock) == BANNER, 'what is open stays open'
    world.token(uuid_)
    assert records.count_rows(world.db, models.console_auth_tokens) == 1, 'expired ones go'


def test_a_server_that_is_gone_or_a_host_that_cannot_be_asked(world, guest):
    uuid_ = world.server(guest())
    token = world.token(uuid_)
    world.compute.away = True
    assert world.open(token)[0] == 503
    world.compute.away = False
    records.set_columns(world.db, uuid_, deleted=True)
    assert world.open(token)[0] == 403


def test_a_console_that_does_not_answer(world, guest):
    server = guest()
    uuid_ = world.server(server)
    server.shutdown()
    server.server_close()
    assert world.open(world.token(uuid_))[0] == 502


@pytest.mark.parametrize('headers, host, status', [
    ((), '127.0.0.1:6080', 101), (('Origin: http://127.0.0.1:6080',), '127.0.0.1:6080', 101),
    (('Origin: http://dashboard',), '127.0.0.1:6080', 101), (('Origin: https://evil',), '127.0.0.1:6080', 403),
    (('Origin: https://127.0.0.1:6080',), '127.0.0.1:6080', 403), (('Origin: null',), '127.0.0.1:6080', 403),
    (('Origin: http://evil',), 'evil', 101), (('Origin: http://[::1]:6080',), '[::1]:6080', 101)])
def test_security_2015_005_origins(world, guest, headers, host, status):
    assert world.open(world.token(world.server(guest())), *headers, host=host)[0] == status


def test_security_ossn_0101_a_host_header_poisons_nothing(world, guest):
    token = world.token(world.server(guest()))
    world.open(token, 'Origin: http://evil', host='evil')[1].close()
    assert world.open(token, 'Origin: http://evil')[0] == 403


def test_security_ossn_0008_consoles_are_bounded(world, guest):
    server = guest()
    one, other, third = (world.server(server) for _ in range(3))
    opened = [world.open(world.token(one)) for _ in range(4)]
    assert [status for status, _ in opened] == [101, 101, 101, 429]
    opened += [world.open(world.token(uuid_)) for uuid_ in (other, other, third)]
    assert [status for status, _ in opened[4:]] == [101, 101, 429]
    opened[0][1].close()
    for _ in range(50):
        status, _ = world.open(world.token(third))
        if status == 101:
            break
    assert status == 101, 'one that was closed makes room'


def test_security_2020_001_no_token_is_logged(world, guest, caplog):
    caplog.set_level(logging.DEBUG)
    token = world.token(world.server(guest()))
    _, sock = world.open(token)
    message(sock)
    sock.close()
    world.open('bad' + token, 'Cookie: token=%s' % token)
    world.get('/vnc_lite.html?path=%%3Ftoken%%3D%s' % token)
    world.get('/?token=%s' % token)
    assert 'console of' in caplog.text and token not in caplog.text


@pytest.mark.parametrize('path', [
    '//evil.example/%2F..', '//evil.example', '///', '/\\evil', '/\\\\evil.example/%2f..'])
def test_security_2021_002_no_redirect_to_another_host(world, path):
    status, answer = world.get(path)
    assert status == 400 and b'Location' not in answer


def test_files_but_no_lists_of_them(world):
    status, answer = world.get('/vnc_lite.html?path=%3Ftoken%3Dx')
    assert status == 200 and b'noVNC' in answer and b'Set-Cookie' not in answer
    assert world.get('/')[0] == world.get('/folder/')[0] == world.get('/../nova.sqlite')[0] == 404


def test_lp_2155052_a_length_that_a_console_claims_is_only_bytes(world, guest):
    claim = b'RFB 003.008\n\x00' + struct.pack('>I', 0xffffffff)
    status, sock = world.open(world.token(world.server(guest(claim))))
    assert status == 101 and message(sock) == claim


def test_a_client_that_does_not_read_costs_no_memory(world, guest):
    """The proxy stops reading the console; what it holds is a chunk."""
    status, sock = world.open(world.token(world.server(guest(flood=b'x' * 65536))))
    assert status == 101
    before = _resident()
    threading.Event().wait(1.5)
    assert _resident() - before < 20
    sock.close()


def test_a_message_without_end_is_cut_off(world, guest):
    _, sock = world.open(world.token(world.server(guest())))
    message(sock)
    sock.sendall(b'\x82' + struct.pack('>BQ', 0x80 | 127, 1 << 40) + b'mask')
    with pytest.raises(OSError):
        for _ in range(4 * pump.LARGEST_MESSAGE // 65536):
            sock.sendall(b'x' * 65536)
        if sock.recv(1) == b'':
            raise ConnectionAbortedError


def _resident():
    """MiB of this process."""
    with open('/proc/self/statm') as statm:
        return int(statm.read().split()[1]) * os.sysconf('SC_PAGE_SIZE') / 2 ** 20
