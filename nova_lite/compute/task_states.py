# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""What is under way on an instance (the API's `OS-EXT-STS:task_state`); None when nothing is."""

SCHEDULING = 'scheduling'
NETWORKING = 'networking'
BLOCK_DEVICE_MAPPING = 'block_device_mapping'
SPAWNING = 'spawning'
DELETING = 'deleting'

BUILD = (SCHEDULING, None, NETWORKING, BLOCK_DEVICE_MAPPING, SPAWNING)
