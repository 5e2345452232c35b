# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Deleting that can be taken back for a while: the guest is stopped and kept, and started again when it is restored."""

import contextlib

from nova_lite import exception
from nova_lite.compute.tasks import steps
from nova_lite.compute.tasks.operations import operation
from nova_lite.objects import base
from nova_lite.virt import abilities

SINCE = 'soft_deleted_at'       # in the system metadata of a server that is to be deleted later


class SoftDelete(operation.ServerOperation):
    event, notification, finished = 'compute_soft_delete_instance', 'soft_delete', 'soft_deleted'

    def steps(self):
        return [steps.Step('power_off', self.power_off)]

    def power_off(self):
        """Whatever is left of it: a guest that is lost is off."""
        with contextlib.suppress(exception.InstanceNotFound):
            self.ability(abilities.Power, 'soft_delete').power_off(self.instance)

    def values(self):
        return {**super().values(), 'system_metadata': {
            **self.instance.system_metadata, SINCE: base.utcnow().isoformat()}}


class Restore(operation.ServerOperation):
    event, notification, finished = 'compute_restore_instance', 'restore', 'restored'

    def steps(self):
        return [steps.Step('power_on', self.power_on)]

    def power_on(self):
        self.ability(abilities.Power, 'restore').power_on(
            self.ctxt, self.instance, self.instance.network_info, self.block_devices)

    def values(self):
        known = {key: value for key, value in self.instance.system_metadata.items() if key != SINCE}
        return {**super().values(), 'system_metadata': known}
