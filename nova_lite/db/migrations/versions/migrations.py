# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Moves of instances between hosts and flavors, and which conductor chooses the destination of an operation."""

import sqlalchemy as sa
from alembic import op

from nova_lite.db import types

revision = 'migrations'
down_revision = '0003'


def upgrade():
    known = {column['name'] for column in sa.inspect(op.get_bind()).get_columns('operations')}
    if 'claimed_by' not in known:
        op.add_column('operations', sa.Column('claimed_by', sa.String(255)))
    op.create_table(
        'migrations', sa.Column('id', sa.Integer, primary_key=True),
        sa.Column('uuid', sa.String(36), nullable=False, unique=True),
        sa.Column('instance_uuid', sa.String(36), nullable=False, index=True),
        sa.Column('migration_type', sa.String(32), nullable=False),
        sa.Column('status', sa.String(32), nullable=False, index=True),
        sa.Column('source_compute', sa.String(255), index=True), sa.Column('source_node', sa.String(255)),
        sa.Column('dest_compute', sa.String(255), index=True), sa.Column('dest_node', sa.String(255)),
        sa.Column('dest_host', sa.String(255)),
        sa.Column('old_flavor', types.LongText, nullable=False),
        sa.Column('new_flavor', types.LongText, nullable=False),
        sa.Column('old_vm_state', sa.String(32)), sa.Column('user_id', sa.String(255)),
        sa.Column('project_id', sa.String(255)), sa.Column('progress', types.LongText, nullable=False),
        sa.Column('created_at', types.DateTime, nullable=False),
        sa.Column('updated_at', types.DateTime, nullable=False),
        if_not_exists=True, mysql_charset='utf8mb4', mysql_collate='utf8mb4_bin', mysql_engine='InnoDB')
