# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Orders to build, as nova-conductor drives them: who has taken one, which host was chosen, and what is past its time.

A claim is a text that begins with the run id of the conductor that took the order, and is different for each taking.
"""

import dataclasses
import datetime

import sqlalchemy as sa

from nova_lite.compute import task_states
from nova_lite.compute import vm_states
from nova_lite.db import actions
from nova_lite.db import instances
from nova_lite.db import models

TABLE = models.instances
_SCHEDULING = sa.and_(TABLE.c.deleted == sa.false(), TABLE.c.vm_state == vm_states.BUILDING,
                      TABLE.c.task_state == task_states.SCHEDULING)


@dataclasses.dataclass(frozen=True)
class Late:
    """What the sweep has to know of an instance that is building or deleting. Times are naive UTC."""

    uuid: str
    vm_state: str
    task_state: str | None
    host: str | None
    scheduled_by: str | None
    scheduled_host: str | None
    host_since: datetime.datetime | None
    created_at: datetime.datetime
    updated_at: datetime.datetime


_LATE_COLUMNS = [TABLE.c[field.name] for field in dataclasses.fields(Late)]


def take(db, uuids, claim, step, instead_of=None):
    """Take orders that nobody has taken (or that had the claim `instead_of`), and record the step that begins.

    :returns: the uuids taken, in the order given; the others are taken, building, or gone
    """
    free = TABLE.c.scheduled_by.is_(None) if instead_of is None else TABLE.c.scheduled_by == instead_of

    def write(connection):
        now = db.now
        connection.execute(
            sa.update(TABLE).where(TABLE.c.uuid.in_(uuids), _SCHEDULING, TABLE.c.scheduled_host.is_(None), free)
            .values(scheduled_by=claim, updated_at=now))
        taken = set(connection.scalars(sa.select(TABLE.c.uuid).where(
            TABLE.c.uuid.in_(uuids), TABLE.c.scheduled_by == claim)))
        ordered = [uuid for uuid in uuids if uuid in taken]
        actions.begin_events(connection, now, [(uuid, step) for uuid in ordered])
        return ordered
    return db.write(write)


def let_go(db, uuids, claim):
    """Give orders back that could not be dealt with now. Their age counts from when they were taken, so after a long
    wait for the scheduler the next sweep takes them."""
    db.write(lambda connection: connection.execute(
        sa.update(TABLE).where(TABLE.c.uuid.in_(uuids), _SCHEDULING, TABLE.c.scheduled_by == claim,
                               TABLE.c.scheduled_host.is_(None)).values(scheduled_by=None)))


def choose_host(db, build_request, claim, selection, step):
    """Record the host that an order goes to, and the order as that host gets it.

    :returns: the Instance; None when the order is not this claim's any more or its instance does not want to be built
    """
    uuid = build_request.instance.uuid

    def write(connection):
        now = db.now
        values = {'scheduled_host': selection.service_host, 'updated_at': now}
        if selection.availability_zone is not None:
            values['availability_zone'] = selection.availability_zone
        changed = connection.execute(sa.update(TABLE).where(
            TABLE.c.uuid == uuid, _SCHEDULING, TABLE.c.scheduled_by == claim, TABLE.c.scheduled_host.is_(None)
        ).values(**values)).rowcount
        if not changed:
            return None
        instances.save_order(connection, build_request)
        actions.record(connection, now, uuid, step)
        return connection.execute(sa.select(TABLE).where(TABLE.c.uuid == uuid)).one()
    row = db.write(write)
    return row and instances.to_instance(row)


# ---- the sweep -----------------------------------------------------------------------------------------------

def late(db, before, host, run_id):
    """[Late…] that did not change since the time `before`, and orders that an earlier run of the conductor on `host`
    had taken, the oldest first."""
    of_earlier_run = sa.and_(
        TABLE.c.task_state == task_states.SCHEDULING, TABLE.c.scheduled_host.is_(None),
        TABLE.c.scheduled_by.startswith(host + ':', autoescape=True),
        sa.not_(TABLE.c.scheduled_by.startswith(run_id, autoescape=True)))
    query = sa.select(*_LATE_COLUMNS).where(
        TABLE.c.deleted == sa.false(),
        sa.or_(TABLE.c.vm_state == vm_states.BUILDING, TABLE.c.task_state == task_states.DELETING),
        sa.or_(TABLE.c.updated_at < before, of_earlier_run)).order_by(TABLE.c.updated_at)
    rows = db.read(lambda connection: connection.execute(query).all())
    return [Late(*row) for row in rows]


def touch(db, item):
    """Claim the right to act on a Late one: of several conductors one gets True, and nobody acts again soon."""
    update = sa.update(TABLE).where(
        TABLE.c.uuid == item.uuid, TABLE.c.updated_at == item.updated_at, TABLE.c.deleted == sa.false(),
        TABLE.c.vm_state == item.vm_state, TABLE.c.task_state.is_not_distinct_from(item.task_state)
    ).values(updated_at=db.now)
    return db.write(lambda connection: connection.execute(update)).rowcount == 1


def unreleased(db, before):
    """[(uuid, project id, ids of ports to keep)…] of instances, deleted or not, that nobody builds and that did not
    give back all that they hold since `before`. None in place of the port ids: they hold an allocation at most."""
    query = sa.select(TABLE.c.uuid, TABLE.c.project_id, TABLE.c.kept_ports).where(
        TABLE.c.release_pending == sa.true(), TABLE.c.updated_at < before)
    return db.read(lambda connection: connection.execute(query).all())


def released(db, uuid):
    """What an instance held has been given back."""
    db.write(lambda connection: connection.execute(
        sa.update(TABLE).where(TABLE.c.uuid == uuid).values(release_pending=False)))


def clock(db):
    """The time of the database, naive UTC."""
    return db.read(db.clock)
