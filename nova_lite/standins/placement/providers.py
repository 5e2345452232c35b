# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""`/resource_providers` with their aggregates and traits."""

import uuid

from nova_lite.standins import rest
from nova_lite.standins.placement import queries
from nova_lite.standins.placement import schemas
from nova_lite.standins.placement import versions

BASE = '/resource_providers'
ONE = BASE + '/{provider_uuid}'


class Providers:
    def __init__(self, ledger):
        self._ledger = ledger

    def routes(self):
        route = rest.Route
        return [
            route('GET', BASE, self.list), route('POST', BASE, self.create), route('GET', ONE, self.show),
            route('PUT', ONE, self.update), route('DELETE', ONE, self.delete),
            route('GET', ONE + '/aggregates', self.aggregates),
            route('PUT', ONE + '/aggregates', self.set_aggregates),
            route('GET', ONE + '/traits', self.traits), route('PUT', ONE + '/traits', self.set_traits),
            route('DELETE', ONE + '/traits', self.delete_traits)]

    def list(self, request):
        versions.require_operator(request)
        found = [provider for provider in self._start(request) if self._matches(request)(provider)]
        updated = max((provider.updated_at for provider in found), default=None)
        return versions.reply(request, {'resource_providers': [self._view(request, item) for item in found]},
                              updated=updated)

    def _start(self, request):
        """The providers that the listing filters; 400 for a parameter that this version does not have."""
        allowed = {'name', 'uuid'}
        for minimum, name in ((3, 'member_of'), (4, 'resources'), (14, 'in_tree'), (18, 'required')):
            if request.version >= minimum:
                allowed.add(name)
        queries.check_names(request, allowed)
        tree = queries.single(request, 'in_tree')
        if tree is None:
            return list(self._ledger.providers.values())
        if not rest.is_uuid(tree):
            raise queries.bad('Invalid query string parameters: \'%s\' is not a \'uuid\'' % tree[:64])
        member = self._ledger.providers.get(tree)
        return member.root.tree() if member else []

    def _matches(self, request):
        """A function that says whether a provider is what the query asks for."""
        name, id = queries.single(request, 'name'), queries.single(request, 'uuid')
        if id is not None and not rest.is_uuid(id):
            raise queries.bad('Invalid query string parameters: \'%s\' is not a \'uuid\'' % id[:64])
        text = queries.single(request, 'resources')
        resources = queries.resources(self._ledger, text) if text is not None else {}
        traits = queries.traits(self._ledger, request.query.get('required', ()), request.version)
        aggregates = queries.aggregates(request.query.get('member_of', ()), request.version)
        return lambda provider: (
            name in (None, provider.name) and id in (None, provider.uuid) and traits.allow(provider.traits)
            and aggregates.allow(provider.aggregates)
            and provider.can(resources))

    def show(self, request, provider_uuid):
        versions.require_operator(request)
        provider = self._ledger.provider(provider_uuid)
        return versions.reply(request, self._view(request, provider), updated=provider.updated_at)

    def create(self, request):
        versions.require_operator(request)
        body = schemas.body(request, schemas.NEW_PROVIDER_1_14 if request.version >= 14
                            else schemas.NEW_PROVIDER)
        id = str(uuid.UUID(body['uuid'])) if body.get('uuid') else str(uuid.uuid4())
        if body.get('parent_provider_uuid') == id:
            raise rest.Fault(400, 'Unable to create resource provider "%s", %s: parent provider UUID cannot be same '
                                  'as UUID.' % (body['name'], id))
        provider = self._ledger.create_provider(id, body['name'], body.get('parent_provider_uuid'))
        location = [('Location', '%s%s/%s' % (request.host_url, BASE, id))]
        if request.version >= 20:
            return versions.reply(request, self._view(request, provider), updated=provider.updated_at,
                                  headers=location)
        return rest.Reply(201, None, location)

    def update(self, request, provider_uuid):
        versions.require_operator(request)
        versions.require_json(request)
        provider = self._ledger.provider(provider_uuid)
        body = schemas.body(request, schemas.PROVIDER_1_14 if request.version >= 14 else schemas.PROVIDER)
        parent = provider.parent.uuid if provider.parent is not None else None
        if 'parent_provider_uuid' in body and (body['parent_provider_uuid'] or request.version >= 37):
            parent = body['parent_provider_uuid']
        elif 'parent_provider_uuid' in body and parent is not None:
            raise rest.Fault(400, 'Unable to save resource provider %s: un-parenting a provider is not '
                                  'currently allowed.' % provider_uuid)
        self._ledger.update_provider(provider, body['name'], parent, may_move=request.version >= 37)
        return versions.reply(request, self._view(request, provider), updated=provider.updated_at)

    def delete(self, request, provider_uuid):
        versions.require_operator(request)
        self._ledger.delete_provider(self._ledger.provider(provider_uuid, ' for delete'))

    def _view(self, request, provider):
        version = request.version
        here = '%s/%s' % (BASE, provider.uuid)
        links = [{'rel': 'self', 'href': here}]
        for minimum, name in ((0, 'inventories'), (0, 'usages'), (1, 'aggregates'), (6, 'traits'),
                              (11, 'allocations')):
            if version >= minimum:
                links.append({'rel': name, 'href': '%s/%s' % (here, name)})
        document = {'uuid': provider.uuid, 'name': provider.name, 'generation': provider.generation,
                    'links': links}
        if version >= 14:
            document['parent_provider_uuid'] = provider.parent.uuid if provider.parent is not None else None
            document['root_provider_uuid'] = provider.root.uuid
        return document

    @versions.since(1)
    def aggregates(self, request, provider_uuid):
        versions.require_operator(request)
        return self._aggregates(request, self._ledger.provider(provider_uuid))

    @versions.since(1)
    def set_aggregates(self, request, provider_uuid):
        versions.require_operator(request)
        provider = self._ledger.provider(provider_uuid)
        if request.version >= 19:
            body = schemas.body(request, schemas.AGGREGATES_1_19)
            self._ledger.set_aggregates(provider, body['aggregates'], body['resource_provider_generation'])
        else:
            self._ledger.set_aggregates(provider, schemas.body(request, schemas.AGGREGATES))
        return self._aggregates(request, provider)

    def _aggregates(self, request, provider):
        document = {'aggregates': list(provider.aggregates)}
        if request.version >= 19:
            document['resource_provider_generation'] = provider.generation
        return versions.reply(request, document, updated=provider.updated_at)

    @versions.since(6)
    def traits(self, request, provider_uuid):
        versions.require_operator(request)
        return self._traits(request, self._ledger.provider(provider_uuid))

    @versions.since(6)
    def set_traits(self, request, provider_uuid):
        versions.require_operator(request)
        provider = self._ledger.provider(provider_uuid)
        body = schemas.body(request, schemas.PROVIDER_TRAITS)
        unknown = [name for name in body['traits'] if not self._ledger.knows_trait(name)]
        if unknown:
            raise rest.Fault(400, 'No such trait %s' % ', '.join(unknown)[:1024])
        self._ledger.set_traits(provider, body['traits'], body['resource_provider_generation'])
        return self._traits(request, provider)

    @versions.since(6)
    def delete_traits(self, request, provider_uuid):
        versions.require_operator(request)
        self._ledger.set_traits(self._ledger.provider(provider_uuid), ())

    def _traits(self, request, provider):
        return versions.reply(request, {'traits': provider.traits,
                                        'resource_provider_generation': provider.generation},
                              updated=provider.updated_at)
