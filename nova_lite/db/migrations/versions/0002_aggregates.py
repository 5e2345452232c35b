# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Host aggregates."""

import sqlalchemy as sa
from alembic import op

from nova_lite.db import types

revision = '0002'
down_revision = '0001'


def upgrade():
    _table(
        'aggregates',
        sa.Column('uuid', sa.String(36), nullable=False, unique=True),
        sa.Column('name', sa.String(255), nullable=False, unique=True),
        sa.Column('metadata', types.LongText, nullable=False),
        sa.Column('created_at', types.DateTime, nullable=False), sa.Column('updated_at', types.DateTime))
    _table(
        'aggregate_hosts',
        sa.Column('aggregate_id', sa.Integer, nullable=False), sa.Column('host', sa.String(255), nullable=False),
        sa.UniqueConstraint('aggregate_id', 'host', name='uq_aggregate_hosts'))


def _table(name, *columns):
    op.create_table(name, sa.Column('id', sa.Integer, primary_key=True), *columns, if_not_exists=True,
                    mysql_charset='utf8mb4', mysql_collate='utf8mb4_bin', mysql_engine='InnoDB')
