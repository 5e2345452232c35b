# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""An HTTP listener for one WSGI application, as a service that oslo.service's launchers start and stop."""

import logging

from oslo_service import service

from nova_lite import concurrency

LOG = logging.getLogger(__name__)

URL_LENGTH_LIMIT = 16384
IDLE_SECONDS = 900          # how long a client may keep a connection open without a request
CONNECTIONS = 1000
# The application's own log has the request, without what is secret in its path.
LOG_FORMAT = '%(client_ip)s %(status_code)s %(body_length)s %(wall_seconds).6f'


class Server(service.ServiceBase):
    """Serves `app` on host:port. The socket is bound at construction, so a taken port fails the start at once.

    :raises OSError: the address cannot be bound.
    """

    def __init__(self, name, app, host='127.0.0.1', port=0, access_log=None):
        self.name = name
        self._app = app
        self._socket = concurrency.listen(host, port)
        self.host, self.port = self._socket.getsockname()[:2]
        self._pool = concurrency.GreenPool(CONNECTIONS)
        self._log = access_log or logging.getLogger('%s.access' % __name__)
        self._thread = None

    def start(self):
        LOG.info('%s listens on %s:%d', self.name, self.host, self.port)
        self._thread = concurrency.spawn(
            concurrency.serve_wsgi, self._socket.dup(), self._app, self._pool, self._log,
            log_output=self._log.isEnabledFor(logging.DEBUG), log_format=LOG_FORMAT, debug=False, keepalive=True,
            socket_timeout=IDLE_SECONDS, url_length_limit=URL_LENGTH_LIMIT)

    def stop(self):
        if self._thread is not None:
            self._thread.kill()
            self._thread = None
        self._socket.close()

    def wait(self):
        """Return at once: what is still under way ends with the process, and clients retry idle connections."""

    def reset(self):
        """Nothing is kept that a re-read configuration could change."""
