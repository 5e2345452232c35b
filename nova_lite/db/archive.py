# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Takes the rows of deleted instances out of the way: into the table `shadow_rows`, and from there for good.

An instance goes with every row of any table that has an `instance_uuid`, in one transaction, so that no table is ever
left with rows of an instance that another has lost.
"""

import sqlalchemy as sa

from nova_lite.db import models
from nova_lite.objects import migration

INSTANCES = models.instances
SHADOW = models.shadow_rows
AT_ONCE = 200       # instances looked at in one transaction


def archive(db, max_rows, before=None):
    """Move the oldest deleted instances, deleted before a time (naive UTC) if one is given, with all their rows.

    It stops at `max_rows` rows, but never within an instance: the first one goes whole.
    :returns: {table: rows moved}; empty when there is nothing to move
    """
    moved = {}
    while sum(moved.values()) < max_rows:
        batch = db.write(lambda connection: _move_some(connection, max_rows - sum(moved.values()), before, not moved))
        if not batch:
            break
        for name, count in batch.items():
            moved[name] = moved.get(name, 0) + count
    return moved


def _move_some(connection, max_rows, before, at_least_one):
    """A transaction of :func:`archive`. :returns: {table: rows moved}"""
    deleted_at = _candidates(connection, before)
    chosen, rows = [], 0
    counts = _count_rows(connection, list(deleted_at))
    for uuid in deleted_at:
        rows += 1 + counts.get(uuid, 0)
        if rows > max_rows and (chosen or not at_least_one):
            break
        chosen.append(uuid)
    moved = {}
    for table, key in [*_belongings(), (INSTANCES, INSTANCES.c.uuid)]:
        found = connection.execute(sa.select(table).where(key.in_(chosen)).order_by(table.c.id)).mappings().all()
        if found:
            connection.execute(sa.insert(SHADOW), [
                {'table_name': table.name, 'instance_uuid': row[key.name], 'deleted_at': deleted_at[row[key.name]],
                 'content': dict(row)} for row in found])
            connection.execute(sa.delete(table).where(key.in_(chosen)))
            moved[table.name] = len(found)
    return moved


def _candidates(connection, before):
    """{uuid: when it was deleted} of the oldest; those about which something has to be cleaned up yet stay."""
    unfinished = [sa.exists().where(table.c.instance_uuid == INSTANCES.c.uuid, *conditions) for table, *conditions in (
        [models.operations], [models.migrations, models.migrations.c.status.not_in(migration.ENDED)])]
    query = sa.select(INSTANCES.c.uuid, INSTANCES.c.deleted_at).where(
        INSTANCES.c.deleted == sa.true(), INSTANCES.c.release_pending == sa.false(), *map(sa.not_, unfinished))
    if before is not None:
        query = query.where(INSTANCES.c.deleted_at < before)
    return dict(connection.execute(query.order_by(INSTANCES.c.id).limit(AT_ONCE).with_for_update()).all())


def _count_rows(connection, uuids):
    """{uuid: how many rows other tables have of it}"""
    counts = {}
    for _, key in _belongings():
        for uuid, count in connection.execute(sa.select(key, sa.func.count()).where(key.in_(uuids)).group_by(key)):
            counts[uuid] = counts.get(uuid, 0) + count
    return counts


def _belongings():
    """[(table, its column with the uuid of an instance)…]"""
    return [(table, table.c.instance_uuid) for table in models.metadata.sorted_tables
            if 'instance_uuid' in table.c and table is not SHADOW]


def purge(db, before=None):
    """Delete archived rows, those of instances deleted before a time (naive UTC) if one is given.

    :returns: {table: rows deleted}
    """
    old = sa.true() if before is None else SHADOW.c.deleted_at < before

    def write(connection):
        counted = sa.select(SHADOW.c.table_name, sa.func.count()).where(old).group_by(SHADOW.c.table_name)
        deleted = dict(connection.execute(counted.order_by(SHADOW.c.table_name)).all())
        connection.execute(sa.delete(SHADOW).where(old))
        return deleted
    return db.write(write)
