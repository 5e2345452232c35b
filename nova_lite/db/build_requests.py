# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""The orders for instances that are not built yet."""

import sqlalchemy as sa

from nova_lite.db import instances
from nova_lite.db import models

TABLE = models.build_requests


def get(db, instance_uuid):
    """The BuildRequest with the Instance as it is now, or None: the instance is built, or gone."""
    query = (sa.select(TABLE.c.build_request, models.instances)
             .join(models.instances, models.instances.c.uuid == TABLE.c.instance_uuid)
             .where(TABLE.c.instance_uuid == instance_uuid))
    row = db.read(lambda connection: connection.execute(query).first())
    if row is None:
        return None
    build_request = row.build_request
    build_request.instance = instances.to_instance(row)
    return build_request
