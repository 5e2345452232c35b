# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""What a host has to keep room for beside the instances that are recorded there: the other end of a move."""

import dataclasses

from nova_lite import exception
from nova_lite.db import instances
from nova_lite.db import moves
from nova_lite.objects import migration as migration_obj


def kept(db, host):
    """[Place…] that migrations keep on a host beside the instances that are recorded there."""
    places = []
    for migration in moves.of_host(db, host):
        kept = migration.source_compute if migration.moved else migration.dest_compute
        if kept != host:
            continue
        try:
            instance = instances.get(db, migration.instance_uuid)
        except exception.InstanceNotFound:
            continue
        node, flavor = ((migration.source_node, migration.old_flavor) if migration.moved
                        else (migration.dest_node, migration.new_flavor))
        places.append(migration_obj.Place(migration_uuid=migration.uuid, instance=dataclasses.replace(
            instance, host=host, node=node, flavor=flavor)))
    return places
