# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""What the network service tells of servers."""

from nova_lite.api.openstack.compute.schemas import types

_EVENT = types.closed(
    ['name', 'server_uuid'], server_uuid=types.UUID,
    name={'enum': ['network-changed', 'network-vif-plugged', 'network-vif-unplugged', 'network-vif-deleted']},
    status={'enum': ['failed', 'completed', 'in-progress']}, tag={'type': 'string', 'maxLength': 255})
CREATE = types.only('events', {'type': 'array', 'minItems': 1, 'maxItems': 1000, 'items': _EVENT})
