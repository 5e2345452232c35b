# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Credentials: secrets that users keep with Keystone (keys for EC2, certificates, …), sealed in the database."""

import hashlib
import json

from nova_lite.standins import rest
from nova_lite.standins.keystone import directory as directories
from nova_lite.standins.keystone import resources

PROPERTIES = {'type': resources.NAME, 'blob': {'type': 'string', 'minLength': 1, 'maxLength': 65535},
              'user_id': resources.REFERENCE, 'project_id': resources.OPTIONAL_REFERENCE}


def _wrap(**entity):
    return rest.schema({'type': 'object', 'required': ['credential'], 'properties': {'credential': {
        'type': 'object', 'properties': PROPERTIES, 'additionalProperties': False, **entity}}})


CREATE, UPDATE = _wrap(required=['type', 'blob']), _wrap(minProperties=1)


class Credentials:
    """Handlers of `/v3/credentials`; `seal`, a Fernet, keeps the secrets from whoever reads the database."""

    def __init__(self, directory, seal):
        self._directory = directory
        self._collection = directory.credentials
        self._seal = seal

    def routes(self):
        base, one = '/v3/credentials', '/v3/credentials/{id}'
        return [rest.Route('GET', base, self.list), rest.Route('POST', base, self.create),
                rest.Route('GET', one, self.show), rest.Route('PATCH', one, self.update),
                rest.Route('DELETE', one, self.delete)]

    def list(self, request):
        user_id, kind = request.argument('user_id'), request.argument('type')
        found = [self._view(request, item) for item in self._collection
                 if self._reads(request.identity, item) and user_id in (None, item['user_id'])
                 and kind in (None, item['type'])]
        return resources.listing(request, 'credentials', found)

    def show(self, request, id):
        return {'credential': self._view(request, self._get(request.identity, id))}

    def create(self, request):
        wanted = request.json(CREATE, resources.MAX_BODY)['credential']
        document = {'project_id': None, 'user_id': request.identity.user_id, **wanted}
        document['id'] = _key_id(document) if document['type'] == 'ec2' else directories.new_id()
        self._check(request.identity, document, 'create_credential')
        with self._directory.change() as change:
            change.insert(self._collection, self._sealed(document))
        return rest.Reply(201, {'credential': self._view(request, self._collection.get(document['id']))})

    def update(self, request, id):
        changes = request.json(UPDATE, resources.MAX_BODY)['credential']
        with self._directory.change() as change:
            old = self._get(request.identity, id)
            document = {**old, 'blob': self._opened(old), **changes}
            if document['type'] == 'ec2' and _key_id(document) != id:
                raise rest.Fault(400, 'The access key of a credential cannot be changed.')
            self._check(request.identity, old, 'update_credential')
            self._check(request.identity, document, 'update_credential')
            change.update(self._collection, self._sealed(document))
        return {'credential': self._view(request, self._collection.get(id))}

    def delete(self, request, id):
        with self._directory.change() as change:
            document = self._get(request.identity, id)
            self._check(request.identity, document, 'delete_credential')
            change.delete(self._collection, document)

    def _check(self, caller, document, action):
        """Only users themselves and administrators keep credentials, and only for a project that the user works in."""
        if caller.restricted or not (caller.is_admin or document['user_id'] == caller.user_id):
            raise resources.forbidden(action)
        self._directory.users.get(document['user_id'])
        project_id = document['project_id']
        if document['type'] == 'ec2' and project_id is None:
            raise rest.Fault(400, 'A credential of type ec2 needs a project_id.')
        if project_id is not None:
            self._directory.projects.get(project_id)
            if not self._directory.held(document['user_id'], 'project', project_id):
                raise rest.Fault(403, 'The user has no role on the project %s.' % project_id)
            if caller.application_credential_id and project_id != caller.project_id:
                raise resources.forbidden(action)

    @staticmethod
    def _reads(caller, document):
        return resources.reads_all(caller) or document['user_id'] == caller.user_id

    def _get(self, caller, id):
        document = self._collection.by_id.get(id)
        if document is None or not self._reads(caller, document):
            raise rest.Fault(404, 'Could not find credential: %s.' % id[:255])
        return document

    def _sealed(self, document):
        return {**document, 'blob': self._seal.encrypt(document['blob'].encode()).decode()}

    def _opened(self, document):
        return self._seal.decrypt(document['blob']).decode()

    def _view(self, request, document):
        return {**document, 'blob': self._opened(document),
                'links': {'self': '%s/v3/credentials/%s' % (request.host_url, document['id'])}}


def _key_id(document):
    """The id of a credential of type ec2: it comes of its access key, so that key is there once."""
    try:
        blob = json.loads(document['blob'])
        return hashlib.sha256(blob['access'].encode()).hexdigest()
    except (ValueError, KeyError, TypeError, AttributeError):
        raise rest.Fault(400, 'The blob of a credential of type ec2 is JSON with "access" and "secret".') from None
