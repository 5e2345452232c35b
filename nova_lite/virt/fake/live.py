# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Live migration of fake guests: it takes as long as operations are told to take, and can be aborted or hurried on."""

from nova_lite import concurrency
from nova_lite import exception
from nova_lite.compute import power_state
from nova_lite.compute import vm_states

SLICES = 10
MIB = 1024 ** 2


class LiveMigration:
    """A part of the FakeDriver; `_guests` is its GuestStore, `_behaviour` how it misbehaves."""

    _hurried = frozenset()

    def pre_live_migration(self, ctxt, instance, network_info, block_devices):
        if self._guests.get(instance.uuid) is None:
            self._guests.put(self._made(instance, network_info, power_state.PAUSED))

    def live_migration(self, ctxt, instance, dest_host, network_info, block_devices, report):   # noqa: PLR0913 (as Nova)
        total = instance.flavor.memory_mb * MIB
        if self._guests.get(instance.uuid) is None:
            return
        for number in range(SLICES):
            if instance.uuid in self._hurried:
                break
            report({'memory_total_bytes': total, 'memory_processed_bytes': total * number // SLICES,
                    'memory_remaining_bytes': total - total * number // SLICES})
            concurrency.sleep(self._behaviour.operation_delay / SLICES)
        self._hurried -= {instance.uuid}
        self._guests.remove(instance.uuid)

    def live_migration_force_complete(self, instance):
        if self._guests.get(instance.uuid) is None:
            raise exception.InstanceNotFound(instance_id=instance.uuid)
        self._hurried |= {instance.uuid}

    def post_live_migration_at_destination(self, ctxt, instance, network_info, block_devices):
        guest = self._guest(instance)
        if guest.state == power_state.PAUSED and instance.vm_state != vm_states.PAUSED:
            self._set(guest, state=power_state.RUNNING)

    def post_live_migration(self, ctxt, instance, network_info, block_devices):
        self._guests.remove(instance.uuid)
