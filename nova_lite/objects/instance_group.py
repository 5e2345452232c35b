# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""A server group: a policy for where its members may run in relation to each other."""

import dataclasses

from nova_lite.objects import base


@base.register('1.0')
class InstanceGroup:
    """policy: affinity, anti-affinity, soft-affinity or soft-anti-affinity; rules: {'max_server_per_host': n}.

    `members` are instance uuids; `hosts` the hosts of those members that have one (filled in for the scheduler).
    """

    uuid: str
    name: str
    project_id: str
    user_id: str
    policy: str
    rules: dict = dataclasses.field(default_factory=dict)
    members: list[str] = dataclasses.field(default_factory=list)
    hosts: list[str] = dataclasses.field(default_factory=list)
    id: int | None = None
