# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Resize and cold migration: the guest stops and goes on elsewhere, or with another flavor; until that is confirmed it
can go back.

The conductor chose the destination before; what the source holds for a way back is counted and allocated under the
uuid of the migration, what the destination holds under that of the instance.
"""

import dataclasses

from nova_lite import exception
from nova_lite.compute import power_state
from nova_lite.compute import vm_states
from nova_lite.compute.tasks import steps
from nova_lite.compute.tasks.operations import operation
from nova_lite.objects import base
from nova_lite.objects import migration as migration_obj
from nova_lite.virt import abilities
from nova_lite.virt import block_device


class Move(operation.ServerOperation):
    """What moving there and back have in common."""

    @property
    def migration(self):
        return self.data.get('migration') or self.arguments['migration']

    def source(self):
        return self.migration.source_compute

    def dest(self):
        return self.migration.dest_compute

    @property
    def same_host(self):
        return self.source() == self.dest()

    @property
    def network_info(self):
        return self.data.get('network_info') or self.instance.network_info

    def resizer(self):
        """The driver. :raises OperationFailed: it cannot do it"""
        return self.ability(abilities.Resize, self.record.name)

    def flavored(self, flavor):
        """The Instance as it is with a flavor."""
        return dataclasses.replace(self.instance, flavor=flavor)

    def resize_devices(self, old, new):
        """Have the disks on the host be those of another flavor."""
        devices = block_device.for_flavor(self.block_devices, old, new)
        if devices != self.block_devices:
            self.tools.conductor.block_devices_save(self.ctxt, self.instance.uuid, devices)
            self.block_devices = devices

    def bind_ports(self, host):
        """Have the ports bound to a host; with that the interfaces may look different."""
        if not self.same_host:
            self.data['network_info'] = self.tools.network.bind_to_host(self.ctxt, self.instance, host)

    def forget(self):
        for consumer in (self.migration.uuid, self.instance.uuid):
            self.tools.placement.delete_allocation_for_instance(self.ctxt, consumer)

    def migration_values(self, event):
        status = self.status(event)
        return {'uuid': self.migration.uuid, 'status': status} if status else {}

    def status(self, event):
        """That of the migration, which is saved with an event of compute/transitions.py; None: as it is."""
        raise NotImplementedError


class Moving(Move):
    """An operation that goes to a host that the conductor chose."""

    def claim(self):
        """Take the room, here and in Placement, where a scheduler that was late may have left another claim."""
        self.tools.tracker.move_claim(self.migration.uuid, self.flavored(self.migration.new_flavor),
                                      self.data['dest_node'], self.data['limits'])
        if not self.tools.placement.claim_resources(
                self.ctxt, self.instance.uuid, self.data['allocation'], self.instance.project_id,
                self.instance.user_id):
            raise exception.ComputeResourcesUnavailable(reason='the room on the host was taken by another server')

    def free_claim(self):
        self.tools.tracker.free(self.migration.uuid)

    def _give_back(self, exc):
        self.tools.placement.move_allocations(self.ctxt, self.migration.uuid, self.instance)


class Resize(Moving):
    event, notification, finished = 'compute_prep_resize', 'resize', 'resized'
    _STATUS = {'resize_migrating': migration_obj.MIGRATING, 'resize_migrated': migration_obj.POST_MIGRATING,
               'resized': migration_obj.FINISHED, 'operation_undone': migration_obj.ERROR,
               'operation_failed': migration_obj.ERROR}

    def steps(self):
        return [
            steps.Step('start_move', self._check, self._give_back, on=self.source),
            steps.Step('prep_resize', self._claim, self._free, on=self.dest),
            steps.Step('resize_instance', self._send, self._bring_back, transition='resize_migrating',
                       action='compute_resize_instance', on=self.source),
            steps.Step('migrate_ports', lambda: self.bind_ports(self.dest()),
                       lambda exc: self.bind_ports(self.source()), transition='resize_migrated', on=self.source),
            steps.Step('finish_resize', self._finish, self._remove, transition='resize_finish',
                       action='compute_finish_resize', on=self.dest),
        ]

    def status(self, event):
        return self._STATUS.get(event)

    @property
    def _was_running(self):
        return self.instance.vm_state == vm_states.ACTIVE

    @property
    def _moved(self):
        return self.flavored(self.migration.new_flavor)

    def _check(self):
        self.resizer()

    def _claim(self):
        self.resizer()
        self.claim()

    def _free(self, exc):
        self.free_claim()

    def _send(self):
        settings = self.tools.settings
        self.data['disk_info'] = self.resizer().migrate_disk_and_power_off(
            self.ctxt, self.instance, None if self.same_host else self.migration.dest_host, self.migration.new_flavor,
            self.instance.network_info, self.block_devices, settings.shutdown_timeout,
            settings.shutdown_retry_interval)

    def _bring_back(self, exc):
        self.resizer().finish_revert_migration(
            self.ctxt, self.instance, self.network_info, self.migration, self.block_devices,
            power_on=self._was_running)

    def _finish(self):
        old, new = self.migration.old_flavor, self.migration.new_flavor
        larger = (old.root_gb, old.ephemeral_gb, old.swap) != (new.root_gb, new.ephemeral_gb, new.swap)
        self.resize_devices(old, new)
        self.resizer().finish_migration(
            self.ctxt, self.migration, self._moved, self.data['disk_info'], self.network_info,
            self.instance.image_meta, larger, self.block_devices, power_on=self._was_running)

    def _remove(self, exc):
        self.resize_devices(self.migration.new_flavor, self.migration.old_flavor)
        if not self.same_host and self.instance.host != self.dest():    # it may have come another time meanwhile
            self.driver.destroy(self.ctxt, self.instance, self.network_info, self.block_devices)

    def values(self):
        values = {'host': self.dest(), 'node': self.migration.dest_node, 'flavor': self.migration.new_flavor,
                  'network_info': self.network_info, 'launched_at': base.utcnow(), **super().values()}
        if self.arguments.get('auto_disk_config') is not None:
            values['auto_disk_config'] = self.arguments['auto_disk_config']
        return values

    def undone_values(self):
        return {'network_info': self.network_info, **super().undone_values()}


class Migrate(Resize):
    event, notification = 'compute_prep_resize', 'resize'


class ConfirmResize(Move):
    """Forget the way back. It is the source that does it, while the instance stays where it is."""

    event, notification, finished = 'compute_confirm_resize', 'resize.confirm', 'resize_confirmed'

    def steps(self):
        return [steps.Step('confirm_migration', self._confirm, on=self.source),
                steps.Step('free_source', self._free, on=self.source)]

    def status(self, event):
        if event == self.undone:        # once begun, there is no way back: it can only be confirmed again
            return migration_obj.CONFIRMING if self.data.get('begun') else migration_obj.FINISHED
        return migration_obj.CONFIRMED if event else migration_obj.CONFIRMING

    def _confirm(self):
        self.data['begun'] = True
        if self.instance.power_state == power_state.SHUTDOWN:
            self.data['finished'] = 'resize_confirmed_off'
        self.resizer().confirm_migration(
            self.ctxt, self.migration, self.flavored(self.migration.old_flavor), self.instance.network_info)

    def _free(self):
        self.tools.placement.delete_allocation_for_instance(self.ctxt, self.migration.uuid)
        self.tools.tracker.free(self.migration.uuid)
        self.finished = self.data.get('finished', self.finished)

    def values(self):
        return {}

    def undone_values(self):
        return {}


class RevertResize(Move):
    """Back to the source, where everything was kept. What fails may be asked for again, but once the new guest is gone
    not to confirm instead: the migration goes on to be `reverting`."""

    event, notification, finished = 'compute_revert_resize', 'resize.revert', 'resize_reverted'

    def steps(self):
        return [
            steps.Step('revert_resize', self._remove, on=self.dest),
            steps.Step('revert_ports', lambda: self.bind_ports(self.source()), on=self.source),
            steps.Step('finish_revert_resize', self._bring_back, action='compute_finish_revert_resize',
                       on=self.source),
            steps.Step('revert_allocation', self._take_allocation, on=self.source),
        ]

    def status(self, event):
        if event == self.undone:
            return migration_obj.REVERTING if self.data.get('removed') else migration_obj.FINISHED
        return migration_obj.REVERTED if event else migration_obj.REVERTING

    def _remove(self):
        self.data['removed'] = True
        if not self.same_host:
            self.driver.destroy(self.ctxt, self.instance, self.instance.network_info, self.block_devices)
        self.tools.tracker.free(self.instance.uuid)

    def _bring_back(self):
        self.resize_devices(self.migration.new_flavor, self.migration.old_flavor)
        self.resizer().finish_revert_migration(
            self.ctxt, self.flavored(self.migration.old_flavor), self.network_info, self.migration,
            self.block_devices, power_on=self._was_running)

    @property
    def _was_running(self):
        return self.migration.old_vm_state != vm_states.STOPPED

    def _take_allocation(self):
        self.tools.placement.move_allocations(self.ctxt, self.migration.uuid, self.instance)
        if not self._was_running:
            self.finished = 'resize_reverted_off'

    def values(self):
        return {'host': self.source(), 'node': self.migration.source_node, 'flavor': self.migration.old_flavor,
                'network_info': self.network_info, **super().values()}

    def undone_values(self):
        return {'network_info': self.network_info}
