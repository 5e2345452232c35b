# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Requests about key pairs."""

from nova_lite.api.openstack import microversions
from nova_lite.api.openstack import validation
from nova_lite.api.openstack.compute.schemas import types

_USER = {'user_id': types.STRING}

LIST_QUERY = microversions.Since({
    '2.1': validation.Query({}), '2.10': validation.Query(_USER), '2.35': validation.Query(_USER | types.PAGE),
    '2.75': validation.Query(_USER | types.PAGE, strict=True)})
QUERY = microversions.Since({
    '2.1': validation.Query({}), '2.10': validation.Query(_USER), '2.75': validation.Query(_USER, strict=True)})

_NAME = types.NAME | {'pattern': '^[ ]*[a-zA-Z0-9 _-]+[ ]*$'}
_MAIL_NAME = types.NAME | {'pattern': '^[a-zA-Z0-9 _@.-]+$'}
_KEY = {'type': 'string', 'maxLength': 65535}
_TYPE = {'enum': ['ssh', 'x509']}


def _create(required=('name',), **properties):
    return types.only('keypair', types.closed(required, **properties))


CREATE = microversions.Since({
    '2.1': _create(name=_NAME, public_key=_KEY),
    '2.2': _create(name=_NAME, public_key=_KEY, type=_TYPE),
    '2.10': _create(name=_NAME, public_key=_KEY, type=_TYPE, user_id=types.STRING),
    '2.92': _create(['name', 'public_key'], name=_MAIL_NAME, public_key=_KEY, type=_TYPE, user_id=types.STRING)})
