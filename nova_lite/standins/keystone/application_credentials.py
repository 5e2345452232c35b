# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Application credentials: a secret with which a program acts for its user on one project, with some of the roles.

One gives no more than its user has at that time. Unless it is `unrestricted`, its tokens make no further secrets.
"""

import datetime
import secrets
import time

from nova_lite.standins import rest
from nova_lite.standins.keystone import directory as directories
from nova_lite.standins.keystone import resources

SECRET_BYTES = 64
CREATE = rest.schema({
    'type': 'object', 'required': ['application_credential'], 'properties': {'application_credential': {
        'type': 'object', 'required': ['name'], 'additionalProperties': False, 'properties': {
            'name': resources.NAME, 'description': resources.TEXT, 'unrestricted': resources.FLAG,
            'secret': {'type': ['string', 'null'], 'minLength': 1, 'maxLength': 4096},
            'expires_at': {'type': ['string', 'null'], 'maxLength': 40}, 'project_id': resources.OPTIONAL_REFERENCE,
            'access_rules': {'type': 'array', 'maxItems': 0},
            'roles': {'type': 'array', 'maxItems': 64, 'items': {
                'type': 'object', 'anyOf': [{'required': ['id']}, {'required': ['name']}],
                'properties': {'id': resources.REFERENCE, 'name': resources.REFERENCE}}}}}}})


class ApplicationCredentials:
    """Handlers of `/v3/users/{user_id}/application_credentials`."""

    def __init__(self, directory, passwords):
        self._directory = directory
        self._collection = directory.application_credentials
        self._passwords = passwords

    def routes(self):
        base, one = '/v3/users/{user_id}/application_credentials', '/v3/users/{user_id}/application_credentials/{id}'
        return [rest.Route('GET', base, self.list), rest.Route('POST', base, self.create),
                rest.Route('GET', one, self.show), rest.Route('DELETE', one, self.delete)]

    def list(self, request, user_id):
        self._require_read(request, user_id, 'list_application_credentials')
        wanted = request.argument('name')
        found = [self._view(request, item) for item in self._collection
                 if item['user_id'] == user_id and wanted in (None, item['name'])]
        return resources.listing(request, 'application_credentials', found)

    def show(self, request, user_id, id):
        self._require_read(request, user_id, 'get_application_credential')
        return {'application_credential': self._view(request, self._get(user_id, id))}

    def create(self, request, user_id):
        """The answer is the only one that shows the secret."""
        caller = request.identity
        if caller.user_id != user_id or caller.restricted:
            raise resources.forbidden('create_application_credential')
        wanted = request.json(CREATE, resources.MAX_BODY)['application_credential']
        if caller.project_id is None or wanted.get('project_id') not in (None, caller.project_id):
            raise rest.Fault(400, 'An application credential is for the project of the token that makes it.')
        secret = wanted.get('secret') or secrets.token_urlsafe(SECRET_BYTES)
        document = {
            'id': directories.new_id(), 'name': wanted['name'], 'description': wanted.get('description'),
            'user_id': user_id, 'project_id': caller.project_id, 'unrestricted': wanted.get('unrestricted', False),
            'expires_at': _moment(wanted.get('expires_at')), 'roles': self._roles(caller, wanted.get('roles')),
            'secret_hash': self._passwords.hash(secret)}
        with self._directory.change() as change:
            change.insert(self._collection, document)
        return rest.Reply(201, {'application_credential': {**self._view(request, document), 'secret': secret}})

    def delete(self, request, user_id, id):
        caller = request.identity
        if not (caller.user_id == user_id or caller.is_admin) or caller.restricted:
            raise resources.forbidden('delete_application_credential')
        with self._directory.change() as change:
            change.delete(self._collection, self._get(user_id, id))

    def _get(self, user_id, id):
        document = self._collection.by_id.get(id)
        if document is None or document['user_id'] != user_id:
            raise rest.Fault(404, 'Could not find application credential: %s.' % id[:255])
        return document

    def _roles(self, caller, wanted):
        """[id…] of the roles asked for, by default all of the token's; 400 for one that the token has not."""
        owned = [role for role in self._directory.roles if role['name'] in caller.roles]
        if not wanted:
            return [role['id'] for role in owned]
        found = []
        for reference in wanted:
            role = next((role for role in owned if all(
                role[name] == reference[name] for name in ('id', 'name') if name in reference)), None)
            if role is None:
                raise rest.Fault(400, 'Invalid application credential: the token does not have the role %s.'
                                 % (reference.get('id') or reference['name']))
            found.append(role['id'])
        return found

    def _view(self, request, document):
        roles = self._directory.roles.by_id
        shown = {name: value for name, value in document.items() if name not in ('secret_hash', 'expires_at')}
        expires = document['expires_at']
        return shown | {
            'roles': [{'id': id, 'name': roles[id]['name'], 'domain_id': None} for id in document['roles']
                      if id in roles],
            'expires_at': expires and directories.timestamp(expires), 'system': None,
            'links': {'self': '%s/v3/users/%s/application_credentials/%s' % (
                request.host_url, document['user_id'], document['id'])}}

    @staticmethod
    def _require_read(request, user_id, action):
        if request.identity.user_id != user_id and not resources.reads_all(request.identity):
            raise resources.forbidden(action)


def _moment(text):
    """Seconds since the epoch of a time in ISO 8601, which is UTC unless it says otherwise; None for None."""
    if text is None:
        return None
    try:
        moment = datetime.datetime.fromisoformat(text)
    except ValueError:
        raise rest.Fault(400, 'Invalid input for field expires_at: it is no time in ISO 8601.') from None
    seconds = (moment if moment.tzinfo else moment.replace(tzinfo=datetime.timezone.utc)).timestamp()
    if seconds <= time.time():
        raise rest.Fault(400, 'Invalid input for field expires_at: it has passed already.')
    return seconds
