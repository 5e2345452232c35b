# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Operations that are under way on instances."""

import sqlalchemy as sa
from alembic import op

from nova_lite.db import types

revision = '0003'
down_revision = 'shadow_rows'


def upgrade():
    op.create_table(
        'operations', sa.Column('id', sa.Integer, primary_key=True),
        sa.Column('uuid', sa.String(36), nullable=False, unique=True),
        sa.Column('instance_uuid', sa.String(36), nullable=False, index=True),
        sa.Column('name', sa.String(64), nullable=False), sa.Column('request_id', sa.String(255), nullable=False),
        sa.Column('user_id', sa.String(255)), sa.Column('project_id', sa.String(255)),
        sa.Column('arguments', types.LongText, nullable=False), sa.Column('data', types.LongText, nullable=False),
        sa.Column('step', sa.String(255)), sa.Column('host', sa.String(255), index=True),
        sa.Column('undoing', sa.Boolean, nullable=False, server_default=sa.false()),
        sa.Column('abandoned', sa.Boolean, nullable=False, server_default=sa.false()),
        sa.Column('fault', types.LongText),
        sa.Column('created_at', types.DateTime, nullable=False),
        sa.Column('updated_at', types.DateTime, nullable=False, index=True),
        if_not_exists=True, mysql_charset='utf8mb4', mysql_collate='utf8mb4_bin', mysql_engine='InnoDB')
