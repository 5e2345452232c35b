# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Instances: made, found, listed, counted and moved from state to state.

State changes only by :func:`transition` and its sisters: one UPDATE that compares and swaps by the table of
`compute/transitions.py`, together with the action's events in one transaction.
"""

import dataclasses
import datetime

import sqlalchemy as sa
from sqlalchemy import exc

from nova_lite import exception
from nova_lite.compute import task_states
from nova_lite.compute import transitions
from nova_lite.compute import vm_states
from nova_lite.db import actions
from nova_lite.db import block_devices
from nova_lite.db import console_auth_tokens
from nova_lite.db import instance_filters
from nova_lite.db import models
from nova_lite.db import operations
from nova_lite.db import paging
from nova_lite.db import rows
from nova_lite.objects import action as action_obj
from nova_lite.objects import instance as instance_obj
from nova_lite.objects import operation as operation_obj
from nova_lite.objects import request_spec

TABLE = models.instances
_BY_FLAVOR = {'flavorid': 'flavorid', 'vcpus': 'vcpus', 'memory_mb': 'memory_mb'}       # column → field of the flavor
_NOT_UPDATABLE = frozenset((
    'id', 'uuid', 'vm_state', 'task_state', 'deleted', 'deleted_at', 'created_at', 'updated_at', 'fault'))
_SORT_KEYS = {'instance_type_id': 'flavorid', 'locked_by': 'locked'}    # names of the API for columns of ours

_SELECT = sa.select(*rows.columns(instance_obj.Instance, TABLE))    # made once: that takes as long as to run it

# What an event changes beside the state: it ends the build on the host that had it, or all of it.
_OFF_THE_HOST = {'host': None, 'node': None, 'network_info': [], 'scheduled_host': None, 'host_since': None}
_BUILD_ENDED = {'scheduled_by': None, 'scheduled_host': None, 'host_since': None}
_RESETS = frozenset(('reset_to_active', 'reset_to_error'))
_ENDS_BUILD = _RESETS | {'build_finished', 'build_failed', 'deleted'}
# Steps of a build count only from the host that has it: one that was taken for dead may come back.
_ONLY_FROM_ITS_HOST = frozenset(('networking', 'block_device_mapping', 'spawning', 'build_finished'))


@dataclasses.dataclass
class _Change:
    """One state change: what it saves, who has to have the build for it, and what it says of the action's events."""

    event: str
    values: dict = dataclasses.field(default_factory=dict)
    step: action_obj.StepReport | None = None
    fault: instance_obj.InstanceFault | None = None
    token: str | None = None
    held_by: str | None = None                      # host that must have the build, or have been chosen for it
    action: action_obj.InstanceAction | None = None     # begins with this change
    order: request_spec.BuildRequest | None = None      # the order as it goes on
    claim: str | None = None                            # whose it is then
    kept_ports: list | None = None                      # ids of the user's ports, for a release that is pending
    operation: operation_obj.Operation | None = None    # begins with this change
    abandons: operation_obj.Operation | None = None     # ends for the user with it, and is left to its host


# ---- make ----------------------------------------------------------------------------------------------------

def create(db, build_requests, ctxt):
    """Record the instances of a list of BuildRequest with their devices, their action `create` and the orders.

    :returns: the BuildRequests; id and times of their instances are filled in
    """
    uuids = [request.instance.uuid for request in build_requests]

    def insert(connection):
        _insert(connection, db.now, build_requests, ctxt)
        return _identities(connection, uuids)
    try:
        known = db.write(insert)
    except exc.IntegrityError:      # the answer to an earlier try of this transaction was lost, but it went through
        known = db.read(lambda connection: _identities(connection, uuids))
        if len(known) != len(uuids):
            raise
    for request in build_requests:
        instance, row = request.instance, known[request.instance.uuid]
        instance.id, instance.created_at, instance.updated_at = row.id, row.created_at, row.updated_at
    return build_requests


def _insert(connection, now, build_requests, ctxt):
    instances = [request.instance for request in build_requests]
    connection.execute(sa.insert(TABLE).values(created_at=now, updated_at=now), [_row(item) for item in instances])
    devices = [row for request in build_requests
               for row in block_devices.to_rows(request.instance.uuid, request.block_device_mapping)]
    if devices:
        connection.execute(sa.insert(models.block_devices), devices)
    actions.begin(connection, now, [
        action_obj.InstanceAction(action='create', instance_uuid=item.uuid, request_id=ctxt.request_id,
                                  user_id=ctxt.user_id, project_id=ctxt.project_id) for item in instances])
    # An order is kept without its instance, which whoever reads it gets as it is then.
    connection.execute(sa.insert(models.build_requests).values(created_at=now), [
        {'instance_uuid': request.instance.uuid, 'build_request': dataclasses.replace(request, instance=None)}
        for request in build_requests])
    groups = [{'group_uuid': request.request_spec.instance_group.uuid, 'instance_uuid': request.instance.uuid}
              for request in build_requests if request.request_spec.instance_group is not None]
    if groups:
        connection.execute(sa.insert(models.instance_group_members), groups)


def _row(instance):
    values = rows.to_values(instance, TABLE, leave_out=('id', 'created_at', 'updated_at'))
    values.update((column, getattr(instance.flavor, field)) for column, field in _BY_FLAVOR.items())
    return values


def _identities(connection, uuids):
    found = connection.execute(sa.select(TABLE.c.uuid, TABLE.c.id, TABLE.c.created_at, TABLE.c.updated_at)
                               .where(TABLE.c.uuid.in_(uuids)))
    return {row.uuid: row for row in found}


def discard(db, uuids):
    """Take instances back that were recorded a moment ago and that nobody has been told of."""
    def delete(connection):
        gone = sa.and_(TABLE.c.uuid.in_(uuids), TABLE.c.scheduled_by.is_(None))
        free = connection.scalars(sa.select(TABLE.c.uuid).where(gone)).all()
        for table in (models.build_requests, models.block_devices, models.instance_actions,
                      models.instance_action_events, models.instance_group_members):
            connection.execute(sa.delete(table).where(table.c.instance_uuid.in_(free)))
        connection.execute(sa.delete(TABLE).where(TABLE.c.uuid.in_(free)))
    db.write(delete)


# ---- find ----------------------------------------------------------------------------------------------------

def get(db, uuid, project_id=None, read_deleted=False):
    """The Instance, with its fault. :raises InstanceNotFound: also when another project's, or deleted"""
    query = _SELECT.where(TABLE.c.uuid == uuid)
    if project_id is not None:
        query = query.where(TABLE.c.project_id == project_id)
    if not read_deleted:
        query = query.where(TABLE.c.deleted == sa.false())
    row = db.read(lambda connection: connection.execute(query).first())
    if row is None:
        raise exception.InstanceNotFound(instance_id=uuid)
    return to_instance(row)


def list_(db, filters, sort=(), limit=None, marker=None, project_id=None):
    """[Instance…] with their faults.

    filters: {name: value} as in `instance_filters`; deleted instances are left out unless `deleted` or a span of time
    is asked for; sort: [(column, 'asc' or 'desc')…], by default the newest first.
    :raises MarkerNotFound; Invalid: a filter or key that makes no sense
    """
    keys = [(_column(key), direction) for key, direction in (sort or [('created_at', 'desc')])]
    keys.append((TABLE.c.id, keys[-1][1]))
    conditions = instance_filters.conditions(filters)
    if project_id is not None:
        conditions.append(TABLE.c.project_id == project_id)
    test = instance_filters.address_test(filters)

    def read(connection):
        after = None
        if marker is not None:
            after = paging.key_values(connection, keys, TABLE.c.uuid == marker)
            if after is None:
                raise exception.MarkerNotFound(marker=marker)
        query = paging.page(_SELECT.where(*conditions), keys, None if test else limit, after)
        return connection.execute(query).all()
    found = [to_instance(row) for row in db.read(read)]
    if test:
        found = [instance for instance in found if test(instance)][:limit]
    return found


def _column(key):
    name = _SORT_KEYS.get(key, key)
    if name not in TABLE.c:
        raise exception.Invalid('Instances cannot be sorted by %s' % key)
    return TABLE.c[name]


def to_instance(row):
    """The Instance of a row of :data:`TABLE`."""
    return rows.to_object(instance_obj.Instance, TABLE, row)


def uuids_by_host(db):
    """{host: {uuid…}} of the instances that are on a host or chosen for it."""
    host = sa.func.coalesce(TABLE.c.host, TABLE.c.scheduled_host)
    query = sa.select(host, TABLE.c.uuid).where(TABLE.c.deleted == sa.false(), host.is_not(None))
    result = {}
    for host, uuid in db.read(lambda connection: connection.execute(query).all()):
        result.setdefault(host, set()).add(uuid)
    return result


def count_usage(db, project_id):
    """{'instances', 'cores', 'ram'} (ram in MiB) that the instances of a project use, without soft-deleted ones."""
    query = sa.select(sa.func.count(TABLE.c.id), sa.func.sum(TABLE.c.vcpus), sa.func.sum(TABLE.c.memory_mb)).where(
        TABLE.c.project_id == project_id, TABLE.c.deleted == sa.false(), TABLE.c.vm_state != vm_states.SOFT_DELETED)
    instances, cores, ram = db.read(lambda connection: connection.execute(query).one())
    return {'instances': instances, 'cores': int(cores or 0), 'ram': int(ram or 0)}


# ---- change --------------------------------------------------------------------------------------------------

def update(db, uuid, values, step=None):
    """Save fields that are not state, and/or record a step. :returns: the Instance.

    :raises InstanceNotFound; Invalid: a field that does not exist or that only a transition may change
    """
    values = _checked(values)

    def write(connection):
        now = db.now
        if values:
            connection.execute(sa.update(TABLE).where(TABLE.c.uuid == uuid, TABLE.c.deleted == sa.false())
                               .values(updated_at=now, **values))
        if step is not None:
            _record_step(connection, now, uuid, step)
        return connection.execute(_SELECT.where(TABLE.c.uuid == uuid, TABLE.c.deleted == sa.false())).first()
    row = db.write(write)
    if row is None:
        raise exception.InstanceNotFound(instance_id=uuid)
    return to_instance(row)


def modify(db, uuid, field, change):
    """Set one field to what `change` makes of the Instance as it is now; nobody else changes it meanwhile.

    :returns: the Instance after it :raises InstanceNotFound: and what `change` raises; nothing is saved then
    """
    return revise(db, uuid, lambda instance: {field: change(instance)})


def revise(db, uuid, change, action=None):
    """Set the fields of the dict that `change` makes of the Instance as it is now; an empty one changes nothing.

    action: an InstanceAction that is recorded as done with it. :returns, :raises: as :func:`modify`
    """
    found = sa.and_(TABLE.c.uuid == uuid, TABLE.c.deleted == sa.false())

    def write(connection):
        row = connection.execute(_SELECT.where(found).with_for_update()).first()
        if row is None:
            raise exception.InstanceNotFound(instance_id=uuid)
        values = _checked(change(to_instance(row)))
        if not values:
            return row
        connection.execute(sa.update(TABLE).where(found).values(updated_at=db.now, **values))
        if action is not None:
            actions.begin(connection, db.now, [action], done=True)
        return connection.execute(_SELECT.where(found)).one()
    return to_instance(db.write(write))


def _checked(values):
    """{field: value} as it can be saved: a time that came in a message is a text still."""
    allowed = {column.name for column in rows.columns(instance_obj.Instance, TABLE)} - _NOT_UPDATABLE
    if unknown := set(values) - allowed:
        raise exception.Invalid('Not a field of an instance that may be set: %s' % ', '.join(sorted(unknown)))
    checked = {name: datetime.datetime.fromisoformat(value)
               if isinstance(value, str) and isinstance(TABLE.c[name].type, sa.DateTime) else value
               for name, value in values.items()}
    if 'flavor' in checked:
        checked.update((column, getattr(checked['flavor'], field)) for column, field in _BY_FLAVOR.items())
    return checked


def transition(db, uuid, event, values=None, step=None, fault=None, token=None):
    """Move an instance by an event of compute/transitions.py. :returns: the Instance after it.

    values: {field: value} saved with it; step: StepReport; fault: InstanceFault; token: any unique string: a change
    that comes again with the same token answers as the first did and does nothing.
    :raises UnexpectedTaskStateError: it is in a state from which the event does not start, or on another host
    :raises UnexpectedDeletingTaskStateError: the same, because it is being deleted, or is
    :raises InstanceNotFound: there is none, or the event is about deleting and it is deleted already
    :raises InvalidTransition: there is no such event
    """
    return _apply(db, uuid, _Change(event, values or {}, step, fault, token))


def fail_build(db, build_request, host, step, fault):
    """The transition `build_failed`, if the build is `host`'s: it was told to build and did not hand it on yet.

    host: None when none was chosen. :returns, :raises: as :func:`transition`
    """
    kept = [request.port_id for request in build_request.requested_networks or () if request.port_id]
    return _apply(db, build_request.instance.uuid, _Change(
        'build_failed', step=step, fault=fault, held_by=host or '', kept_ports=kept))


def take_from_host(db, build_request, host, claim, step):
    """The transition `rescheduled`, if the build is `host`'s; the order as it goes on is kept under a new claim.

    :returns, :raises: as :func:`transition`
    """
    return _apply(db, build_request.instance.uuid, _Change(
        'rescheduled', step=step, held_by=host or '', order=build_request, claim=claim))


def save_order(connection, build_request):
    """Part of a transaction: keep an order as it is now, without its instance."""
    connection.execute(
        sa.update(models.build_requests).where(models.build_requests.c.instance_uuid == build_request.instance.uuid)
        .values(build_request=dataclasses.replace(build_request, instance=None)))


def request_delete(db, uuid, ctxt):
    """The transition `delete_requested`, and the beginning of the action `delete`. :raises InstanceNotFound:"""
    action = action_obj.InstanceAction(action='delete', instance_uuid=uuid, request_id=ctxt.request_id,
                                       user_id=ctxt.user_id, project_id=ctxt.project_id)
    return _apply(db, uuid, _Change('delete_requested', action=action))


def reset(db, uuid, event):
    """An administrator's `reset_to_active` or `reset_to_error`: whatever was under way has ended.

    :returns: the Instance :raises InstanceNotFound:
    """
    return _apply(db, uuid, _Change(event))


def request_operation(db, ctxt, event, action, operation, values=None):
    """Begin an Operation: its `event` of the table, with `values`, and the beginning of the server's `action`.

    :returns: the Instance :raises UnexpectedTaskStateError, InstanceNotFound: as :func:`transition`
    """
    begun = action_obj.InstanceAction(
        action=action, instance_uuid=operation.instance_uuid, request_id=operation.request_id,
        user_id=ctxt.user_id, project_id=ctxt.project_id)
    return _apply(db, operation.instance_uuid, _Change(event, values or {}, action=begun, operation=operation))


def abandon_operation(db, event, operation, step, fault):
    """End an Operation for the user by an `event` of the table; what its host holds it undoes when it comes back."""
    return _apply(db, operation.instance_uuid, _Change(event, step=step, fault=fault, abandons=operation))


def _apply(db, uuid, change):
    rule = transitions.get(change.event)
    change.values = _checked(change.values)

    def write(connection):
        now = db.now
        update = sa.update(TABLE).where(TABLE.c.uuid == uuid, *_expected(rule, change)).ordered_values(
            *_new_values(rule, change, now))
        if connection.execute(update).rowcount == 0:
            return _already_done(connection, uuid, rule, change)
        _record(connection, now, uuid, change)
        return connection.execute(_SELECT.where(TABLE.c.uuid == uuid)).one()
    return to_instance(db.write(write))


def _expected(rule, change):
    """The conditions of the compare-and-swap."""
    conditions = [TABLE.c.deleted == sa.false()]
    for column, states in ((TABLE.c.vm_state, rule.vm_states), (TABLE.c.task_state, rule.task_states)):
        if states is not transitions.ANY:
            conditions.append(sa.or_(*(column == state for state in states)))
    if change.event == 'build_started' and change.values.get('host'):
        host = change.values['host']
        conditions += [TABLE.c.scheduled_host == host, sa.or_(TABLE.c.host.is_(None), TABLE.c.host == host)]
    elif change.event in _ONLY_FROM_ITS_HOST and change.step is not None:
        conditions.append(TABLE.c.host == change.step.host)
    elif change.held_by is not None:
        conditions.append(sa.func.coalesce(TABLE.c.host, TABLE.c.scheduled_host, '') == change.held_by)
    if change.token:
        conditions.append(sa.or_(TABLE.c.state_token.is_(None), TABLE.c.state_token != change.token))
    return conditions


def _new_values(rule, change, now):
    """[(column, value)…] of the UPDATE, in an order in which each sees the others' old values (MariaDB's rule)."""
    values = {}
    if change.event == 'deleted':       # a scheduler that was asked before may still claim for it
        values['release_pending'] = sa.or_(TABLE.c.release_pending, sa.and_(
            TABLE.c.scheduled_by.is_not(None), TABLE.c.scheduled_host.is_(None)))
        values.update(deleted=True, deleted_at=now, terminated_at=now)
    elif change.event == 'build_failed':
        values.update(_OFF_THE_HOST, release_pending=True, kept_ports=change.kept_ports)
    elif change.event == 'rescheduled':
        values.update(_OFF_THE_HOST)
    elif change.event == 'build_started':
        values['host_since'] = now
    if change.event in _ENDS_BUILD:
        values.update(_BUILD_ENDED)
    if change.claim is not None:
        values['scheduled_by'] = change.claim
    values.update(change.values, updated_at=now)
    if rule.to_vm is not transitions.KEEP:
        values['vm_state'] = rule.to_vm
    if rule.to_task is not transitions.KEEP:
        values['task_state'] = rule.to_task
    if change.fault is not None:
        values['fault'] = change.fault
    if change.token:
        values['state_token'] = change.token
    return [(TABLE.c[name], value) for name, value in values.items()]


def _record(connection, now, uuid, change):
    """What the change says of the action and its events, and the end of the order."""
    if change.order is not None:
        save_order(connection, change.order)
    if change.action is not None:
        actions.begin(connection, now, [change.action])
    if change.operation is not None:
        operations.insert(connection, now, change.operation)
    if change.abandons is not None:
        operations.abandon(connection, now, change.abandons, change.fault)
    ends = change.event in _ENDS_BUILD
    if change.step is not None and not (ends and change.step.result == actions.SUCCESS):
        _record_step(connection, now, uuid, change.step)
    if ends:
        actions.close(connection, now, uuid, change.event, change.step)
        connection.execute(sa.delete(models.build_requests).where(models.build_requests.c.instance_uuid == uuid))
    if change.event in _RESETS:
        operations.abandon_all(connection, now, uuid)
    if change.event == 'deleted':
        connection.execute(sa.delete(models.block_devices).where(models.block_devices.c.instance_uuid == uuid))
        operations.forget(connection, uuid)
        console_auth_tokens.forget(connection, uuid)


def _record_step(connection, now, uuid, step):
    """What a StepReport says of the action's events, and of the operation."""
    if step.progress is not None:
        operations.record(connection, now, step.host, step.progress)
    actions.record(connection, now, uuid, step)


def _already_done(connection, uuid, rule, change):
    """The row, when this very change was made before; else what is wrong.

    :raises InstanceNotFound, UnexpectedDeletingTaskStateError, UnexpectedTaskStateError:
    """
    row = connection.execute(_SELECT.add_columns(TABLE.c.state_token).where(TABLE.c.uuid == uuid)).first()
    if row is None:
        raise exception.InstanceNotFound(instance_id=uuid)
    if change.token and row.state_token == change.token:
        return row
    if row.deleted and change.event in ('delete_requested', 'deleted'):
        raise exception.InstanceNotFound(instance_id=uuid)
    deleting = row.deleted or row.task_state == task_states.DELETING
    kind = exception.UnexpectedDeletingTaskStateError if deleting else exception.UnexpectedTaskStateError
    raise kind(instance_uuid=uuid, expected=_words(rule, change),
               actual={'vm_state': row.vm_state, 'task_state': row.task_state})


def _words(rule, change):
    """What was expected, for the text of an error."""
    expected = {name: list(states) for name, states in (('vm_state', rule.vm_states), ('task_state', rule.task_states))
                if states is not transitions.ANY}
    if change.event == 'build_started' or change.event in _ONLY_FROM_ITS_HOST or change.held_by is not None:
        expected['host'] = 'the one that was chosen'
    return expected
