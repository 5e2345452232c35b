# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""The search for allocation candidates: which providers could serve a request together.

One tree of providers is looked at after the other, with the sharing providers that lend to it. Within a tree each
request group has its possible placements; every choice of one placement a group that fits together is a candidate.
"""

import dataclasses
import itertools
import random


@dataclasses.dataclass(slots=True)
class Query:
    """What is asked for. `groups`: {suffix: queries.Group}, the suffix '' being the group without one."""

    groups: dict
    isolate: bool = False
    root_traits: object = None  # queries.Traits that the root must have
    subtrees: tuple = ()  # of sets of suffixes: each set's providers must be in one subtree
    nested: bool = True  # whether a candidate may take several providers of one tree
    limit: int | None = None


@dataclasses.dataclass(slots=True)
class Candidate:
    """`resources`: {provider: {class: amount}}; `mappings`: {suffix: [providers]}."""

    resources: dict
    mappings: dict


def search(ledger, query):
    """The candidates, at most `query.limit` of them."""
    roots = ledger.trees()
    if query.limit is not None and len(roots) > query.limit:
        start = random.randrange(len(roots))  # or a limited answer would only ever name the first hosts
        roots = roots[start:] + roots[:start]
    sharing = ledger.sharing()
    plain = query.groups.get('') if len(query.groups) == 1 and not sharing else None
    found, seen = [], set()
    for root in roots:
        if query.root_traits is not None and not query.root_traits.allow(root.traits):
            continue
        if plain is not None and not root.children:
            if _serves(root, plain):
                found.append(Candidate({root: plain.resources}, {'': [root]}))
        else:
            found += _unseen(_Tree(root, sharing, query).candidates(), query, seen)
        if query.limit is not None and len(found) >= query.limit:
            return found[:query.limit]
    return found


def _unseen(candidates, query, seen):
    """Those candidates of a tree, as many as the query wants at most, that are allowed and not in `seen` yet."""
    allowed = (candidate for candidate in candidates if query.nested or not _is_nested(candidate))
    fresh = ((key, candidate) for candidate in allowed if (key := _key(candidate)) not in seen)
    for key, candidate in itertools.islice(fresh, query.limit):
        seen.add(key)
        yield candidate


def _key(candidate):
    """Equal for candidates that ask the same of the same providers for the same groups."""
    if len(candidate.mappings) == len(candidate.resources) == 1:
        return next(iter(candidate.resources))
    return (frozenset((provider, name, amount) for provider, resources in candidate.resources.items()
                      for name, amount in resources.items()),
            frozenset((suffix, provider) for suffix, providers in candidate.mappings.items() if suffix
                      for provider in providers))


def _is_nested(candidate):
    roots = [provider.root for provider in candidate.resources]
    return len(set(roots)) < len(roots)


def _serves(provider, group):
    """Whether a provider that is its whole tree could serve a group by itself."""
    return (provider.can(group.resources) and group.in_tree in (None, provider.uuid)
            and (not group.traits or group.traits.allow(provider.traits))
            and (not group.aggregates or group.aggregates.allow(provider.aggregates)))


class _Tree:
    """The search within one tree."""

    def __init__(self, root, sharing, query):
        self._query = query
        self._members = root.tree()
        around = frozenset().union(*(provider.aggregates for provider in self._members))
        self._lenders = [provider for provider in sharing
                         if provider.root is not root and not around.isdisjoint(provider.aggregates)]
        self._root = root

    def candidates(self):
        groups = list(self._query.groups.values())
        options = []
        for group in groups:
            found = list(self._unsuffixed(group) if group.suffix == '' else self._suffixed(group))
            if not found:
                return
            options.append(found)
        yield from self._combine(groups, options, 0, {}, {})

    def _combine(self, groups, options, index, totals, chosen):
        """Choose a placement for the groups from `index` on. `totals`: {(provider, class): amount} so far."""
        if index == len(groups):
            if totals and self._in_subtrees(chosen):
                yield self._candidate(totals, chosen)
            return
        group = groups[index]
        for placement in options[index]:
            if self._query.isolate and group.suffix and any(
                    placement.keys() & other.keys() for suffix, other in chosen.items() if suffix):
                continue
            added = dict(totals)
            for provider, resources in placement.items():
                for name, amount in resources.items():
                    added[provider, name] = added.get((provider, name), 0) + amount
            if _fits(placement, added):
                yield from self._combine(groups, options, index + 1, added, {**chosen, group.suffix: placement})

    def _candidate(self, totals, chosen):
        resources = {}
        for (provider, name), amount in totals.items():
            resources.setdefault(provider, {})[name] = amount
        return Candidate(resources, {suffix: list(placement) for suffix, placement in chosen.items()})

    def _in_subtrees(self, chosen):
        """Whether the providers of each same_subtree set lie at or below one of them."""
        for suffixes in self._query.subtrees:
            providers = {provider for suffix in suffixes for provider in chosen[suffix]}
            if not any(all(top is provider or top in provider.ancestors() for provider in providers)
                       for top in providers):
                return False
        return True

    def _suffixed(self, group):
        """Placements of a group that one provider has to serve alone."""
        for provider in self._allowed(group):
            if (group.traits.allow(provider.traits) and group.aggregates.allow(provider.aggregates)
                    and provider.can(group.resources)):
                yield {provider: group.resources}

    def _unsuffixed(self, group):
        """Placements of the group that the providers may serve together."""
        allowed = [provider for provider in self._allowed(group)
                   if group.traits.forbidden.isdisjoint(provider.traits)
                   and (not group.aggregates or group.aggregates.allow(self._aggregates(provider)))]
        choices = [[provider for provider in allowed if provider.can({name: amount})]
                   for name, amount in group.resources.items()]
        for providers in itertools.product(*choices):
            if not group.traits.allow(frozenset().union(*(provider.traits for provider in providers))):
                continue
            placement = {}
            for provider, (name, amount) in zip(providers, group.resources.items(), strict=True):
                placement.setdefault(provider, {})[name] = amount
            yield placement

    def _allowed(self, group):
        """The providers of this tree, and those that lend to it, unless the group wants another tree."""
        if group.in_tree is None:
            return self._members + self._lenders
        return [provider for provider in self._members + self._lenders
                if any(member.uuid == group.in_tree for member in provider.root.tree())]

    def _aggregates(self, provider):
        """Those of a provider; what the root of the tree is in, its whole tree is in."""
        return (*provider.aggregates, *provider.root.aggregates)


def _fits(placement, totals):
    """Whether the providers of a placement can serve what they were given up to now."""
    for provider, resources in placement.items():
        for name in resources:
            inventory = provider.inventories[name]
            amount = totals[provider, name]
            if amount > inventory.max_unit or provider.used.get(name, 0) + amount > inventory.capacity:
                return False
    return True
