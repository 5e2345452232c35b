# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Request bodies and query strings against JSON schemas, compiled once when the routes are.

Legacy requests (`/v2`) are read more kindly, as Nova does: unknown properties are dropped and names may have blanks
around them; they are stripped.
"""

import copy
import operator
import urllib.parse

import jsonschema

from nova_lite.api.openstack import faults
from nova_lite.api.openstack import formats

SHOWN = 256                                     # characters of a refused value that the answer repeats
HINTS = {'name': 'A name is printable and neither starts nor ends with a blank.',
         'text': 'Control characters are not allowed.'}
SECRET = {'adminPass', 'user_data', 'contents'}     # values that no answer repeats


def _bound(keyword, beyond, words):
    """A keyword that bounds numbers and, unlike JSON schema's own, strings of digits too."""
    def check(validator, bound, instance, schema):
        number = instance
        if isinstance(instance, str):
            try:
                number = int(instance)
            except ValueError:      # told by the schema's pattern
                return
        elif not validator.is_type(instance, 'number'):
            return
        if beyond(number, bound):
            yield jsonschema.ValidationError('%r is %s the %s of %r' % (instance, words, keyword, bound))
    return check


_Validator = jsonschema.validators.extend(jsonschema.Draft202012Validator, {
    'minimum': _bound('minimum', operator.lt, 'less than'), 'maximum': _bound('maximum', operator.gt, 'greater than')})


class Body:
    """A schema for request bodies."""

    def __init__(self, schema):
        self._strict = _Validator(schema, format_checker=formats.STRICT)
        self._legacy = _Validator(_relaxed(schema), format_checker=formats.LEGACY)

    def check(self, value, legacy=False):
        """`value`, fit for its handler. :raises faults.HTTPError: 400 that names the field."""
        if legacy:
            value = _known_only(value, self._strict.schema)
        validator = self._legacy if legacy else self._strict
        try:
            error = next(validator.iter_errors(value), None)
        except RecursionError:
            raise faults.HTTPError(400, 'Malformed request body') from None
        if error is not None:
            raise faults.HTTPError(400, _text(error))
        return value


class Query:
    """A schema for query strings: `{name: schema of one value}`.

    A parameter may come more than once (most handlers take the last) unless its name is in `single`. What is not named
    is an error when `strict` and not there otherwise.
    """

    def __init__(self, parameters, single=(), strict=False):
        self.parameters = parameters
        self._strict = strict
        properties = {name: {'type': 'array', 'items': schema, **({'maxItems': 1} if name in single else {})}
                      for name, schema in parameters.items()}
        self.schema = {'type': 'object', 'properties': properties, 'additionalProperties': False}
        self._validator = _Validator(self.schema, format_checker=formats.STRICT)

    def check(self, query_string):
        """{name: [values…]} of a raw query string. :raises faults.HTTPError: 400 that names the parameter."""
        values = parse_query(query_string)
        if not self._strict:
            values = {name: value for name, value in values.items() if name in self.parameters}
        error = next(self._validator.iter_errors(values), None)
        if error is not None:
            raise faults.HTTPError(400, _text(error))
        return values


def parse_query(query_string):
    """{name: [values…]}; :raises faults.HTTPError: 400 when it is no UTF-8 or holds NULs."""
    values = {}
    if not query_string:
        return values
    try:
        pairs = urllib.parse.parse_qsl(query_string, keep_blank_values=True, errors='strict', max_num_fields=1000)
    except ValueError:
        raise faults.HTTPError(400, 'Query string is not UTF-8 encoded') from None
    for name, value in pairs:
        if '\0' in name or '\0' in value:
            raise faults.HTTPError(400, 'Query string holds a NUL character')
        values.setdefault(name, []).append(value)
    return values


def _text(error):
    """One sentence for a user, from a jsonschema error."""
    path = '.'.join(str(item) for item in error.absolute_path)
    if not path:
        return _short(error.message)
    last = error.absolute_path[-1]
    if last in SECRET:
        return 'Invalid input for field/attribute %s. The value is not of the form that the API asks for.' % path
    value = repr(error.instance)
    message = HINTS.get(error.validator == 'format' and error.validator_value, error.message)
    if len(value) > SHOWN:
        message = message.replace(value, _short(value))
    return 'Invalid input for field/attribute %s. Value: %s. %s' % (
        path, _short(value.strip("'")), _short(message, 2 * SHOWN))


def _short(text, limit=SHOWN):
    return text if len(text) <= limit else text[:limit] + '…'


def _relaxed(schema):
    """The schema with additionalProperties: false taken out at every level."""
    if isinstance(schema, list):
        return [_relaxed(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    return {key: _relaxed(value) for key, value in schema.items()
            if not (key == 'additionalProperties' and value is False)}


def _known_only(value, schema):
    """A copy of `value` without the properties that the closed objects of `schema` do not know."""
    value = copy.copy(value)
    if not isinstance(value, dict) or 'properties' not in schema:
        return value
    known = schema['properties']
    patterns = 'patternProperties' in schema
    if schema.get('additionalProperties') is False and not patterns:
        value = {key: item for key, item in value.items() if key in known}
    return {key: _known_only(item, known[key]) if isinstance(known.get(key), dict) else item
            for key, item in value.items()}
