# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Requests about security groups."""

from nova_lite.api.openstack.compute.schemas import types

_PORT = {'type': ['integer', 'string', 'null'], 'pattern': '^-?[0-9]+$', 'minimum': -1, 'maximum': 65535,
         'maxLength': 5}
_TEXT = {'type': 'string', 'maxLength': 255, 'format': 'text'}
_ID = {'type': ['string', 'null'], 'format': 'uuid'}

GROUP = types.only('security_group', types.closed(
    ['name', 'description'], name=_TEXT | {'pattern': r'\S'}, description=_TEXT))
RULE = types.only('security_group_rule', types.closed(
    ['parent_group_id'], parent_group_id=types.UUID, from_port=_PORT, to_port=_PORT,
    ip_protocol={'type': ['string', 'null'], 'maxLength': 64}, group_id=_ID,
    cidr={'type': ['string', 'null'], 'maxLength': 64}))
LIST_QUERY = types.query({'limit': types.LIMIT, 'offset': types.LIMIT, 'all_tenants': types.STRING})
