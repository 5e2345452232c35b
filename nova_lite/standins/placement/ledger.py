# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Placement's books: providers with their inventories, and consumers with what they have allocated.

Held in memory and written through to the database. Every change is checked, stored and then applied under one
lock, so a provider can never be allocated beyond (total - reserved) * allocation_ratio.
"""

import threading
import time

import os_resource_classes
import os_traits
import sqlalchemy

from nova_lite.standins import rest
from nova_lite.standins.placement import records
from nova_lite.standins.placement import tables

ANY = object()  # of Claim.generation: whatever the consumer's generation is
SHARING = 'MISC_SHARES_VIA_AGGREGATE'


def conflict(message, kind='placement.undefined_code'):
    return rest.Fault(409, message, kind)


def concurrent(message):
    return conflict(message, 'placement.concurrent_update')


class Ledger:
    """Everything that Placement knows."""

    def __init__(self, store):
        self._store = store
        self._lock = threading.Lock()
        self.providers = {}  # by uuid, in order of creation
        self.by_name = {}
        self.consumers = {}
        self._sharing = {}  # uuid: None of the providers that lend
        self.custom_traits = {}  # name: None, in order of creation
        self.custom_classes = {}
        self.standard_traits = frozenset(os_traits.get_traits())
        self.standard_classes = tuple(os_resource_classes.STANDARDS)
        self._known_classes = set(self.standard_classes)
        store.create(tables.METADATA)
        self._load()

    def _load(self):
        with self._store.begin() as connection:
            rows = connection.execute(
                sqlalchemy.select(tables.providers).order_by(tables.providers.c.id)).all()
            for row in rows:
                provider = records.Provider(row.uuid, row.name, row.generation, row.updated_at)
                provider.inventories = {name: records.Inventory(**values)
                                        for name, values in row.inventories.items()}
                self._take_traits(provider, tuple(row.traits))
                provider.aggregates = tuple(row.aggregates)
                self._index(provider)
            for row in rows:
                if row.parent_uuid:
                    self.providers[row.uuid].attach(self.providers[row.parent_uuid])
            for row in connection.execute(sqlalchemy.select(tables.consumers)):
                self._apply(records.Consumer(row.uuid, row.project_id, row.user_id, row.consumer_type,
                                             row.generation, row.allocations), {})
            for row in connection.execute(sqlalchemy.select(tables.traits).order_by(tables.traits.c.id)):
                self.custom_traits[row.name] = None
            for row in connection.execute(sqlalchemy.select(tables.classes).order_by(tables.classes.c.id)):
                self.custom_classes[row.name] = None
                self._known_classes.add(row.name)

    # Looking things up.

    def provider(self, uuid, purpose=''):
        """The provider with this uuid; 404, which tells the purpose, when there is none."""
        provider = self.providers.get(uuid)
        if provider is None:
            raise rest.Fault(404, 'No resource provider with uuid %s found%s' % (uuid[:255], purpose),
                             'placement.resource_provider.not_found')
        return provider

    def trees(self):
        """The root providers."""
        return [provider for provider in self.providers.values() if provider.parent is None]

    def sharing(self):
        """Providers that lend their resources to every tree with an aggregate of theirs."""
        return [provider for uuid in self._sharing if (provider := self.providers.get(uuid))]

    def knows_trait(self, name):
        return name in self.standard_traits or name in self.custom_traits

    def knows_class(self, name):
        return name in self._known_classes

    def classes(self):
        return [*self.standard_classes, *self.custom_classes]

    # Providers.

    def create_provider(self, uuid, name, parent_uuid=None):
        with self._lock:
            parent = self._parent(parent_uuid)
            if uuid in self.providers:
                raise conflict('Conflicting resource provider uuid: %s already exists.' % uuid,
                               'placement.duplicate_name')
            self._check_name(name)
            provider = records.Provider(uuid, name, 0, time.time())
            self._store.execute(tables.providers.insert().values(
                uuid=uuid, name=name, generation=0, updated_at=provider.updated_at, parent_uuid=parent_uuid,
                inventories={}, traits=[], aggregates=[]))
            self._index(provider)
            if parent is not None:
                provider.attach(parent)
            return provider

    def update_provider(self, provider, name, parent_uuid=None, may_move=False):
        """Rename a provider and give it a parent; `may_move`: also another one than it has, or none."""
        with self._lock:
            parent = self._parent(parent_uuid)
            if name != provider.name:
                self._check_name(name)
            if provider.parent is not None and parent is not provider.parent and not may_move:
                raise rest.Fault(400, 'Unable to save resource provider %s: re-parenting a provider is not '
                                      'currently allowed.' % provider.uuid)
            if parent is not None and provider in (parent, *parent.ancestors()):
                raise rest.Fault(400, 'Unable to save resource provider %s: creating loop in the provider tree '
                                      'is not allowed.' % provider.uuid)
            self._store.execute(tables.update_provider, {
                'key': provider.uuid, 'name': name, 'parent_uuid': parent_uuid})
            self.by_name.pop(provider.name)
            provider.name = name
            self.by_name[name] = provider
            provider.attach(parent)

    def _parent(self, uuid):
        if uuid is None:
            return None
        parent = self.providers.get(uuid)
        if parent is None:
            raise rest.Fault(400, 'parent provider UUID does not exist: %s' % uuid)
        return parent

    def _check_name(self, name):
        if name in self.by_name:
            raise conflict('Conflicting resource provider name: %s already exists.' % name,
                           'placement.duplicate_name')

    def delete_provider(self, provider):
        with self._lock:
            if provider.children:
                raise conflict('Unable to delete parent resource provider %s: It has child resource providers.'
                               % provider.uuid, 'placement.resource_provider.cannot_delete_parent')
            if provider.consumers:
                raise conflict('Unable to delete resource provider %s: Resource provider has allocations.'
                               % provider.uuid, 'placement.resource_provider.inuse')
            self._store.execute(tables.providers.delete().where(tables.providers.c.uuid == provider.uuid))
            provider.attach(None)
            del self.providers[provider.uuid], self.by_name[provider.name]
            self._sharing.pop(provider.uuid, None)

    def set_traits(self, provider, traits, generation=None):
        """Let a provider have exactly `traits`; `generation`, if given, must still be its generation."""
        with self._lock:
            self._check_generation(provider, generation)
            traits = tuple(sorted(set(traits), key=lambda name: (name in self.custom_traits, name)))
            if traits != provider.traits:
                self._save(provider, traits=list(traits))
                self._take_traits(provider, traits)

    def set_aggregates(self, provider, aggregates, generation=None):
        with self._lock:
            self._check_generation(provider, generation)
            self._save(provider, bump=generation is not None, aggregates=list(aggregates))
            provider.aggregates = tuple(aggregates)

    def _take_traits(self, provider, traits):
        provider.traits = traits
        provider.changes += 1
        if SHARING in traits:
            self._sharing[provider.uuid] = None
        else:
            self._sharing.pop(provider.uuid, None)

    def _check_generation(self, provider, generation):
        if generation is not None and generation != provider.generation:
            raise concurrent('resource provider generation conflict for provider %s: actual: %s, given: %s. Resource '
                             'provider\'s generation already changed. Please update the generation and try again.' % (
                                 provider.uuid, provider.generation, generation))

    def _save(self, provider, bump=True, **values):
        generation, now = provider.generation + (1 if bump else 0), time.time()
        self._store.execute(tables.update_provider, {
            'key': provider.uuid, 'generation': generation, 'updated_at': now, **values})
        provider.generation, provider.updated_at = generation, now

    def _index(self, provider):
        self.providers[provider.uuid] = provider
        self.by_name[provider.name] = provider

    # Names.

    def add_name(self, table, names, name):
        """Add a custom trait or class; whether it is new."""
        with self._lock:
            if name in names:
                return False
            self._store.execute(table.insert().values(name=name))
            names[name] = None
            if names is self.custom_classes:
                self._known_classes.add(name)
            return True

    def remove_name(self, table, names, name):
        """Remove a custom trait or class that no provider has."""
        with self._lock:
            for provider in self.providers.values():
                if name in (provider.traits if names is self.custom_traits else provider.inventories):
                    if names is self.custom_traits:
                        raise conflict('The trait %s is in use by a resource provider.' % name)
                    raise conflict('Error in delete resource class: Cannot delete resource class %s. Class is in use '
                                   'in inventory.' % name)
            self._store.execute(table.delete().where(table.c.name == name))
            del names[name]
            self._known_classes.discard(name)

    # Inventories and allocations.

    def commit(self, claims=(), inventories=None):
        """Give consumers new allocations and providers new inventories, all of it or nothing.

        `claims`: `records.Claim` for each consumer. `inventories`: {provider: (generation or None, {class:
        Inventory})}, each replacing what the provider has.
        """
        inventories = inventories or {}
        with self._lock:
            for provider, (generation, _) in inventories.items():
                self._check_generation(provider, generation)
            consumers = [self._next(claim) for claim in claims]
            change = self._change(consumers)
            self._check_capacity(consumers, change, inventories)
            self._check_in_use(change, inventories)
            steps = self._steps(consumers, inventories)
            self._store_commit(consumers, steps, inventories)
            for provider, count in steps.items():
                provider.generation += count
            for provider, (_, wanted) in inventories.items():
                provider.inventories = wanted
                provider.changes += 1
                provider.updated_at = time.time()
            for consumer in consumers:
                self._apply(consumer, change)

    def _steps(self, consumers, inventories):
        """{provider: how much its generation grows}: one for allocations, one for inventories, and one more in a
        reshape, where inventories are first added and then, once the allocations have moved, taken away."""
        steps = dict.fromkeys(inventories, 2 if consumers else 1)
        for provider in {self.providers[uuid] for consumer in consumers for uuid in consumer.allocations}:
            steps[provider] = steps.get(provider, 0) + 1
        return steps

    def _next(self, claim):
        """The consumer as it will be after a claim."""
        old = self.consumers.get(claim.consumer_uuid)
        generation = old.generation if old else None
        if claim.generation is not ANY and claim.generation != generation:
            raise concurrent('consumer generation conflict - expected %s but got %s' % (
                _shown(generation), _shown(claim.generation)))
        for uuid in claim.allocations:
            if uuid not in self.providers:
                raise rest.Fault(400, 'Allocation for resource provider \'%s\' that does not exist.' % uuid)
        kind = claim.consumer_type or (old.consumer_type if old else None)
        return records.Consumer(claim.consumer_uuid, claim.project_id, claim.user_id, kind,
                                (generation or 0) + 1, claim.allocations)

    def _change(self, consumers):
        """{(provider uuid, class): how much more of it will be used}."""
        change = {}
        for consumer in consumers:
            old = self.consumers.get(consumer.uuid)
            for sign, allocations in ((-1, old.allocations if old else {}), (1, consumer.allocations)):
                for uuid, resources in allocations.items():
                    for name, amount in resources.items():
                        key = uuid, name
                        change[key] = change.get(key, 0) + sign * amount
        return change

    def _check_capacity(self, consumers, change, inventories):
        for consumer in consumers:
            for uuid, resources in consumer.allocations.items():
                provider = self.providers[uuid]
                held = inventories[provider][1] if provider in inventories else provider.inventories
                for name, amount in resources.items():
                    inventory = held.get(name)
                    if inventory is None:
                        raise conflict('Unable to allocate inventory: Inventory for \'%s\' on resource provider '
                                       '\'%s\' invalid.' % (name, uuid))
                    more = change[uuid, name]
                    if more > 0 and provider.used.get(name, 0) + more > inventory.capacity:
                        raise conflict('Unable to allocate inventory: Unable to create allocation for \'%s\' on '
                                       'resource provider \'%s\'. The requested amount would exceed the '
                                       'capacity.' % (name, uuid))
                    if not inventory.accepts(amount):
                        raise conflict('Unable to allocate inventory: Unable to create allocation for \'%s\' on '
                                       'resource provider \'%s\'. The requested amount would violate inventory '
                                       'constraints.' % (name, uuid))

    def _check_in_use(self, change, inventories):
        """409 when an inventory would go that is still in use."""
        for provider, (_, wanted) in inventories.items():
            left = {name for name, used in provider.used.items()
                    if name not in wanted and used + change.get((provider.uuid, name), 0) > 0}
            if left:
                names = ', '.join(name for name in self.classes() if name in left)
                raise conflict('Inventory for \'%s\' on resource provider \'%s\' in use.' % (names, provider.uuid),
                               'placement.inventory.inuse')

    def _store_commit(self, consumers, steps, inventories):
        with self._store.begin() as connection:
            for consumer in consumers:
                values = {'project_id': consumer.project_id, 'user_id': consumer.user_id,
                          'consumer_type': consumer.consumer_type, 'generation': consumer.generation,
                          'allocations': consumer.allocations}
                if not consumer.allocations:
                    connection.execute(tables.delete_consumer, {'key': consumer.uuid})
                elif consumer.uuid in self.consumers:
                    connection.execute(tables.update_consumer, {'key': consumer.uuid, **values})
                else:
                    connection.execute(tables.insert_consumer, {'uuid': consumer.uuid, **values})
            for provider, count in steps.items():
                values = {'key': provider.uuid, 'generation': provider.generation + count}
                if provider in inventories:
                    values['inventories'] = {name: inventory.document()
                                             for name, inventory in inventories[provider][1].items()}
                    values['updated_at'] = time.time()
                connection.execute(tables.update_provider, values)

    def _apply(self, consumer, change):
        """Let memory hold a consumer as it now is."""
        old = self.consumers.pop(consumer.uuid, None)
        for sign, allocations in ((-1, old.allocations if old else {}), (1, consumer.allocations)):
            for uuid, resources in allocations.items():
                provider = self.providers[uuid]
                for name, amount in resources.items():
                    provider.used[name] = provider.used.get(name, 0) + sign * amount
                provider.changes += 1
        if old is not None:
            for uuid in old.allocations:
                self.providers[uuid].consumers.discard(old.uuid)
        for uuid in consumer.allocations:
            self.providers[uuid].consumers.add(consumer.uuid)
        if consumer.allocations:
            self.consumers[consumer.uuid] = consumer


def _shown(generation):
    return 'null' if generation is None else generation
