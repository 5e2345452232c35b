# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""The `format` words of the API's JSON schemas, for strict requests and for legacy ones."""

import base64
import binascii
import ipaddress
import re
import unicodedata

import jsonschema
from oslo_utils import timeutils

STRICT = jsonschema.FormatChecker(formats=())
LEGACY = jsonschema.FormatChecker(formats=())

_HEX_UUID = re.compile(r'[0-9a-fA-F]{8}-?([0-9a-fA-F]{4}-?){3}[0-9a-fA-F]{12}\Z')


def _format(name, raises=ValueError):
    def register(function):
        STRICT.checks(name, raises)(function)
        LEGACY.checks(name, raises)(function)
        return function
    return register


@_format('uuid')
def _is_uuid(value):
    return not isinstance(value, str) or _HEX_UUID.match(value) is not None


@_format('base64', (ValueError, binascii.Error))
def _is_base64(value):
    if isinstance(value, str):
        base64.b64decode(re.sub(r'\s', '', value), validate=True)
    return True


@_format('date-time')
def _is_date(value):
    if isinstance(value, str):
        timeutils.parse_isotime(value)
    return True


@_format('ipv4')
def _is_ipv4(value):
    if isinstance(value, str):
        ipaddress.IPv4Address(value)
    return True


@_format('ipv6')
def _is_ipv6(value):
    if isinstance(value, str):
        ipaddress.IPv6Address(value)
    return True


@_format('ip')
def _is_ip(value):
    if isinstance(value, str):
        ipaddress.ip_address(value)
    return True


@_format('cidr')
def _is_cidr(value):
    if isinstance(value, str):
        ipaddress.ip_network(value, strict=False)
    return True


@_format('regex', re.error)
def _is_regex(value):
    if isinstance(value, str):
        re.compile(value)
    return True


def printable(text):
    """Whether a name shows as what it is: no control, format, surrogate or unassigned characters."""
    return all(char == ' ' or unicodedata.category(char)[0] not in 'CZ' for char in text)


@STRICT.checks('name')
def _is_name(value):
    """A name as users give to things: printable, not blank, no blanks at its ends."""
    return not isinstance(value, str) or (bool(value) and value == value.strip() and printable(value))


@LEGACY.checks('name')
def _is_legacy_name(value):
    return not isinstance(value, str) or (bool(value.strip()) and printable(value.strip()))


@_format('text')
def _is_text(value):
    """Free text: line ends and tabs are fine, other control characters are not."""
    return not isinstance(value, str) or not re.search(r'[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]', value)


def to_datetime(text):
    """A naive datetime in UTC from a checked `date-time`."""
    return timeutils.normalize_time(timeutils.parse_isotime(text)) if text else None


def iso(when, zone='Z'):
    """`2026-01-31T12:00:00Z`, or None: the form of most times in the API."""
    return when and when.replace(microsecond=0).isoformat() + zone


def iso_micro(when):
    """`2026-01-31T12:00:00.000000`, or None: the form of services, keypairs and actions."""
    return when and when.strftime('%Y-%m-%dT%H:%M:%S.%f')

