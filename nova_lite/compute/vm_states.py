# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Stable states of an instance: what it is when nothing is under way (the API's `OS-EXT-STS:vm_state`)."""

BUILDING = 'building'
ACTIVE = 'active'
PAUSED = 'paused'
SUSPENDED = 'suspended'
STOPPED = 'stopped'
RESCUED = 'rescued'
RESIZED = 'resized'
SOFT_DELETED = 'soft-delete'
DELETED = 'deleted'
SHELVED = 'shelved'
SHELVED_OFFLOADED = 'shelved_offloaded'
ERROR = 'error'

ALL = frozenset(value for name, value in list(globals().items()) if name.isupper())
