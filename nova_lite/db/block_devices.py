# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""The block devices of instances."""

import dataclasses
import uuid

import sqlalchemy as sa

from nova_lite import exception
from nova_lite.db import models
from nova_lite.db import rows
from nova_lite.objects import block_device

TABLE = models.block_devices


def get_all(db, instance_uuid):
    """[BlockDeviceMapping…] of an instance, in the order in which they were given."""
    query = sa.select(*rows.columns(block_device.BlockDeviceMapping, TABLE)).where(
        TABLE.c.instance_uuid == instance_uuid).order_by(TABLE.c.id)
    found = db.read(lambda connection: connection.execute(query).all())
    return [rows.to_object(block_device.BlockDeviceMapping, TABLE, row) for row in found]


def get_attached(db):
    """[BlockDeviceMapping…] of all instances that have an attachment in the volume service."""
    query = sa.select(*rows.columns(block_device.BlockDeviceMapping, TABLE)).where(TABLE.c.attachment_id.is_not(None))
    found = db.read(lambda connection: connection.execute(query).all())
    return [rows.to_object(block_device.BlockDeviceMapping, TABLE, row) for row in found]


def get_volumes(db, instance_uuids):
    """{instance uuid: [BlockDeviceMapping…]} of the volumes that instances have, or are to have."""
    query = sa.select(*rows.columns(block_device.BlockDeviceMapping, TABLE)).where(
        TABLE.c.instance_uuid.in_(instance_uuids), TABLE.c.volume_id.is_not(None)).order_by(TABLE.c.id)
    result = {}
    for row in db.read(lambda connection: connection.execute(query).all()) if instance_uuids else ():
        result.setdefault(row.instance_uuid, []).append(rows.to_object(block_device.BlockDeviceMapping, TABLE, row))
    return result


def add(db, device):
    """Record one more device of an instance. :returns: the BlockDeviceMapping with its uuid

    :raises InvalidVolume: the instance has that volume already; InstanceNotFound:
    """
    [values] = to_rows(device.instance_uuid, [device])
    same = sa.select(TABLE.c.id).where(TABLE.c.instance_uuid == device.instance_uuid,
                                       TABLE.c.volume_id == device.volume_id)
    owner = sa.select(models.instances.c.id).where(
        models.instances.c.uuid == device.instance_uuid, models.instances.c.deleted == sa.false()).with_for_update()

    def write(connection):      # who holds the instance's row is alone here
        if connection.execute(owner).first() is None:
            raise exception.InstanceNotFound(instance_id=device.instance_uuid)
        if connection.execute(same).first() is not None:
            raise exception.InvalidVolume(reason='volume %s is already attached to this server' % device.volume_id)
        connection.execute(sa.insert(TABLE), [values])
    db.write(write)
    return dataclasses.replace(device, uuid=values['uuid'])


def update(db, device):
    """Save one device as it is now; one that is gone stays gone."""
    values = rows.to_values(device, TABLE, leave_out=('id', 'uuid', 'instance_uuid'))
    db.write(lambda connection: connection.execute(sa.update(TABLE).where(TABLE.c.uuid == device.uuid).values(values)))


def delete(db, device_uuid):
    """Forget one device; one that is gone is fine."""
    db.write(lambda connection: connection.execute(sa.delete(TABLE).where(TABLE.c.uuid == device_uuid)))


def release(db, instance_uuid):
    """Forget the attachments of an instance; what devices it was to have is kept."""
    db.write(lambda connection: connection.execute(
        sa.update(TABLE).where(TABLE.c.instance_uuid == instance_uuid).values(
            attachment_id=None, connection_info=None)))


def save(db, instance_uuid, block_devices):
    """Replace the records of an instance's devices."""
    values = to_rows(instance_uuid, block_devices)

    def write(connection):
        connection.execute(sa.delete(TABLE).where(TABLE.c.instance_uuid == instance_uuid))
        if values:
            connection.execute(sa.insert(TABLE), values)
    db.write(write)


def to_rows(instance_uuid, block_devices):
    """[{column: value}…] to insert for an instance's devices; those without a uuid get one."""
    return [rows.to_values(dataclasses.replace(device, instance_uuid=instance_uuid,
                                               uuid=device.uuid or str(uuid.uuid4())), TABLE)
            for device in block_devices]
