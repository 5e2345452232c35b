# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""What the hypervisor says of a guest, as the API's numbers (`OS-EXT-STS:power_state`)."""

NOSTATE = 0x00
RUNNING = 0x01
PAUSED = 0x03
SHUTDOWN = 0x04
CRASHED = 0x06
SUSPENDED = 0x07

NAMES = {NOSTATE: 'pending', RUNNING: 'running', PAUSED: 'paused', SHUTDOWN: 'shutdown', CRASHED: 'crashed',
         SUSPENDED: 'suspended'}
