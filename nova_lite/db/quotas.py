# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Limits that differ from the configured ones: those of single projects, and new defaults for all others."""

import sqlalchemy as sa
from sqlalchemy import exc

from nova_lite.db import models

TABLE = models.quotas
_ALL_PROJECTS = ''


def get(db, project_id):
    """{resource: limit} that apply to a project in place of the configured ones; -1: unlimited."""
    query = sa.select(TABLE.c.project_id, TABLE.c.resource, TABLE.c.hard_limit).where(
        TABLE.c.project_id.in_([_ALL_PROJECTS, project_id]))
    found = db.read(lambda connection: connection.execute(query).all())
    defaults = {row.resource: row.hard_limit for row in found if row.project_id == _ALL_PROJECTS}
    return defaults | {row.resource: row.hard_limit for row in found if row.project_id != _ALL_PROJECTS}


def get_defaults(db):
    """{resource: limit} for all projects that have none of their own, in place of the configured ones."""
    return get(db, _ALL_PROJECTS)


def set_(db, project_id, limits):
    """Set {resource: limit} of a project; its other limits stay."""
    def write(connection):
        for resource, limit in limits.items():
            of_resource = (TABLE.c.project_id == project_id, TABLE.c.resource == resource)
            if not connection.execute(sa.update(TABLE).where(*of_resource).values(hard_limit=limit)).rowcount:
                connection.execute(sa.insert(TABLE).values(project_id=project_id, resource=resource, hard_limit=limit))
    try:
        db.write(write)
    except exc.IntegrityError:      # somebody else set the same limit for the first time
        db.write(write)


def set_defaults(db, limits):
    """Set {resource: limit} for all projects that have none of their own."""
    set_(db, _ALL_PROJECTS, limits)


def delete(db, project_id):
    """Give a project the limits of all others again."""
    db.write(lambda connection: connection.execute(sa.delete(TABLE).where(TABLE.c.project_id == project_id)))
