# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Where archived rows go."""

import sqlalchemy as sa
from alembic import op

from nova_lite.db import types

revision = 'shadow_rows'
down_revision = '0002'


def upgrade():
    op.create_table(
        'shadow_rows', sa.Column('id', sa.Integer, primary_key=True),
        sa.Column('table_name', sa.String(64), nullable=False),
        sa.Column('instance_uuid', sa.String(36), nullable=False),
        sa.Column('deleted_at', types.DateTime, nullable=False),
        sa.Column('content', types.LongText, nullable=False), if_not_exists=True,
        mysql_charset='utf8mb4', mysql_collate='utf8mb4_bin', mysql_engine='InnoDB')
    op.create_index('ix_shadow_rows_instance_uuid', 'shadow_rows', ['instance_uuid'], if_not_exists=True)
    op.create_index('ix_shadow_rows_deleted', 'shadow_rows', ['deleted_at'], if_not_exists=True)
