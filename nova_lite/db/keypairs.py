# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""The key pairs of users; only public keys are kept."""

import sqlalchemy as sa
from sqlalchemy import exc

from nova_lite import exception
from nova_lite.db import models
from nova_lite.db import paging
from nova_lite.db import rows
from nova_lite.objects import keypair as keypair_obj

TABLE = models.keypairs


def get(db, user_id, name):
    """The KeyPair. :raises KeypairNotFound:"""
    query = _select().where(TABLE.c.user_id == user_id, TABLE.c.name == name)
    row = db.read(lambda connection: connection.execute(query).first())
    if row is None:
        raise exception.KeypairNotFound(name=name, user_id=user_id)
    return _keypair(row)


def list_(db, user_id, limit=None, marker=None):
    """[KeyPair…] of a user by name; marker: a name. :raises MarkerNotFound:"""
    keys = [(TABLE.c.name, 'asc')]

    def read(connection):
        after = None
        if marker is not None:
            after = paging.key_values(connection, keys, sa.and_(TABLE.c.user_id == user_id, TABLE.c.name == marker))
            if after is None:
                raise exception.MarkerNotFound(marker=marker)
        return connection.execute(paging.page(_select().where(TABLE.c.user_id == user_id), keys, limit, after)).all()
    return [_keypair(row) for row in db.read(read)]


def count(db, user_id):
    """How many key pairs a user has."""
    query = sa.select(sa.func.count(TABLE.c.id)).where(TABLE.c.user_id == user_id)
    return db.read(lambda connection: connection.scalar(query))


def create(db, keypair):
    """Record a KeyPair; → it as kept. :raises KeyPairExists:"""
    values = rows.to_values(keypair, TABLE, leave_out=('id', 'created_at'))
    try:
        db.write(lambda connection: connection.execute(sa.insert(TABLE).values(created_at=db.now, **values)))
    except exc.IntegrityError as error:
        raise exception.KeyPairExists(key_name=keypair.name) from error
    return get(db, keypair.user_id, keypair.name)


def delete(db, user_id, name):
    """:raises KeypairNotFound:"""
    gone = db.write(lambda connection: connection.execute(
        sa.delete(TABLE).where(TABLE.c.user_id == user_id, TABLE.c.name == name)).rowcount)
    if not gone:
        raise exception.KeypairNotFound(name=name, user_id=user_id)


def _select():
    return sa.select(*rows.columns(keypair_obj.KeyPair, TABLE))


def _keypair(row):
    return rows.to_object(keypair_obj.KeyPair, TABLE, row)
