# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Requests about the volumes of a server."""

from nova_lite.api.openstack import microversions
from nova_lite.api.openstack.compute.schemas import servers
from nova_lite.api.openstack.compute.schemas import types

_DEVICE = {'type': ['string', 'null'], 'maxLength': 255, 'pattern': '^(/dev/)?x?[a-z]?d?[a-z]+[0-9]*$'}
_CREATE = {'volumeId': types.UUID, 'device': _DEVICE}
_TAGGED = _CREATE | {'tag': servers.TAG}
_KEPT = _TAGGED | {'delete_on_termination': types.BOOLEAN}


def _attachment(properties):
    return types.only('volumeAttachment', types.closed(['volumeId'], **properties))


QUERY = types.query({'limit': types.LIMIT, 'offset': types.LIMIT}, '2.75')
CREATE = microversions.Since({'2.1': _attachment(_CREATE), '2.49': _attachment(_TAGGED), '2.79': _attachment(_KEPT)})
SWAP = _attachment({'volumeId': types.UUID})
UPDATE = _attachment(_KEPT | {'id': types.UUID, 'serverId': types.UUID})
