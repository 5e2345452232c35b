# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Requests about services and hypervisors."""

from nova_lite.api.openstack import microversions
from nova_lite.api.openstack import validation
from nova_lite.api.openstack.compute.schemas import types

_REASON = {'type': 'string', 'minLength': 1, 'maxLength': 255}
_BINARY = {'type': 'string', 'minLength': 1, 'maxLength': 255}
_OLD = {'host': types.HOST, 'binary': _BINARY, 'disabled_reason': _REASON}

LIST_QUERY = types.query({'host': types.STRING, 'binary': types.STRING}, '2.75')

UPDATE = microversions.Since({
    '2.1': types.closed(['host', 'binary'], **_OLD),
    '2.11': types.closed(['host', 'binary'], **_OLD, forced_down=types.BOOLEAN),
    '2.53': types.closed(status={'enum': ['enabled', 'disabled']}, disabled_reason=_REASON,
                         forced_down=types.BOOLEAN)})

_WITH_SERVERS = {'with_servers': types.BOOLEAN}
_PATTERN = _WITH_SERVERS | types.PAGE | {'hypervisor_hostname_pattern': types.HOST}

HYPERVISORS_QUERY = microversions.Since({
    '2.1': validation.Query({}), '2.33': validation.Query(types.PAGE),
    '2.53': validation.Query(_PATTERN, single=tuple(_PATTERN), strict=True)})
HYPERVISOR_QUERY = microversions.Since({
    '2.1': validation.Query({}), '2.53': validation.Query(_WITH_SERVERS, single=('with_servers',), strict=True)})
