# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Flavors, and which projects may use the private ones."""

import sqlalchemy as sa
from sqlalchemy import exc

from nova_lite import exception
from nova_lite.db import models
from nova_lite.db import paging
from nova_lite.db import rows
from nova_lite.objects import flavor as flavor_obj

TABLE = models.flavors
ACCESS = models.flavor_projects


def get_by_flavorid(db, flavorid, project_id=None, is_admin=False):
    """The Flavor. :raises FlavorNotFound: also when it is private and the project was given no access"""
    query = _select().where(TABLE.c.flavorid == flavorid)
    if not is_admin:
        query = query.where(_visible_to(project_id))
    row = db.read(lambda connection: connection.execute(query).first())
    if row is None:
        raise exception.FlavorNotFound(flavor_id=flavorid)
    return _flavor(row)


def list_(db, filters=None, sort_key='flavorid', sort_dir='asc', limit=None, marker=None):
    """[Flavor…] that are not disabled. marker: a flavorid.

    filters: name, is_public, min_memory_mb (MiB), min_root_gb (GiB), project_id (what that project may use).
    :raises MarkerNotFound; Invalid: no such key to sort by
    """
    if sort_key not in TABLE.c:
        raise exception.Invalid('Flavors cannot be sorted by %s' % sort_key)
    keys = [(TABLE.c[sort_key], sort_dir), (TABLE.c.id, sort_dir)]
    conditions = [_CONDITIONS[name](value) for name, value in (filters or {}).items()]

    def read(connection):
        after = None
        if marker is not None:
            after = paging.key_values(connection, keys, TABLE.c.flavorid == marker)
            if after is None:
                raise exception.MarkerNotFound(marker=marker)
        query = _select().where(TABLE.c.disabled == sa.false(), *conditions)
        return connection.execute(paging.page(query, keys, limit, after)).all()
    return [_flavor(row) for row in db.read(read)]


def _visible_to(project_id):
    given = sa.select(ACCESS.c.flavorid).where(ACCESS.c.project_id == project_id)
    return sa.or_(TABLE.c.is_public == sa.true(), TABLE.c.flavorid.in_(given))


_CONDITIONS = {
    'name': lambda name: TABLE.c.name == name,
    'is_public': lambda public: TABLE.c.is_public == public,
    'min_memory_mb': lambda amount: TABLE.c.memory_mb >= amount,
    'min_root_gb': lambda amount: TABLE.c.root_gb >= amount,
    'project_id': _visible_to,
}


def _select():
    return sa.select(*rows.columns(flavor_obj.Flavor, TABLE))


def _flavor(row):
    return rows.to_object(flavor_obj.Flavor, TABLE, row)


# ---- change --------------------------------------------------------------------------------------------------

def create(db, flavor):
    """Record a Flavor; → it with its id. :raises Conflict: its id or name exists"""
    values = rows.to_values(flavor, TABLE)
    try:
        db.write(lambda connection: connection.execute(sa.insert(TABLE).values(created_at=db.now, **values)))
    except exc.IntegrityError as error:
        same_id = db.read(lambda connection: connection.execute(
            sa.select(TABLE.c.id).where(TABLE.c.flavorid == flavor.flavorid)).first())
        what = 'ID %s' % flavor.flavorid if same_id else 'name %s' % flavor.name
        raise exception.Conflict('Flavor with %s already exists.' % what) from error
    return get_by_flavorid(db, flavor.flavorid, is_admin=True)


def update(db, flavorid, values):
    """Save fields of a flavor; → the Flavor. :raises FlavorNotFound:"""
    _write_one(db, flavorid, sa.update(TABLE).values(updated_at=db.now, **values))
    return get_by_flavorid(db, flavorid, is_admin=True)


def delete(db, flavorid):
    """Remove a flavor and who may use it; servers keep their copy. :raises FlavorNotFound:"""
    def write(connection):
        connection.execute(sa.delete(ACCESS).where(ACCESS.c.flavorid == flavorid))
        return connection.execute(sa.delete(TABLE).where(TABLE.c.flavorid == flavorid)).rowcount
    if not db.write(write):
        raise exception.FlavorNotFound(flavor_id=flavorid)


def _write_one(db, flavorid, statement):
    if not db.write(lambda connection: connection.execute(statement.where(TABLE.c.flavorid == flavorid)).rowcount):
        raise exception.FlavorNotFound(flavor_id=flavorid)


def access(db, flavorid):
    """[project id…] that may use a private flavor."""
    query = sa.select(ACCESS.c.project_id).where(ACCESS.c.flavorid == flavorid).order_by(ACCESS.c.id)
    return db.read(lambda connection: connection.scalars(query).all())


def add_access(db, flavorid, project_id):
    """:raises Conflict: it has access already"""
    try:
        db.write(lambda connection: connection.execute(
            sa.insert(ACCESS).values(flavorid=flavorid, project_id=project_id)))
    except exc.IntegrityError as error:
        raise exception.Conflict('Flavor access already exists for flavor %s and project %s combination.'
                                 % (flavorid, project_id)) from error


def remove_access(db, flavorid, project_id):
    """:raises NotFound: it has no access"""
    removed = db.write(lambda connection: connection.execute(sa.delete(ACCESS).where(
        ACCESS.c.flavorid == flavorid, ACCESS.c.project_id == project_id)).rowcount)
    if not removed:
        raise exception.NotFound('Flavor access not found for %s / %s combination.' % (flavorid, project_id))


def set_extra_specs(db, flavorid, specs):
    """Add or replace extra specs; others stay. :raises FlavorNotFound:"""
    _change_specs(db, flavorid, lambda current: current.update(specs))


def delete_extra_spec(db, flavorid, key):
    """:raises FlavorNotFound; NotFound: the flavor has no such extra spec"""
    def remove(current):
        if key not in current:
            raise exception.NotFound('Flavor %s has no extra specs with key %s.' % (flavorid, key))
        del current[key]
    _change_specs(db, flavorid, remove)


def _change_specs(db, flavorid, change):
    def write(connection):
        specs = connection.scalar(sa.select(TABLE.c.extra_specs).where(TABLE.c.flavorid == flavorid).with_for_update())
        if specs is None:
            raise exception.FlavorNotFound(flavor_id=flavorid)
        change(specs)
        connection.execute(sa.update(TABLE).where(TABLE.c.flavorid == flavorid)
                           .values(extra_specs=specs, updated_at=db.now))
    db.write(write)
