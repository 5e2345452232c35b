# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Schemas of server actions about shelving."""

from nova_lite.api.openstack import microversions
from nova_lite.api.openstack.compute.schemas import types

_HOST = {'type': 'string', 'minLength': 1, 'maxLength': 255, 'pattern': '^[a-zA-Z0-9._-]*$'}


def _unshelve(**properties):
    return types.only('unshelve', {'type': ['object', 'null'], 'properties': properties, 'additionalProperties': False})


SHELVE = types.only('shelve', {})
SHELVE_OFFLOAD = types.only('shelveOffload', {})
UNSHELVE = microversions.Since({
    '2.1': types.only('unshelve', {}),
    '2.77': _unshelve(availability_zone=types.NAME),
    '2.91': _unshelve(availability_zone={'oneOf': [{'type': 'null'}, types.NAME]}, host=_HOST),
})
