# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""The metadata of volumes and of snapshots as resources below them."""

from nova_lite.standins import rest
from nova_lite.standins.cinder import access
from nova_lite.standins.cinder import faults
from nova_lite.standins.cinder import schemas

_ALL = rest.schema({'type': 'object', 'required': ['metadata'], 'additionalProperties': False,
                    'properties': {'metadata': schemas.METADATA}})
_ONE = rest.schema({'type': 'object', 'required': ['meta'], 'additionalProperties': False, 'properties': {
    'meta': {**schemas.METADATA, 'minProperties': 1, 'maxProperties': 1}}})


class Metadata:
    """`kind` is volume or snapshot."""

    def __init__(self, records, kind):
        self._records = records
        self._kind = kind

    def routes(self):
        many = '/%ss/{identifier}/metadata' % self._kind
        return [('GET', many, self.list), ('POST', many, self.add), ('PUT', many, self.replace),
                ('GET', many + '/{key}', self.show), ('PUT', many + '/{key}', self.set),
                ('DELETE', many + '/{key}', self.remove)]

    def _find(self, request, identifier):
        return getattr(self._records, self._kind)(request.identity, identifier)

    def _change(self, request, identifier, function):
        """Let `function(old metadata)` say what the new is."""
        access.require_member(request.identity, 'volume:update_%s_metadata' % self._kind)

        def checked(document):
            metadata = function(document['metadata'])
            if len(metadata) > schemas.METADATA['maxProperties']:
                raise faults.over_quota('There are at most %d items of metadata.' % schemas.METADATA['maxProperties'])
            return {'metadata': metadata}
        return self._records.revise(request.identity, self._kind, identifier, checked)['metadata']

    def list(self, request, identifier):
        return {'metadata': self._find(request, identifier)['metadata']}

    def add(self, request, identifier):
        wanted = schemas.read(request, _ALL)['metadata']
        return {'metadata': self._change(request, identifier, lambda old: {**old, **wanted})}

    def replace(self, request, identifier):
        wanted = schemas.read(request, _ALL)['metadata']
        return {'metadata': self._change(request, identifier, lambda old: wanted)}

    def show(self, request, identifier, key):
        metadata = self._find(request, identifier)['metadata']
        if key not in metadata:
            raise self._missing(identifier, key)
        return {'meta': {key: metadata[key]}}

    def set(self, request, identifier, key):
        wanted = schemas.read(request, _ONE)['meta']
        if key not in wanted:
            raise faults.bad('Request body and URI mismatch')
        self._change(request, identifier, lambda old: {**old, **wanted})
        return {'meta': wanted}

    def remove(self, request, identifier, key):
        def without(old):
            if key not in old:
                raise self._missing(identifier, key)
            return {name: value for name, value in old.items() if name != key}
        self._change(request, identifier, without)
        return rest.Reply(200)

    def _missing(self, identifier, key):
        return rest.Fault(404, '%s %s has no metadata with key %s.' % (
            self._kind.capitalize(), identifier, key[:255]))
