# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Server groups. Members are the instances that are not deleted; their hosts those they run on or are chosen for."""

import sqlalchemy as sa

from nova_lite import exception
from nova_lite.db import models
from nova_lite.db import rows
from nova_lite.objects import instance_group

TABLE = models.instance_groups
MEMBERS = models.instance_group_members


def create(db, group):
    """Record an InstanceGroup; → it as kept."""
    values = rows.to_values(group, TABLE)
    db.write(lambda connection: connection.execute(sa.insert(TABLE).values(created_at=db.now, **values)))
    return get(db, group.uuid)


def get(db, uuid, project_id=None):
    """The InstanceGroup with members and hosts. :raises NotFound: also when it is another project's"""
    found = find(db, uuid, project_id)
    if found is None:
        raise exception.NotFound('Instance group %s could not be found.' % uuid)
    return found


def find(db, uuid, project_id=None):
    """The InstanceGroup with members and hosts, or None."""
    return next(iter(list_(db, project_id, TABLE.c.uuid == uuid)), None)


def get_by_instance(db, instance_uuid):
    """The InstanceGroup that an instance is a member of, or None; `hosts` are those of its other members."""
    of_instance = sa.select(MEMBERS.c.group_uuid).where(MEMBERS.c.instance_uuid == instance_uuid)
    found = list_(db, None, TABLE.c.uuid.in_(of_instance), without_host_of=instance_uuid)
    return found[0] if found else None


def list_(db, project_id=None, condition=sa.true(), without_host_of=None):      # noqa: B008 (it never changes)
    """[InstanceGroup…] of a project, or of all (None), the oldest first."""
    query = sa.select(*rows.columns(instance_group.InstanceGroup, TABLE)).where(condition).order_by(TABLE.c.id)
    if project_id is not None:
        query = query.where(TABLE.c.project_id == project_id)
    return db.read(lambda connection: _with_members(connection, connection.execute(query).all(), without_host_of))


def _with_members(connection, found, without_host_of):
    groups = {row.uuid: rows.to_object(instance_group.InstanceGroup, TABLE, row) for row in found}
    instances = models.instances
    members = connection.execute(
        sa.select(MEMBERS.c.group_uuid, instances.c.uuid,
                  sa.func.coalesce(instances.c.host, instances.c.scheduled_host).label('host'))
        .join(instances, instances.c.uuid == MEMBERS.c.instance_uuid)
        .where(MEMBERS.c.group_uuid.in_(list(groups)), instances.c.deleted == sa.false()).order_by(MEMBERS.c.id))
    for member in members if groups else ():
        group = groups[member.group_uuid]
        group.members.append(member.uuid)
        if member.host and member.uuid != without_host_of and member.host not in group.hosts:
            group.hosts.append(member.host)
    return list(groups.values())


def count(db, project_id):
    """How many groups a project has."""
    query = sa.select(sa.func.count(TABLE.c.id)).where(TABLE.c.project_id == project_id)
    return db.read(lambda connection: connection.scalar(query))


def delete(db, uuid):
    """:raises NotFound:"""
    def write(connection):
        connection.execute(sa.delete(MEMBERS).where(MEMBERS.c.group_uuid == uuid))
        return connection.execute(sa.delete(TABLE).where(TABLE.c.uuid == uuid)).rowcount
    if not db.write(write):
        raise exception.NotFound('Instance group %s could not be found.' % uuid)
