# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""The hypervisor nodes, as their hosts report them."""

import sqlalchemy as sa
from sqlalchemy import exc

from nova_lite.db import models
from nova_lite.db import rows
from nova_lite.objects import service as service_obj

TABLE = models.compute_nodes


def list_(db):
    """[ComputeNode…], in the order in which they were first seen."""
    query = _select().order_by(TABLE.c.id)
    return [_node(row) for row in db.read(lambda connection: connection.execute(query).all())]


def save(db, node):
    """Record a ComputeNode; one of the same host and name from an earlier life keeps its uuid.

    :returns: the ComputeNode as kept
    """
    values = rows.to_values(node, TABLE, leave_out=('id', 'uuid', 'created_at', 'updated_at'))
    known = sa.and_(TABLE.c.host == node.host, TABLE.c.hypervisor_hostname == node.hypervisor_hostname)

    def write(connection):
        now = db.now
        if not connection.execute(sa.update(TABLE).where(known).values(updated_at=now, **values)).rowcount:
            connection.execute(sa.insert(TABLE).values(uuid=node.uuid, created_at=now, updated_at=now, **values))
        return connection.execute(_select().where(known)).one()
    try:
        return _node(db.write(write))
    except exc.IntegrityError:      # another report of the same node was first
        return _node(db.write(write))


def _select():
    return sa.select(*rows.columns(service_obj.ComputeNode, TABLE))


def _node(row):
    return rows.to_object(service_obj.ComputeNode, TABLE, row)
