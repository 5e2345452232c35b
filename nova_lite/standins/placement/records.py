# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""What the ledger keeps: provider, inventory, consumer, and the claim that changes a consumer."""

import dataclasses

MAX = 2147483647


@dataclasses.dataclass(slots=True)
class Inventory:
    """How much of one resource class a provider has, and how it may be handed out."""

    total: int
    reserved: int = 0
    min_unit: int = 1
    max_unit: int = MAX
    step_size: int = 1
    allocation_ratio: float = 1.0
    capacity: int = dataclasses.field(init=False)

    def __post_init__(self):
        self.capacity = int((self.total - self.reserved) * self.allocation_ratio)

    def accepts(self, amount):
        """Whether one allocation may be of this size."""
        return self.min_unit <= amount <= self.max_unit and amount % self.step_size == 0

    def document(self):
        return {'total': self.total, 'reserved': self.reserved, 'min_unit': self.min_unit,
                'max_unit': self.max_unit, 'step_size': self.step_size,
                'allocation_ratio': self.allocation_ratio}


class Provider:
    """A resource provider and its place in its tree."""

    __slots__ = ('uuid', 'name', 'generation', 'updated_at', 'parent', 'root', 'children', 'inventories',
                 'used', 'traits', 'aggregates', 'consumers', 'changes', 'summary')

    def __init__(self, uuid, name, generation, updated_at):
        self.uuid = uuid
        self.name = name
        self.generation = generation
        self.updated_at = updated_at
        self.parent = None
        self.root = self
        self.children = []
        self.inventories = {}  # class: Inventory
        self.used = {}  # class: amount
        self.traits = ()  # the standard ones first
        self.aggregates = ()  # in the order that they were given
        self.consumers = set()  # uuids
        self.changes = 0  # grows after each change of what a summary says
        self.summary = (None, None)  # `changes` when it was written, and what candidates say of it, as text

    def attach(self, parent):
        """Become a child of `parent`, or a root when that is None."""
        if self.parent is not None:
            self.parent.children.remove(self)
        self.parent = parent
        if parent is not None:
            parent.children.append(self)
        for provider in self.tree():
            provider.root = parent.root if parent is not None else self
            provider.changes += 1

    def tree(self):
        """This provider and all below it, parents first."""
        found = [self]
        for provider in found:
            found.extend(provider.children)
        return found

    def ancestors(self):
        """The providers above this one, nearest first."""
        found = []
        provider = self.parent
        while provider is not None:
            found.append(provider)
            provider = provider.parent
        return found

    def can(self, resources):
        """Whether each of {class: amount} could be allocated now."""
        for name, amount in resources.items():
            inventory = self.inventories.get(name)
            if (inventory is None or self.used.get(name, 0) + amount > inventory.capacity
                    or not inventory.min_unit <= amount <= inventory.max_unit or amount % inventory.step_size):
                return False
        return True


@dataclasses.dataclass(slots=True)
class Consumer:
    """Who holds allocations: for Nova an instance or a migration."""

    uuid: str
    project_id: str
    user_id: str
    consumer_type: str | None
    generation: int
    allocations: dict  # {provider uuid: {class: amount}}


@dataclasses.dataclass(slots=True)
class Claim:
    """What a consumer's allocations shall be; none at all lets go of everything.

    `generation`: what the caller believes it to be, None for a consumer that does not exist yet, `ledger.ANY`
    when it does not matter.
    """

    consumer_uuid: str
    allocations: dict
    project_id: str
    user_id: str
    consumer_type: str | None
    generation: object
