# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Placement's tables."""

import sqlalchemy

METADATA = sqlalchemy.MetaData()
COLUMN, STRING = sqlalchemy.Column, sqlalchemy.String

providers = sqlalchemy.Table(
    'placement_provider', METADATA,
    COLUMN('id', sqlalchemy.Integer, primary_key=True),
    COLUMN('uuid', STRING(36), nullable=False, unique=True),
    COLUMN('name', STRING(200), nullable=False, unique=True),
    COLUMN('generation', sqlalchemy.Integer, nullable=False),
    COLUMN('updated_at', sqlalchemy.Float(53), nullable=False),
    COLUMN('parent_uuid', STRING(36)),
    COLUMN('inventories', sqlalchemy.JSON, nullable=False),  # {class: fields of records.Inventory}
    COLUMN('traits', sqlalchemy.JSON, nullable=False),
    COLUMN('aggregates', sqlalchemy.JSON, nullable=False))

consumers = sqlalchemy.Table(
    'placement_consumer', METADATA,
    COLUMN('uuid', STRING(36), primary_key=True),
    COLUMN('project_id', STRING(255), nullable=False),
    COLUMN('user_id', STRING(255), nullable=False),
    COLUMN('consumer_type', STRING(255)),
    COLUMN('generation', sqlalchemy.Integer, nullable=False),
    COLUMN('allocations', sqlalchemy.JSON, nullable=False))  # {provider uuid: {class: amount}}

traits = sqlalchemy.Table(
    'placement_trait', METADATA,
    COLUMN('id', sqlalchemy.Integer, primary_key=True),
    COLUMN('name', STRING(255), nullable=False, unique=True))

classes = sqlalchemy.Table(
    'placement_resource_class', METADATA,
    COLUMN('id', sqlalchemy.Integer, primary_key=True),
    COLUMN('name', STRING(255), nullable=False, unique=True))

# Statements that every claim of resources runs, made once: making one costs more than running it.
KEY = sqlalchemy.bindparam('key')
insert_consumer = consumers.insert()
update_consumer = consumers.update().where(consumers.c.uuid == KEY)
delete_consumer = consumers.delete().where(consumers.c.uuid == KEY)
update_provider = providers.update().where(providers.c.uuid == KEY)
