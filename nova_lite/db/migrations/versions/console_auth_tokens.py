# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Tokens that open consoles."""

import sqlalchemy as sa
from alembic import op

from nova_lite.db import types

revision = 'console_auth_tokens'
down_revision = 'migrations'


def upgrade():
    op.create_table(
        'console_auth_tokens', sa.Column('id', sa.Integer, primary_key=True),
        sa.Column('token_hash', sa.String(64), nullable=False, unique=True),
        sa.Column('console_type', sa.String(32), nullable=False),
        sa.Column('instance_uuid', sa.String(36), nullable=False),
        sa.Column('host', sa.String(255), nullable=False), sa.Column('port', sa.Integer, nullable=False),
        sa.Column('internal_access_path', sa.String(255)),
        sa.Column('created_at', types.DateTime, nullable=False), sa.Column('expires', types.DateTime, nullable=False),
        if_not_exists=True, mysql_charset='utf8mb4', mysql_collate='utf8mb4_bin', mysql_engine='InnoDB')
    op.create_index('ix_console_auth_tokens_instance_uuid', 'console_auth_tokens', ['instance_uuid'],
                    if_not_exists=True)
    op.create_index('ix_console_auth_tokens_expires', 'console_auth_tokens', ['expires'], if_not_exists=True)
