# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""nova-api as one service: its listeners and its heartbeat, so that a worker process is a copy of the whole."""

import logging

from oslo_service import loopingcall
from oslo_service import service

from nova_lite import exception
from nova_lite.db import services as services_db

LOG = logging.getLogger(__name__)

BINARY = 'nova-api'


class APIService(service.ServiceBase):
    """`servers`: the listeners (wsgi.Server); `interval`: seconds between heartbeats into `db`."""

    def __init__(self, servers, db, host, interval):
        self._servers = servers
        self._db = db
        self._host = host
        self._interval = interval
        self._timer = loopingcall.FixedIntervalLoopingCall(self._report)

    def start(self):
        for server in self._servers:
            server.start()
        self._timer.start(interval=self._interval, stop_on_exception=False)

    def _report(self):
        try:
            services_db.report(self._db, self._host, BINARY, BINARY)
        except exception.Unavailable as exc:
            LOG.warning('The heartbeat could not be recorded: %s', exc)

    def stop(self):
        self._timer.stop()
        for server in self._servers:
            server.stop()

    def wait(self):
        for server in self._servers:
            server.wait()

    def reset(self):
        """Nothing is kept that a re-read configuration could change."""
