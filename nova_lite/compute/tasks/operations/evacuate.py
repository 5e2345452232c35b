# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Evacuation: the host of a server is down, so its guest is made anew, from its image, on another one.

The host that is down removes its own guest when it comes back and finds that the server is elsewhere.
"""

import dataclasses

from nova_lite.compute.tasks import steps
from nova_lite.compute.tasks.operations import resize
from nova_lite.objects import base
from nova_lite.objects import migration as migration_obj
from nova_lite.virt import abilities
from nova_lite.virt import driver


class Evacuate(resize.Moving):
    """Arguments: migration; stay_off: whether the guest is to be off, whatever it was."""

    event, notification, finished = 'compute_rebuild_instance', 'rebuild', 'evacuated'

    def __init__(self, tools, ctxt, task, record):
        super().__init__(tools, ctxt, task, record)
        if record.data.get('off'):
            self.finished = 'evacuated_off'

    def steps(self):
        return [steps.Step('rebuild_claim', self._claim, self._free),
                steps.Step('rebuild_networks', lambda: self.bind_ports(self.dest()),
                           lambda exc: self.bind_ports(self.source()), transition='evacuating'),
                steps.Step('rebuild_spawn', self._spawn, self._destroy, transition='evacuate_spawning',
                           interruptible=True)]

    def status(self, event):
        return {None: migration_obj.PREPARING, self.finished: migration_obj.DONE}.get(
            event, migration_obj.ERROR if event in (self.undone, 'operation_failed') else migration_obj.PREPARING)

    def _claim(self):
        self.claim()

    def _free(self, exc):
        self.free_claim()
        self._give_back(exc)

    def _spawn(self):
        self.driver.spawn(self.ctxt, driver.SpawnRequest(
            instance=dataclasses.replace(self.instance, host=self.tools.host), image=self.instance.image_meta,
            network_info=self.network_info, block_devices=self.block_devices))
        if self.data.get('off'):
            self.ability(abilities.Power, 'evacuate').power_off(self.instance)

    def _destroy(self, exc):
        if self.instance.host != self.dest():
            self.driver.destroy(self.ctxt, self.instance, self.network_info, self.block_devices)

    def values(self):
        self.tools.placement.delete_allocation_for_instance(self.ctxt, self.migration.uuid)
        return {'host': self.dest(), 'node': self.migration.dest_node, 'network_info': self.network_info,
                'launched_at': base.utcnow(), 'power_state': self.power_state()}

    def undone_values(self):
        return {'network_info': self.network_info}
