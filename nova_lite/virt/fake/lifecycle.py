# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""What is done to fake guests after they were made: the abilities of virt/abilities.py, as bookkeeping.

A guest's other halves have keys of their own in the store: `UUID_resize` is what a revert would bring back.
"""

import contextlib
import dataclasses
import os
import random
import tempfile

from nova_lite import concurrency
from nova_lite import exception
from nova_lite.compute import power_state
from nova_lite.virt import abilities
from nova_lite.virt.fake import guests

RESIZE = '_resize'
SNAPSHOT_SIZE = 65536       # bytes


class Lifecycle:
    """A part of the FakeDriver; `_guests` is its GuestStore, `_behaviour` how it misbehaves, `_directory` its own."""

    def _guest(self, instance):
        guest = self._guests.get(instance.uuid)
        if guest is None:
            raise exception.InstanceNotFound(instance_id=instance.uuid)
        return guest

    def _running(self, instance):
        guest = self._guest(instance)
        if guest.state not in (power_state.RUNNING, power_state.PAUSED):
            raise exception.InstanceNotRunning(instance_id=instance.uuid)
        return guest

    def _begin(self, operation):
        """Take as long as is configured, and fail as often. :raises HypervisorError:"""
        concurrency.sleep(self._behaviour.operation_delay)
        if random.random() < self._behaviour.fail_operations.get(operation, 0):
            raise exception.HypervisorError(operation=operation.replace('_', ' '), reason='chance')

    def _set(self, guest, **changes):
        self._guests.put(dataclasses.replace(guest, **changes))

    def _made(self, instance, network_info, state, **fields):
        """A guest as the records say that it should be, with the volumes that it has."""
        there = self._guests.get(instance.uuid) or self._guests.get(instance.uuid + RESIZE)
        if there is not None:
            fields['volumes'] = there.volumes
        return guests.Guest(uuid=instance.uuid, name=instance.name, state=state, display_name=instance.display_name,
                            mac_addresses=[vif.address for vif in network_info], **fields)

    # ---- power ---------------------------------------------------------------------------------------------------

    def power_off(self, instance, timeout=0, retry_interval=0):
        self._begin('power_off')
        guest = self._guests.get(instance.uuid)
        if guest is not None:
            self._set(guest, state=power_state.SHUTDOWN)

    def power_on(self, ctxt, instance, network_info, block_devices):
        self._begin('power_on')
        self._set(self._made(instance, network_info, power_state.RUNNING))

    def reboot(self, ctxt, instance, network_info, reboot_type, block_devices):
        self._begin('reboot')
        if reboot_type == abilities.SOFT:
            self._guest(instance)
        self._set(self._made(instance, network_info, power_state.RUNNING))

    def pause(self, instance):
        self._begin('pause')
        self._set(self._running(instance), state=power_state.PAUSED)

    def unpause(self, instance):
        self._begin('unpause')
        self._set(self._running(instance), state=power_state.RUNNING)

    def suspend(self, ctxt, instance):
        self._begin('suspend')
        guest = self._guest(instance)
        if not guest.suspended:
            self._set(self._running(instance), state=power_state.SHUTDOWN, suspended=True)

    def resume(self, ctxt, instance, network_info, block_devices):
        self._begin('resume')
        self._set(self._guest(instance), state=power_state.RUNNING, suspended=False)

    # ---- rescue --------------------------------------------------------------------------------------------------

    def rescue(self, ctxt, instance, network_info, image, rescue_password, block_devices):  # noqa: PLR0913 (as Nova)
        self._begin('rescue')
        self._set(self._guest(instance), state=power_state.RUNNING, rescued=True)

    def unrescue(self, ctxt, instance, network_info, block_devices):
        self._begin('unrescue')
        self._set(self._guest(instance), state=power_state.RUNNING, rescued=False)

    # ---- what is inside ------------------------------------------------------------------------------------------

    @contextlib.contextmanager
    def snapshot(self, ctxt, instance, block_devices, extract=None):
        self._begin('snapshot')
        self._guest(instance)
        with tempfile.NamedTemporaryFile(dir=self._directory, suffix='.snapshot') as file:
            os.truncate(file.name, SNAPSHOT_SIZE)
            yield abilities.Snapshot(path=file.name, disk_format='raw')

    def set_admin_password(self, instance, password):
        self._begin('set_admin_password')
        self._running(instance)

    def trigger_crash_dump(self, instance):
        self._begin('trigger_crash_dump')
        self._running(instance)

    def get_diagnostics(self, instance):
        self._begin('get_diagnostics')
        self._running(instance)
        return {'cpu0_time': 17300000000, 'memory': instance.flavor.memory_mb * 1024, 'vda_errors': -1,
                'vda_read': 262144, 'vda_read_req': 112, 'vda_write': 5778432, 'vda_write_req': 488,
                'vnet1_rx': 2070139, 'vnet1_rx_drop': 0, 'vnet1_rx_errors': 0, 'vnet1_rx_packets': 26701,
                'vnet1_tx': 140208, 'vnet1_tx_drop': 0, 'vnet1_tx_errors': 0, 'vnet1_tx_packets': 662}

    def get_instance_diagnostics(self, instance):
        self._begin('get_instance_diagnostics')
        guest = self._running(instance)
        counters = {'octets': 2070139, 'errors': 0, 'drop': 0, 'packets': 26701, 'rate': None}
        nic = {way + '_' + name: value for way in ('rx', 'tx') for name, value in counters.items()}
        return {
            'state': power_state.NAMES[guest.state].lower(), 'driver': 'fake', 'hypervisor': 'fake',
            'hypervisor_os': 'fake', 'uptime': 7, 'config_drive': instance.config_drive,
            'num_cpus': instance.flavor.vcpus, 'num_nics': len(guest.mac_addresses), 'num_disks': 1,
            'cpu_details': [{'id': number, 'time': 17300000000, 'utilisation': 15}
                            for number in range(instance.flavor.vcpus)],
            'nic_details': [{'mac_address': address, **nic} for address in guest.mac_addresses],
            'disk_details': [{'read_bytes': 262144, 'read_requests': 112, 'write_bytes': 5778432,
                              'write_requests': 488, 'errors_count': 1}],
            'memory_details': {'maximum': instance.flavor.memory_mb, 'used': 0}}

    # ---- resize --------------------------------------------------------------------------------------------------

    def migrate_disk_and_power_off(self, ctxt, instance, dest_host_ip, flavor, network_info,  # noqa: PLR0913 (as Nova)
                                   block_devices, timeout=0, retry_interval=0):
        self._begin('migrate_disk_and_power_off')
        if flavor.root_gb < instance.flavor.root_gb or flavor.ephemeral_gb < instance.flavor.ephemeral_gb:
            raise exception.ResizeError(reason='Unable to resize disk down.')
        guest = self._guests.get(instance.uuid)
        if guest is not None:       # None: an earlier call did it
            self._set(dataclasses.replace(guest, uuid=guest.uuid + RESIZE), state=power_state.SHUTDOWN)
            self._guests.remove(guest.uuid)
        return {}

    def finish_migration(self, ctxt, migration, instance, disk_info, network_info, image,  # noqa: PLR0913 (as Nova)
                         resize_instance, block_devices, power_on=True):
        self._begin('finish_migration')
        self._set(self._made(instance, network_info, power_state.RUNNING if power_on else power_state.SHUTDOWN))

    def finish_revert_migration(self, ctxt, instance, network_info, migration, block_devices,  # noqa: PLR0913 (as Nova)
                                power_on=True):
        self._begin('finish_revert_migration')
        self._set(self._made(instance, network_info, power_state.RUNNING if power_on else power_state.SHUTDOWN))
        self._guests.remove(instance.uuid + RESIZE)

    def confirm_migration(self, ctxt, migration, instance, network_info):
        self._begin('confirm_migration')
        self._guests.remove(instance.uuid + RESIZE)
