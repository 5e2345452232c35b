# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Schemas of requests about images by way of the compute API."""

from nova_lite.api.openstack.compute.schemas import servers
from nova_lite.api.openstack.compute.schemas import types

LIST_QUERY = types.query({
    **types.PAGE, 'name': types.STRING, 'status': types.STRING, 'changes-since': types.DATE, 'server': types.STRING,
    'type': types.STRING, 'minRam': types.LIMIT, 'minDisk': types.LIMIT})
METADATA = types.only('metadata', servers.METADATA)
META = types.only('meta', {**servers.METADATA, 'minProperties': 1, 'maxProperties': 1})
