# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Requests about hosts and the migrations between them."""

from nova_lite.api.openstack import microversions
from nova_lite.api.openstack import validation
from nova_lite.api.openstack.compute.schemas import types

_SWITCH = {'type': 'string', 'enum': ['enable', 'disable', 'Enable', 'Disable', 'ENABLE', 'DISABLE']}
UPDATE = types.closed((), status=_SWITCH, maintenance_mode=_SWITCH) | {'minProperties': 1}
LIST_QUERY = types.query({'zone': types.STRING})

_FILTERS = dict.fromkeys(('hidden', 'host', 'instance_uuid', 'migration_type', 'source_compute', 'status'),
                         types.STRING)
_PAGED = _FILTERS | types.PAGE | {'changes-since': types.DATE}
_BEFORE = _PAGED | {'changes-before': types.DATE}
_OWNED = _BEFORE | {'user_id': types.STRING, 'project_id': types.STRING}
MIGRATIONS_QUERY = microversions.Since({
    '2.1': validation.Query(_FILTERS), '2.59': validation.Query(_PAGED, strict=True),
    '2.66': validation.Query(_BEFORE, strict=True), '2.80': validation.Query(_OWNED, strict=True)})
