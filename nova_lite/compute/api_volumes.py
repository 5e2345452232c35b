# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Volumes of servers that are to be made: may the caller have them, what do they hold, and who reserves them.

Volumes that a server brings along are made here, because only here is the caller's token: so they are the caller's, and
count against its quota. They are waited for and attached on the server's host.
"""

import dataclasses
import logging

from nova_lite import concurrency
from nova_lite import exception
from nova_lite.objects import image_meta
from nova_lite.virt import block_device

LOG = logging.getLogger(__name__)

GIB = 1024 ** 3
AVAILABLE = 'available'
PATIENCE, PAUSE = 20, 0.5       # times, and seconds between them, that a volume is looked at before it is left
# What a volume keeps of its image beside the image's own properties.
_NOT_PROPERTIES = frozenset(('image_id', 'image_name', 'signature_verified', 'container_format', 'disk_format',
                             'checksum', 'size', 'min_disk', 'min_ram'))


class Volumes:
    """volume: a volume.cinder.API; lookups: api_lookups.Lookups."""

    def __init__(self, volume, lookups):
        self._volume = volume
        self._lookups = lookups

    # ---- check ---------------------------------------------------------------------------------------------------

    def check(self, ctxt, order, devices, zone):
        """The [BlockDeviceMapping…] of a ServerOrder with what the volume service knows of them, and the ImageMeta of
        the server: of its image, or of what the volume that it boots from was made from.

        :raises InvalidBDM, InvalidVolume, ImageNotFound, CinderConnectionFailed: nothing is changed
        """
        image, checked = None, []
        for bdm in devices:
            of_volume = None
            if bdm.destination_type == 'volume':
                bdm, of_volume = getattr(self, '_check_' + bdm.source_type)(ctxt, order, bdm, zone)
            if bdm.boot_index == 0:
                image = of_volume
            checked.append(bdm)
        return checked, image or self._lookups.image(ctxt, order.image_id)

    def _check_volume(self, ctxt, order, bdm, zone):
        if order.max_count > 1:
            raise exception.InvalidBDM(reason='Cannot attach one or more volumes to multiple instances')
        volume = self._find(self._volume.get, ctxt, bdm.volume_id)
        self._volume.check_attach(ctxt, volume)
        self._volume.check_availability_zone(volume, zone)
        check_multiattach(volume, order.multiattach)
        if bdm.boot_index == 0 and not volume.bootable:
            raise exception.InvalidBDM(reason='Block Device %s is not bootable.' % volume.id)
        return dataclasses.replace(bdm, volume_size=volume.size), image_of(volume.image_metadata)

    def _check_snapshot(self, ctxt, order, bdm, zone):
        snapshot = self._find(self._volume.get_snapshot, ctxt, bdm.snapshot_id)
        if snapshot.status != AVAILABLE:
            raise exception.InvalidBDM(reason='snapshot %s has the status %s' % (snapshot.id, snapshot.status))
        if bdm.volume_size is not None and bdm.volume_size < snapshot.size:
            raise exception.InvalidBDM(reason='the volume is smaller than snapshot %s' % snapshot.id)
        metadata = {}
        if bdm.boot_index == 0:
            try:
                metadata = self._volume.get(ctxt, snapshot.volume_id).image_metadata
            except exception.VolumeNotFound:
                LOG.debug('What snapshot %s was taken of is gone', snapshot.id)
        return dataclasses.replace(bdm, volume_size=bdm.volume_size or snapshot.size), image_of(metadata)

    def _check_image(self, ctxt, order, bdm, zone):
        image = self._lookups.image(ctxt, bdm.image_id)
        size = max(image.size or 0, image.virtual_size or 0)
        if bdm.volume_size < image.min_disk or bdm.volume_size * GIB < size:
            raise exception.InvalidBDM(reason='the volume is smaller than image %s' % image.id)
        return bdm, dataclasses.replace(image, id=None, disk_format=None)

    def _check_blank(self, ctxt, order, bdm, zone):
        return bdm, image_of({})

    @staticmethod
    def _find(get, ctxt, identifier):
        try:
            return get(ctxt, identifier)
        except exception.NotFound as exc:
            raise exception.InvalidBDM(reason=exc.message) from exc

    # ---- do ------------------------------------------------------------------------------------------------------

    def reserve(self, ctxt, build_requests):
        """Make the volumes that servers bring along, and reserve for them those that there are.

        :raises: as volume.cinder.API.create and attachment_create; nothing is left of it then
        """
        try:
            for request in build_requests:
                for device in block_device.volumes(request.block_device_mapping):
                    device.create_volume(ctxt, self._volume, request.instance)
                    if not device.made:
                        device.bdm.attachment_id = self._volume.attachment_create(
                            ctxt, device.bdm.volume_id, request.instance.uuid).id
        except exception.NovaException:
            self.release(ctxt, build_requests)
            raise

    def release(self, ctxt, build_requests):
        """Undo :meth:`reserve`, whatever of it was done. What cannot be undone now is said in the log."""
        for request in build_requests:
            for device in block_device.volumes(request.block_device_mapping):
                try:
                    self._release(ctxt, device)
                except exception.NovaException as exc:
                    LOG.warning('Volume %s of a server that could not be made is left: %s', device.bdm.volume_id, exc)

    def _release(self, ctxt, device):
        if device.bdm.attachment_id is not None:
            self._volume.attachment_delete(ctxt, device.bdm.attachment_id)
        if not device.made or device.bdm.volume_id is None:
            return
        for remaining in reversed(range(PATIENCE)):
            try:
                return block_device.delete_volume(ctxt, self._volume, device.bdm.volume_id)
            except exception.VolumeBusy:
                if not remaining:
                    raise
            concurrency.sleep(PAUSE)


def check_multiattach(volume, supported):
    """:raises Invalid: the volume may have several servers, and the caller's microversion does not know such ones"""
    if volume.multiattach and not supported:
        raise exception.Invalid('Multiattach volumes are only supported starting with compute API version 2.60.')


def image_of(metadata):
    """The ImageMeta of a server that boots from a volume, by what the volume keeps of its image."""
    def number(name):
        text = str(metadata.get(name) or '')
        return int(text) if text.isdecimal() else 0
    return image_meta.ImageMeta(
        id=None, name=metadata.get('image_name'), status='active', min_ram=number('min_ram'),
        min_disk=number('min_disk'),
        properties={name: value for name, value in metadata.items() if name not in _NOT_PROPERTIES})
