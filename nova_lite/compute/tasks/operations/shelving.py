# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Shelves a server: its disk becomes an image, and then (at once, or later) its host forgets it; and brings it back.

What tells of the shelving is in the server's `system_metadata`: shelved_at, shelved_image_id, shelved_host.
"""

from oslo_log import log

from nova_lite import exception
from nova_lite.compute import power_state
from nova_lite.compute import vm_states
from nova_lite.compute.tasks import steps
from nova_lite.compute.tasks import task
from nova_lite.compute.tasks.operations import operation
from nova_lite.compute.tasks.operations import snapshots
from nova_lite.objects import base
from nova_lite.virt import abilities
from nova_lite.virt import block_device
from nova_lite.virt import driver

LOG = log.getLogger(__name__)

MARK = 'shelved_'       # what the names of the system metadata about it begin with
IMAGE_ID = 'shelved_image_id'
UNBOUND = ''            # the host of ports that stay with a server that has none


class OffTheHost(operation.ServerOperation):
    """An operation that takes a server's volumes from a host, or brings them to one."""

    def reserve_volumes(self):
        """Let the volumes be the server's, and no host's: each attachment is replaced by one that is only reserved."""
        held = [device.bdm for device in block_device.volumes(self.block_devices)]
        for bdm in held:
            if bdm.connection_info is not None:
                bdm.attachment_id = self.tools.volume.attachment_create(
                    self.ctxt, bdm.volume_id, self.instance.uuid).id
                bdm.connection_info = None
                self.save_devices()
        known = {bdm.attachment_id for bdm in held}
        for attachment in self.tools.volume.attachment_get_all(self.ctxt, self.instance.uuid) if held else ():
            if attachment.id not in known:
                self.tools.volume.attachment_delete(self.ctxt, attachment.id)

    def attach_volumes(self):
        """Let this host have the volumes."""
        settings = self.tools.settings
        self.driver.default_device_names_for_instance(
            self.instance, self.instance.root_device_name, self.block_devices)
        block_device.attach_block_devices(self.ctxt, self.instance, self.block_devices, block_device.Tools(
            volume=self.tools.volume, driver=self.driver, save=self.save_devices,
            retries=settings.block_device_retries, interval=settings.block_device_interval))
        if block_device.volumes(self.block_devices):
            self.save_devices()

    def save_devices(self):
        self.tools.conductor.block_devices_save(self.ctxt, self.instance.uuid, self.block_devices)


class Offloading(OffTheHost):
    """An operation that ends with a server that no host has."""

    def offload_steps(self):
        return [steps.Step('shelve_offload', self._offload, self._settle, transition='shelving_offloading',
                           values=self.marks, action=self._offload_event),
                steps.Step('release', self._release, self._keep)]

    _offload_event = None

    def marks(self):
        """{field: value} to save before the guest goes."""
        return {}

    def _offload(self):
        self.driver.destroy(self.ctxt, self.instance, self.instance.network_info, self.block_devices)
        self.reserve_volumes()
        self.data['network_info'] = self.tools.network.bind_to_host(self.ctxt, self.instance, UNBOUND)

    def _release(self):
        self.tools.placement.delete_allocation_for_instance(self.ctxt, self.instance.uuid)
        self.tools.tracker.free(self.instance.uuid)

    def _keep(self, exc):
        """Once the guest may be gone, there is no way back, and the image is needed."""
        self.data['kept'] = True

    def _settle(self, exc):
        """A guest that is there is still the host's, and can be offloaded again. Without it, what is left to do is done
        if it can be, and the server is offloaded after all."""
        self._keep(exc)
        if self.record.abandoned or _deleted(exc) or self.power_state() != power_state.NOSTATE:
            return
        try:
            self._offload()
            self._release()
            self.undone = self.finished
        except exception.NovaException as also:
            LOG.warning('The server stays shelved, without a guest: %s', also)

    def undone_values(self):
        return self.offloaded_values() if self.undone == self.finished else super().undone_values()

    def offloaded_values(self):
        return {'host': None, 'node': None, 'power_state': power_state.SHUTDOWN,
                'network_info': self.data['network_info']}


class Shelve(Offloading, snapshots.ImageMaking):
    """Arguments: image_id; None where the disk is a volume, which needs no copy."""

    event, notification, finished = 'compute_shelve_instance', 'shelve', 'shelve_offloaded'
    pending, uploading = 'shelving_image_pending_upload', 'shelving_image_uploading'
    _offload_event = 'compute_shelve_offload_instance'

    def __init__(self, tools, ctxt, task, record):
        super().__init__(tools, ctxt, task, record)
        self._has_image = record.arguments.get('image_id', True) is not None
        self._at_once = tools.settings.shelved_offload_time == 0 or not self._has_image
        self.finished = 'shelve_offloaded' if self._at_once else 'shelved'

    def steps(self):
        found = [steps.Step('power_off', self._power_off, self._power_back)]
        if self._has_image:
            found.append(steps.Step('snapshot', self._fill, interruptible=True))
        return found + (self.offload_steps() if self._at_once else [])

    def _power_off(self):
        """A suspended guest is off, and what it had in memory can still be resumed if this fails."""
        if self.instance.vm_state in (vm_states.ACTIVE, vm_states.PAUSED):
            settings = self.tools.settings
            timeout = settings.shutdown_timeout if self.instance.vm_state == vm_states.ACTIVE else 0
            self.ability(abilities.Power, 'shelve').power_off(
                self.instance, timeout, settings.shutdown_retry_interval)

    def _power_back(self, exc):
        if self.data.get('kept') or _deleted(exc):
            return
        if self.instance.vm_state in (vm_states.ACTIVE, vm_states.PAUSED):
            self.driver.power_on(self.ctxt, self.instance, self.instance.network_info, self.block_devices)
        if self.instance.vm_state == vm_states.PAUSED:
            self.driver.pause(self.instance)

    def _fill(self):
        """Make the image, unless that was done before a crash."""
        if self.tools.image.get(self.ctxt, self.image_id).status != 'active':
            self.make_image()

    def marks(self):
        known = {key: value for key, value in self.instance.system_metadata.items() if not key.startswith(MARK)}
        return {'system_metadata': {**known, 'shelved_at': base.utcnow().isoformat(), 'shelved_host': self.tools.host,
                                    IMAGE_ID: self.arguments.get('image_id')}}

    def values(self):
        return self.offloaded_values() if self._at_once else {**super().values(), **self.marks()}


class ShelveOffload(Offloading):
    event, notification, finished = 'compute_shelve_offload_instance', 'shelve_offload', 'shelve_offloaded'

    def steps(self):
        return self.offload_steps()

    def values(self):
        return self.offloaded_values()


class Unshelving(operation.ServerOperation):
    """An operation that ends with a server that runs, and its image deleted."""

    event, notification, finished = 'compute_unshelve_instance', 'unshelve', 'unshelved'

    def values(self):
        self.data['image_id'] = self.instance.system_metadata.get(IMAGE_ID)
        return {**super().values(), 'system_metadata': {
            key: value for key, value in self.instance.system_metadata.items() if not key.startswith(MARK)}}

    def ended(self):
        """The image has served. Should it not go, its owner sees it and can delete it."""
        if self.data['image_id']:
            try:
                snapshots.delete_image(self.tools, self.ctxt, self.data['image_id'])
            except exception.NovaException as exc:
                LOG.warning('Image %s, which is not needed any more, stays: %s', self.data['image_id'], exc)


class Unshelve(Unshelving):
    """The host has the guest still."""

    def steps(self):
        return [steps.Step('power_on', self._power_on, self._power_off)]

    def _power_on(self):
        self.ability(abilities.Power, 'unshelve').power_on(
            self.ctxt, self.instance, self.instance.network_info, self.block_devices)

    def _power_off(self, exc):
        if not _deleted(exc):
            self.driver.power_off(self.instance)


class UnshelveOffloaded(Unshelving, OffTheHost):
    """No host has the guest: it is made anew, from the image, on the host that the conductor chose.

    The server has no host until that is done, so whatever fails in between, it is still offloaded.
    """

    def steps(self):
        return [steps.Step('instance_claim', self._claim, self._free),
                steps.Step('bind_ports', self._bind, self._unbind),
                steps.Step('attach_volumes', self.attach_volumes, self._detach_volumes),
                steps.Step('spawn', self._spawn, self._destroy, interruptible=True)]

    def _claim(self):
        self.tools.tracker.instance_claim(self.instance, self.data['dest_node'], self.data['limits'])

    def _free(self, exc):
        """Give the room back; in Placement only if nobody else can have begun to bring the server back."""
        self.tools.tracker.free(self.instance.uuid)
        if not self.record.abandoned and not isinstance(exc, task.TakenAway):
            self.tools.placement.delete_allocation_for_instance(self.ctxt, self.instance.uuid)

    def _bind(self):
        self.data['network_info'] = self.tools.network.bind_to_host(self.ctxt, self.instance, self.tools.host)

    def _unbind(self, exc):
        if not self.record.abandoned and not isinstance(exc, task.TakenAway):
            self.data['network_info'] = self.tools.network.bind_to_host(self.ctxt, self.instance, UNBOUND)

    def _detach_volumes(self, exc):
        if not self.record.abandoned and not isinstance(exc, task.TakenAway):
            self.reserve_volumes()

    def _spawn(self):
        instance = self.instance
        image_id = instance.system_metadata.get(IMAGE_ID)
        image = self.tools.image.get(self.ctxt, image_id) if image_id else instance.image_meta
        self.driver.spawn(self.ctxt, driver.SpawnRequest(
            instance=instance, image=image, network_info=self.data['network_info'],
            block_devices=self.block_devices))

    def _destroy(self, exc):
        self.driver.destroy(self.ctxt, self.instance, self.instance.network_info, self.block_devices)

    def values(self):
        return {**super().values(), 'host': self.tools.host, 'node': self.data['dest_node'],
                'network_info': self.data['network_info'], 'launched_at': base.utcnow()}

    def undone_values(self):
        return {'power_state': power_state.SHUTDOWN}

    def ended(self):
        self.tools.tracker.claim_kept(self.instance.uuid)
        super().ended()


def _deleted(exc):
    """Whether a server whose operation is undone because of `exc` is being deleted: it is not started again."""
    return isinstance(exc, task.TakenAway) and exc.deleting
