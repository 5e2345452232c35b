# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Which class chooses the hosts of which operation: those that compute/operations.py has as `placed`."""

from nova_lite.conductor.tasks import resizing
from nova_lite.conductor.tasks import shelving

STAGES = {
    'unshelve_offloaded': shelving.Unshelve,
    'resize': resizing.Resize,
    'migrate': resizing.Resize,
    'live_migrate': resizing.LiveMigrate,
    'evacuate': resizing.Evacuate,
}


def stage(name):
    """The Stage class of an operation's name."""
    return STAGES[name]
