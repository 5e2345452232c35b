# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Live migration: the guest goes to another host while it runs; until it is there, everything can be given up."""

from nova_lite import exception
from nova_lite.compute.tasks import steps
from nova_lite.compute.tasks.operations import resize
from nova_lite.objects import migration as migration_obj
from nova_lite.virt import abilities

EARLY = ('check_can_live_migrate', 'pre_live_migration')     # the steps before the guest is copied


class LiveMigrate(resize.Moving):
    event, notification, finished = 'compute_live_migration', 'live_migration', 'live_migrated'

    def steps(self):
        return [
            steps.Step('check_can_live_migrate', self._check, self._give_back, on=self.source),
            steps.Step('pre_live_migration', self._prepare, self._forget, action='compute_pre_live_migration',
                       on=self.dest),
            steps.Step('live_migration', self._migrate, self._note_abort, interruptible=True, on=self.source),
            steps.Step('migrate_ports', self._follow, lambda exc: self._follow(), on=self.source),
            steps.Step('post_live_migration_at_destination', self._arrive,
                       action='compute_post_live_migration_at_destination', on=self.dest),
            steps.Step('post_live_migration', self._leave, on=self.source),
        ]

    def status(self, event):
        if event == self.finished:
            return migration_obj.COMPLETED
        if event is None:
            return migration_obj.PREPARING_LIVE if self.record.step in EARLY else migration_obj.RUNNING
        if self.data.get('moved'):
            return migration_obj.COMPLETED
        return migration_obj.CANCELLED if self.data.get('aborted') else migration_obj.ERROR

    def _mover(self):
        return self.ability(abilities.LiveMigration, 'live-migration')

    def _check(self):
        self._mover()

    def _give_back(self, exc):
        """Once the guest is there, what it holds is there too."""
        if self.data.get('moved'):
            self.tools.placement.delete_allocation_for_instance(self.ctxt, self.migration.uuid)
        else:
            super()._give_back(exc)

    def _prepare(self):
        self._mover()
        self.claim()
        self._mover().pre_live_migration(self.ctxt, self.instance, self.network_info, self.block_devices)

    def _forget(self, exc):
        if not self.data.get('moved') and self.instance.host != self.dest():
            self.driver.destroy(self.ctxt, self.instance, self.network_info, self.block_devices)
            self.free_claim()

    def _migrate(self):
        self._mover().live_migration(self.ctxt, self.instance, self.dest(), self.network_info, self.block_devices,
                                     self._report)
        self.data['moved'] = True

    def _report(self, progress):
        """Keep what the driver says of the copy: {'memory_total_bytes': …}, with the next report of the operation."""
        self.task.report_progress(self.record, {'uuid': self.migration.uuid, 'progress': progress})

    def _note_abort(self, exc):
        if isinstance(exc, exception.MigrationAborted):
            self.data['aborted'] = True

    def _follow(self):
        """The ports go where the guest is, which does not come back whatever fails."""
        self.bind_ports(self.dest())

    def _arrive(self):
        self._mover().post_live_migration_at_destination(
            self.ctxt, self.instance, self.network_info, self.block_devices)
        self.data['power_state'] = self.power_state()

    def _leave(self):
        self._mover().post_live_migration(self.ctxt, self.instance, self.instance.network_info, self.block_devices)
        self.tools.placement.delete_allocation_for_instance(self.ctxt, self.migration.uuid)
        self.tools.tracker.free(self.instance.uuid)

    def values(self):
        found = {'host': self.dest(), 'node': self.migration.dest_node, 'network_info': self.network_info}
        return found | ({'power_state': self.data['power_state']} if 'power_state' in self.data else {})

    def undone_values(self):
        """A guest that has left is there, whatever failed after that."""
        return self.values() if self.data.get('moved') else super().undone_values()
