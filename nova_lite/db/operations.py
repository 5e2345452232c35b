# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Operations that are under way on instances: where they are, who carries them out, and what is past its time.

They begin with `instances.request_operation`, and move on and end with the StepReports of their hosts.
"""

import sqlalchemy as sa

from nova_lite import exception
from nova_lite.db import models
from nova_lite.db import moves
from nova_lite.db import rows
from nova_lite.objects import instance as instance_obj
from nova_lite.objects import migration as migration_obj
from nova_lite.objects import operation as operation_obj

TABLE = models.operations
_SELECT = sa.select(*rows.columns(operation_obj.Operation, TABLE))


def get(db, uuid):
    """The Operation, or None: it has ended."""
    return next(iter(_list(db, TABLE.c.uuid == uuid)), None)


def list_by_host(db, host):
    """[Operation…] that a host carries out, the oldest first."""
    return _list(db, TABLE.c.host == host)


def list_by_instance(db, instance_uuid):
    """[Operation…] of an instance, the oldest first."""
    return _list(db, TABLE.c.instance_uuid == instance_uuid)


def late(db, before):
    """[Operation…] that nothing was heard of since the time `before`, the oldest first."""
    return _list(db, TABLE.c.updated_at < before, TABLE.c.abandoned == sa.false())


def left_over(db, before):
    """[Operation…] that were abandoned, and that their hosts did not clean up after yet, since the time `before`."""
    return _list(db, TABLE.c.updated_at < before, TABLE.c.abandoned == sa.true())


def _list(db, *conditions):
    query = _SELECT.where(*conditions).order_by(TABLE.c.id)
    return [rows.to_object(operation_obj.Operation, TABLE, row)
            for row in db.read(lambda connection: connection.execute(query).all())]


def touch(db, operation):
    """Claim the right to act on a late one: of several conductors one gets True, and nobody acts again soon."""
    update = sa.update(TABLE).where(TABLE.c.uuid == operation.uuid, TABLE.c.updated_at == operation.updated_at)
    return db.write(lambda connection: connection.execute(update.values(updated_at=db.now))).rowcount == 1


def claim(db, operation, claim, instead_of=None):
    """Take an Operation whose host is to be chosen, and that has the claim `instead_of`. :returns: whether it was"""
    free = TABLE.c.claimed_by.is_(None) if instead_of is None else TABLE.c.claimed_by == instead_of
    return _to_be_placed(db, operation, free, {'claimed_by': claim})


def let_go(db, operation, claim):
    """Somebody else may choose the host."""
    _to_be_placed(db, operation, TABLE.c.claimed_by == claim, {'claimed_by': None})


def is_claimed(db, operation, claim):
    """Whether a claim still holds; if so it does for a while."""
    return _to_be_placed(db, operation, TABLE.c.claimed_by == claim, {})


def give_to_host(db, operation, host, claim):
    """The host was chosen: it carries an Operation out, with the `data` that it has now.

    :returns: False: the claim does not hold any more
    """
    return _to_be_placed(db, operation, TABLE.c.claimed_by == claim, {
        'host': host, 'data': operation.data, 'claimed_by': None})


def _to_be_placed(db, operation, condition, values):
    update = sa.update(TABLE).where(TABLE.c.uuid == operation.uuid, TABLE.c.host.is_(None), condition)
    return db.write(lambda connection: connection.execute(update.values(updated_at=db.now, **values))).rowcount == 1


def hand_over(db, operation, host):
    """Have another host carry an operation on from where it is; again is fine.

    :raises OperationGone: it has ended, or is another host's by now
    """
    values = {'host': host, 'step': operation.step, 'data': operation.data, 'undoing': operation.undoing,
              'fault': operation.fault}

    def write(connection):
        update = sa.update(TABLE).where(TABLE.c.uuid == operation.uuid, TABLE.c.host.in_([operation.host, host]))
        if not connection.execute(update.values(updated_at=db.now, **values)).rowcount:
            raise exception.OperationGone(operation_uuid=operation.uuid)
    db.write(write)


def finish(db, uuid):
    """Forget an abandoned operation whose host has cleaned up."""
    db.write(lambda connection: connection.execute(sa.delete(TABLE).where(TABLE.c.uuid == uuid)))


# ---- parts of other modules' transactions --------------------------------------------------------------------

def insert(connection, now, operation):
    connection.execute(sa.insert(TABLE).values(created_at=now, updated_at=now), [
        rows.to_values(operation, TABLE, leave_out=('id', 'created_at', 'updated_at'))])


def record(connection, now, host, progress):
    """Save the Progress of an operation as its `host` reports it.

    :raises OperationGone: it is not there any more, or not this host's; who reports has to end
    """
    found = TABLE.c.uuid == progress.operation_uuid
    if progress.migration:
        moves.save(connection, now, progress.migration)
    if progress.done and progress.left_to:
        connection.execute(sa.update(TABLE).where(found).values(
            host=progress.left_to, abandoned=True, undoing=True, updated_at=now))
        return
    if progress.done:
        connection.execute(sa.delete(TABLE).where(found))
        return
    values = {'step': progress.step, 'data': progress.data, 'undoing': progress.undoing, 'updated_at': now}
    if not connection.execute(sa.update(TABLE).where(found, TABLE.c.host == host).values(**values)).rowcount:
        raise exception.OperationGone(operation_uuid=progress.operation_uuid)


def abandon(connection, now, operation, fault):
    """Leave an operation to the next start of its host, for the cleaning up."""
    connection.execute(sa.update(TABLE).where(TABLE.c.uuid == operation.uuid).values(
        abandoned=True, undoing=True, fault=fault, updated_at=now))
    if operation.data.get('migration') is not None:
        moves.save(connection, now, {'uuid': operation.data['migration'].uuid, 'status': migration_obj.ERROR})


def abandon_all(connection, now, instance_uuid):
    """The same for all that is under way on an instance: an administrator says what state it has. What no host has
    begun is forgotten."""
    fault = instance_obj.InstanceFault(code=500, message='The state of the server was reset.')
    connection.execute(sa.delete(TABLE).where(TABLE.c.instance_uuid == instance_uuid, TABLE.c.host.is_(None)))
    connection.execute(sa.update(TABLE).where(
        TABLE.c.instance_uuid == instance_uuid, TABLE.c.abandoned == sa.false()).values(
        abandoned=True, undoing=True, fault=fault, updated_at=now))


def forget(connection, instance_uuid):
    """The instance is deleted."""
    connection.execute(sa.delete(TABLE).where(TABLE.c.instance_uuid == instance_uuid))
