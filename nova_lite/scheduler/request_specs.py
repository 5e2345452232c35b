# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Makes the request spec: what a new server asks of the scheduler."""

from nova_lite.objects import request_spec


def build_request_spec(ctxt, flavor, image, *, zone=None, destination=None, hints=None, group=None, is_bfv=False):
    """The RequestSpec of servers of one kind; uuids and number are filled in when they are recorded.

    destination: {'host', 'node'} that an admin asked for; hints: the user's; group: an InstanceGroup; is_bfv: the
    root disk is a volume.
    """
    return request_spec.RequestSpec(
        flavor=flavor, image=image, project_id=ctxt.project_id, user_id=ctxt.user_id, instance_uuids=[],
        availability_zone=zone, scheduler_hints=hints or {}, requested_destination=destination, instance_group=group,
        is_bfv=is_bfv)
