# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""The database of api, conductor and scheduler."""

from oslo_config import cfg

OPTIONS = {
    'database': [
        cfg.StrOpt('connection', default='sqlite:///$state_path/nova.sqlite', secret=True,
                   help='URL of the database: sqlite:////path/to/file, mariadb://user:password@host/name or '
                        'postgresql://user:password@host/name. Set it to a server when services run on several '
                        'machines.'),
        cfg.IntOpt('max_retries', default=-1, min=-1,
                   help='How often a starting service tries to reach the database before it gives up. -1: for ever.'),
        cfg.IntOpt('retry_interval', default=2, min=1, help='Seconds between these tries.'),
        cfg.IntOpt('db_max_retries', default=20, min=0,
                   help='How often a transaction is tried again after a lost connection, a deadlock or a lock that was '
                        'not to be had. The waits between add up to about 15 seconds by default.'),
        cfg.IntOpt('max_pool_size', default=5, min=1,
                   help='Connections that a process keeps open. Raise it when many requests run at once.'),
        cfg.IntOpt('max_overflow', default=50, min=0,
                   help='Connections that a process may open beyond max_pool_size for a while. Lower it when the '
                        'database server limits connections.'),
    ],
}
