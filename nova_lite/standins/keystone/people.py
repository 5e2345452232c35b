# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Domains, projects, users and roles."""

import time

from nova_lite.standins import rest
from nova_lite.standins.keystone import resources

PASSWORD = {'type': ['string', 'null'], 'maxLength': 4096}
CHANGE_PASSWORD = rest.schema({
    'type': 'object', 'required': ['user'], 'properties': {'user': {
        'type': 'object', 'required': ['original_password', 'password'], 'properties': {
            'original_password': {'type': 'string', 'maxLength': 4096},
            'password': {'type': 'string', 'minLength': 1, 'maxLength': 4096}}}}})


class Domains(resources.Resource):
    singular, plural = 'domain', 'domains'
    filters = ('name', 'enabled')
    properties = {'name': resources.SHORT_NAME, 'enabled': resources.FLAG, 'description': resources.TEXT}

    def fill(self, document):
        document.setdefault('description', '')
        document.setdefault('tags', [])
        document.setdefault('options', {})

    def may_read(self, caller, document):
        return document['id'] in (caller.user_domain_id, caller.project_domain_id, caller.domain_id)

    def follow(self, change, document):
        if document['id'] == 'default':
            raise rest.Fault(403, 'The default domain cannot be deleted.')
        if document['enabled']:
            raise rest.Fault(403, 'Cannot delete a domain that is enabled, please disable it first.')
        directory = self.directory
        for project in directory.projects:
            if project['domain_id'] == document['id']:
                directory.drop_assignments(change, 'target_id', project['id'])
                directory.drop_secrets(change, 'project_id', project['id'])
                change.delete(directory.projects, project)
        for user in directory.users:
            if user['domain_id'] == document['id']:
                directory.drop_belongings(change, user['id'])
                change.delete(directory.users, user)
        for group in directory.groups:
            if group['domain_id'] == document['id']:
                directory.drop_assignments(change, 'group_id', group['id'])
                directory.drop_memberships(change, 'group_id', group['id'])
                change.delete(directory.groups, group)
        directory.drop_assignments(change, 'target_id', document['id'])


class Projects(resources.Resource):
    singular, plural = 'project', 'projects'
    filters = ('name', 'enabled', 'domain_id', 'parent_id', 'is_domain')
    properties = {'name': resources.SHORT_NAME, 'enabled': resources.FLAG, 'description': resources.TEXT,
                  'domain_id': resources.OPTIONAL_REFERENCE, 'parent_id': resources.OPTIONAL_REFERENCE,
                  'is_domain': {'const': False}, 'options': {'type': 'object', 'maxProperties': 16},
                  'tags': {'type': 'array', 'maxItems': 80, 'uniqueItems': True,
                           'items': {'type': 'string', 'minLength': 1, 'maxLength': 255,
                                     'pattern': '^[^,/]+$'}}}

    def fill(self, document):
        parent = document.get('parent_id')
        if parent and parent in self.directory.projects.by_id:
            document.setdefault('domain_id', self.directory.projects.by_id[parent]['domain_id'])
        elif parent:
            document.setdefault('domain_id', self.directory.domains.get(parent)['id'])
        require_domain(self.directory, document)
        document['parent_id'] = parent or document['domain_id']
        document.setdefault('description', '')
        document.setdefault('is_domain', False)
        document.setdefault('tags', [])
        document.setdefault('options', {})

    def amend(self, old, document):
        for name in ('domain_id', 'parent_id', 'is_domain'):
            if document[name] != old[name]:
                raise rest.Fault(400, 'The %s of a project cannot be changed.' % name)

    def may_read(self, caller, document):
        if caller.project_id == document['id']:
            return True
        return bool(self.directory.held(caller.user_id, 'project', document['id']))

    def follow(self, change, document):
        if any(project['parent_id'] == document['id'] for project in self.directory.projects):
            raise rest.Fault(403, 'Cannot delete the project %s since it is not a leaf in the hierarchy.'
                             % document['id'])
        self.directory.drop_assignments(change, 'target_id', document['id'])
        self.directory.drop_secrets(change, 'project_id', document['id'])
        for user in self.directory.users:
            if user.get('default_project_id') == document['id']:
                change.update(self.directory.users, {**user, 'default_project_id': None})


class Users(resources.Resource):
    singular, plural = 'user', 'users'
    filters = ('name', 'enabled', 'domain_id')
    properties = {'name': resources.NAME, 'enabled': resources.FLAG, 'description': resources.TEXT,
                  'domain_id': resources.OPTIONAL_REFERENCE, 'email': resources.TEXT, 'password': PASSWORD,
                  'default_project_id': resources.OPTIONAL_REFERENCE,
                  'options': {'type': 'object', 'maxProperties': 16}}
    hidden = ('password_hash', 'valid_since')

    def __init__(self, directory, collection, passwords):
        super().__init__(directory, collection)
        self._passwords = passwords

    def routes(self):
        route = rest.Route
        return super().routes() + [
            route('POST', '/v3/users/{id}/password', self.change_password, public=True),
            route('GET', '/v3/users/{id}/projects', self.projects)]

    def fill(self, document):
        require_domain(self.directory, document)
        document.setdefault('options', {})
        document['password_expires_at'] = None

    def amend(self, old, document):
        if document['domain_id'] != old['domain_id']:
            raise rest.Fault(400, 'The domain_id of a user cannot be changed.')
        changed = document.get('password_hash') != old.get('password_hash')
        if changed or (old['enabled'] and not document['enabled']):
            document['valid_since'] = time.time()

    def _clean(self, document):
        kept = super()._clean(document)
        password = kept.pop('password', None)
        if password is not None:
            kept['password_hash'] = self._passwords.hash(password)
        return kept

    def may_read(self, caller, document):
        return caller.user_id == document['id']

    def follow(self, change, document):
        self.directory.drop_belongings(change, document['id'])

    def change_password(self, request, id):
        """A user's own change of password; the old password is the proof, so no token is needed."""
        body = request.json(CHANGE_PASSWORD, resources.MAX_BODY)['user']
        user = self.collection.by_id.get(id)
        stored = user.get('password_hash') if user and user['enabled'] else None
        if not self._passwords.verify(body['original_password'], stored):
            raise rest.Fault(401, 'The request you have made requires authentication.')
        changed = self._passwords.hash(body['password'])
        with self.directory.change() as change:
            change.update(self.collection, {**self.collection.get(id), 'password_hash': changed,
                                            'valid_since': time.time()})

    def projects(self, request, id):
        if not (resources.reads_all(request.identity) or request.identity.user_id == id):
            raise resources.forbidden('list_user_projects')
        self.collection.get(id)
        ids = self.directory.targets(id, 'project')
        found = [{**project, 'links': {'self': '%s/v3/projects/%s' % (request.host_url, project['id'])}}
                 for project in self.directory.projects if project['id'] in ids]
        return resources.listing(request, 'projects', found)


class Roles(resources.Resource):
    singular, plural = 'role', 'roles'
    filters = ('name',)
    properties = {'name': resources.NAME, 'description': resources.TEXT, 'domain_id': {'type': 'null'},
                  'options': {'type': 'object', 'maxProperties': 16}}
    hidden = ('enabled',)

    def fill(self, document):
        document.setdefault('description', None)
        document.setdefault('options', {})
        document['domain_id'] = None

    def follow(self, change, document):
        self.directory.drop_assignments(change, 'role_id', document['id'])
        for rule in self.directory.implied_roles:
            if document['id'] in (rule['prior_id'], rule['implied_id']):
                change.delete(self.directory.implied_roles, rule)


def require_domain(directory, document):
    """Let a document be of the default domain when it names none; 404 when it names one that is not there."""
    document['domain_id'] = directory.domains.get(document.get('domain_id') or 'default')['id']
