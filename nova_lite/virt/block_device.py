# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""The block devices of a guest, by where their contents come from and where they are kept.

What is kept on the host the driver makes together with the guest. A volume is made in nova-api, for its owner
(:meth:`create_volume`), and attached on the host: waited for, reserved for the server, made reachable for the host.
"""

import dataclasses
import time

from oslo_log import log

from nova_lite import concurrency
from nova_lite import exception
from nova_lite.virt import abilities_volumes
from nova_lite.volume import cinder

LOG = log.getLogger(__name__)

SWAP = 'swap'
BEING_MADE = (cinder.CREATING, cinder.DOWNLOADING)


@dataclasses.dataclass(frozen=True)
class Tools:
    """volume: a volume.cinder.API; driver: the host's; retries, interval: how often it is looked whether a volume is
    there, and the seconds between; save(): keep the BlockDeviceMappings as they are now."""

    volume: cinder.API
    driver: object
    save: object
    retries: int = 60
    interval: float = 3


def for_flavor(block_devices, old, new):
    """The BlockDeviceMappings of a server that goes from one flavor to another: what has all the room that the old one
    gives to root disk, swap or ephemeral disk gets all of the new one's; what gets none is left out."""
    found = []
    for bdm in block_devices:
        if bdm.destination_type == 'local' and not bdm.no_device:
            kind = 'root_gb' if bdm.boot_index == 0 else 'swap' if bdm.guest_format == SWAP else 'ephemeral_gb'
            if bdm.volume_size == getattr(old, kind):
                bdm = dataclasses.replace(bdm, volume_size=getattr(new, kind))
            if not bdm.volume_size and kind != 'root_gb':
                continue
        found.append(bdm)
    return found


class DriverBlockDevice:
    """A device that the driver makes on the host. `bdm`: its BlockDeviceMapping, which is brought up to date."""

    is_volume = False

    def __init__(self, bdm):
        self.bdm = bdm


class DriverSwapBlockDevice(DriverBlockDevice):
    """Swap space."""


class DriverEphemeralBlockDevice(DriverBlockDevice):
    """An empty file system."""


class DriverImageBlockDevice(DriverBlockDevice):
    """The root disk, from an image."""


class DriverVolumeBlockDevice(DriverBlockDevice):
    """A volume that there was before the server."""

    is_volume = True
    made = False        # with the server; so it goes when the server cannot be built

    def create_volume(self, ctxt, volume_api, instance):
        """Have the volume made, with the token of its owner in the context. :raises: as volume.cinder.API.create"""

    def attach(self, ctxt, instance, tools, do_driver_attach=False):
        """Let this host, and with `do_driver_attach` the guest, have the volume. May be repeated.

        :raises VolumeNotCreated, VolumeUnsupported, InvalidVolume, VolumeNotFound, CinderConnectionFailed:
        """
        bdm, driver = self.bdm, tools.driver
        if not isinstance(driver, abilities_volumes.Volumes):
            raise exception.VolumeUnsupported(kind='any', reason='it has no volumes at all')
        volume = self._wait(ctxt, tools)
        if bdm.attachment_id is None:
            bdm.attachment_id = tools.volume.attachment_create(ctxt, volume.id, instance.uuid).id
            tools.save()
        attachment = tools.volume.attachment_update(
            ctxt, bdm.attachment_id, driver.get_volume_connector(instance), bdm.device_name)
        bdm.volume_size = volume.size
        bdm.connection_info = {**attachment.connection_info, 'serial': volume.id, 'multiattach': volume.multiattach}
        driver.check_volume(bdm.connection_info)
        if do_driver_attach:
            driver.attach_volume(ctxt, bdm.connection_info, instance, bdm.device_name, bdm)
        tools.volume.attachment_complete(ctxt, bdm.attachment_id)

    def _wait(self, ctxt, tools):
        """The Volume, when it is whole. :raises VolumeNotCreated:"""
        started = time.monotonic()
        for _ in range(tools.retries + 1):
            volume = tools.volume.get(ctxt, self.bdm.volume_id)
            if volume.status not in BEING_MADE:
                break
            concurrency.sleep(tools.interval)
        else:
            raise exception.VolumeNotCreated(volume_id=volume.id, reason='its status is %s after %d seconds'
                                             % (volume.status, time.monotonic() - started))
        if volume.status == cinder.ERROR:
            raise exception.VolumeNotCreated(volume_id=volume.id, reason='its status is error')
        return volume


class _Made(DriverVolumeBlockDevice):
    """A volume that is made with the server."""

    made = True

    def create_volume(self, ctxt, volume_api, instance):
        bdm = self.bdm
        zone = None if volume_api.cross_az_attach else instance.availability_zone
        volume = volume_api.create(
            ctxt, bdm.volume_size, self.name(instance), volume_type=bdm.volume_type, availability_zone=zone,
            **self.source())
        bdm.volume_id = volume.id

    def name(self, instance):
        return ''

    def source(self):
        """The argument of volume.cinder.API.create that says what the volume is made from."""
        return {}


class DriverVolSnapshotBlockDevice(_Made):
    """A volume made from a snapshot of another one."""

    def source(self):
        return {'snapshot_id': self.bdm.snapshot_id}


class DriverVolImageBlockDevice(_Made):
    """A volume made from an image."""

    def source(self):
        return {'image_id': self.bdm.image_id}


class DriverVolBlankBlockDevice(_Made):
    """An empty volume."""

    def name(self, instance):
        return instance.uuid + '-blank-vol'


_VOLUMES = {'volume': DriverVolumeBlockDevice, 'snapshot': DriverVolSnapshotBlockDevice,
            'image': DriverVolImageBlockDevice, 'blank': DriverVolBlankBlockDevice}


def convert(bdm):
    """The device of a BlockDeviceMapping."""
    if bdm.destination_type == 'volume':
        return _VOLUMES[bdm.source_type](bdm)
    if bdm.source_type == 'image':
        return DriverImageBlockDevice(bdm)
    return (DriverSwapBlockDevice if bdm.guest_format == SWAP else DriverEphemeralBlockDevice)(bdm)


def volumes(block_devices):
    """[device…] of those of a list of BlockDeviceMapping that are volumes."""
    return [device for device in map(convert, block_devices) if device.is_volume]


def attach_block_devices(ctxt, instance, block_devices, tools):
    """Attach to the host all that are volumes, for a guest that is to be made with them.

    :raises: as DriverVolumeBlockDevice.attach
    """
    for device in volumes(block_devices):
        LOG.info('Booting with volume %s at %s', device.bdm.volume_id, device.bdm.device_name)
        device.attach(ctxt, instance, tools)


def let_go(ctxt, instance_uuid, block_devices, volume_api, doomed):
    """Give back all volumes of a server whose guest is gone, and delete those for which `doomed(device)` says so.

    Attachments are found by the server, so also one is that nobody had the time to record.
    :raises CinderConnectionFailed; VolumeBusy: a doomed volume is still being made, and may go later
    """
    held = [device for device in volumes(block_devices) if device.bdm.volume_id]
    if not held:
        return
    for attachment in volume_api.attachment_get_all(ctxt, instance_uuid):
        volume_api.attachment_delete(ctxt, attachment.id)
    for device in held:
        if doomed(device):
            delete_volume(ctxt, volume_api, device.bdm.volume_id)


def delete_volume(ctxt, volume_api, volume_id):
    """Have a volume deleted; one that is gone, or that somebody else uses, is left. :raises VolumeBusy:"""
    try:
        volume = volume_api.get(ctxt, volume_id)
        if volume.status in BEING_MADE:
            raise exception.VolumeBusy(volume_id=volume_id)
        volume_api.delete(ctxt, volume_id)
    except exception.VolumeNotFound:
        LOG.debug('Volume %s is gone already', volume_id)
    except exception.Invalid as exc:    # somebody uses it by now, or took a snapshot of it
        LOG.warning('Volume %s is left: %s', volume_id, exc)


def made_with_server(device):
    """For :func:`let_go` when the server could not be built."""
    return device.made


def goes_with_server(device):
    """For :func:`let_go` when the server is deleted."""
    return device.bdm.delete_on_termination
