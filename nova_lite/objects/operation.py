# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""An operation that is under way on an instance, as it is kept until it has ended."""

import dataclasses
import datetime

from nova_lite.objects import base
from nova_lite.objects import instance as instance_obj


@base.register('1.0')
class Operation:
    """One thing that a user asked for (start, resize, …) and how far it is.

    `name` is a key of compute/operations.py. `arguments` is what the request said, `data` what steps keep for those
    after them, or for who undoes them. `step` is the last step that began (None: none did). `host` carries it out now;
    while it is None, the conductor chooses one: that of the claim `claimed_by`. While `undoing`, it undoes because of
    `fault`. An `abandoned` one has ended for the user because its host was down:
    what is left to do is undo what that host holds, quietly.
    """

    uuid: str
    instance_uuid: str
    name: str
    request_id: str
    user_id: str | None = None
    project_id: str | None = None
    arguments: dict = dataclasses.field(default_factory=dict)
    data: dict = dataclasses.field(default_factory=dict)
    step: str | None = None
    host: str | None = None
    undoing: bool = False
    abandoned: bool = False
    claimed_by: str | None = None
    fault: instance_obj.InstanceFault | None = None
    created_at: datetime.datetime | None = None
    updated_at: datetime.datetime | None = None

    @property
    def lost(self):
        """Hosts that went down while they had to do with it; each undoes its part when it comes back."""
        return self.data.get('lost') or []


@base.register('1.0')
class Progress:
    """What a StepReport says of an Operation: its host begins `step` with `data` kept, or it is `done`.

    left_to: a host that has to undo its part still. migration: {field: value} of the migration that the operation is
    about, its uuid among them; empty: nothing of it.
    """

    operation_uuid: str
    step: str | None = None
    data: dict = dataclasses.field(default_factory=dict)
    undoing: bool = False
    done: bool = False
    left_to: str | None = None
    migration: dict = dataclasses.field(default_factory=dict)
