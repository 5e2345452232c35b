# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""The database of nova-api, nova-conductor and nova-scheduler: connections, transactions and their one retry wrapper.

SQLite (WAL) by default; MariaDB and PostgreSQL by URL, with drivers in pure Python, so that green threads go on while
one waits for the server.  SQLite calls block the process, but each takes well under a millisecond.
"""

import contextlib
import logging
import os
import pathlib
import threading
import time
import weakref

import sqlalchemy as sa
from sqlalchemy import event
from sqlalchemy import exc

from nova_lite import exception
from nova_lite.db import retry
from nova_lite.db import types

LOG = logging.getLogger(__name__)

_DRIVERS = {'mysql': 'mysql+pymysql', 'mariadb': 'mariadb+pymysql', 'postgresql': 'postgresql+pg8000'}
_AWAY = (exc.OperationalError, exc.InterfaceError, exc.TimeoutError, OSError)
_EXTRAS = {'mysql': 'mariadb', 'mariadb': 'mariadb', 'postgresql': 'postgresql'}
POOL_RECYCLE = 3600         # seconds; below the time after which MariaDB drops an idle connection
SOCKET_TIMEOUT = 60         # seconds without an answer after which a connection counts as lost
BUSY_TIMEOUT = 20           # milliseconds that SQLite itself waits for a lock; the whole process waits with it
TURN_TIMEOUT = 30           # seconds that a write waits for others of its process


class Database:
    """Transactions on one database.

    `clock`, for tests, is a function that returns the time (naive UTC) in place of the database's own clock.
    """

    def __init__(self, url, pool_size=5, max_overflow=50, max_retries=20, *, service_down_time=60, clock=None):
        self.engine = _create_engine(url, pool_size, max_overflow)
        self.dialect = self.engine.dialect.name
        self._writer = self.engine.execution_options(nova_write=True)
        self.service_down_time = service_down_time      # seconds without a heartbeat after which a service is down
        self._max_retries = max_retries
        self._clock = clock
        self._write_lock = threading.Lock() if self.dialect == 'sqlite' else None
        _forget_connections_after_fork(self)

    @property
    def now(self):
        """The time as a value for a statement: an SQL expression of the database's clock."""
        return sa.literal(self._clock(), types.DateTime) if self._clock else types.utcnow()

    def clock(self, connection):
        """The time of the database's clock as a datetime."""
        return self.read_clock(connection.scalar(sa.select(self.now)))

    def read_clock(self, value):
        """The datetime of a row's value of the column :attr:`now`."""
        return self._clock() if self._clock else value

    def read(self, function):
        """`function(connection)` in a transaction that only reads; returns its result.

        :raises ServiceUnreachable: the database is away, and was for all retries.
        """
        return self._retried(lambda: self._run(self.engine, function))

    def write(self, function):
        """`function(connection)` in a transaction that may write; it may run several times, once with effect."""
        with self._turn():
            return self._retried(lambda: self._run(self._writer, function))

    def wait(self, retries, interval):
        """Return once the database answers. `retries` -1: try for ever. :raises ServiceUnreachable:"""
        while True:
            try:
                return self.read(lambda connection: connection.scalar(sa.select(1)))
            except exception.ServiceUnreachable:
                if not retries:
                    raise
                LOG.warning('Waiting for the database')
                retries -= 1
                time.sleep(interval)

    def close(self):
        self.engine.dispose()

    @contextlib.contextmanager
    def _turn(self):
        """SQLite lets one write at a time. Writers of this process queue here, where waiting is cooperative, and only
        the first of them asks SQLite again and again."""
        if self._write_lock is None:
            yield
            return
        if not self._write_lock.acquire(timeout=TURN_TIMEOUT):
            raise exception.ServiceUnreachable(service='database', reason='other writes do not end')
        try:
            yield
        finally:
            self._write_lock.release()

    @staticmethod
    def _run(engine, function):
        with engine.begin() as connection:
            return function(connection)

    def _retried(self, run):
        attempt = 0
        while True:
            try:
                return run()
            except (exc.SQLAlchemyError, OSError) as error:     # OSError: of a socket, from pg8000
                if not retry.is_transient(error) or attempt >= self._max_retries:
                    if isinstance(error, _AWAY):
                        LOG.error('The database failed: %s', _summary(error))
                        raise exception.ServiceUnreachable(service='database', reason=type(error).__name__) from error
                    raise
                LOG.debug('The database failed, trying again: %s', _summary(error))
            time.sleep(retry.delay(attempt))
            attempt += 1


def from_conf(conf):
    """The Database of a process by its configuration, group [database]."""
    options = conf.database
    return Database(options.connection, options.max_pool_size, options.max_overflow, options.db_max_retries,
                    service_down_time=conf.service_down_time)


def _create_engine(text, pool_size, max_overflow):
    try:
        url = sa.make_url(text)
        url = url.set(drivername=_DRIVERS.get(url.drivername, url.drivername))
        kind = url.get_backend_name()
        if kind == 'sqlite':
            return _sqlite_engine(url, pool_size, max_overflow)
        timeout = ({'timeout': SOCKET_TIMEOUT} if kind == 'postgresql' else
                   {'connect_timeout': SOCKET_TIMEOUT, 'read_timeout': SOCKET_TIMEOUT, 'write_timeout': SOCKET_TIMEOUT})
        return sa.create_engine(
            url, pool_size=pool_size, max_overflow=max_overflow, pool_recycle=POOL_RECYCLE, pool_use_lifo=True,
            isolation_level='READ COMMITTED', connect_args=timeout)
    except ModuleNotFoundError as error:
        raise exception.NovaException(
            'The database needs the Python package %s: pip install "nova-lite[%s]"'
            % (error.name, _EXTRAS.get(kind, kind))) from error
    except (exc.ArgumentError, exc.NoSuchModuleError) as error:
        raise exception.NovaException('[database]connection is not the URL of a database: %s' % error) from error


def _sqlite_engine(url, pool_size, max_overflow):
    if url.database in (None, '', ':memory:'):
        raise exception.NovaException('An SQLite database has to be a file: sqlite:////path/to/file')
    path = pathlib.Path(url.database)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        os.close(os.open(path, os.O_CREAT | os.O_RDWR, 0o600))     # the files of the log take the mode over from it
    except OSError as error:
        raise exception.NovaException('The database file cannot be opened: %s' % error) from error
    engine = sa.create_engine(url, pool_size=pool_size, max_overflow=max_overflow, pool_use_lifo=True)
    event.listen(engine, 'connect', _prepare_sqlite)
    event.listen(engine, 'begin', _begin_sqlite)
    return engine


def _prepare_sqlite(connection, _record):
    connection.isolation_level = None       # transactions begin in _begin_sqlite, not by the driver's guess
    for pragma in ('busy_timeout=%d' % BUSY_TIMEOUT, 'journal_mode=WAL', 'synchronous=NORMAL', 'foreign_keys=ON'):
        connection.execute('PRAGMA ' + pragma)


def _begin_sqlite(connection):
    # A transaction that writes takes the lock at once: one that began by reading could not wait for it any more.
    write = connection.get_execution_options().get('nova_write')
    try:
        connection.connection.cursor().execute('BEGIN IMMEDIATE' if write else 'BEGIN')
    except connection.dialect.dbapi.OperationalError as error:
        raise exc.OperationalError('BEGIN', None, error) from error


def _forget_connections_after_fork(database):
    reference = weakref.ref(database.engine)

    def forget():
        engine = reference()
        if engine is not None:
            engine.dispose(close=False)
    os.register_at_fork(after_in_child=forget)


def _summary(error):
    return str(getattr(error, 'orig', None) or error).splitlines()[0]
