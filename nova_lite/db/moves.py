# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Moves of instances between hosts and flavors: the table `migrations`, which the API lists.

A move that has not ended keeps a place on the host where its instance is not.
"""

import sqlalchemy as sa

from nova_lite import exception
from nova_lite.db import models
from nova_lite.db import paging
from nova_lite.db import rows
from nova_lite.objects import migration as migration_obj

TABLE = models.migrations
_SELECT = sa.select(*rows.columns(migration_obj.Migration, TABLE))
_UNDER_WAY = TABLE.c.status.not_in(migration_obj.ENDED)
_PLAIN_FILTERS = ('instance_uuid', 'source_compute', 'status', 'migration_type', 'user_id', 'project_id')


def ensure(db, migration):
    """Record a Migration unless it is already. :returns: it, as recorded"""
    def write(connection):
        if connection.execute(_SELECT.where(TABLE.c.uuid == migration.uuid)).first() is None:
            connection.execute(sa.insert(TABLE).values(created_at=db.now, updated_at=db.now), [
                rows.to_values(migration, TABLE, leave_out=('id', 'created_at', 'updated_at'))])
        return connection.execute(_SELECT.where(TABLE.c.uuid == migration.uuid)).one()
    return _object(db.write(write))


def update(db, uuid, **values):
    """Save fields of a migration; one that is not there is fine."""
    db.write(lambda connection: save(connection, db.now, {'uuid': uuid, **values}))


def save(connection, now, fields):
    """Part of a transaction: save {field: value} of the migration of the `uuid` among them."""
    values = {name: value for name, value in fields.items() if name != 'uuid'}
    connection.execute(sa.update(TABLE).where(TABLE.c.uuid == fields['uuid']).values(updated_at=now, **values))


def get(db, uuid):
    """The Migration, or None."""
    return next(iter(_list(db, TABLE.c.uuid == uuid)), None)


def of_instance(db, instance_uuid):
    """[Migration…] of an instance that have not ended, the oldest first."""
    return _list(db, TABLE.c.instance_uuid == instance_uuid, _UNDER_WAY)


def of_host(db, host):
    """[Migration…] from or to a host that have not ended, the oldest first."""
    return _list(db, sa.or_(TABLE.c.source_compute == host, TABLE.c.dest_compute == host), _UNDER_WAY)


def under_way(db):
    """[Migration…] of the whole cloud that have not ended."""
    return _list(db, _UNDER_WAY)


def left_by_deleted(db):
    """[Migration…] that have not ended, of instances that are gone."""
    instances = models.instances
    alive = sa.select(instances.c.uuid).where(instances.c.deleted == sa.false())
    return _list(db, _UNDER_WAY, TABLE.c.instance_uuid.not_in(alive))


def _list(db, *conditions):
    query = _SELECT.where(*conditions).order_by(TABLE.c.id)
    return [_object(row) for row in db.read(lambda connection: connection.execute(query).all())]


def _object(row):
    return rows.to_object(migration_obj.Migration, TABLE, row)


def list_(db, filters, limit=None, marker=None):
    """[Migration…] for the API, the newest first.

    filters: {name: value}: `host` is source or destination; `changes-since` and `changes-before` are naive UTC times;
    the others are columns. :raises MarkerNotFound:
    """
    conditions = [TABLE.c[name] == filters[name] for name in _PLAIN_FILTERS if filters.get(name) is not None]
    if filters.get('host') is not None:
        conditions.append(sa.or_(TABLE.c.source_compute == filters['host'], TABLE.c.dest_compute == filters['host']))
    if filters.get('changes-since') is not None:
        conditions.append(TABLE.c.updated_at >= filters['changes-since'])
    if filters.get('changes-before') is not None:
        conditions.append(TABLE.c.updated_at <= filters['changes-before'])
    keys = [(TABLE.c.created_at, 'desc'), (TABLE.c.id, 'desc')]

    def read(connection):
        after = None
        if marker is not None:
            after = paging.key_values(connection, keys, TABLE.c.uuid == marker)
            if after is None:
                raise exception.MarkerNotFound(marker=marker)
        return connection.execute(paging.page(_SELECT.where(*conditions), keys, limit, after)).all()
    return [_object(row) for row in db.read(read)]
