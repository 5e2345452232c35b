# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Volumes of servers that are built: what the REST API calls to attach, detach and exchange them.

A volume is reserved and recorded here, with the caller's token, so that the caller is told at once what cannot be; the
server's host does the rest.
"""

import dataclasses

from nova_lite import exception
from nova_lite.compute import api_checks
from nova_lite.compute import api_volumes
from nova_lite.compute import vm_states
from nova_lite.db import block_devices
from nova_lite.db import instances
from nova_lite.objects import block_device

ROOT = 0


class Attachments:
    """operations: api_operations.Operations; volume: a volume.cinder.API; compute: a compute.rpcapi.ComputeAPI."""

    def __init__(self, db, operations, volume, compute):
        self._db = db
        self._operations = operations
        self._volume = volume
        self._compute = compute

    def list(self, instance):
        """[BlockDeviceMapping…] of the volumes that a server has; others are on their way still."""
        return [device for device in block_devices.get_volumes(self._db, [instance.uuid]).get(instance.uuid, ())
                if device.attachment_id]

    def get(self, instance, volume_id):
        """:raises NotFound: the server does not have it"""
        for device in self.list(instance):
            if device.volume_id == volume_id:
                return device
        raise exception.NotFound('Instance %s is not attached to volume %s' % (instance.uuid, volume_id[:64]))

    def attach(self, ctxt, instance, wanted, multiattach):
        """Have a server given a volume. wanted: a BlockDeviceMapping with volume_id and what the caller asks for.

        :returns: the BlockDeviceMapping, with its device name
        :raises VolumeNotFound, InvalidVolume, Invalid, Conflict, CinderConnectionFailed:
        """
        if instance.vm_state == vm_states.SHELVED_OFFLOADED:
            return self._attach_offloaded(ctxt, instance, wanted, multiattach)
        self._operations.check_ready(ctxt, instance, 'attach_volume')
        volume = self._reservable(ctxt, instance, wanted.volume_id, multiattach)
        bdm = _of(instance, wanted, volume)
        bdm.device_name = self._compute.reserve_block_device_name(
            ctxt, instance.host, instance, block_devices.get_all(self._db, instance.uuid), bdm)
        bdm = block_devices.add(self._db, bdm)
        try:
            bdm.attachment_id = self._volume.attachment_create(ctxt, volume.id, instance.uuid).id
            block_devices.update(self._db, bdm)
            self._operations.record(ctxt, instance, 'attach_volume', bdm_uuid=bdm.uuid)
        except exception.NovaException:
            self._give_back(ctxt, bdm.attachment_id)
            block_devices.delete(self._db, bdm.uuid)
            raise
        return bdm

    def _attach_offloaded(self, ctxt, instance, wanted, multiattach):
        """Let a server that no host has have a volume, which is in use from then on, as clients expect; how it is
        reached, and its device name, are known when the server is brought back."""
        _check_offloaded(ctxt, instance, 'attach_volume')
        volume = self._reservable(ctxt, instance, wanted.volume_id, multiattach)
        bdm = dataclasses.replace(_of(instance, wanted, volume), device_name=None)
        bdm.attachment_id = self._volume.attachment_create(ctxt, volume.id, instance.uuid).id
        bdm = block_devices.add(self._db, bdm)
        try:
            _check_offloaded(ctxt, instances.get(self._db, instance.uuid), 'attach_volume')     # still
            self._volume.attachment_complete(ctxt, bdm.attachment_id)
        except exception.NovaException:
            self._give_back(ctxt, bdm.attachment_id)
            block_devices.delete(self._db, bdm.uuid)
            raise
        return bdm

    def detach(self, ctxt, instance, volume_id):
        """Have a volume taken away from a server. :raises NotFound, Invalid: it is the root disk; Conflict:"""
        bdm = self.get(instance, volume_id)
        if bdm.boot_index == ROOT:
            raise exception.Invalid('Cannot detach a root device volume')
        if instance.vm_state == vm_states.SHELVED_OFFLOADED:
            _check_offloaded(ctxt, instance, 'detach_volume')
            block_devices.delete(self._db, bdm.uuid)
            self._give_back(ctxt, bdm.attachment_id)
            return
        self._operations.begin(ctxt, instance, 'detach_volume', bdm_uuid=bdm.uuid)

    def swap(self, ctxt, instance, volume_id, new_volume_id, multiattach):
        """Have the contents of a server's volume moved to another one that it goes on with.

        :raises NotFound, VolumeNotFound, InvalidVolume, Invalid, Conflict, CinderConnectionFailed:
        """
        bdm = self.get(instance, volume_id)
        self._operations.check_ready(ctxt, instance, 'swap_volume')
        old, new = self._volume.get(ctxt, volume_id), self._reservable(ctxt, instance, new_volume_id, multiattach)
        if new.size < old.size:
            raise exception.Invalid('The new volume must be the same size or larger.')
        if len(old.attachments) > 1:
            raise exception.Invalid('A volume that several servers have cannot be exchanged.')
        attachment_id = self._volume.attachment_create(ctxt, new.id, instance.uuid).id
        try:
            self._operations.record(ctxt, instance, 'swap_volume', bdm_uuid=bdm.uuid, new_volume_id=new.id,
                                    new_attachment_id=attachment_id)
        except exception.NovaException:
            self._give_back(ctxt, attachment_id)
            raise

    def update(self, instance, volume_id, delete_on_termination):
        """Say whether a volume goes with its server. :raises NotFound:"""
        block_devices.update(self._db, dataclasses.replace(
            self.get(instance, volume_id), delete_on_termination=delete_on_termination))

    def _reservable(self, ctxt, instance, volume_id, multiattach):
        volume = self._volume.get(ctxt, volume_id)
        self._volume.check_attach(ctxt, volume, instance)
        api_volumes.check_multiattach(volume, multiattach)
        return volume

    def _give_back(self, ctxt, attachment_id):
        if attachment_id is not None:
            self._volume.attachment_delete(ctxt, attachment_id)


def _of(instance, wanted, volume):
    """The BlockDeviceMapping of a volume that a server is to get."""
    return dataclasses.replace(wanted, instance_uuid=instance.uuid, source_type='volume', volume_size=volume.size,
                               destination_type='volume')


def _check_offloaded(ctxt, instance, method):
    """:raises Conflict: it is locked, or being brought back"""
    api_checks.check_unlocked(ctxt, instance)
    api_checks.check_state(instance, method, (vm_states.SHELVED_OFFLOADED,))


def wanted(volume_id, *, device=None, tag=None, delete_on_termination=False):
    """The BlockDeviceMapping of a request to attach a volume."""
    return block_device.BlockDeviceMapping(
        volume_id=volume_id, tag=tag, delete_on_termination=delete_on_termination,
        device_name=device and '/dev/' + device.removeprefix('/dev/'))
