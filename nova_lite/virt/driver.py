# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""What nova-compute asks of a hypervisor.

`ComputeDriver` is what every driver does; abilities that only some drivers have are the Protocols of `abilities.py`.

Errors: a driver raises the Abort family of `exception.py` (ImageUnacceptable, DiskFull, HypervisorError, …) with a
message that a tenant may read; whatever else it raises is reported to the user by class name only.
"""

import abc
import dataclasses

from nova_lite.objects import block_device
from nova_lite.objects import image_meta
from nova_lite.objects import instance as instance_obj
from nova_lite.objects import network


@dataclasses.dataclass(frozen=True)
class GuestInfo:
    """What the hypervisor says of a guest now; `state` is one of compute/power_state.py."""

    uuid: str
    state: int
    name: str | None = None
    internal_id: int | None = None


@dataclasses.dataclass(frozen=True)
class NodeResources:
    """The hardware of a node, before anything is claimed. Memory in MiB, disk in GiB."""

    vcpus: int
    memory_mb: int
    local_gb: int
    hypervisor_type: str
    hypervisor_version: int
    cpu_info: dict = dataclasses.field(default_factory=dict)
    supported_instances: tuple = ()     # ((architecture, hypervisor type, vm mode), …)
    traits: tuple = ()


@dataclasses.dataclass
class SpawnRequest:
    """All that a driver needs to make one guest."""

    instance: instance_obj.Instance
    image: image_meta.ImageMeta
    network_info: list[network.VIF]
    block_devices: list[block_device.BlockDeviceMapping]
    admin_password: str | None = None
    injected_files: list[tuple[str, bytes]] = dataclasses.field(default_factory=list)


@dataclasses.dataclass(frozen=True)
class LifecycleEvent:
    """The hypervisor says that a guest's power state changed on its own."""

    uuid: str
    state: int


class ComputeDriver(abc.ABC):
    """One hypervisor host. Methods may be called from many green threads; for one instance only one at a time."""

    @abc.abstractmethod
    def init_host(self, host):
        """Connect; called once before anything else. :raises HypervisorError: it cannot be used."""

    @abc.abstractmethod
    def get_available_nodes(self):
        """Node names (hypervisor_hostname) that this service answers for."""

    @abc.abstractmethod
    def get_available_resource(self, nodename):
        """The NodeResources of a node."""

    @abc.abstractmethod
    def list_instance_uuids(self):
        """uuids of the guests that are this cloud's own, running or not, and of instance directories left on disk."""

    @abc.abstractmethod
    def list_traces(self):
        """([uuid…] of the guests, [uuid…] of the instance directories): the two parts of list_instance_uuids. None for
        the directories where a driver keeps none."""

    @abc.abstractmethod
    def get_info(self, instance):
        """GuestInfo. :raises InstanceNotFound: the hypervisor does not know it."""

    @abc.abstractmethod
    def register_event_listener(self, callback):
        """`callback(LifecycleEvent)` is called in a green thread for each change that the hypervisor reports."""

    @abc.abstractmethod
    def prepare_for_spawn(self, instance):
        """Early checks and reservations, before networks are made."""

    @abc.abstractmethod
    def prepare_networks_before_block_device_mapping(self, instance, network_info):
        """What has to be known to the hypervisor of the networks before volumes are attached."""

    @abc.abstractmethod
    def default_root_device_name(self, instance, image, root_bdm):
        """`/dev/vda` or what this hypervisor calls the root disk of such a guest."""

    @abc.abstractmethod
    def default_device_names_for_instance(self, instance, root_device_name, block_devices):
        """Give each BlockDeviceMapping that has none a free `device_name`, in place."""

    @abc.abstractmethod
    def spawn(self, ctxt, request):
        """Make and start the guest of a SpawnRequest; it runs when this returns."""

    @abc.abstractmethod
    def plug_vifs(self, instance, network_info):
        """Set up what the host itself has to do for the vifs before the guest runs."""

    @abc.abstractmethod
    def unplug_vifs(self, instance, network_info):
        """Undo plug_vifs; whatever is gone already is fine."""

    @abc.abstractmethod
    def destroy(self, ctxt, instance, network_info, block_devices, destroy_disks=True):
        """Stop the guest and remove every trace of it from the host; what is gone already is fine (idempotent)."""
