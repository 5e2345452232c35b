# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""What was done to an instance: an action for each request, an event for each step of it."""

import sqlalchemy as sa

from nova_lite import exception
from nova_lite.db import models
from nova_lite.db import paging
from nova_lite.db import rows
from nova_lite.objects import action as action_obj

ACTIONS = models.instance_actions
EVENTS = models.instance_action_events

SUCCESS, ERROR = 'Success', 'Error'


# ---- read ----------------------------------------------------------------------------------------------------

def list_(db, instance_uuid, limit=None, marker=None, changes_since=None, changes_before=None):
    """[InstanceAction…] of an instance without their events, the newest first; `marker` is a request id.

    :raises MarkerNotFound:
    """
    keys = [(ACTIONS.c.start_time, 'desc'), (ACTIONS.c.id, 'desc')]
    query = _select(instance_uuid)
    if changes_since is not None:
        query = query.where(_updated_at() >= changes_since)
    if changes_before is not None:
        query = query.where(_updated_at() <= changes_before)

    def read(connection):
        after = None
        if marker is not None:
            after = paging.key_values(connection, keys, sa.and_(
                ACTIONS.c.instance_uuid == instance_uuid, ACTIONS.c.request_id == marker))
            if after is None:
                raise exception.MarkerNotFound(marker=marker)
        return connection.execute(paging.page(query, keys, limit, after)).all()
    return [_action(row) for row in db.read(read)]


def get(db, instance_uuid, request_id):
    """An InstanceAction with its events, the earliest first. :raises ActionNotFound:"""
    def read(connection):
        row = connection.execute(_select(instance_uuid).where(ACTIONS.c.request_id == request_id)
                                 .order_by(ACTIONS.c.id).limit(1)).first()
        if row is None:
            raise exception.ActionNotFound(request_id=request_id, instance_uuid=instance_uuid)
        events = connection.execute(sa.select(*rows.columns(action_obj.InstanceActionEvent, EVENTS)).where(
            EVENTS.c.instance_uuid == instance_uuid, EVENTS.c.request_id == request_id
        ).order_by(EVENTS.c.start_time, EVENTS.c.id))
        action = _action(row)
        action.events = [rows.to_object(action_obj.InstanceActionEvent, EVENTS, event) for event in events]
        return action
    return db.read(read)


def latest_unfinished(db, instance_uuid):
    """The InstanceAction (without events) that is under way on an instance, or None."""
    query = _select(instance_uuid).where(ACTIONS.c.finish_time.is_(None)).order_by(ACTIONS.c.id.desc()).limit(1)
    row = db.read(lambda connection: connection.execute(query).first())
    return row and _action(row)


def open_events(db, instance_uuid):
    """Names of the events of an instance that have not ended, the earliest first."""
    query = sa.select(EVENTS.c.event).where(EVENTS.c.instance_uuid == instance_uuid, EVENTS.c.finish_time.is_(None))
    return db.read(lambda connection: connection.scalars(query.order_by(EVENTS.c.id)).all())


def _updated_at():
    """When an action or one of its events last began or ended."""
    last = (sa.select(sa.func.max(sa.func.coalesce(EVENTS.c.finish_time, EVENTS.c.start_time)))
            .where(EVENTS.c.instance_uuid == ACTIONS.c.instance_uuid, EVENTS.c.request_id == ACTIONS.c.request_id)
            .correlate(ACTIONS).scalar_subquery())
    own = sa.func.coalesce(ACTIONS.c.finish_time, ACTIONS.c.start_time)
    return sa.case((last > own, last), else_=own)


def _select(instance_uuid):
    return sa.select(*rows.columns(action_obj.InstanceAction, ACTIONS), _updated_at().label('updated_at')).where(
        ACTIONS.c.instance_uuid == instance_uuid)


def _action(row):
    action = rows.to_object(action_obj.InstanceAction, ACTIONS, row)
    action.updated_at = row.updated_at
    return action


# ---- write: parts of other modules' transactions -------------------------------------------------------------

def begin(connection, now, new_actions, done=False):
    """Record actions that begin now; `done`: and end at once."""
    connection.execute(sa.insert(ACTIONS).values(start_time=now, finish_time=now if done else None), [
        rows.to_values(action, ACTIONS, leave_out=('id', 'start_time', 'finish_time')) for action in new_actions])


def record(connection, now, instance_uuid, step):
    """Close and open the events that a StepReport names; mark the action when a step failed or the action is done."""
    of_request = (EVENTS.c.instance_uuid == instance_uuid, EVENTS.c.request_id == step.request_id)
    if step.end:
        connection.execute(
            sa.update(EVENTS).where(*of_request, EVENTS.c.event.in_(step.end), EVENTS.c.finish_time.is_(None)).values(
                finish_time=now, result=step.result, details=step.details, traceback=step.traceback))
    begin_events(connection, now, [(instance_uuid, step)])
    changes = {'finish_time': now} if step.action_done else {}
    if step.result == ERROR:
        changes['message'] = ERROR
    if changes:
        connection.execute(sa.update(ACTIONS).where(
            ACTIONS.c.instance_uuid == instance_uuid, ACTIONS.c.request_id == step.request_id).values(**changes))


def begin_events(connection, now, steps):
    """Open the events that begin in a list of (instance uuid, StepReport)."""
    events = [{'instance_uuid': uuid, 'request_id': step.request_id, 'event': name, 'host': step.host}
              for uuid, step in steps for name in step.begin]
    if events:
        connection.execute(sa.insert(EVENTS).values(start_time=now), events)


def close(connection, now, instance_uuid, event, step):
    """The end of a build or of an instance: nothing of it stays open.

    What a delete cut short has failed; what ends with the build ends as that does.
    """
    if event == 'deleted':
        request_id = step.request_id if step is not None else None
        result = sa.case((EVENTS.c.request_id == request_id, SUCCESS), else_=ERROR)
        message = sa.case((ACTIONS.c.action == 'delete', ACTIONS.c.message), else_=ERROR)
    else:
        failed = event != 'build_finished'
        result, message = (ERROR, ERROR) if failed else (SUCCESS, ACTIONS.c.message)
    connection.execute(sa.update(EVENTS).where(EVENTS.c.instance_uuid == instance_uuid, EVENTS.c.finish_time.is_(None))
                       .values(finish_time=now, result=result))
    connection.execute(sa.update(ACTIONS).where(ACTIONS.c.instance_uuid == instance_uuid,
                                                ACTIONS.c.finish_time.is_(None))
                       .values(message=message, finish_time=now))
