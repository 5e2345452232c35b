# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Requests about what belongs to servers: metadata and tags."""

from nova_lite.api.openstack.compute.schemas import servers
from nova_lite.api.openstack.compute.schemas import types

METADATA = types.only('metadata', servers.METADATA)
META = types.only('meta', servers.METADATA | {'minProperties': 1, 'maxProperties': 1})
TAGS = types.only('tags', {'type': 'array', 'items': servers.TAG, 'maxItems': servers.MAX_TAGS})
