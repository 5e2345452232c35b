# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Schemas of requests about the network interfaces of servers."""

from nova_lite.api.openstack import microversions
from nova_lite.api.openstack.compute.schemas import servers
from nova_lite.api.openstack.compute.schemas import types

_ADDRESS = {'type': 'string', 'oneOf': [{'format': 'ipv4'}, {'format': 'ipv6'}]}
_PROPERTIES = {
    'net_id': types.UUID, 'port_id': types.UUID,
    'fixed_ips': {'type': 'array', 'minItems': 1, 'maxItems': 1, 'items': types.only('ip_address', _ADDRESS)}}

ATTACH = microversions.Since({
    '2.1': types.only('interfaceAttachment', types.closed((), **_PROPERTIES)),
    '2.49': types.only('interfaceAttachment', types.closed((), **_PROPERTIES, tag=servers.TAG)),
})
