# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Which database errors pass by themselves, and how long to wait for that."""

import random

from sqlalchemy import exc

FIRST_DELAY = 0.01      # seconds; doubles with each try, up to
MAX_DELAY = 1.0

# Server error codes after which the same transaction may succeed.
_MARIADB = frozenset((
    1020,                           # record has changed since last read
    1040, 1203,                     # too many connections
    1053, 1077, 1079, 1152, 1927,   # the server goes down, connection killed
    1205, 1213,                     # lock wait timeout, deadlock
    2002, 2003, 2006, 2013, 2014, 2055))    # no connection, or lost
_POSTGRESQL = ('40001', '40P01', '55P03', '57P0', '08', '53300')    # prefixes of SQLSTATE
_SQLITE = ('database is locked', 'database table is locked', 'database schema is locked')


def is_transient(error):
    """Whether a transaction that ended in this error of SQLAlchemy or a socket is worth another try."""
    if isinstance(error, (exc.TimeoutError, OSError)):      # no connection free in the pool, or one broke
        return True
    if not isinstance(error, exc.DBAPIError):
        return False
    if error.connection_invalidated:
        return True
    code = error.orig.args[0] if error.orig is not None and error.orig.args else None
    if isinstance(code, dict):                      # pg8000: the fields of the server's error message
        return code.get('C', '').startswith(_POSTGRESQL)
    if isinstance(code, int):                       # pymysql
        return code in _MARIADB or (code == 0 and isinstance(error, exc.InterfaceError))
    if isinstance(error, exc.InterfaceError):       # pg8000: no connection
        return True
    return isinstance(error, exc.OperationalError) and str(code).startswith(_SQLITE)


def delay(attempt):
    """Seconds to wait after the given failed attempt (0, 1, …), scattered so that rivals do not meet again."""
    return min(MAX_DELAY, FIRST_DELAY * 2 ** attempt) * random.uniform(0.5, 1.0)
