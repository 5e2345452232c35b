# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""What a resource's attributes are, and how values that a caller sends are checked and brought to one form.

A converter takes a decoded JSON value and returns what is kept; it raises ValueError with the reason.
"""

import dataclasses
import ipaddress
import re
import uuid
from collections import abc

from nova_lite.standins.neutron import faults

REQUIRED = object()  # default of an attribute that a create request must have
UNSET = object()  # value of an attribute that was not given and has no fixed default

MAX_TAGS = 50
_TRUE, _FALSE = ('true', '1', 'yes', 'on'), ('false', '0', 'no', 'off')
_MAC = re.compile(r'[0-9a-fA-F]{2}(:[0-9a-fA-F]{2}){5}')
_LABEL = re.compile(r'[a-zA-Z0-9]([a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?')


@dataclasses.dataclass(frozen=True, slots=True)
class Attribute:
    """One attribute. `privileged`: only an administrator or a service may set it; `hidden`: or see it."""

    convert: abc.Callable | None = None  # None: nobody may set it
    default: object = UNSET
    post: bool = True
    put: bool = True
    privileged: bool = False
    hidden: bool = False


def read_only(hidden=False):
    return Attribute(post=False, put=False, hidden=hidden)


def standard():
    """The attributes that every resource has."""
    return {
        'id': read_only(), 'tenant_id': Attribute(text(255), put=False),
        'project_id': Attribute(text(255), put=False), 'description': Attribute(text(255), ''),
        'created_at': read_only(), 'updated_at': read_only(), 'revision_number': read_only(),
    }


def parse(attributes, document, update=False):
    """The checked values of one resource in a create or update request; attributes not given are left out.

    A create request gets the defaults too. Raises a 400 fault.
    """
    if not isinstance(document, dict):
        raise faults.bad('Resource body required')
    unknown = sorted(set(document) - set(attributes))
    if unknown:
        raise faults.bad("Unrecognized attribute(s) '%s'" % ', '.join(unknown)[:255])
    values = {}
    for name, value in document.items():
        attribute = attributes[name]
        if attribute.convert is None or not (attribute.put if update else attribute.post):
            raise faults.bad('Cannot update read-only attribute %s' % name if update
                             else "Attribute '%s' not allowed in POST" % name)
        try:
            values[name] = attribute.convert(value)
        except ValueError as error:
            raise faults.bad('Invalid input for %s. Reason: %s' % (name, error)) from None
    if not update:
        for name, attribute in attributes.items():
            if name not in values and attribute.default is REQUIRED:
                raise faults.bad("Failed to parse request. Required attribute '%s' not specified" % name)
            if attribute.default is not UNSET:
                values.setdefault(name, attribute.default)
    return values


def _shown(value):
    return repr(value)[:255]


def text(limit):
    """A string of up to `limit` characters."""
    def convert(value):
        if not isinstance(value, str):
            raise ValueError('%s is not a valid string.' % _shown(value))
        if len(value) > limit:
            raise ValueError('%s exceeds maximum length of %d.' % (_shown(value), limit))
        if '\0' in value:
            raise ValueError('the null character is not allowed.')
        return value
    return convert


def boolean(value):
    lowered = value.lower() if isinstance(value, str) else str(int(value)) if value in (True, False) else ''
    if lowered in _TRUE:
        return True
    if lowered in _FALSE:
        return False
    raise ValueError('%s cannot be converted to boolean.' % _shown(value))


def integer(least, most):
    """A whole number, also as a string."""
    def convert(value):
        if isinstance(value, bool) or not re.fullmatch(r'-?[0-9]{1,10}', str(value)):
            raise ValueError('%s is not an integer.' % _shown(value))
        if not least <= int(value) <= most:
            raise ValueError('%s is not between %d and %d.' % (_shown(value), least, most))
        return int(value)
    return convert


def identifier(value):
    """A UUID, in the form with dashes."""
    try:
        return str(uuid.UUID(value)) if isinstance(value, str) and len(value) in (32, 36) else _not_id(value)
    except ValueError:
        return _not_id(value)


def _not_id(value):
    raise ValueError('%s is not a valid UUID.' % _shown(value))


def optional(convert):
    """None, or what `convert` takes."""
    return lambda value: None if value is None else convert(value)


def one_of(*choices):
    def convert(value):
        if value not in choices or isinstance(value, bool):
            raise ValueError('%s is not in %s.' % (_shown(value), list(choices)))
        return value
    return convert


def list_of(convert, limit=200, repeated=lambda entry: False):
    """A list without duplicates, but for entries that may be `repeated`; None counts as an empty one."""
    def convert_all(value):
        if value is None:
            return []
        if not isinstance(value, list):
            raise ValueError('%s is not a list.' % _shown(value))
        if len(value) > limit:
            raise ValueError('the list has more than %d entries.' % limit)
        converted = []
        for entry in value:
            entry = convert(entry)
            if entry in converted and not repeated(entry):
                raise ValueError('Duplicate items in the list: %s.' % _shown(entry))
            converted.append(entry)
        return converted
    return convert_all


def record(required, optional_fields=None):
    """A JSON object with exactly the fields of {name: converter}; `optional_fields` may be missing."""
    fields = {**required, **(optional_fields or {})}

    def convert(value):
        if not isinstance(value, dict):
            raise ValueError('%s is not a dictionary.' % _shown(value))
        for name in value:
            if name not in fields:
                raise ValueError('%s is not one of %s.' % (_shown(name), sorted(fields)))
        for name in required:
            if name not in value:
                raise ValueError("the key '%s' is missing." % name)
        return {name: fields[name](entry) for name, entry in value.items()}
    return convert


tag_list = list_of(text(255), MAX_TAGS)


def mapping(value):
    """Any JSON object; None counts as an empty one."""
    if value is None:
        return {}
    if not isinstance(value, dict) or len(str(value)) > 4095:
        raise ValueError('%s is not a dictionary of less than 4095 characters.' % _shown(value))
    return value


def address(value):
    """An IPv4 or IPv6 address in its shortest form."""
    try:
        if not isinstance(value, str) or '%' in value:
            raise ValueError
        return str(ipaddress.ip_address(value))
    except ValueError:
        raise ValueError('%s is not a valid IP address.' % _shown(value)) from None


def cidr(value):
    """A network in the form 10.0.0.0/24; its host bits are cleared."""
    try:
        if not isinstance(value, str) or '/' not in value or '%' in value:
            raise ValueError
        return str(ipaddress.ip_interface(value).network)
    except ValueError:
        raise ValueError("%s is not a valid IP subnet." % _shown(value)) from None


def address_or_cidr(value):
    """An address or a network; host bits of a network are cleared."""
    if isinstance(value, str) and '/' in value:
        try:
            return str(ipaddress.ip_network(value, strict=False))
        except ValueError:
            raise ValueError('%s is not a valid IP subnet.' % _shown(value)) from None
    return address(value)


def interface(value):
    """An address with the length of its network, all of it where none is given; host bits stay."""
    try:
        if not isinstance(value, str) or '%' in value:
            raise ValueError
        return str(ipaddress.ip_interface(value))
    except ValueError:
        raise ValueError('%s is not a valid IP subnet.' % _shown(value)) from None


def mac(value):
    """A unicast Ethernet address, lower case."""
    if not isinstance(value, str) or not _MAC.fullmatch(value):
        raise ValueError('%s is not a valid MAC address.' % _shown(value))
    if int(value[:2], 16) & 1 or value.replace(':', '').strip('0') == '':
        raise ValueError('%s is not a unicast MAC address.' % _shown(value))
    return value.lower()


def host_name(value):
    """A DNS name of up to 253 characters, relative or full, or nothing."""
    if value in (None, ''):
        return ''
    if not isinstance(value, str) or len(value) > 253 or not all(
            _LABEL.fullmatch(label) for label in value.removesuffix('.').split('.')):
        raise ValueError('%s is not a valid DNS name.' % _shown(value))
    return value.lower()
