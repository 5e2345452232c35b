# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""The metadata service at 169.254.169.254 of one network: knows who asks by the address, says so to nova-api, signed.

The socket listens inside the network's namespace; its requests are served by threads of this process, which reach
nova-api from the host. Only a few of a guest's headers are passed on, so none can pose as one of ours.
"""

import collections
import hashlib
import hmac
import http.client
import logging
import socket
import threading
import time
from http import server
from urllib import parse

LOG = logging.getLogger(__name__)

ADDRESS, PORT = '169.254.169.254', 80
GUEST_SECONDS = 10  # how long a guest may be silent
UPSTREAM_SECONDS = 60  # how long nova-api may take; it may have to ask others
CONNECTIONS = 64  # at once, for each network
CONNECTIONS_PER_GUEST = 8
MAX_REQUEST = 64 * 1024
MAX_ANSWER = 16 * 1024 * 1024
_PIECE = 64 * 1024
_FROM_GUEST = ('Accept', 'Content-Type', 'User-Agent')
_TO_GUEST = ('Content-Type', 'Content-Length', 'Etag', 'Last-Modified', 'Allow')


class Forwarder:
    """Where requests go and how they are signed. `url` is nova-api's metadata service, http://host[:port]."""

    def __init__(self, url, secret):
        target = parse.urlsplit(url)
        if target.scheme not in ('http', 'https') or not target.hostname:
            raise ValueError('metadata_url %r is not an http or https URL' % url)
        self._secure = target.scheme == 'https'
        self._host = target.hostname
        self._port = target.port or (443 if self._secure else 80)
        self._secret = secret.encode()

    def signature(self, instance_id):
        """HMAC-SHA256 of the instance id under the shared secret, hexadecimal."""
        return hmac.new(self._secret, instance_id.encode(), hashlib.sha256).hexdigest()

    def connect(self):
        """A connection to nova-api; it opens at the first request."""
        kind = http.client.HTTPSConnection if self._secure else http.client.HTTPConnection
        return kind(self._host, self._port, timeout=UPSTREAM_SECONDS)


class _Handler(server.BaseHTTPRequestHandler):
    """One request of a guest; the connection ends with it."""

    protocol_version = 'HTTP/1.1'
    server_version = 'nova-lite-metadata-proxy'
    sys_version = ''
    timeout = GUEST_SECONDS

    def log_message(self, format, *arguments):
        LOG.debug('%s %s', self.client_address[0], format % arguments)

    def log_error(self, format, *arguments):
        LOG.debug('%s %s', self.client_address[0], format % arguments)

    def do_GET(self):
        self._forward()

    do_HEAD = do_POST = do_PUT = do_GET

    def _forward(self):
        self.close_connection = True
        owner = self.server.owner_at(self.client_address[0])
        if owner is None:
            return self._refuse(404, 'No server of this network has the address %s.' % self.client_address[0])
        if not (self.path.startswith('/') and self.path.isascii()):
            return self._refuse(400, 'The request needs a path of ASCII characters.')
        try:
            body = self._read_body()
        except ValueError as error:
            return self._refuse(400, str(error))
        connection = self.server.forwarder.connect()
        try:
            connection.request(self.command, self.path, body, self._headers(owner))
            answer = connection.getresponse()
        except (OSError, http.client.HTTPException, ValueError) as error:
            LOG.warning('Metadata of %s cannot be had: %s', owner[0], error)
            connection.close()
            return self._refuse(503, 'The metadata service cannot be reached; try again.')
        try:
            return self._answer(answer)
        finally:
            connection.close()

    def _read_body(self):
        """The request's body, None where it has none. Raises ValueError for one that is refused."""
        if 'Transfer-Encoding' in self.headers:
            raise ValueError('Transfer-Encoding is not supported here; send Content-Length.')
        text = self.headers.get('Content-Length')
        if text is None:
            return None
        if not (text.isascii() and text.isdigit()) or int(text[:9]) > MAX_REQUEST or len(text) > 9:
            raise ValueError('Content-Length has to be a number up to %d.' % MAX_REQUEST)
        return self.rfile.read(int(text))

    def _headers(self, owner):
        instance_id, project_id = owner
        headers = {name: ' '.join(self.headers[name].split())
                   for name in _FROM_GUEST if name in self.headers}
        headers.update({
            'X-Instance-ID': instance_id, 'X-Tenant-ID': project_id,
            'X-Forwarded-For': self.client_address[0],
            'X-Instance-ID-Signature': self.server.forwarder.signature(instance_id),
        })
        return headers

    def _answer(self, answer):
        """Pass the answer on, piece by piece, up to MAX_ANSWER."""
        if (answer.length or 0) > MAX_ANSWER:
            return self._refuse(503, 'The metadata service gave an answer that is too long.')
        self.send_response(answer.status)
        for name in _TO_GUEST:
            if answer.headers.get(name) is not None:
                self.send_header(name, answer.headers[name])
        self.send_header('Connection', 'close')
        self.end_headers()
        left = MAX_ANSWER
        while left > 0:
            piece = answer.read(min(_PIECE, left))
            if not piece:
                break
            self.wfile.write(piece)
            left -= len(piece)

    def _refuse(self, status, text):
        body = (text + '\n').encode()
        self.send_response(status)
        self.send_header('Content-Type', 'text/plain; charset=utf-8')
        self.send_header('Content-Length', str(len(body)))
        self.send_header('Connection', 'close')
        self.end_headers()
        if self.command != 'HEAD':
            self.wfile.write(body)


class MetadataProxy:
    """The proxy of one network, serving from its construction on.

    `owner_at(address)` gives (instance id, project id), or None where the address is nobody's.
    """

    def __init__(self, listener, forwarder, owner_at):
        self.forwarder = forwarder
        self.owner_at = owner_at
        self._listener = listener
        self._stopped = False
        self._lock = threading.Lock()
        self._busy = collections.Counter()  # connections by guest
        threading.Thread(target=self._accept, name='metadata-proxy', daemon=True).start()

    def stop(self):
        """Listen no more; requests under way end by themselves."""
        self._stopped = True
        try:
            self._listener.shutdown(socket.SHUT_RDWR)  # wakes the thread that accepts
        finally:
            self._listener.close()

    def _accept(self):
        while not self._stopped:
            try:
                connection, (guest, _port) = self._listener.accept()
            except OSError as error:
                if not self._stopped:
                    LOG.warning('The metadata proxy cannot accept a connection: %s', error)
                    time.sleep(0.2)
                continue
            if not self._take_place(guest):
                connection.close()
                continue
            threading.Thread(target=self._serve, args=(connection, guest), daemon=True).start()

    def _take_place(self, guest):
        with self._lock:
            if self._busy.total() >= CONNECTIONS or self._busy[guest] >= CONNECTIONS_PER_GUEST:
                return False
            self._busy[guest] += 1
            return True

    def _serve(self, connection, guest):
        try:
            _Handler(connection, (guest,), self)
        except (OSError, http.client.HTTPException) as error:
            LOG.debug('The connection of %s broke: %s', guest, error)
        finally:
            connection.close()
            with self._lock:
                self._busy[guest] -= 1
                if not self._busy[guest]:
                    del self._busy[guest]
