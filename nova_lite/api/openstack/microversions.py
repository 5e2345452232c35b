# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Microversions: which one a request asks for, and values that change from one to the next.

A client names a microversion by `OpenStack-API-Version: compute 2.N` or the older `X-OpenStack-Nova-API-Version: 2.N`;
without either it gets 2.1.  In the code a version is a tuple, so `req.version >= (2, 37)` reads as it should.
"""

import bisect
import re

import microversion_parse

from nova_lite.api.openstack import faults

SERVICE = 'compute'
MIN = microversion_parse.Version(2, 1)
MAX = microversion_parse.Version(2, 104)
MAX_TEXT = str(MAX)

HEADER = 'OpenStack-API-Version'
LEGACY_HEADER = 'X-OpenStack-Nova-API-Version'
VARY = '%s, %s' % (HEADER, LEGACY_HEADER)

_FORMAT = re.compile(r'([1-9]\d*)\.([1-9]\d*|0)\Z', re.ASCII)


def negotiate(environ):
    """The Version that a WSGI request asks for.

    :raises faults.HTTPError: 400 for what is no version, 406 for one outside of MIN…MAX
    """
    headers = {}
    for name, key in ((HEADER, 'HTTP_OPENSTACK_API_VERSION'), (LEGACY_HEADER, 'HTTP_X_OPENSTACK_NOVA_API_VERSION')):
        if key in environ:
            headers[name.lower()] = environ[key]
    if not headers:
        return MIN
    text = microversion_parse.get_version(headers, SERVICE, [LEGACY_HEADER])
    if text is None:
        return MIN
    if text == 'latest':
        return MAX
    match = _FORMAT.match(text)
    if match is None:
        raise faults.HTTPError(400, 'API Version String %s is of invalid format. Must be of format MajorNum.MinorNum.'
                               % text[:32])
    version = microversion_parse.Version(int(match[1][:9]), int(match[2][:9]))
    if not MIN <= version <= MAX:
        raise faults.HTTPError(406, 'Version %s is not supported by the API. Minimum is %s and maximum is %s.'
                               % (version, MIN, MAX))
    return version


def parse(text):
    """A Version from '2.37', as tables of the code write it."""
    major, minor = text.split('.')
    return microversion_parse.Version(int(major), int(minor))


class Since:
    """A value for each range of microversions: `Since({'2.1': a, '2.10': b})` is a up to 2.9 and b from 2.10 on."""

    def __init__(self, values):
        self._starts = [parse(text) for text in values]
        self.values = list(values.values())
        if self._starts != sorted(self._starts):
            raise ValueError('microversions out of order: %s' % list(values))

    def map(self, function):
        """A Since of what `function` makes of each value; None stays None."""
        return Since({str(start): None if value is None else function(value)
                      for start, value in zip(self._starts, self.values, strict=True)})

    def at(self, version):
        """The value at `version`; None before the first range."""
        index = bisect.bisect_right(self._starts, version)
        return self.values[index - 1] if index else None


def since(value):
    """`value` as a Since: a plain value holds for all microversions."""
    return value if isinstance(value, Since) else Since({str(MIN): value})
