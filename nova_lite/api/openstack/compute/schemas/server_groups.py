# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Requests about server groups."""

from nova_lite.api.openstack import microversions
from nova_lite.api.openstack.compute.schemas import types

HARD = ['affinity', 'anti-affinity']
POLICIES = HARD + ['soft-affinity', 'soft-anti-affinity']


def _old(policies):
    return types.only('server_group', types.closed(['name', 'policies'], name=types.NAME, policies={
        'type': 'array', 'items': {'enum': policies}, 'minItems': 1, 'maxItems': 1}))


CREATE = microversions.Since({
    '2.1': _old(HARD), '2.15': _old(POLICIES),
    '2.64': types.only('server_group', types.closed(
        ['name', 'policy'], name=types.NAME, policy={'enum': POLICIES},
        rules=types.closed(max_server_per_host=types.integer(1))))})

LIST_QUERY = types.query({'all_projects': types.STRING, 'limit': types.LIMIT, 'offset': types.LIMIT}, '2.75')
