# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""The database of the stand-in services: one engine, transactions, and tables made at start.

SQLite (WAL) unless a URL says otherwise. Each service declares its own tables in its own
`sqlalchemy.MetaData`, with names that begin with the service's name, and hands it to `Store.create`.
"""

import contextlib
import os
import threading

import sqlalchemy
from sqlalchemy import event
from sqlalchemy import exc

from nova_lite.standins import rest


class Store:
    """Transactions on one database. `url` is an SQLAlchemy URL."""

    def __init__(self, url):
        self.engine = sqlalchemy.create_engine(url, pool_pre_ping=not url.startswith('sqlite'))
        # A green thread that waits inside SQLite for another's transaction would keep that one from ever ending it.
        self._turn = threading.RLock() if self.engine.dialect.name == 'sqlite' else contextlib.nullcontext()
        if self.engine.dialect.name == 'sqlite':
            database = self.engine.url.database
            if database and database != ':memory:':
                os.close(os.open(database, os.O_CREAT | os.O_RDWR, 0o600))
            event.listen(self.engine, 'connect', _prepare_sqlite)
            event.listen(self.engine, 'begin', _begin_sqlite)

    def create(self, metadata):
        """Make the tables of `metadata` that are not there yet."""
        metadata.create_all(self.engine)

    @contextlib.contextmanager
    def begin(self):
        """A transaction: commits at the end, rolls back on an exception.

        503 when the database cannot be reached. On SQLite it takes the write lock at once, so what is
        read in it still holds when it writes.
        """
        try:
            with self._turn, self.engine.begin() as connection:
                yield connection
        except (exc.OperationalError, exc.InterfaceError, exc.TimeoutError) as error:
            raise rest.Fault(503, 'The database is not available: %s' % type(error).__name__) from error
        except exc.DataError as error:
            raise rest.Fault(400, 'The request has text or a number that the database cannot keep.') from error

    def rows(self, statement):
        """All rows of a select."""
        with self.begin() as connection:
            return connection.execute(statement).all()

    def execute(self, statement, parameters=None):
        """Run one statement in a transaction of its own; the number of rows that it touched."""
        with self.begin() as connection:
            return connection.execute(statement, parameters).rowcount

    def close(self):
        self.engine.dispose()


def _prepare_sqlite(connection, _record):
    connection.isolation_level = None  # the driver starts no transaction of its own; _begin_sqlite does
    connection.execute('PRAGMA journal_mode=WAL')
    connection.execute('PRAGMA synchronous=NORMAL')
    connection.execute('PRAGMA busy_timeout=10000')
    connection.execute('PRAGMA foreign_keys=ON')


def _begin_sqlite(connection):
    connection.exec_driver_sql('BEGIN IMMEDIATE')
