# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Requests about host aggregates."""

from nova_lite.api.openstack.compute.schemas import types

_ZONE = {'oneOf': [types.NAME, {'type': 'null'}]}
_KEY = r'^[a-zA-Z0-9\-_:. ]{1,255}$'

CREATE = types.only('aggregate', types.closed(['name'], name=types.NAME, availability_zone=_ZONE))
UPDATE = types.only('aggregate', types.closed((), name=types.NAME, availability_zone=_ZONE) | {'minProperties': 1})
ADD_HOST = types.only('add_host', types.closed(['host'], host=types.HOST))
REMOVE_HOST = types.only('remove_host', types.closed(['host'], host=types.HOST))
SET_METADATA = types.only('set_metadata', types.only('metadata', {
    'type': 'object', 'additionalProperties': False,
    'patternProperties': {_KEY: {'type': ['string', 'null'], 'maxLength': 255}}}))
