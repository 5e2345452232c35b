# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Requests about the actions of a server."""

from nova_lite.api.openstack import microversions
from nova_lite.api.openstack import validation
from nova_lite.api.openstack.compute.schemas import types

_PAGE = types.PAGE | {'changes-since': types.DATE}
_BOTH = _PAGE | {'changes-before': types.DATE}

LIST_QUERY = microversions.Since({
    '2.1': validation.Query({}), '2.58': validation.Query(_PAGE, single=tuple(_PAGE), strict=True),
    '2.66': validation.Query(_BOTH, single=tuple(_BOTH), strict=True)})
