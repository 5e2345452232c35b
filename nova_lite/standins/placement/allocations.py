# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""`/allocations`, `/usages` and `/reshaper`: who uses how much of what."""

import uuid

from nova_lite.standins import identity
from nova_lite.standins import rest
from nova_lite.standins.placement import inventories
from nova_lite.standins.placement import ledger as ledgers
from nova_lite.standins.placement import providers
from nova_lite.standins.placement import queries
from nova_lite.standins.placement import records
from nova_lite.standins.placement import schemas
from nova_lite.standins.placement import versions

NOBODY = '00000000-0000-0000-0000-000000000000'  # project and user of allocations from before 1.8
UNKNOWN_TYPE = 'unknown'


class Allocations:
    def __init__(self, ledger):
        self._ledger = ledger

    def routes(self):
        route = rest.Route
        return [
            route('GET', '/allocations/{consumer_uuid}', self.show),
            route('PUT', '/allocations/{consumer_uuid}', self.replace),
            route('DELETE', '/allocations/{consumer_uuid}', self.delete),
            route('POST', '/allocations', self.replace_many), route('POST', '/reshaper', self.reshape),
            route('GET', providers.ONE + '/allocations', self.of_provider),
            route('GET', providers.ONE + '/usages', self.provider_usages),
            route('GET', '/usages', self.usages)]

    def show(self, request, consumer_uuid):
        versions.require_operator(request)
        consumer = self._ledger.consumers.get(_uuid(consumer_uuid))
        if consumer is None:
            return versions.reply(request, {'allocations': {}})
        document = {'allocations': {
            id: {'generation': self._ledger.providers[id].generation, 'resources': resources}
            for id, resources in consumer.allocations.items()}}
        if request.version >= 12:
            document.update(project_id=consumer.project_id, user_id=consumer.user_id)
        if request.version >= 28:
            document['consumer_generation'] = consumer.generation
        if request.version >= 38:
            document['consumer_type'] = consumer.consumer_type or UNKNOWN_TYPE
        return versions.reply(request, document)

    def replace(self, request, consumer_uuid):
        versions.require_operator(request)
        id = _uuid(consumer_uuid)
        body = schemas.body(request, schemas.allocations(request.version))
        self._ledger.commit([self._claim(id, body)])

    @versions.since(13)
    def replace_many(self, request):
        versions.require_operator(request)
        body = schemas.body(request, schemas.many_allocations(request.version))
        self._ledger.commit([self._claim(_uuid(id), document) for id, document in body.items()])

    @versions.since(30)
    def reshape(self, request):
        """New inventories of several providers and new allocations of several consumers, all or nothing."""
        identity.require(request.identity.is_service or request.identity.is_admin)
        body = schemas.body(request, schemas.reshape(request.version))
        wanted = {}
        for id, document in body['inventories'].items():
            provider = self._ledger.providers.get(_uuid(id))
            if provider is None:
                raise rest.Fault(400, 'Resource provider %s in inventories not found: No resource provider with '
                                      'uuid %s found' % (id, id), 'placement.resource_provider.not_found')
            wanted[provider] = inventories.parse(self._ledger, request.version, id, document)
        claims = [self._claim(_uuid(id), document) for id, document in body['allocations'].items()]
        self._ledger.commit(claims, wanted)

    def _claim(self, consumer_uuid, document):
        """The Claim that a body asks for."""
        given = document['allocations']
        if isinstance(given, list):
            allocations = {_uuid(item['resource_provider']['uuid']): item['resources'] for item in given}
        else:
            allocations = {_uuid(id): item['resources'] for id, item in given.items()}
        for resources in allocations.values():
            for name in resources:
                if not self._ledger.knows_class(name):
                    raise rest.Fault(400, 'Unable to allocate inventory for consumer %s: No such resource class %s.'
                                     % (consumer_uuid, name[:255]))
        return records.Claim(
            consumer_uuid, allocations, document.get('project_id', NOBODY), document.get('user_id', NOBODY),
            document.get('consumer_type'), document.get('consumer_generation', ledgers.ANY))

    def delete(self, request, consumer_uuid):
        versions.require_operator(request)
        consumer = self._ledger.consumers.get(_uuid(consumer_uuid))
        if consumer is None:
            raise rest.Fault(404, 'No allocations for consumer \'%s\'' % consumer_uuid[:255])
        self._ledger.commit([records.Claim(consumer.uuid, {}, consumer.project_id, consumer.user_id, None,
                                           ledgers.ANY)])

    def of_provider(self, request, provider_uuid):
        versions.require_operator(request)
        provider = self._ledger.provider(provider_uuid)
        found = {}
        for id in provider.consumers:
            consumer = self._ledger.consumers[id]
            found[id] = {'resources': consumer.allocations[provider.uuid]}
            if request.version >= 28:
                found[id]['consumer_generation'] = consumer.generation
        return versions.reply(request, {'allocations': found,
                                        'resource_provider_generation': provider.generation})

    def provider_usages(self, request, provider_uuid):
        versions.require_operator(request)
        provider = self._ledger.provider(provider_uuid)
        return versions.reply(request, {
            'resource_provider_generation': provider.generation,
            'usages': {name: provider.used.get(name, 0) for name in provider.inventories}})

    @versions.since(9)
    def usages(self, request):
        """What a project, or one user or one type of consumer of it, uses in all."""
        schemas.check(schemas.USAGES_1_38 if request.version >= 38 else schemas.USAGES,
                      {name: queries.single(request, name) for name in request.query},
                      'Invalid query string parameters')
        project_id, user_id, kind = (request.argument(name) for name in (
            'project_id', 'user_id', 'consumer_type'))
        if not (request.identity.project_id == project_id and 'reader' in request.identity.roles):
            versions.require_operator(request)
        totals = {}
        for consumer in self._ledger.consumers.values():
            if consumer.project_id != project_id or user_id not in (None, consumer.user_id):
                continue
            its_type = consumer.consumer_type or UNKNOWN_TYPE
            if kind not in (None, 'all', its_type):
                continue
            total = totals.setdefault('all' if kind == 'all' else its_type, {'consumer_count': 0})
            total['consumer_count'] += 1
            _add(total, consumer)
        if request.version >= 38:
            return versions.reply(request, {'usages': totals})
        merged = {}
        for total in totals.values():
            for name, amount in total.items():
                if name != 'consumer_count':
                    merged[name] = merged.get(name, 0) + amount
        return versions.reply(request, {'usages': merged})


def _add(total, consumer):
    for resources in consumer.allocations.values():
        for name, amount in resources.items():
            total[name] = total.get(name, 0) + amount


def _uuid(text):
    """A UUID in its usual form; 400 when the text is none."""
    if not rest.is_uuid(text):
        raise rest.Fault(400, 'Malformed consumer_uuid: %s' % text[:64])
    return str(uuid.UUID(text))
