# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""`GET /allocation_candidates`: from the query string to the search, and from what it found to the answer.

The answer names each host with room, so its text is put together from parts that are written once: what is asked of
a host is the same for all, and what a host has changes less often than it is asked for.
"""

import json

from nova_lite.standins import rest
from nova_lite.standins.placement import queries
from nova_lite.standins.placement import search
from nova_lite.standins.placement import versions


class Candidates:
    def __init__(self, ledger):
        self._ledger = ledger

    def routes(self):
        return [rest.Route('GET', '/allocation_candidates', self.list)]

    @versions.since(10)
    def list(self, request):
        versions.require_operator(request)
        query = self._query(request)
        found = search.search(self._ledger, query)
        if request.version >= 12:
            requests = _requests(found, request.version)
        else:
            requests = [json.dumps(_old_request(candidate)) for candidate in found]
        body = b''.join((b'{"allocation_requests": [', ', '.join(requests).encode(), b'], "provider_summaries": {',
                         b', '.join(self._summaries(request, query, found)), b'}}'))
        return versions.reply(request, body, headers=[('Content-Type', 'application/json')])

    def _query(self, request):
        """The Query that a query string asks for; 400 for what contradicts itself."""
        version = request.version
        allowed = {'resources'}
        for minimum, name in ((16, 'limit'), (17, 'required'), (21, 'member_of'), (25, 'group_policy'),
                              (31, 'in_tree'), (35, 'root_required'), (36, 'same_subtree')):
            if version >= minimum:
                allowed.add(name)
        queries.check_names(request, allowed, groups=True)
        _check_orphans(request, queries.grouped(version))
        groups = queries.groups(self._ledger, request)
        query = search.Query(groups, nested=version >= 29, limit=queries.limit(request))
        root = request.query.get('root_required')
        if root is not None:
            query.root_traits = self._root_traits(root, version)
        query.subtrees = _subtrees(request, groups)
        self._check_groups(request, query)
        return query

    def _root_traits(self, values, version):
        if len(values) > 1:
            raise queries.bad('Query parameter \'root_required\' may be specified only once.',
                              'placement.query.duplicate_key')
        if values[0].startswith('in:'):
            raise queries.bad('Invalid query string parameters: \'root_required\' does not take the form '
                              '"in:". Got: "%s"' % values[0][:255])
        return queries.traits(self._ledger, values, version, 'root_required')

    def _check_groups(self, request, query):
        groups = query.groups
        related = {suffix for suffixes in query.subtrees for suffix in suffixes}
        bare = [suffix for suffix, group in groups.items() if not group.resources and suffix not in related]
        if bare:
            raise queries.bad('Resourceless suffixed group request should be specified in `same_subtree` query param: '
                              'bad group(s) - %s.' % ', '.join(bare)[:255])
        policy = queries.single(request, 'group_policy')
        if policy not in (None, 'none', 'isolate'):
            raise queries.bad('Invalid query string parameters: \'%s\' is not one of [\'none\', \'isolate\']'
                              % policy[:64])
        query.isolate = policy == 'isolate'
        if policy is None and sum(1 for suffix, group in groups.items() if suffix and group.resources) > 1:
            raise queries.bad('The "group_policy" parameter is required when specifying more than one '
                              '"resources{N}" parameter.', queries.MISSING)

    def _summaries(self, request, query, found):
        """What the providers of the trees that occur in the candidates have and are, as texts of members."""
        providers = {}
        for candidate in found:
            for provider in candidate.resources:
                if request.version >= 29 and (provider.children or provider.parent is not None):
                    providers.update((member.uuid, member) for member in provider.root.tree())
                else:
                    providers[provider.uuid] = provider
        names = None if request.version >= 27 else {
            name for group in query.groups.values() for name in group.resources}
        if names is None and request.version >= 29:
            return list(map(_summary_text, providers.values()))
        return [_member(provider, names, request.version) for provider in providers.values()]


def _check_orphans(request, pattern):
    """400 where nothing asks for resources, or where, up to 1.35, something else stands without them."""
    if pattern is None:
        if 'resources' not in request.query:
            raise queries.bad('Invalid query string parameters: \'resources\' is a required property')
        return
    suffixes = {kind: [] for kind in queries.KINDS}
    for name in request.query:
        match = pattern.match(name)
        if match:
            suffixes[match.group(1)].append(match.group(2) or '')
    if request.version < 36:
        for kind, what in (('required', 'traits'), ('member_of', 'member_of'), ('in_tree', 'in_tree')):
            orphans = [kind + suffix for suffix in suffixes[kind] if suffix not in suffixes['resources']]
            if orphans:
                raise queries.bad('All request groups must specify resources. All %s parameters must be associated '
                                  'with resources. Found the following orphaned %s keys: %s' % (
                                      what, what, ', '.join(orphans)[:1024]))
    if not suffixes['resources']:
        raise queries.bad('At least one request group (`resources` or `resources{$S}`) is required.'
                          if request.version < 36 else
                          'There must be at least one resources or resources[$S] parameter.', queries.MISSING)


def _subtrees(request, groups):
    subtrees = []
    for text in request.query.get('same_subtree', ()):
        suffixes = text.strip().split(',')
        unknown = [suffix for suffix in suffixes if not suffix or suffix not in groups]
        if '' in suffixes:
            raise queries.bad('Empty string (unsuffixed group) can not be specified in `same_subtree` queries.')
        if unknown:
            raise queries.bad('Real suffixes should be specified in `same_subtree`: %s not found in query.'
                              % ', '.join(unknown)[:255])
        subtrees.append(frozenset(suffixes))
    return tuple(subtrees)


def _requests(candidates, version):
    """The texts of allocation requests as they are since 1.12."""
    texts = {}      # of resources and suffixes, which many candidates share
    for candidate in candidates:
        allocations = []
        for provider, resources in candidate.resources.items():
            text = texts.get(id(resources))
            if text is None:
                text = texts[id(resources)] = json.dumps(resources)
            allocations.append('"%s": {"resources": %s}' % (provider.uuid, text))
        if version < 34:
            yield '{"allocations": {%s}}' % ', '.join(allocations)
            continue
        mappings = []
        for suffix, providers in candidate.mappings.items():
            text = texts.get(suffix)
            if text is None:
                text = texts[suffix] = json.dumps(suffix)
            mappings.append('%s: [%s]' % (text, ', '.join('"%s"' % provider.uuid for provider in providers)))
        yield '{"allocations": {%s}, "mappings": {%s}}' % (', '.join(allocations), ', '.join(mappings))


def _old_request(candidate):
    return {'allocations': [{'resource_provider': {'uuid': provider.uuid}, 'resources': resources}
                            for provider, resources in candidate.resources.items()]}


def _summary_text(provider):
    """What is said of a provider since 1.29, written anew after a change only."""
    written, text = provider.summary
    if written != provider.changes:
        written = provider.changes
        text = _member(provider, None, 29)
        provider.summary = written, text
    return text


def _member(provider, names, version):
    return b'"%s": %s' % (provider.uuid.encode(), json.dumps(_summary(provider, names, version)).encode())


def _summary(provider, names, version):
    used = provider.used
    document = {'resources': {
        name: {'capacity': inventory.capacity, 'used': used.get(name, 0)}
        for name, inventory in provider.inventories.items() if names is None or name in names}}
    if version >= 17:
        document['traits'] = provider.traits
    if version >= 29:
        document['parent_provider_uuid'] = provider.parent.uuid if provider.parent is not None else None
        document['root_provider_uuid'] = provider.root.uuid
    return document
