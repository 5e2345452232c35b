# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""A move of an instance to another host, or to another flavor, with where it came from and how far it is."""

import dataclasses
import datetime

from nova_lite.objects import base
from nova_lite.objects import flavor as flavor_obj
from nova_lite.objects import instance as instance_obj

RESIZE, MIGRATION, LIVE_MIGRATION, EVACUATION = 'resize', 'migration', 'live-migration', 'evacuation'

# The values of `status`: before the instance is at its destination, after it, and when nothing is left to be done.
PREPARING, MIGRATING, POST_MIGRATING = 'pre-migrating', 'migrating', 'post-migrating'
ACCEPTED, PREPARING_LIVE, RUNNING, QUEUED = 'accepted', 'preparing', 'running', 'queued'
FINISHED, CONFIRMING, REVERTING = 'finished', 'confirming', 'reverting'
COMPLETED, CONFIRMED, REVERTED, ERROR, CANCELLED, DONE, FAILED = (
    'completed', 'confirmed', 'reverted', 'error', 'cancelled', 'done', 'failed')
MOVED = (FINISHED, CONFIRMING, REVERTING)
ENDED = (COMPLETED, CONFIRMED, REVERTED, ERROR, CANCELLED, DONE, FAILED)


@base.register('1.0')
class Migration:
    """source_*, dest_*: host and node names, dest_host an address; old_vm_state: what a revert returns to.

    progress: {'memory_total', 'memory_processed', 'memory_remaining', 'disk_total', …} in bytes, of a live migration.
    """

    uuid: str
    instance_uuid: str
    migration_type: str
    status: str
    old_flavor: flavor_obj.Flavor
    new_flavor: flavor_obj.Flavor
    source_compute: str | None = None
    source_node: str | None = None
    dest_compute: str | None = None
    dest_node: str | None = None
    dest_host: str | None = None
    old_vm_state: str | None = None
    user_id: str | None = None
    project_id: str | None = None
    progress: dict = dataclasses.field(default_factory=dict)
    id: int | None = None
    created_at: datetime.datetime | None = None
    updated_at: datetime.datetime | None = None

    @property
    def moved(self):
        """Whether the instance is at the destination, and could still go back."""
        return self.status in MOVED

    @property
    def ended(self):
        return self.status in ENDED


@base.register('1.0')
class Place:
    """Room on a host for an instance that is, as recorded, elsewhere or has another flavor: kept by a migration.

    instance: as it would be there, so with the host's own node and the flavor that counts.
    """

    migration_uuid: str
    instance: instance_obj.Instance
