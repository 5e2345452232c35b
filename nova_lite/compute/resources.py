# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""The kinds of resources that a server takes of a node: one entry each, and more can be registered.

The resource tracker knows no kind by name: it counts, claims and reports whatever is registered here.
"""

import collections.abc
import dataclasses

MIB_PER_GIB = 1024


@dataclasses.dataclass(frozen=True)
class Capacity:
    """What a node has of a resource; `limit` is the most that may be in use."""

    total: int
    reserved: int = 0
    ratio: float = 1.0

    @property
    def limit(self):
        return (self.total - self.reserved) * self.ratio


@dataclasses.dataclass(frozen=True)
class Resource:
    """name: also the key in a Selection's limits; resource_class: Placement's; label and unit: for messages.

    requested(instance) → how much of it an Instance takes; capacity(node) → Capacity of a ComputeNode.
    """

    name: str
    resource_class: str
    label: str
    unit: str
    requested: collections.abc.Callable
    capacity: collections.abc.Callable


_REGISTRY = {}


def register(resource):
    """Have a further kind of resource counted, claimed and reported."""
    _REGISTRY[resource.name] = resource
    return resource


def unregister(name):
    _REGISTRY.pop(name)


def registered():
    """Every Resource, in the order in which they are claimed."""
    return list(_REGISTRY.values())


def usage(instance):
    """{resource name: amount} that an Instance takes."""
    return {resource.name: resource.requested(instance) for resource in registered()}


def _disk_gb(instance):
    """Local disk in GiB: a server without an image boots from a volume, which is not of this node."""
    flavor = instance.flavor
    root_gb = flavor.root_gb if instance.image_ref else 0
    return root_gb + flavor.ephemeral_gb + -(-flavor.swap // MIB_PER_GIB)


register(Resource('memory_mb', 'MEMORY_MB', 'memory', 'MB', lambda instance: instance.flavor.memory_mb,
                  lambda node: Capacity(node.memory_mb, node.reserved_memory_mb, node.ram_allocation_ratio)))
register(Resource('vcpus', 'VCPU', 'vcpu', 'VCPUs', lambda instance: instance.flavor.vcpus,
                  lambda node: Capacity(node.vcpus, node.reserved_vcpus, node.cpu_allocation_ratio)))
register(Resource('local_gb', 'DISK_GB', 'disk', 'GB', _disk_gb,
                  lambda node: Capacity(node.local_gb, node.reserved_disk_gb, node.disk_allocation_ratio)))


def inventories(node):
    """What a ComputeNode offers, in Placement's words: {resource class: inventory}."""
    found = {}
    for resource in registered():
        capacity = resource.capacity(node)
        if capacity.total > 0:
            found[resource.resource_class] = {
                'total': capacity.total, 'reserved': min(capacity.reserved, capacity.total), 'min_unit': 1,
                'max_unit': capacity.total, 'step_size': 1, 'allocation_ratio': capacity.ratio}
    return found
