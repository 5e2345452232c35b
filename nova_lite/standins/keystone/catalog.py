# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Regions, services and endpoints: what the service catalog is made of."""

import re

from nova_lite.standins import rest
from nova_lite.standins.keystone import resources

_NAMES, _PLACES = re.compile(r'[$%]\(([^)]*)\)'), frozenset(('project_id', 'tenant_id'))


class Regions(resources.Resource):
    singular, plural = 'region', 'regions'
    required = ()
    filters = ('parent_region_id',)
    properties = {'id': {'type': ['string', 'null'], 'maxLength': 255}, 'description': resources.TEXT,
                  'parent_region_id': resources.OPTIONAL_REFERENCE}
    hidden = ('enabled',)
    open_to_all = True

    def routes(self):
        return super().routes() + [rest.Route('PUT', '/v3/regions/{id}', self.create_named)]

    def create(self, request):
        wanted = request.json(self._create, resources.MAX_BODY)['region'] if request.identity.is_admin else {}
        return self._store(request, wanted, wanted.get('id'))

    def create_named(self, request, id):
        wanted = request.json(self._create, resources.MAX_BODY)['region'] if request.identity.is_admin else {}
        return self._store(request, wanted, id)

    def _store(self, request, wanted, id):
        self.require_admin(request, 'create_region')
        document = {**self._clean(wanted), 'id': id or resources.directories.new_id()}
        document.setdefault('description', '')
        document.setdefault('parent_region_id', None)
        with self.directory.change() as change:
            self.amend(None, document)
            change.insert(self.collection, document)
        return rest.Reply(201, {'region': self.view(request, document)})

    def amend(self, old, document):
        parent = document['parent_region_id']
        seen = {document['id']}
        while parent is not None:
            if parent in seen:
                raise rest.Fault(400, 'A region cannot be a part of itself.')
            seen.add(parent)
            parent = self.collection.get(parent)['parent_region_id']

    def follow(self, change, document):
        if any(region['parent_region_id'] == document['id'] for region in self.collection):
            raise rest.Fault(403, 'The region %s has regions below it.' % document['id'])
        if any(endpoint['region_id'] == document['id'] for endpoint in self.directory.endpoints):
            raise rest.Fault(403, 'The region %s has endpoints.' % document['id'])


class Services(resources.Resource):
    singular, plural = 'service', 'services'
    required = ('type',)
    filters = ('name', 'type')
    properties = {'name': {'type': 'string', 'maxLength': 255}, 'type': resources.NAME,
                  'enabled': resources.FLAG, 'description': resources.TEXT}

    def fill(self, document):
        document.setdefault('name', '')
        document.setdefault('description', '')

    def follow(self, change, document):
        for endpoint in self.directory.endpoints:
            if endpoint['service_id'] == document['id']:
                change.delete(self.directory.endpoints, endpoint)


class Endpoints(resources.Resource):
    singular, plural = 'endpoint', 'endpoints'
    required = ('service_id', 'interface', 'url')
    filters = ('interface', 'service_id', 'region_id')
    properties = {'service_id': resources.REFERENCE, 'interface': {'enum': ['public', 'internal', 'admin']},
                  'url': {'type': 'string', 'minLength': 1, 'maxLength': 2048, 'pattern': r'^https?://\S+$'},
                  'region_id': resources.OPTIONAL_REFERENCE, 'region': resources.OPTIONAL_REFERENCE,
                  'enabled': resources.FLAG}
    hidden = ('bootstrap_url',)

    def fill(self, document):
        document.setdefault('region_id', document.pop('region', None))
        self.amend(None, document)

    def amend(self, old, document):
        if set(_NAMES.findall(document['url'])) - _PLACES:
            raise rest.Fault(400, "An endpoint's URL may hold $(project_id)s and $(tenant_id)s only.")
        self.directory.services.get(document['service_id'])
        if document['region_id'] is not None:
            self.directory.regions.get(document['region_id'])

    def view(self, request, document):
        return {**super().view(request, document), 'region': document['region_id']}
