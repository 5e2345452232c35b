# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Requests about quotas and limits: which resources each microversion knows."""

from nova_lite.api.openstack import microversions
from nova_lite.api.openstack.compute.schemas import types

LASTING = ('cores', 'instances', 'key_pairs', 'metadata_items', 'ram', 'server_group_members', 'server_groups')
FILES = ('injected_file_content_bytes', 'injected_file_path_bytes', 'injected_files')
NETWORKS = ('fixed_ips', 'floating_ips', 'security_group_rules', 'security_groups')     # Nova no longer counts these

RESOURCES = microversions.Since({'2.1': LASTING + FILES + NETWORKS, '2.36': LASTING + FILES, '2.57': LASTING})
CLASS_RESOURCES = microversions.Since({
    '2.1': tuple(name for name in LASTING if not name.startswith('server_group')) + FILES + NETWORKS,
    '2.50': LASTING + FILES, '2.57': LASTING})
CLASS_INPUT = microversions.Since({'2.1': LASTING + FILES + NETWORKS, '2.50': LASTING + FILES, '2.57': LASTING})


def _limits(names, **more):
    return types.closed(**{name: types.signed() for name in names}, **more)


UPDATE = RESOURCES.map(lambda names: types.only('quota_set', _limits(names, force=types.BOOLEAN)))
UPDATE_CLASS = CLASS_INPUT.map(lambda names: types.only('quota_class_set', _limits(names)))

USER_QUERY = types.query({'user_id': types.STRING}, '2.75')
LIMITS_QUERY = types.query({'tenant_id': types.STRING}, '2.75')
