# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""A hypervisor without guests: it keeps account of them as a real one does, takes as long and fails as it is told.

For tests, benchmarks and labs of many hosts in one process.
"""

import dataclasses
import pathlib
import random
import re
import string

from nova_lite import concurrency
from nova_lite import exception
from nova_lite.compute import power_state
from nova_lite.virt import driver
from nova_lite.virt.fake import guests
from nova_lite.virt.fake import lifecycle
from nova_lite.virt.fake import live

ARCHITECTURE = 'x86_64'
TRAITS = ('COMPUTE_NODE', 'COMPUTE_STORAGE_BUS_VIRTIO', 'COMPUTE_NET_VIF_MODEL_VIRTIO')


@dataclasses.dataclass(frozen=True)
class Behaviour:
    """What the host has and how it misbehaves: the options of `[fake]`, delays in seconds."""

    vcpus: int = 64
    memory_mb: int = 262144
    local_gb: int = 8192
    spawn_delay: float = 0.0
    destroy_delay: float = 0.0
    fail_spawn_probability: float = 0.0
    fail_spawn_pattern: str | None = None
    fail_spawn_hosts: tuple = ()
    fail_destroy_probability: float = 0.0
    operation_delay: float = 0.0
    console_port: int = 6969
    fail_operations: dict = dataclasses.field(default_factory=dict)     # {method: share of its calls}


class FakeDriver(lifecycle.Lifecycle, live.LiveMigration, driver.ComputeDriver):
    """directory: where the journals of the hosts are. The guests of a host survive this object."""

    def __init__(self, directory, behaviour=None):
        self._directory = pathlib.Path(directory)
        self._behaviour = behaviour or Behaviour()
        self._host = None
        self._guests = None
        self._listeners = []

    @classmethod
    def from_conf(cls, conf, image):
        """The driver by `[fake]`; it asks nothing of the image service."""
        settings = conf.fake
        return cls(pathlib.Path(conf.state_path) / 'fake', Behaviour(
            vcpus=settings.vcpus, memory_mb=settings.memory_mb, local_gb=settings.local_gb,
            spawn_delay=settings.spawn_delay, destroy_delay=settings.destroy_delay,
            fail_spawn_probability=settings.fail_spawn_probability, fail_spawn_pattern=settings.fail_spawn_pattern,
            fail_spawn_hosts=tuple(settings.fail_spawn_hosts),
            fail_destroy_probability=settings.fail_destroy_probability, operation_delay=settings.operation_delay,
            console_port=settings.console_port, fail_operations=settings.fail_operations))

    # ---- the host ------------------------------------------------------------------------------------------------

    def init_host(self, host):
        self._host = host
        try:
            self._guests = guests.GuestStore(self._directory / (host + guests.SUFFIX))
        except OSError as exc:
            raise exception.HypervisorError(operation='keep its guests', reason=str(exc)) from exc

    def get_available_nodes(self):
        return [self._host]

    def get_available_resource(self, nodename):
        behaviour = self._behaviour
        return driver.NodeResources(
            vcpus=behaviour.vcpus, memory_mb=behaviour.memory_mb, local_gb=behaviour.local_gb, hypervisor_type='fake',
            hypervisor_version=1000, cpu_info={'arch': ARCHITECTURE, 'model': 'fake', 'vendor': 'fake', 'features': []},
            supported_instances=((ARCHITECTURE, 'fake', 'hvm'), ('aarch64', 'fake', 'hvm')), traits=TRAITS)

    def list_instance_uuids(self):
        return sorted({uuid.removesuffix(lifecycle.RESIZE) for uuid in self._guests.uuids()})

    def list_traces(self):
        return self.list_instance_uuids(), None

    def get_info(self, instance):
        guest = self._guests.get(instance.uuid)
        if guest is None:
            raise exception.InstanceNotFound(instance_id=instance.uuid)
        return driver.GuestInfo(uuid=guest.uuid, state=guest.state, name=guest.name)

    # ---- events --------------------------------------------------------------------------------------------------

    def register_event_listener(self, callback):
        self._listeners.append(callback)

    def set_power_state(self, uuid, state):
        """Have a guest change its power state on its own, and report it as a hypervisor does."""
        self._guests.put(dataclasses.replace(self._guests.get(uuid), state=state))
        for callback in self._listeners:
            concurrency.spawn(callback, driver.LifecycleEvent(uuid, state))

    # ---- before a guest ------------------------------------------------------------------------------------------

    def prepare_for_spawn(self, instance):
        """Nothing has to be there before a fake guest."""

    def prepare_networks_before_block_device_mapping(self, instance, network_info):
        """Fake guests attach nothing over their networks."""

    def default_root_device_name(self, instance, image, root_bdm):
        return '/dev/vda'

    def default_device_names_for_instance(self, instance, root_device_name, block_devices):
        taken = {root_device_name} | {bdm.device_name for bdm in block_devices}
        free = ('/dev/vd' + letter for letter in string.ascii_lowercase if '/dev/vd' + letter not in taken)
        for bdm in block_devices:
            if bdm.device_name is None:
                bdm.device_name = next(free)

    def plug_vifs(self, instance, network_info):
        """A fake guest has no interface on the host."""

    def unplug_vifs(self, instance, network_info):
        """See plug_vifs."""

    # ---- guests --------------------------------------------------------------------------------------------------

    def spawn(self, ctxt, request):
        concurrency.sleep(self._behaviour.spawn_delay)
        instance = request.instance
        reason = self._reason_to_fail(instance, request.image)
        if reason:
            raise exception.HypervisorError(operation='start the guest', reason=reason)
        self._guests.put(guests.Guest(
            uuid=instance.uuid, name=instance.name, state=power_state.RUNNING, display_name=instance.display_name,
            mac_addresses=[vif.address for vif in request.network_info],
            volumes={bdm.device_name: bdm.volume_id for bdm in request.block_devices if bdm.connection_info}))

    def _reason_to_fail(self, instance, image):
        behaviour = self._behaviour
        if self._host in behaviour.fail_spawn_hosts:
            return 'this host is told to fail'
        if behaviour.fail_spawn_pattern and any(
                re.search(behaviour.fail_spawn_pattern, name) for name in (instance.display_name, image.name or '')):
            return 'a server of this name is told to fail'
        if random.random() < behaviour.fail_spawn_probability:
            return 'chance'
        return None

    def destroy(self, ctxt, instance, network_info, block_devices, destroy_disks=True):
        concurrency.sleep(self._behaviour.destroy_delay)
        if random.random() < self._behaviour.fail_destroy_probability:
            raise exception.HypervisorError(operation='remove the guest', reason='chance')
        self._guests.remove(instance.uuid)
        self._guests.remove(instance.uuid + lifecycle.RESIZE)

    # ---- interfaces ----------------------------------------------------------------------------------------------

    def attach_interface(self, ctxt, instance, image, vif):
        self._set_addresses(instance, vif.address, [vif.address])

    def detach_interface(self, ctxt, instance, vif):
        self._set_addresses(instance, vif.address, [])

    def _set_addresses(self, instance, address, after):
        guest = self._guests.get(instance.uuid)
        if guest is None:
            raise exception.InstanceNotFound(instance_id=instance.uuid)
        others = [item for item in guest.mac_addresses if item != address]
        self._guests.put(dataclasses.replace(guest, mac_addresses=others + after))

    # ---- volumes -------------------------------------------------------------------------------------------------

    def get_volume_connector(self, instance):
        return {'host': self._host, 'ip': '127.0.0.1', 'platform': ARCHITECTURE, 'os_type': 'linux', 'multipath': False}

    def get_device_name_for_instance(self, instance, block_devices, bdm):
        taken = {device.device_name for device in block_devices} | {instance.root_device_name}
        if bdm.device_name and bdm.device_name not in taken:
            return bdm.device_name
        return next('/dev/vd' + letter for letter in string.ascii_lowercase if '/dev/vd' + letter not in taken)

    def check_volume(self, connection_info):
        """Fake guests have volumes of every kind."""

    def attach_volume(self, ctxt, connection_info, instance, mountpoint, bdm):
        self._set_volume(instance, mountpoint, connection_info['serial'])

    def detach_volume(self, ctxt, connection_info, instance, mountpoint):
        if self._guests.get(instance.uuid) is not None:
            self._set_volume(instance, mountpoint, None)

    def swap_volume(self, ctxt, old_connection_info, new_connection_info, instance, mountpoint, bdm):   # noqa: PLR0913
        self._set_volume(instance, mountpoint, new_connection_info['serial'])

    def extend_volume(self, ctxt, connection_info, instance, mountpoint, requested_size):
        """Fake guests do not look at sizes."""

    def _set_volume(self, instance, mountpoint, volume_id):
        guest = self._guests.get(instance.uuid)
        if guest is None:
            raise exception.InstanceNotFound(instance_id=instance.uuid)
        others = {device: held for device, held in guest.volumes.items() if device != mountpoint}
        self._guests.put(dataclasses.replace(
            guest, volumes=others if volume_id is None else {**others, mountpoint: volume_id}))

    def get_console_output(self, ctxt, instance):
        guest = self._guests.get(instance.uuid)
        if guest is None:
            raise exception.InstanceNotFound(instance_id=instance.uuid)
        lines = ['fake guest %s (%s)' % (guest.name, guest.display_name), 'uuid: %s' % guest.uuid,
                 *('eth%d: %s' % item for item in enumerate(guest.mac_addresses)), 'login:']
        return ('\n'.join(lines) + '\n').encode()

    def get_console(self, instance, kind):
        if self._guests.get(instance.uuid) is None:
            raise exception.InstanceNotFound(instance_id=instance.uuid)
        return '127.0.0.1', self._behaviour.console_port
