# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Tokens that open consoles. The token itself is nowhere but in the URL that a user gets: here is its hash."""

import datetime
import hashlib

import sqlalchemy as sa

from nova_lite.db import models
from nova_lite.db import rows
from nova_lite.objects import console

TABLE = models.console_auth_tokens


def create(db, token, auth, ttl):
    """Let a token (any text that cannot be guessed) stand for a ConsoleAuth for `ttl` seconds; expired ones go."""
    values = rows.to_values(auth, TABLE)

    def write(connection):
        now = db.clock(connection)
        connection.execute(sa.delete(TABLE).where(TABLE.c.expires <= now))
        connection.execute(sa.insert(TABLE).values(
            token_hash=_hash(token), created_at=now, expires=now + datetime.timedelta(seconds=ttl), **values))
    db.write(write)


def get(db, token):
    """The ConsoleAuth of a token, None when there is no such token (any more)."""
    query = sa.select(*rows.columns(console.ConsoleAuth, TABLE)).where(
        TABLE.c.token_hash == _hash(token), TABLE.c.expires > db.now)
    row = db.read(lambda connection: connection.execute(query).first())
    return row and rows.to_object(console.ConsoleAuth, TABLE, row)


def forget(connection, instance_uuid):
    """Part of a transaction: the tokens of an instance are good for nothing any more."""
    connection.execute(sa.delete(TABLE).where(TABLE.c.instance_uuid == instance_uuid))


def _hash(token):
    return hashlib.sha256(token.encode('utf-8', 'surrogatepass')).hexdigest()
