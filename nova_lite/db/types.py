# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Column types and SQL functions that mean the same on SQLite, MariaDB and PostgreSQL."""

import json

import sqlalchemy as sa
from sqlalchemy.dialects import mysql
from sqlalchemy.ext import compiler
from sqlalchemy.sql import functions

from nova_lite.objects import base

# A naive UTC time with microseconds.
DateTime = sa.DateTime().with_variant(mysql.DATETIME(fsp=6), 'mysql', 'mariadb')

# Text of any length: MariaDB's TEXT ends at 64 KiB, which user data alone may fill.
LongText = sa.Text().with_variant(mysql.LONGTEXT(), 'mysql', 'mariadb')


class Json(sa.types.TypeDecorator):
    """Objects of `nova_lite.objects`, or plain dicts, lists and strings, as JSON text; None is NULL."""

    impl = LongText
    cache_ok = True

    def process_bind_param(self, value, dialect):
        return None if value is None else dumps(value)

    def process_result_value(self, value, dialect):
        return None if value is None else base.from_primitive(json.loads(value))


def dumps(value):
    """The text that a Json column holds for a value."""
    return json.dumps(base.to_primitive(value))


class utcnow(functions.FunctionElement):    # named as the SQL function that it stands for
    """The database's clock as a naive UTC time: the one clock that all processes of a cloud share."""

    type = DateTime
    inherit_cache = True


@compiler.compiles(utcnow, 'sqlite')
def _utcnow_sqlite(element, compiler, **kwargs):
    return "strftime('%Y-%m-%d %H:%M:%f000', 'now')"        # milliseconds, written as the microseconds of a DateTime


@compiler.compiles(utcnow, 'mysql', 'mariadb')
def _utcnow_mariadb(element, compiler, **kwargs):
    return 'UTC_TIMESTAMP(6)'


@compiler.compiles(utcnow, 'postgresql')
def _utcnow_postgresql(element, compiler, **kwargs):
    return "timezone('utc', clock_timestamp())"
