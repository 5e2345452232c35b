# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Host aggregates. The zone that one gives to its hosts is kept with their services too, where schedulers read it."""

import uuid

import sqlalchemy as sa
from sqlalchemy import exc

from nova_lite import exception
from nova_lite.db import models
from nova_lite.db import rows
from nova_lite.objects import aggregate as aggregate_obj

TABLE = models.aggregates
HOSTS = models.aggregate_hosts


def list_(db):
    """[Aggregate…], the oldest first."""
    return db.read(lambda connection: _load(connection))


def get(db, aggregate_id):
    """The Aggregate. :raises AggregateNotFound:"""
    return db.read(lambda connection: _get(connection, aggregate_id))


def create(db, name, metadata):
    """A new Aggregate without hosts. :raises AggregateExists:"""
    def write(connection):
        made = connection.execute(sa.insert(TABLE).values(uuid=str(uuid.uuid4()), name=name, metadata=metadata,
                                                          created_at=db.now))
        return _get(connection, made.inserted_primary_key[0])
    return _named(db, write, name)


def change(db, aggregate_id, name=None, metadata=None):
    """Rename an aggregate and set items of its metadata (None: delete the item); its hosts change zone with it.

    :returns: the Aggregate :raises AggregateNotFound, AggregateExists; Conflict: its hosts cannot change zone
    """
    def write(connection):
        aggregate = _get(connection, aggregate_id, lock=True)
        merged = {key: value for key, value in {**aggregate.metadata, **(metadata or {})}.items() if value is not None}
        connection.execute(sa.update(TABLE).where(TABLE.c.id == aggregate_id).values(
            name=name or aggregate.name, metadata=merged, updated_at=db.now))
        _set_zones(connection, aggregate.hosts)
        return _get(connection, aggregate_id)
    return _named(db, write, name)


def add_host(db, aggregate_id, host):
    """:returns: the Aggregate :raises AggregateNotFound; Conflict: it has the host, or that cannot change zone"""
    def write(connection):
        aggregate = _get(connection, aggregate_id, lock=True)
        if host in aggregate.hosts:
            raise exception.Conflict('Aggregate %s already has host %s.' % (aggregate_id, host))
        connection.execute(sa.insert(HOSTS).values(aggregate_id=aggregate_id, host=host))
        _set_zones(connection, [host])
        return _get(connection, aggregate_id)
    return db.write(write)


def remove_host(db, aggregate_id, host):
    """:returns: the Aggregate :raises AggregateNotFound; NotFound: it has no such host; Conflict: as add_host"""
    def write(connection):
        _get(connection, aggregate_id, lock=True)
        if not connection.execute(sa.delete(HOSTS).where(HOSTS.c.aggregate_id == aggregate_id,
                                                         HOSTS.c.host == host)).rowcount:
            raise exception.NotFound('Aggregate %s has no host %s.' % (aggregate_id, host))
        _set_zones(connection, [host])
        return _get(connection, aggregate_id)
    return db.write(write)


def delete(db, aggregate_id):
    """:raises AggregateNotFound; Invalid: it has hosts"""
    def write(connection):
        if _get(connection, aggregate_id, lock=True).hosts:
            raise exception.Invalid('Cannot remove aggregate %s. Reason: Host aggregate is not empty.' % aggregate_id)
        connection.execute(sa.delete(TABLE).where(TABLE.c.id == aggregate_id))
    db.write(write)


def _named(db, write, name):
    try:
        return db.write(write)
    except exc.IntegrityError as error:
        raise exception.AggregateExists(name=name) from error


def _get(connection, aggregate_id, lock=False):
    found = _load(connection, TABLE.c.id == aggregate_id, lock)
    if not found:
        raise exception.AggregateNotFound(aggregate_id=aggregate_id)
    return found[0]


def _load(connection, condition=sa.true(), lock=False):     # noqa: B008 (it never changes)
    query = sa.select(*rows.columns(aggregate_obj.Aggregate, TABLE)).where(condition).order_by(TABLE.c.id)
    found = connection.execute(query.with_for_update() if lock else query).all()
    aggregates = {row.id: rows.to_object(aggregate_obj.Aggregate, TABLE, row) for row in found}
    for aggregate_id, host in connection.execute(
            sa.select(HOSTS.c.aggregate_id, HOSTS.c.host).where(HOSTS.c.aggregate_id.in_(list(aggregates)))
            .order_by(HOSTS.c.id)):
        aggregates[aggregate_id].hosts.append(host)
    return list(aggregates.values())


def _set_zones(connection, hosts):
    """Give hosts the zone that their aggregates say.

    :raises Conflict: they say several, or there are instances on a host whose zone would change
    """
    services, instances = models.services, models.instances
    of_compute = sa.and_(services.c.binary == 'nova-compute', services.c.host.in_(hosts))
    before = dict(connection.execute(sa.select(services.c.host, services.c.availability_zone).where(of_compute)).all())
    after = {host: set() for host in before}
    for host, metadata in connection.execute(sa.select(HOSTS.c.host, TABLE.c.metadata)
                                             .join(TABLE, TABLE.c.id == HOSTS.c.aggregate_id)
                                             .where(HOSTS.c.host.in_(list(before)))):
        if aggregate_obj.ZONE in metadata:
            after[host].add(metadata[aggregate_obj.ZONE])
    for host, zones in after.items():
        if len(zones) > 1:
            raise exception.Conflict('One or more hosts already in availability zone(s) %s' % sorted(zones))
        zone = zones.pop() if zones else None
        if zone == before[host]:
            continue
        there = sa.and_(instances.c.deleted == sa.false(),
                        sa.func.coalesce(instances.c.host, instances.c.scheduled_host) == host)
        if connection.execute(sa.select(instances.c.id).where(there).limit(1)).first():
            raise exception.Conflict('One or more hosts contain instances in this zone')
        connection.execute(sa.update(services).where(services.c.binary == 'nova-compute', services.c.host == host)
                           .values(availability_zone=zone))
