# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""What the console proxies share: from the configuration to a proxy that runs until the process is told to end."""

import logging
import os
import signal
import sys
import threading

from oslo_config import cfg

from nova_lite import concurrency  # noqa: F401 (before oslo.messaging, for its filter of eventlet's warning)
from nova_lite import exception
from nova_lite import rpc
from nova_lite.cmd import launch
from nova_lite.compute import rpcapi
from nova_lite.console import gate
from nova_lite.console import proxy
from nova_lite.db import migration
from nova_lite.objects import console

LOG = logging.getLogger(__name__)

WEB = cfg.StrOpt('web', help='Directory with the files of the web client, which the proxy serves too. Unset: none.')


def run(prog, kind, place):
    """Serve consoles of one kind; place(conf) → (host, port, base URL). Exits with one line for what a user can mend.
    """
    cfg.CONF.register_cli_opt(WEB)
    conf = launch.prepare(prog)
    logging.getLogger('websockify').setLevel(logging.WARNING)
    try:
        server = _make(conf, kind, *place(conf))
    except (exception.NovaException, OSError) as exc:
        LOG.error('%s cannot start: %s', prog, exc)
        sys.exit('%s: %s' % (prog, exc))
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: threading.Thread(target=server.shutdown).start())
    LOG.info('Starting %s on %s:%d', prog, *server.server_address[:2])
    server.serve_forever()


def _make(conf, kind, host, port, base_url):
    doors = gate.Gate(
        console.TYPES[kind], base_url, conf.console.allowed_origins, migration.open_database(conf),
        rpcapi.ComputeAPI(rpc.Transport(conf)), limit=conf.console.max_connections,
        limit_per_server=conf.console.max_connections_per_server)
    if conf.web:
        os.chdir(conf.web)      # http.server serves the current directory
    return proxy.Proxy(host, port, doors, web=bool(conf.web), limit=conf.console.max_connections)
