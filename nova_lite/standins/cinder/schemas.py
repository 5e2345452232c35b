# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""The request bodies of the volume API as JSON schemas, and the words for what breaks them."""

from nova_lite.standins import rest
from nova_lite.standins.cinder import faults

TRUE = (True, 'True', 'TRUE', 'true', '1', 'ON', 'On', 'on', 'YES', 'Yes', 'yes', 'y', 't')
FALSE = (False, 'False', 'FALSE', 'false', '0', 'OFF', 'Off', 'off', 'NO', 'No', 'no', 'n', 'f')
BOOLEAN = {'enum': [*TRUE, *FALSE]}
TEXT = {'type': ['string', 'null'], 'maxLength': 255}
NAME = {'type': 'string', 'minLength': 1, 'maxLength': 255}
UUID = {'type': 'string', 'format': 'uuid'}
OPTIONAL_UUID = {'oneOf': [{'type': 'null'}, UUID]}
SIZE = {'type': ['integer', 'string'], 'pattern': '^[0-9]{1,10}$', 'minimum': 1, 'maximum': 2147483647}
METADATA = {'type': 'object', 'maxProperties': 512, 'additionalProperties': False, 'patternProperties': {
    '^[a-zA-Z0-9-_:. /]{1,255}$': {'type': 'string', 'maxLength': 255}}}
SPECS = {'type': 'object', 'maxProperties': 512, 'additionalProperties': False, 'patternProperties': {
    '^[a-zA-Z0-9-_:. ]{1,255}$': {'type': ['string', 'null'], 'maxLength': 255}}}
CONNECTOR = {'type': 'object', 'maxProperties': 64}
OBJECT = {'type': 'object'}


def wrapped(key, properties, required=(), **rules):
    """The schema of {key: {…}}, closed for other keys unless `rules` say otherwise."""
    inner = {'type': 'object', 'properties': properties, 'required': list(required),
             'additionalProperties': False, **rules}
    return rest.schema({'type': 'object', 'properties': {key: inner}, 'required': [key],
                        'additionalProperties': False})


def action(properties=None, required=()):
    """The schema of what an action carries."""
    return rest.schema({'type': ['object', 'null'] if properties is None else 'object',
                        'properties': properties or {}, 'required': list(required)})


def read(request, validator):
    """The body of a request; 400 that names the first thing which the schema refuses."""
    body = request.json()
    check(validator, body)
    return body


def check(validator, document):
    error = next(validator.iter_errors(document), None)
    if error is None:
        return
    if not error.absolute_path:
        raise faults.bad(error.message[:300])
    raise faults.bad('Invalid input for field/attribute %s. Value: %s. %s' % (
        error.absolute_path[-1], str(error.instance)[:300], error.message[:300]))


def flag(value):
    """The truth that a BOOLEAN means."""
    return value in TRUE


def argument(request, name, default=False):
    """A boolean of the query string; 400 when it is none."""
    text = request.argument(name)
    if text is None:
        return default
    for words, meaning in ((TRUE, True), (FALSE, False)):
        if text.lower() in [str(word).lower() for word in words]:
            return meaning
    raise faults.bad("Value '%s' for '%s' is not a boolean." % (text[:64], name))
