# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Operations inside a guest that runs: another password, an interrupt that has its kernel dump the memory.

Both may be done again after a crash, and neither can be taken back.
"""

from nova_lite.compute.tasks import steps
from nova_lite.compute.tasks.operations import operation
from nova_lite.virt import abilities


class CrashDump(operation.ServerOperation):
    event, notification, finished = 'compute_trigger_crash_dump', 'trigger_crash_dump', 'crash_dump_triggered'
    undone = 'beside_undone'

    def steps(self):
        return [steps.Step('trigger_crash_dump', self._trigger)]

    def _trigger(self):
        self.ability(abilities.CrashDump, 'trigger_crash_dump').trigger_crash_dump(self.instance)


class AdminPassword(operation.ServerOperation):
    event, notification, finished = 'compute_set_admin_password', 'password_set', 'password_set'

    def steps(self):
        return [steps.Step('set_admin_password', self._set, interruptible=True)]

    def _set(self):
        self.ability(abilities.AdminPassword, 'set_admin_password').set_admin_password(
            self.instance, self.arguments['password'])
