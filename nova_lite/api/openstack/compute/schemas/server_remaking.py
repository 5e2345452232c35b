# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Schemas of the actions rescue, unrescue and rebuild."""

from nova_lite.api.openstack import microversions
from nova_lite.api.openstack.compute.schemas import servers
from nova_lite.api.openstack.compute.schemas import types

_PASSWORD = {'type': 'string', 'maxLength': 1024}
_IPV4 = {'type': 'string', 'format': 'ipv4'}
_IPV6 = {'type': 'string', 'format': 'ipv6'}

RESCUE = types.only('rescue', {
    'type': ['object', 'null'], 'additionalProperties': False,
    'properties': {'adminPass': _PASSWORD, 'rescue_image_ref': types.UUID}})
UNRESCUE = types.only('unrescue', {})

_REBUILD = {
    'imageRef': types.UUID, 'name': types.NAME, 'adminPass': _PASSWORD, 'metadata': servers.METADATA,
    'preserve_ephemeral': types.BOOLEAN, 'OS-DCF:diskConfig': {'enum': ['AUTO', 'MANUAL']},
    'accessIPv4': _IPV4, 'accessIPv6': _IPV6}
_PERSONALITY = {'personality': {'type': 'array', 'items': types.closed(
    (), path={'type': 'string'}, contents={'type': 'string', 'format': 'base64'})}}


def _rebuilds():
    """{microversion: schema}: what each microversion changed of the one before it."""
    v2_1 = _REBUILD | _PERSONALITY
    v2_19 = v2_1 | {'description': servers.DESCRIPTION}
    v2_54 = v2_19 | {'key_name': {'type': ['string', 'null'], 'minLength': 1, 'maxLength': 255}}
    v2_57 = {name: schema for name, schema in v2_54.items() if name != 'personality'} | {
        'user_data': {'type': ['string', 'null'], 'format': 'base64', 'maxLength': 65535}}
    v2_63 = v2_57 | {'trusted_image_certificates': servers.CERTIFICATES}
    v2_90 = v2_63 | {'hostname': servers.HOSTNAME}
    v2_94 = v2_63 | {'hostname': servers.FQDN}
    return {'2.1': v2_1, '2.19': v2_19, '2.54': v2_54, '2.57': v2_57, '2.63': v2_63, '2.90': v2_90, '2.94': v2_94}


REBUILD = microversions.Since({version: types.only('rebuild', types.closed(['imageRef'], **properties))
                               for version, properties in _rebuilds().items()})
