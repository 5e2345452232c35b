# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""A host as the scheduler sees it: a snapshot that filters and weighers read and that a choice consumes from."""

import dataclasses


@dataclasses.dataclass
class HostState:
    """One node. Memory in MiB, disk in GiB; the free_* already count the allocation ratios out of the total.

    `instance_uuids` are those on the host, for the same/different-host hints and server groups.
    """

    host: str
    nodename: str
    uuid: str
    up: bool
    disabled: bool
    forced_down: bool
    availability_zone: str
    memory_mb: int
    memory_mb_used: int
    vcpus: int
    vcpus_used: int
    local_gb: int
    local_gb_used: int
    ram_allocation_ratio: float = 1.0
    cpu_allocation_ratio: float = 1.0
    disk_allocation_ratio: float = 1.0
    reserved_memory_mb: int = 0
    reserved_vcpus: int = 0
    reserved_disk_gb: int = 0
    hypervisor_type: str = ''
    hypervisor_version: int = 0
    supported_instances: list = dataclasses.field(default_factory=list)
    disabled_reason: str | None = None
    allocation_request: dict | None = None
    instance_uuids: set = dataclasses.field(default_factory=set)

    def limit(self, resource):
        """The most of a resource ('memory_mb', 'vcpus', 'local_gb') that may be in use on the node."""
        total, reserved, ratio = {
            'memory_mb': (self.memory_mb, self.reserved_memory_mb, self.ram_allocation_ratio),
            'vcpus': (self.vcpus, self.reserved_vcpus, self.cpu_allocation_ratio),
            'local_gb': (self.local_gb, self.reserved_disk_gb, self.disk_allocation_ratio),
        }[resource]
        return (total - reserved) * ratio

    def free(self, resource):
        return self.limit(resource) - getattr(self, '%s_used' % resource)

    def set_used(self, used):
        """Take what Placement says is in use ({resource class: amount}): it is newer than the node's own report."""
        self.memory_mb_used = used.get('MEMORY_MB', self.memory_mb_used)
        self.vcpus_used = used.get('VCPU', self.vcpus_used)
        self.local_gb_used = used.get('DISK_GB', self.local_gb_used)

    def consume(self, spec):
        """Count a server of this spec in, so that the next one of the same request sees it."""
        self.memory_mb_used += spec.flavor.memory_mb
        self.vcpus_used += spec.flavor.vcpus
        self.local_gb_used += disk_gb(spec)


def disk_gb(spec):
    """Local disk that a server of this spec takes, in GiB; a root disk on a volume takes none."""
    flavor = spec.flavor
    swap_gb = -(-flavor.swap // 1024)
    return (0 if spec.is_bfv else flavor.root_gb) + flavor.ephemeral_gb + swap_gb


def resources(spec):
    """What Placement is asked for: {resource class: amount}."""
    wanted = {'VCPU': spec.flavor.vcpus, 'MEMORY_MB': spec.flavor.memory_mb, 'DISK_GB': disk_gb(spec)}
    return {name: amount for name, amount in wanted.items() if amount}


def from_records(node, service, default_availability_zone):
    """The HostState of a ComputeNode and its Service (None: the service record is gone)."""
    return HostState(
        host=node.host, nodename=node.hypervisor_hostname, uuid=node.uuid,
        up=bool(service and service.up), disabled=bool(service is None or service.disabled),
        forced_down=bool(service and service.forced_down),
        disabled_reason=service.disabled_reason if service else 'no service record',
        availability_zone=(service and service.availability_zone) or default_availability_zone,
        memory_mb=node.memory_mb, memory_mb_used=node.memory_mb_used, vcpus=node.vcpus, vcpus_used=node.vcpus_used,
        local_gb=node.local_gb, local_gb_used=node.local_gb_used, ram_allocation_ratio=node.ram_allocation_ratio,
        cpu_allocation_ratio=node.cpu_allocation_ratio, disk_allocation_ratio=node.disk_allocation_ratio,
        reserved_memory_mb=node.reserved_memory_mb, reserved_vcpus=node.reserved_vcpus,
        reserved_disk_gb=node.reserved_disk_gb, hypervisor_type=node.hypervisor_type,
        hypervisor_version=node.hypervisor_version, supported_instances=node.supported_instances)
