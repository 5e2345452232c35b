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


_BLOCK = {'enum': [*types.BOOLEAN['enum'], 'auto']}
MIGRATE_LIVE = microversions.Since({
    '2.1': types.only('os-migrateLive', types.closed(
        ['block_migration', 'disk_over_commit', 'host'], block_migration=types.BOOLEAN, disk_over_commit=types.BOOLEAN,
        host=_HOST)),
    '2.25': types.only('os-migrateLive', types.closed(['block_migration', 'host'], block_migration=_BLOCK, host=_HOST)),
    '2.30': types.only('os-migrateLive', types.closed(
        ['block_migration', 'host'], block_migration=_BLOCK, host=_HOST, force=types.BOOLEAN)),
    '2.68': types.only('os-migrateLive', types.closed(
        ['block_migration', 'host'], block_migration=_BLOCK, host=_HOST))})
_PASSWORD = {'type': 'string'}
EVACUATE = microversions.Since({
    '2.1': types.only('evacuate', types.closed(
        ['onSharedStorage'], host=types.HOST, onSharedStorage=types.BOOLEAN, adminPass=_PASSWORD)),
    '2.14': types.only('evacuate', types.closed((), host=types.HOST, adminPass=_PASSWORD)),
    '2.29': types.only('evacuate', types.closed((), host=types.HOST, adminPass=_PASSWORD, force=types.BOOLEAN)),
    '2.68': types.only('evacuate', types.closed((), host=types.HOST, adminPass=_PASSWORD))})
FORCE_COMPLETE = types.only('force_complete', {'type': 'null'})
