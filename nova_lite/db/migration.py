# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Brings the schema of a database to the version of this code (`nova-manage db sync`)."""

import contextlib
import pathlib

import sqlalchemy as sa
from alembic import command
from alembic import config
from alembic import script
from alembic.runtime import migration

from nova_lite import exception
from nova_lite.db import engine

LOCK_TIMEOUT = 50               # seconds to wait for another upgrade; below the engine's SOCKET_TIMEOUT
_LOCK_NAME = 'nova_lite_db_sync'
_LOCK_NUMBER = 0x6e6f7661       # PostgreSQL names such locks by number


def sync(db):
    """Upgrade the schema; of several processes that do so at once one works and the others wait.

    :returns: the version
    """
    def upgrade(connection):
        command.upgrade(_alembic(connection), 'head')
        return _current(connection)

    def alone(guard):       # a connection of its own: the lock has to outlast the transaction of the upgrade
        with _lock(guard):
            return db.write(upgrade)
    return db.read(alone)


def version(db):
    """The version of the schema; None for an empty database."""
    return db.read(_current)


def check(db):
    """:raises NovaException: the schema is not the one of this code"""
    found, wanted = version(db), head()
    if found != wanted:
        raise exception.NovaException('The database has schema %s, this program wants %s: run nova-manage db sync'
                                      % (found or 'none', wanted))


def open_database(conf):
    """The Database of a service, once it answers (by the options of [database], that may be a while).

    :raises ServiceUnreachable: it does not answer; NovaException: its schema is not the one of this code
    """
    db = engine.from_conf(conf)
    db.wait(conf.database.max_retries, conf.database.retry_interval)
    check(db)
    return db


def head():
    """The version that this code wants."""
    return script.ScriptDirectory.from_config(_alembic(None)).get_current_head()


def _current(connection):
    return migration.MigrationContext.configure(connection).get_current_revision()


def _alembic(connection):
    result = config.Config()
    result.set_main_option('script_location', str(pathlib.Path(__file__).with_name('migrations')).replace('%', '%%'))
    result.attributes['connection'] = connection
    return result


@contextlib.contextmanager
def _lock(guard):
    """Nobody else upgrades this database meanwhile. SQLite's write transaction sees to that by itself."""
    if guard.dialect.name in ('mysql', 'mariadb'):
        if guard.scalar(sa.select(sa.func.get_lock(_LOCK_NAME, LOCK_TIMEOUT))) != 1:
            raise exception.NovaException('Another upgrade of the database does not end')
        try:
            yield
        finally:
            guard.execute(sa.select(sa.func.release_lock(_LOCK_NAME)))
        return
    if guard.dialect.name == 'postgresql':      # let go at the end of the guard's transaction
        guard.execute(sa.select(sa.func.pg_advisory_xact_lock(_LOCK_NUMBER)))
    yield
