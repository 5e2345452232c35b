# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Pieces that the request schemas share."""

from nova_lite.api.openstack import microversions
from nova_lite.api.openstack import validation

MAX_INT = 2 ** 31 - 1

NAME = {'type': 'string', 'minLength': 1, 'maxLength': 255, 'format': 'name'}
TEXT = {'type': ['string', 'null'], 'maxLength': 65535, 'format': 'text'}
UUID = {'type': 'string', 'format': 'uuid'}
BOOLEAN = {'enum': [True, False, 'True', 'TRUE', 'true', '1', 'ON', 'On', 'on', 'YES', 'Yes', 'yes',
                    'False', 'FALSE', 'false', '0', 'OFF', 'Off', 'off', 'NO', 'No', 'no']}
PROJECT_ID = {'type': 'string', 'minLength': 1, 'maxLength': 255, 'pattern': '^[a-zA-Z0-9_.-]*$'}
HOST = {'type': 'string', 'minLength': 1, 'maxLength': 255, 'pattern': r'^[a-zA-Z0-9._-]*$'}

LIMIT = {'type': 'string', 'pattern': '^[0-9]+$', 'maxLength': 18}
STRING = {'type': 'string', 'maxLength': 1024}
DATE = {'type': 'string', 'format': 'date-time'}
PAGE = {'limit': LIMIT, 'marker': STRING}


def integer(minimum=0, maximum=MAX_INT):
    """A whole number, which may come as a string of digits."""
    return {'type': ['integer', 'string'], 'pattern': '^[0-9]+$', 'minimum': minimum, 'maximum': maximum,
            'maxLength': 10}


def signed(minimum=-1, maximum=MAX_INT):
    """As integer(), with -1 for "without limit"."""
    return integer(minimum, maximum) | {'pattern': '^-?[0-9]+$'}


def closed(required=(), **properties):
    """An object with these properties and no others."""
    return {'type': 'object', 'properties': properties, 'required': list(required), 'additionalProperties': False}


def only(name, schema):
    """An object of one property, as bodies of requests are: {name: …}."""
    return closed([name], **{name: schema})


def query(parameters=None, closed_since='2.102'):
    """Query parameters: the same ones at all microversions, and unknown ones refused from `closed_since` on."""
    parameters = parameters or {}
    return microversions.Since({'2.1': validation.Query(parameters),
                                closed_since: validation.Query(parameters, strict=True)})


NO_QUERY = query()
