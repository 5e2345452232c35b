# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Which class chooses the hosts of which operation: those that compute/operations.py has as `placed`."""

STAGES = {
}


def stage(name):
    """The Stage class of an operation's name."""
    return STAGES[name]
