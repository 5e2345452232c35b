# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Schemas of the bodies of `POST /servers/{id}/action`."""

from nova_lite.api.openstack import microversions
from nova_lite.api.openstack.compute.schemas import types

_IPV4 = {'type': 'string', 'format': 'ipv4'}
_ADDRESS = {'type': 'string', 'oneOf': [{'format': 'ipv4'}, {'format': 'ipv6'}]}

START = types.only('os-start', {})      # whatever the value is; clients send null
STOP = types.only('os-stop', {})
REBOOT = types.only('reboot', types.closed(['type'], type={'enum': ['HARD', 'Hard', 'hard', 'SOFT', 'Soft', 'soft']}))
PAUSE = types.only('pause', {})
UNPAUSE = types.only('unpause', {})
SUSPEND = types.only('suspend', {})
RESUME = types.only('resume', {})
LOCK = microversions.Since({
    '2.1': types.only('lock', {}),
    '2.73': types.only('lock', {
        'type': ['object', 'null'], 'additionalProperties': False,
        'properties': {'locked_reason': {'type': 'string', 'minLength': 1, 'maxLength': 255}}}),
})
INJECT_NETWORK_INFO = types.only('injectNetworkInfo', {})
RESET_NETWORK = types.only('resetNetwork', {})
RESTORE = types.only('restore', {})
FORCE_DELETE = types.only('forceDelete', {})
CRASH_DUMP = types.only('trigger_crash_dump', {'type': 'null'})
CHANGE_PASSWORD = types.only('changePassword', types.closed(['adminPass'], adminPass={
    'type': 'string', 'maxLength': 1024}))
ADD_SECURITY_GROUP = types.only('addSecurityGroup', types.only('name', types.NAME))
REMOVE_SECURITY_GROUP = types.only('removeSecurityGroup', types.only('name', types.NAME))
ADD_FIXED_IP = types.only('addFixedIp', types.only('networkId', types.UUID))
REMOVE_FIXED_IP = types.only('removeFixedIp', types.only('address', _ADDRESS))
ADD_FLOATING_IP = types.only('addFloatingIp', types.closed(['address'], address=_IPV4, fixed_address=_IPV4))
REMOVE_FLOATING_IP = types.only('removeFloatingIp', types.only('address', _IPV4))
UNLOCK = types.only('unlock', {})
RESET_STATE = types.only('os-resetState', types.closed(['state'], state={'enum': ['active', 'error']}))
