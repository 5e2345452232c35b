# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Rows that should have gone with their instance."""

import sqlalchemy as sa

from nova_lite.db import models

# of instances that are there only
TABLES = (models.build_requests, models.block_devices, models.console_auth_tokens)


def find(db):
    """[(table name, instance uuid)…] of rows whose instance is not there (any more)."""
    there = sa.select(models.instances.c.uuid).where(models.instances.c.deleted == sa.false())

    def read(connection):
        return [(table.name, uuid) for table in TABLES for uuid in connection.scalars(
            sa.select(table.c.instance_uuid).where(table.c.instance_uuid.not_in(there)).distinct())]
    return db.read(read)


def delete(db, table_name, instance_uuid):
    """Delete such rows, should their instance still not be there."""
    table = models.metadata.tables[table_name]
    there = sa.select(models.instances.c.uuid).where(
        models.instances.c.uuid == instance_uuid, models.instances.c.deleted == sa.false())
    db.write(lambda connection: connection.execute(sa.delete(table).where(
        table.c.instance_uuid == instance_uuid, ~sa.exists(there))))
