# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""The services of the cloud and their heartbeats, all judged by the database's clock."""

import uuid

import sqlalchemy as sa
from sqlalchemy import exc

from nova_lite import exception
from nova_lite.db import models
from nova_lite.db import rows
from nova_lite.objects import service as service_obj

TABLE = models.services


def report(db, host, binary, topic):
    """The heartbeat of a service; the first one registers it. A service that was forced down stays so."""
    def write(connection):
        now = db.now
        changed = connection.execute(sa.update(TABLE).where(TABLE.c.host == host, TABLE.c.binary == binary).values(
            report_count=TABLE.c.report_count + 1, last_seen_up=now, topic=topic)).rowcount
        if not changed:
            connection.execute(sa.insert(TABLE).values(
                uuid=str(uuid.uuid4()), host=host, binary=binary, topic=topic, report_count=1, last_seen_up=now,
                created_at=now))
    try:
        db.write(write)
    except exc.IntegrityError:      # somebody else registered it in the same moment
        db.write(write)


def list_(db, binary=None, host=None):
    """[Service…]; `up`: it was heard of within service_down_time and is not forced down."""
    query = sa.select(*rows.columns(service_obj.Service, TABLE)).order_by(TABLE.c.id)
    if binary is not None:
        query = query.where(TABLE.c.binary == binary)
    if host is not None:
        query = query.where(TABLE.c.host == host)

    def read(connection):
        return connection.execute(query.add_columns(db.now.label('now'))).all()
    return [_service(row, db.read_clock(row.now), db.service_down_time) for row in db.read(read)]


def _service(row, now, down_time):
    service = rows.to_object(service_obj.Service, TABLE, row)
    seen = service.last_seen_up
    service.up = not service.forced_down and seen is not None and (now - seen).total_seconds() <= down_time
    return service


def get(db, host, binary):
    """The Service. :raises ServiceNotFound:"""
    found = list_(db, binary=binary, host=host)
    if not found:
        raise exception.ServiceNotFound(service_id='%s on host %s' % (binary, host))
    return found[0]


def hosts_up(db):
    """{host…} whose nova-compute is up."""
    return {service.host for service in list_(db, binary='nova-compute') if service.up}


def update(db, host, binary, values):
    """Save disabled, disabled_reason, forced_down or availability_zone; → the Service. :raises ServiceNotFound:"""
    db.write(lambda connection: connection.execute(
        sa.update(TABLE).where(TABLE.c.host == host, TABLE.c.binary == binary).values(updated_at=db.now, **values)))
    return get(db, host, binary)


def delete(db, host, binary):
    """Forget a service and, for nova-compute, its nodes and aggregates; one that still runs registers again.

    :raises ServiceNotFound:
    """
    def write(connection):
        if binary == 'nova-compute':
            for table in (models.compute_nodes, models.aggregate_hosts):
                connection.execute(sa.delete(table).where(table.c.host == host))
        return connection.execute(sa.delete(TABLE).where(TABLE.c.host == host, TABLE.c.binary == binary)).rowcount
    if not db.write(write):
        raise exception.ServiceNotFound(service_id='%s on host %s' % (binary, host))
