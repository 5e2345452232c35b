# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""`/resource_providers/{uuid}/inventories`: what a provider has to give."""

from nova_lite.standins import rest
from nova_lite.standins.placement import providers
from nova_lite.standins.placement import records
from nova_lite.standins.placement import schemas
from nova_lite.standins.placement import versions

BASE = providers.ONE + '/inventories'
ONE = BASE + '/{name}'


class Inventories:
    def __init__(self, ledger):
        self._ledger = ledger

    def routes(self):
        route = rest.Route
        return [
            route('GET', BASE, self.list), route('PUT', BASE, self.replace), route('POST', BASE, self.create),
            route('DELETE', BASE, self.delete_all), route('GET', ONE, self.show),
            route('PUT', ONE, self.update), route('DELETE', ONE, self.delete)]

    def list(self, request, provider_uuid):
        versions.require_operator(request)
        return self._all(request, self._ledger.provider(provider_uuid))

    def replace(self, request, provider_uuid):
        versions.require_operator(request)
        provider = self._ledger.provider(provider_uuid)
        body = schemas.body(request, schemas.INVENTORIES)
        self._ledger.commit(inventories={provider: parse(self._ledger, request.version, provider.uuid, body)})
        return self._all(request, provider)

    def create(self, request, provider_uuid):
        versions.require_operator(request)
        provider = self._ledger.provider(provider_uuid)
        body = schemas.body(request, schemas.NEW_INVENTORY)
        name, generation = body.pop('resource_class'), body.pop('resource_provider_generation', None)
        inventory = _inventory(self._ledger, request.version, provider.uuid, name, body, 'create')
        if name in provider.inventories:
            raise rest.Fault(409, 'Update conflict: Inventory for \'%s\' on resource provider \'%s\' exists.' % (
                name, provider_uuid))
        self._set(provider, {**provider.inventories, name: inventory}, generation)
        location = '%s%s/%s/inventories/%s' % (request.host_url, providers.BASE, provider.uuid, name)
        return self._one(request, provider, name, 201, [('Location', location)])

    def delete_all(self, request, provider_uuid):
        versions.require_operator(request)
        if request.version < 5:
            raise rest.Fault(405, 'The method specified is not allowed for this resource.',
                             headers=[('Allow', 'GET, POST, PUT')])
        self._set(self._ledger.provider(provider_uuid), {})

    def show(self, request, provider_uuid, name):
        versions.require_operator(request)
        provider = self._ledger.provider(provider_uuid)
        _require(provider, name, 'for %s' % provider_uuid)
        return self._one(request, provider, name)

    def update(self, request, provider_uuid, name):
        versions.require_operator(request)
        provider = self._ledger.provider(provider_uuid)
        body = schemas.body(request, schemas.INVENTORY)
        generation = body.pop('resource_provider_generation')
        inventory = _inventory(self._ledger, request.version, provider.uuid, name, body)
        if name not in provider.inventories:
            raise rest.Fault(400, 'No inventory record with resource class: %s' % name)
        self._set(provider, {**provider.inventories, name: inventory}, generation)
        return self._one(request, provider, name)

    def delete(self, request, provider_uuid, name):
        versions.require_operator(request)
        provider = self._ledger.provider(provider_uuid)
        _require(provider, name, 'found for delete')
        self._set(provider, {key: value for key, value in provider.inventories.items() if key != name})

    def _set(self, provider, inventories, generation=None):
        self._ledger.commit(inventories={provider: (generation, inventories)})

    def _all(self, request, provider):
        return versions.reply(request, {
            'resource_provider_generation': provider.generation,
            'inventories': {name: item.document() for name, item in provider.inventories.items()}},
            updated=provider.updated_at)

    def _one(self, request, provider, name, status=200, headers=()):
        return versions.reply(request, {
            'resource_provider_generation': provider.generation, **provider.inventories[name].document()},
            status, provider.updated_at, headers)


def parse(ledger, version, provider_uuid, document):
    """(generation, {class: Inventory}) from the document of a provider's inventories."""
    return document['resource_provider_generation'], {
        name: _inventory(ledger, version, provider_uuid, name, fields)
        for name, fields in document['inventories'].items()}


def _inventory(ledger, version, provider_uuid, name, fields, verb='update'):
    if not ledger.knows_class(name):
        raise rest.Fault(400, 'Unknown resource class in inventory for resource provider %s: No such resource '
                              'class %s' % (provider_uuid, name[:255]))
    inventory = records.Inventory(**fields)
    free = inventory.total - inventory.reserved
    if free < 0 or (free == 0 and version < 26):
        raise rest.Fault(400, 'Unable to %s inventory for resource provider %s: Invalid inventory for '
                              '\'%s\' on resource provider \'%s\'. The reserved value is greater than %stotal.' % (
                                  verb, provider_uuid, name, provider_uuid, '' if version >= 26 else 'or equal to '))
    return inventory


def _require(provider, name, what):
    if name not in provider.inventories:
        raise rest.Fault(404, 'No inventory of class %s %s' % (name[:255], what))
