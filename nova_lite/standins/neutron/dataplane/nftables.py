# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""One nftables table, described as data and brought into the kernel in one transaction: whole, or only what changed.

Nothing but the named table is ever touched.
"""

import dataclasses

from nova_lite.standins.neutron.dataplane import commands

_ELEMENTS = 500  # in one statement; nft's parser has limits


@dataclasses.dataclass(frozen=True, slots=True)
class Collection:
    """A set or a map: `kind` is 'set' or 'map', `type` as in 'ipv4_addr; flags interval', `elements` are texts."""

    kind: str
    type: str
    elements: frozenset = frozenset()


@dataclasses.dataclass(frozen=True, slots=True)
class Chain:
    """A chain's rules; `hook` says where a base chain is attached, as in 'type filter hook input priority 0'."""

    rules: tuple
    hook: str = ''


@dataclasses.dataclass(frozen=True, slots=True)
class Ruleset:
    """What a table holds: {name: Collection} and {name: Chain}."""

    collections: dict = dataclasses.field(default_factory=dict)
    chains: dict = dataclasses.field(default_factory=dict)


class Table:
    """A table of the kernel of this network namespace, or of the named one."""

    def __init__(self, family, name, namespace=None):
        self._name = '%s %s' % (family, name)
        self._nft = ['ip', 'netns', 'exec', namespace, 'nft'] if namespace else ['nft']
        self.applied = None  # the ruleset that the kernel has from us; None where that is not sure

    def apply(self, ruleset):
        """Make the table hold `ruleset`. Costs nothing when it does already. Raises CommandError."""
        if self.applied is None:
            return self._replace(ruleset)
        text = changes(self._name, self.applied, ruleset)
        if text:
            try:
                self._run(text)
            except commands.CommandError:
                return self._replace(ruleset)  # somebody else changed the table
        self.applied = ruleset

    def _replace(self, ruleset):
        self.applied = None
        self._run(whole(self._name, ruleset))
        self.applied = ruleset

    def _run(self, text):
        commands.run(*self._nft, '-f', '-', stdin=text)

    def present(self):
        """Whether the kernel has the table."""
        there = 'table ' + self._name in commands.run(*self._nft, 'list', 'tables').splitlines()
        if not there:
            self.applied = None
        return there

    def remove(self):
        """Remove the table; one that is gone is as good."""
        if self.present():
            commands.run(*self._nft, 'delete', 'table', *self._name.split())
        self.applied = None


def whole(table, ruleset):
    """The text for `nft -f` that replaces a table, named as in 'inet filter', by one that holds `ruleset`."""
    # The first line is there so that the second finds a table to delete.
    return 'table %s {}\ndelete table %s\nadd table %s\n' % (table, table, table) + changes(table, Ruleset(), ruleset)


def changes(table, old, new):
    """The text for `nft -f` that turns the ruleset `old` of a table into `new`; empty when they are equal."""
    return ''.join(line + '\n' for line in _changes(table, old, new))


def _changes(table, old, new):
    """Chains and sets come before the rules that name them, and go after those."""
    gone = sorted(old.chains.keys() - new.chains.keys())
    for name, chain in new.chains.items():
        if name not in old.chains:
            yield 'add chain %s %s%s' % (table, name, ' { %s; }' % chain.hook if chain.hook else '')
    for name, collection in new.collections.items():
        if name not in old.collections:
            yield 'add %s %s %s { type %s; }' % (collection.kind, table, name, collection.type)
    for name in gone:
        yield 'flush chain %s %s' % (table, name)
    for name, chain in new.chains.items():
        before = old.chains.get(name, Chain(()))
        if before.rules != chain.rules:
            if before.rules:
                yield 'flush chain %s %s' % (table, name)
            for rule in chain.rules:
                yield 'add rule %s %s %s' % (table, name, rule)
    for name, collection in new.collections.items():
        before = old.collections[name].elements if name in old.collections else frozenset()
        yield from _elements('delete', table, name, before - collection.elements)
        yield from _elements('add', table, name, collection.elements - before)
    for name in sorted(old.collections.keys() - new.collections.keys()):
        yield 'delete %s %s %s' % (old.collections[name].kind, table, name)
    for name in gone:
        yield 'delete chain %s %s' % (table, name)


def _elements(verb, table, name, elements):
    ordered = sorted(elements)
    for start in range(0, len(ordered), _ELEMENTS):
        yield '%s element %s %s { %s }' % (verb, table, name, ', '.join(ordered[start:start + _ELEMENTS]))
