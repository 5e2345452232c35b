# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""What was done to an instance: actions (one per request) with their events (one per step)."""

import dataclasses
import datetime

from nova_lite.objects import base
from nova_lite.objects import operation as operation_obj


@base.register('1.0')
class InstanceActionEvent:
    """One step. `result` is Success or Error; None while it runs. `details` and `traceback` are for admins."""

    event: str
    host: str | None = None
    start_time: datetime.datetime | None = None
    finish_time: datetime.datetime | None = None
    result: str | None = None
    details: str | None = None
    traceback: str | None = None


@base.register('1.0')
class InstanceAction:
    """One operation that a user asked for. `message` is 'Error' once a step of it failed."""

    action: str
    instance_uuid: str
    request_id: str
    user_id: str | None = None
    project_id: str | None = None
    start_time: datetime.datetime | None = None
    updated_at: datetime.datetime | None = None
    finish_time: datetime.datetime | None = None
    message: str | None = None
    events: list[InstanceActionEvent] = dataclasses.field(default_factory=list)


@base.register('1.0')
class StepReport:
    """What a process tells the conductor together with an event of the transition table.

    `end` closes the open event rows of those names with `result`, then `begin` opens a row for each of its names.
    `action_done` finishes the whole action; `progress` is how far the operation is, where it is one that is kept.
    """

    host: str
    request_id: str
    begin: list[str] = dataclasses.field(default_factory=list)
    end: list[str] = dataclasses.field(default_factory=list)
    result: str = 'Success'
    details: str | None = None
    traceback: str | None = None
    action_done: bool = False
    progress: operation_obj.Progress | None = None
