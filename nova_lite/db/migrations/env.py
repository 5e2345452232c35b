# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""What alembic runs: the migrations, on the connection and in the transaction of `db/migration.py`."""

from alembic import context

context.configure(connection=context.config.attributes['connection'], transactional_ddl=True)
context.run_migrations()
