# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""A console proxy: serves the files of a web client and joins its WebSocket with the console of a server.

Each connection is a thread. What a token opens was said to its owner only, so no token is ever logged.
"""

import http
import http.server
import logging
import re
import socket
import socketserver

from websockify import websockifyserver

from nova_lite.console import gate
from nova_lite.console import pump

LOG = logging.getLogger(__name__)

SECONDS = 30            # for a request, for a connection to a console, and for a side to take what it is sent
THREADS_PER_CONSOLE = 4     # that there may be besides: for files, and for what is refused
_TOKEN = re.compile(r'(token(?:=|%3D))[^&\s"\']*', re.IGNORECASE)


def without_token(text):
    """A text for the log."""
    return _TOKEN.sub(r'\1***', text)


class Handler(websockifyserver.WebSockifyRequestHandler):
    """One connection."""

    server_version = 'console-proxy'
    sys_version = ''
    timeout = SECONDS

    def log_message(self, format, *args):
        LOG.info('%s %s', self.client_address[0], without_token(format % args))

    # ---- files ---------------------------------------------------------------------------------------------------

    def send_head(self):
        """A path that a browser may take for another host's is never redirected to."""
        asked = self.requestline.split()[1]
        if asked.startswith('//') or '\\' in asked or not asked.startswith('/'):
            self.send_error(http.HTTPStatus.BAD_REQUEST)
            return None
        return super().send_head()

    def list_directory(self, path):
        self.send_error(http.HTTPStatus.NOT_FOUND)

    # ---- consoles ------------------------------------------------------------------------------------------------

    def handle_upgrade(self):
        try:
            auth = self.server.gate.admit(self.path, self.headers)
            with self.server.gate.session(auth.instance_uuid):
                self._join(auth)
        except gate.Refused as exc:
            LOG.info('%s is refused: %s', self.client_address[0], exc)
            self._refuse(exc.status)

    def _join(self, auth):
        where = '%s console of %s at %s:%d' % (auth.console_type, auth.instance_uuid, auth.host, auth.port)
        try:
            self._target = socket.create_connection((auth.host, auth.port), SECONDS)
        except OSError as exc:
            raise gate.Refused(http.HTTPStatus.BAD_GATEWAY, '%s: %s' % (where, exc)) from exc
        with self._target:
            LOG.info('%s opens the %s', self.client_address[0], where)
            self.request = self._metered = pump.MeteredSocket(self.request)
            super().handle_upgrade()
            LOG.info('%s has closed the %s', self.client_address[0], where)

    def handle_websocket(self):
        for sock in (self._metered, self._target):
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            sock.settimeout(SECONDS)
        try:
            pump.run(self.request, self._metered, self._target)
        except OSError as exc:
            LOG.info('%s: %s', self.client_address[0], exc)

    def _refuse(self, status):
        self.close_connection = True
        self.send_response(status)
        self.send_header('Content-Length', '0')
        self.send_header('Connection', 'close')
        self.end_headers()


class Proxy(socketserver.ThreadingMixIn, http.server.HTTPServer):
    """gate: a gate.Gate; web: whether the current directory's files are served. :raises OSError: the port is taken"""

    daemon_threads = True
    request_queue_size = 100

    def __init__(self, host, port, gate, web, limit):
        self.address_family = socket.AF_INET6 if ':' in host else socket.AF_INET
        super().__init__((host, port), Handler)
        self.gate = gate
        self.only_upgrade = not web
        self.handler_id = 0
        self._room = limit * THREADS_PER_CONSOLE

    def server_bind(self):
        """Without looking up the name of the host, which may take long."""
        socketserver.TCPServer.server_bind(self)
        self.server_name, self.server_port = self.server_address[:2]

    def process_request(self, request, client_address):
        if self._room <= 0:
            self.shutdown_request(request)
            return
        self._room -= 1
        super().process_request(request, client_address)

    def process_request_thread(self, request, client_address):
        try:
            super().process_request_thread(request, client_address)
        finally:
            self._room += 1

    def handle_error(self, request, client_address):
        """A client that goes away is no error of ours."""
        LOG.debug('A connection of %s failed', client_address[0], exc_info=True)
