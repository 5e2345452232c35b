# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""What is common to all choices of hosts for operations on built servers: asking the scheduler, and giving back."""

import dataclasses

from nova_lite.db import instance_groups
from nova_lite.objects import request_spec


class Stage:
    """The beginning of one operation at the conductor. It may be done again, by another conductor too, from the start.

    event: name of its event among the server's actions; undone: the event of compute/transitions.py when no host was
    found. What the hosts have to know is put into `operation.data` (plain JSON or objects).
    """

    event = None
    undone = 'operation_undone'

    def __init__(self, tools, ctxt, instance, operation):
        self.tools = tools
        self.ctxt = ctxt
        self.instance = instance
        self.operation = operation

    def place(self):
        """Choose and claim. :returns: the host that the operation begins at. :raises NoValidHost:"""
        raise NotImplementedError

    def undo(self):
        """Give back whatever was claimed; nothing may have been. :raises ServiceUnreachable: it is called again then"""
        self.clear()

    def clear(self):
        """Give back what was claimed for an instance that is being deleted, or has no host; nothing may have been."""
        self.tools.placement.delete_allocation_for_instance(self.ctxt, self.instance.uuid)

    def failed_migration(self):
        """What to save of the operation's migration when it cannot begin, as Progress.migration."""
        return {}

    def select(self, *, flavor=None, host=None, ignore_hosts=(), **changes):
        """Ask the scheduler, which claims the host that it chooses for the instance. :returns: its Selection

        flavor: another one than the instance's; host: the only one wanted; changes: further fields of the RequestSpec.
        :raises NoValidHost:
        """
        instance = self.instance
        known = instance.system_metadata
        spec = request_spec.RequestSpec(
            flavor=flavor or instance.flavor, image=instance.image_meta, project_id=instance.project_id,
            user_id=instance.user_id, instance_uuids=[instance.uuid],
            availability_zone=known.get('pinned_availability_zone'), ignore_hosts=list(ignore_hosts),
            requested_destination={'host': host, 'node': None} if host else None,
            scheduler_hints=known.get('scheduler_hints') or {},
            instance_group=instance_groups.get_by_instance(self.tools.db, instance.uuid),
            is_bfv=not instance.image_ref)
        return self.tools.scheduler.select_destinations(self.ctxt, dataclasses.replace(spec, **changes))[0][0]

    def keep(self, selection):
        """Put what the chosen host has to know into the operation's data: dest_host, dest_node, limits, allocation."""
        self.operation.data.update(
            dest_host=selection.service_host, dest_node=selection.nodename, limits=selection.limits,
            allocation=selection.allocation_request)
