# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Guests from another image: for a while, to repair their own disk (rescue), or anew for good (rebuild).

What says that a server is rescued by which image is in its `system_metadata`: rescue_image_ref.
"""

import base64

from nova_lite import exception
from nova_lite.compute import vm_states
from nova_lite.compute.tasks import steps
from nova_lite.compute.tasks import task
from nova_lite.compute.tasks.operations import operation
from nova_lite.objects import base
from nova_lite.virt import abilities
from nova_lite.virt import driver

RESCUE_IMAGE = 'rescue_image_ref'


def _deleted(exc):
    """Whether the server is being deleted: then there is no need to bring its guest back."""
    return isinstance(exc, task.TakenAway) and exc.deleting


class _Remaking(operation.ServerOperation):
    def power_off(self):
        """Let the guest shut down; one that is not there is off."""
        settings = self.tools.settings
        try:
            self.ability(abilities.Power, 'stop').power_off(
                self.instance, settings.shutdown_timeout, settings.shutdown_retry_interval)
        except exception.InstanceNotFound:
            pass

    def system_metadata(self):
        """As it is now, without what tells of a rescue."""
        known = self.tools.conductor.instance_get(self.ctxt, self.instance.uuid).system_metadata
        return {key: value for key, value in known.items() if key != RESCUE_IMAGE}


class Rescue(_Remaking):
    """Arguments: image (an ImageMeta), password."""

    event, notification, finished = 'compute_rescue_instance', 'rescue', 'rescued'

    def steps(self):
        return [steps.Step('power_off', self._power_off, self._power_back),
                steps.Step('rescue', self._rescue, self._unrescue, interruptible=True)]

    def _power_off(self):
        if self.instance.vm_state == vm_states.ACTIVE:
            self.power_off()

    def _power_back(self, exc):
        if self.instance.vm_state == vm_states.ACTIVE and not _deleted(exc):
            self.driver.power_on(self.ctxt, self.instance, self.instance.network_info, self.block_devices)

    def _rescue(self):
        self.ability(abilities.Rescue, 'rescue').rescue(
            self.ctxt, self.instance, self.instance.network_info, self.arguments['image'], self.arguments['password'],
            self.block_devices)

    def _unrescue(self, exc):
        """Back to the guest's own disk; it runs again only if it did before."""
        if _deleted(exc):
            return
        self.driver.unrescue(self.ctxt, self.instance, self.instance.network_info, self.block_devices)
        if self.instance.vm_state == vm_states.STOPPED:
            self.driver.power_off(self.instance)

    def values(self):
        return super().values() | {
            'launched_at': base.utcnow(),
            'system_metadata': self.system_metadata() | {RESCUE_IMAGE: self.arguments['image'].id}}


class Unrescue(_Remaking):
    event, notification, finished = 'compute_unrescue_instance', 'unrescue', 'unrescued'

    def steps(self):
        return [steps.Step('unrescue', self._unrescue)]

    def _unrescue(self):
        self.ability(abilities.Rescue, 'unrescue').unrescue(
            self.ctxt, self.instance, self.instance.network_info, self.block_devices)

    def values(self):
        return super().values() | {'system_metadata': self.system_metadata()}


class Rebuild(_Remaking):
    """Arguments: password; injected_files: [[path, base64]…]; stopped: whether it was, and is to be in the end.

    The instance says already what it is to be. Once it has begun there is no way back: what fails ends in ERROR, from
    where it can be asked for again. Ports and volumes stay.
    """

    event, notification, finished, undone = 'compute_rebuild_instance', 'rebuild', 'rebuilt', 'operation_failed'

    def __init__(self, tools, ctxt, task, record):
        super().__init__(tools, ctxt, task, record)
        if record.arguments.get('stopped'):
            self.finished = 'rebuilt_stopped'

    def steps(self):
        found = [steps.Step('prepare_for_spawn', self._prepare),
                 steps.Step('destroy', self._destroy, transition='rebuild_block_device_mapping'),
                 steps.Step('spawn', self._spawn, transition='rebuild_spawning', interruptible=True)]
        return found + ([steps.Step('stop', self.power_off)] if self.arguments.get('stopped') else [])

    def _prepare(self):
        """Refuse what cannot be had here before the guest is touched."""
        self.driver.prepare_for_spawn(self.instance)

    def _destroy(self):
        if self.instance.vm_state == vm_states.ACTIVE:
            self.power_off()
        self.driver.destroy(self.ctxt, self.instance, self.instance.network_info, self.block_devices)

    def _spawn(self):
        """Make the guest; what an earlier try left of it goes first."""
        self.driver.destroy(self.ctxt, self.instance, self.instance.network_info, self.block_devices)
        self._name_image()
        self.driver.spawn(self.ctxt, driver.SpawnRequest(
            instance=self.instance, image=self.instance.image_meta, network_info=self.instance.network_info,
            block_devices=self.block_devices, admin_password=self.arguments['password'],
            injected_files=[(path, base64.b64decode(content)) for path, content in self.arguments['injected_files']]))

    def _name_image(self):
        """The record of the root disk names its image too."""
        for device in self.block_devices:
            if device.boot_index == 0 and device.source_type == 'image' and device.destination_type == 'local':
                if device.image_id != self.instance.image_ref:
                    device.image_id = self.instance.image_ref
                    self.tools.conductor.block_devices_save(self.ctxt, self.instance.uuid, self.block_devices)

    def values(self):
        return super().values() | {'launched_at': base.utcnow(), 'progress': 0}
