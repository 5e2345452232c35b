# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Bodies of the actions that give a server another flavor or another host."""

from nova_lite.api.openstack import microversions
from nova_lite.api.openstack.compute.schemas import types

_FLAVOR = {'type': ['string', 'integer'], 'minLength': 1, 'maxLength': 255}
RESIZE = types.only('resize', types.closed(['flavorRef'], flavorRef=_FLAVOR, **{
    'OS-DCF:diskConfig': {'enum': ['AUTO', 'MANUAL']}}))
CONFIRM_RESIZE = types.only('confirmResize', {})
REVERT_RESIZE = types.only('revertResize', {})
_HOST = {'anyOf': [types.HOST, {'type': 'null'}]}
MIGRATE = microversions.Since({
    '2.1': types.only('migrate', {}),
    '2.56': types.only('migrate', {'anyOf': [{'type': 'null'}, types.closed((), host=_HOST)]})})
