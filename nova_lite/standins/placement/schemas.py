# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""JSON schemas of Placement's request bodies."""

from nova_lite.standins import rest
from nova_lite.standins.placement import records
from nova_lite.standins.placement import versions

UUID = {'type': 'string', 'format': 'uuid'}
UUID_KEY = '^[0-9a-fA-F]{8}-?([0-9a-fA-F]{4}-?){3}[0-9a-fA-F]{12}$'
NAME = {'type': 'string', 'minLength': 1, 'maxLength': 200}
GENERATION = {'type': 'integer'}
CLASS = '^[A-Z0-9_]+$'
ID = {'type': 'string', 'minLength': 1, 'maxLength': 255}
CONSUMER_TYPE = {'type': 'string', 'pattern': '^[A-Z0-9_]+$', 'minLength': 1, 'maxLength': 255}
MAX_BODY = 16 * 1024 * 1024  # a reshape of many consumers is one body


def body(request, validator):
    """The body of a request, checked; 415 and 400 when it is not what it should be."""
    versions.require_json(request)
    try:
        document = request.json(limit=MAX_BODY)
    except rest.Fault as fault:
        if fault.status == 400:
            raise rest.Fault(400, 'Malformed JSON: ' + fault.message) from None
        raise
    check(validator, document, 'JSON does not validate')
    return document


def check(validator, document, text):
    """400, beginning with `text`, for the first thing in a document that a schema refuses."""
    error = next(validator.iter_errors(document), None)
    if error is not None:
        place = ''.join('[%r]' % step for step in list(error.schema_path)[:-1])
        raise rest.Fault(400, '%s: %s Failed validating \'%s\' in schema%s' % (
            text, error.message[:1024], error.validator, place))


def _object(properties, required=None, **more):
    return {'type': 'object', 'properties': properties, 'additionalProperties': False,
            'required': sorted(properties if required is None else required), **more}


PARENT = {'parent_provider_uuid': {'anyOf': [UUID, {'type': 'null'}]}}
NEW_PROVIDER = rest.schema(_object({'name': NAME, 'uuid': UUID}, ['name']))
NEW_PROVIDER_1_14 = rest.schema(_object({'name': NAME, 'uuid': UUID, **PARENT}, ['name']))
PROVIDER = rest.schema(_object({'name': NAME}))
PROVIDER_1_14 = rest.schema(_object({'name': NAME, **PARENT}, ['name']))

_AGGREGATES = {'type': 'array', 'items': UUID, 'uniqueItems': True}
AGGREGATES = rest.schema(_AGGREGATES)
AGGREGATES_1_19 = rest.schema(_object({'aggregates': _AGGREGATES, 'resource_provider_generation': GENERATION}))
PROVIDER_TRAITS = rest.schema(_object({
    'resource_provider_generation': GENERATION,
    'traits': {'type': 'array', 'items': {'type': 'string', 'minLength': 1, 'maxLength': 255}}}))
NEW_CLASS = rest.schema(_object({'name': {'type': 'string', 'pattern': '^CUSTOM_[A-Z0-9_]+$',
                                          'maxLength': 255}}))

CLASS_NAME = rest.schema({'type': 'string', 'pattern': '^CUSTOM_[A-Z0-9_]+$', 'maxLength': 255})
USAGES = rest.schema(_object({'project_id': ID, 'user_id': ID}, ['project_id']))
USAGES_1_38 = rest.schema(_object({
    'project_id': ID, 'user_id': ID,
    'consumer_type': {**CONSUMER_TYPE, 'pattern': '^([A-Z0-9_]+|all|unknown)$'}}, ['project_id']))

_UNIT = {'type': 'integer', 'minimum': 1, 'maximum': records.MAX}
_INVENTORY = {
    'total': _UNIT, 'reserved': {**_UNIT, 'minimum': 0}, 'min_unit': _UNIT, 'max_unit': _UNIT,
    'step_size': _UNIT, 'allocation_ratio': {'type': 'number', 'minimum': 0, 'maximum': 3.40282e+38}}
_INVENTORIES = {'type': 'object', 'additionalProperties': False,
                'patternProperties': {CLASS: _object(_INVENTORY, ['total'])}}
INVENTORY = rest.schema(_object({'resource_provider_generation': GENERATION, **_INVENTORY},
                                ['resource_provider_generation', 'total']))
NEW_INVENTORY = rest.schema(_object(
    {'resource_provider_generation': GENERATION, **_INVENTORY,
     'resource_class': {'type': 'string', 'pattern': CLASS, 'maxLength': 255}},
    ['resource_class', 'total']))
_PROVIDER_INVENTORIES = _object({'resource_provider_generation': GENERATION, 'inventories': _INVENTORIES})
INVENTORIES = rest.schema(_PROVIDER_INVENTORIES)

_RESOURCES = {'type': 'object', 'minProperties': 1, 'additionalProperties': False,
              'patternProperties': {CLASS: _UNIT}}
_LIST = {'type': 'array', 'minItems': 1, 'items': _object({
    'resource_provider': {'type': 'object', 'properties': {'uuid': UUID}, 'required': ['uuid'],
                          'additionalProperties': False},
    'resources': _RESOURCES})}


def _allocations(minimum):
    return {'type': 'object', 'minProperties': minimum, 'additionalProperties': False,
            'patternProperties': {UUID_KEY: _object(
                {'generation': GENERATION, 'resources': _RESOURCES}, ['resources'])}}


def _consumer(version, many):
    """The schema of one consumer's allocations, in PUT or (`many`) as a part of POST."""
    properties = {'allocations': _allocations(0 if many or version >= 28 else 1) if version >= 12 else _LIST}
    required = ['allocations']
    if version >= 8:
        properties.update(project_id=ID, user_id=ID)
        required += ['project_id', 'user_id']
    if version >= 28:
        properties['consumer_generation'] = {'type': ['integer', 'null']}
        required.append('consumer_generation')
    if version >= 34:
        properties['mappings'] = {
            'type': 'object', 'minProperties': 1, 'additionalProperties': False,
            'patternProperties': {'^([a-zA-Z0-9_-]{1,64})?$': {
                'type': 'array', 'minItems': 1, 'uniqueItems': True, 'items': UUID}}}
    if version >= 38:
        properties['consumer_type'] = CONSUMER_TYPE
        required.append('consumer_type')
    return _object(properties, required)


def _consumers(version):
    return {'type': 'object', 'minProperties': 1, 'additionalProperties': False,
            'patternProperties': {UUID_KEY: _consumer(version, True)}}


_STEPS = (38, 34, 28, 12, 8, 0)
_ONE = {step: rest.schema(_consumer(step, False)) for step in _STEPS}
_MANY = {step: rest.schema(_consumers(step)) for step in _STEPS if step >= 12}
_RESHAPE = {step: rest.schema(_object({
    'inventories': {'type': 'object', 'additionalProperties': False,
                    'patternProperties': {UUID_KEY: _PROVIDER_INVENTORIES}},
    'allocations': {**_consumers(step), 'minProperties': 0}})) for step in _STEPS if step >= 28}


def _at(table, version):
    return next(table[step] for step in _STEPS if step <= version and step in table)


def allocations(version):
    """What PUT /allocations/{consumer} takes at a microversion."""
    return _at(_ONE, version)


def many_allocations(version):
    """What POST /allocations takes at a microversion."""
    return _at(_MANY, version)


def reshape(version):
    """What POST /reshaper takes at a microversion."""
    return _at(_RESHAPE, version)
