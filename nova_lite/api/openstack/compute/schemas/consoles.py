# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Schemas of requests for remote consoles."""

from nova_lite.api.openstack import microversions
from nova_lite.api.openstack.compute.schemas import types


def _create(protocols, kinds):
    return types.only('remote_console', types.closed(
        ('protocol', 'type'), protocol={'enum': list(protocols)}, type={'enum': list(kinds)}))


_PROTOCOLS = ('vnc', 'spice', 'rdp', 'serial')
_TYPES = ('novnc', 'xvpvnc', 'rdp-html5', 'spice-html5', 'serial')

CREATE = microversions.Since({
    '2.6': _create(_PROTOCOLS, _TYPES),
    '2.8': _create((*_PROTOCOLS, 'mks'), (*_TYPES, 'webmks')),
    '2.99': _create((*_PROTOCOLS, 'mks'), (*_TYPES, 'webmks', 'spice-direct')),
})


def _old(action, *kinds):
    return types.only(action, types.closed(('type',), type={'enum': list(kinds)}))


GET_VNC = _old('os-getVNCConsole', 'novnc', 'xvpvnc')
GET_SPICE = _old('os-getSPICEConsole', 'spice-html5')
GET_SERIAL = _old('os-getSerialConsole', 'serial')
