# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Requests about what projects have used."""

from nova_lite.api.openstack import microversions
from nova_lite.api.openstack import validation
from nova_lite.api.openstack.compute.schemas import types

_SPAN = {'start': types.STRING, 'end': types.STRING}
_ALL = _SPAN | {'detailed': types.STRING}

LIST_QUERY = microversions.Since({
    '2.1': validation.Query(_ALL), '2.40': validation.Query(_ALL | types.PAGE),
    '2.75': validation.Query(_ALL | types.PAGE, strict=True)})
SHOW_QUERY = microversions.Since({
    '2.1': validation.Query(_SPAN), '2.40': validation.Query(_SPAN | types.PAGE),
    '2.75': validation.Query(_SPAN | types.PAGE, strict=True)})
