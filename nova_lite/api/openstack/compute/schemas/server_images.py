# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Schemas of server actions that make images."""

from nova_lite.api.openstack.compute.schemas import servers
from nova_lite.api.openstack.compute.schemas import types

CREATE_IMAGE = types.only('createImage', types.closed(['name'], name=types.NAME, metadata=servers.METADATA))
CREATE_BACKUP = types.only('createBackup', types.closed(
    ['name', 'backup_type', 'rotation'], name=types.NAME, backup_type={'type': 'string'}, rotation=types.integer(),
    metadata=servers.METADATA))
