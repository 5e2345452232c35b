# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""`/v3/auth`: getting, checking and revoking tokens, and what a caller may scope one to."""

import re

from nova_lite.standins import identity as identities
from nova_lite.standins import rest
from nova_lite.standins.keystone import directory as directories
from nova_lite.standins.keystone import tokens as token_module

ID = {'type': 'string', 'minLength': 1, 'maxLength': 255}
DOMAIN = {'type': 'object', 'anyOf': [{'required': ['id']}, {'required': ['name']}],
          'properties': {'id': ID, 'name': ID}}
NAMED = {'type': 'object', 'properties': {'id': ID, 'name': ID, 'domain': DOMAIN},
         'anyOf': [{'required': ['id']}, {'required': ['name', 'domain']}]}
AUTH = rest.schema({
    'type': 'object', 'required': ['auth'], 'properties': {'auth': {
        'type': 'object', 'required': ['identity'], 'properties': {
            'identity': {
                'type': 'object', 'required': ['methods'], 'properties': {
                    'methods': {'type': 'array', 'minItems': 1, 'maxItems': 5, 'items': {'type': 'string'}},
                    'password': {'type': 'object', 'required': ['user'], 'properties': {'user': {
                        'allOf': [NAMED, {'required': ['password'],
                                          'properties': {'password': {'type': 'string'}}}]}}},
                    'token': {'type': 'object', 'required': ['id'],
                              'properties': {'id': {'type': 'string', 'minLength': 1}}},
                    'application_credential': {
                        'type': 'object', 'required': ['secret'],
                        'anyOf': [{'required': ['id']}, {'required': ['name', 'user']}],
                        'properties': {'id': ID, 'name': ID, 'user': NAMED, 'secret': {'type': 'string'}}},
                }},
            'scope': {'oneOf': [{'const': 'unscoped'}, {
                'type': 'object', 'minProperties': 1, 'maxProperties': 1, 'additionalProperties': False,
                'properties': {
                    'project': NAMED, 'domain': DOMAIN, 'unscoped': {'type': 'object'},
                    'system': {'type': 'object', 'required': ['all'], 'properties': {'all': {'const': True}}},
                }}]},
        }}}})
METHODS = ('password', 'token', 'application_credential')
REFUSED = 'The request you have made requires authentication.'
PLACEHOLDER = re.compile(r'[$%]\((?:project_id|tenant_id)\)s')


class Auth:
    """Handlers of `/v3/auth`."""

    def __init__(self, directory, tokens, passwords):
        self._directory = directory
        self._tokens = tokens
        self._passwords = passwords

    def routes(self):
        route = rest.Route
        return [
            route('POST', '/v3/auth/tokens', self.create, public=True),
            route('GET', '/v3/auth/tokens', self.show),
            route('DELETE', '/v3/auth/tokens', self.revoke),
            route('GET', '/v3/auth/catalog', self.catalog),
            route('GET', '/v3/auth/projects', self.projects),
            route('GET', '/v3/auth/domains', self.domains),
            route('GET', '/v3/auth/system', self.system),
        ]

    def create(self, request):
        """Check who the caller is, settle the scope and give a token in X-Subject-Token."""
        body = request.json(AUTH)['auth']
        methods = set(body['identity']['methods'])
        user, parent, credential = self._authenticate(body['identity'], methods)
        scope = self._scope(body.get('scope'), user, credential)
        issued = self._tokens.issue(user, scope, methods | set(parent.methods if parent else ()), parent, credential)
        if issued is None:
            raise _refused()
        token, who = issued
        return rest.Reply(201, self._document(request, who), [
            ('X-Subject-Token', token), ('Vary', 'X-Auth-Token')])

    def _authenticate(self, document, methods):
        """(user document, identity of the token or None, document of the application credential or None)."""
        user = parent = credential = None
        for method in methods:
            if method not in METHODS or method not in document:
                raise _refused()
        if 'application_credential' in methods:
            if len(methods) > 1:
                raise _refused()
            credential = self._credential(document['application_credential'])
            user = self._directory.users.by_id[credential['user_id']]
        if 'password' in methods:
            reference = document['password']['user']
            user = self._directory.resolve(self._directory.users, reference)
            stored = user.get('password_hash') if user and user['enabled'] else None
            if not self._passwords.verify(reference['password'], stored):
                raise _refused()
            if self._directory.users.by_id.get(user['id']) is not user:  # changed during the check
                raise _refused()
        if 'token' in methods:
            parent = self._tokens.identify(document['token']['id'])
            if parent is None or (user is not None and user['id'] != parent.user_id):
                raise _refused()
            user = self._directory.users.by_id[parent.user_id]
            if parent.application_credential_id:
                credential = self._directory.application_credentials.by_id[parent.application_credential_id]
        return user, parent, credential

    def _credential(self, document):
        """The application credential whose secret the caller knows."""
        found = None
        if 'id' in document:
            found = self._directory.application_credentials.by_id.get(document['id'])
        else:
            user = self._directory.resolve(self._directory.users, document['user'])
            if user is not None:
                found = self._directory.application_credentials.find(user['id'], document['name'])
        if not self._passwords.verify(document['secret'], found['secret_hash'] if found else None):
            raise _refused()
        if self._directory.application_credentials.by_id.get(found['id']) is not found:     # deleted during the check
            raise _refused()
        return found

    def _scope(self, wanted, user, credential):
        directory = self._directory
        if credential:
            if wanted is not None and (not isinstance(wanted, dict) or 'project' not in wanted or directory.resolve(
                    directory.projects, wanted['project']) != directory.projects.by_id[credential['project_id']]):
                raise _refused()        # it is for its one project
            return token_module.Scope('project', credential['project_id'])
        if wanted is None:
            project_id = user.get('default_project_id')
            if project_id and directory.held(user['id'], 'project', project_id):
                project = directory.projects.by_id[project_id]
                if project['enabled']:
                    return token_module.Scope('project', project_id)
            return token_module.Scope()
        if wanted == 'unscoped' or 'unscoped' in wanted:
            return token_module.Scope()
        if 'system' in wanted:
            return token_module.Scope('system', 'all')
        if 'project' in wanted:
            kind, target = 'project', directory.resolve(directory.projects, wanted['project'])
        else:
            kind, target = 'domain', directory.domain_of(wanted['domain'])
        if target is None:
            raise _refused()
        return token_module.Scope(kind, target['id'])

    def show(self, request):
        """The content of the token in X-Subject-Token: for its owner, and for services and administrators."""
        who = self._subject(request)
        caller = request.identity
        identities.require(
            caller.is_admin or caller.is_service or caller.user_id == who.user_id
            or (caller.system and 'reader' in caller.roles),
            'You are not authorized to perform the requested action: identity:validate_token.')
        return rest.Reply(200, self._document(request, who), [
            ('X-Subject-Token', request.header('X-Subject-Token')), ('Vary', 'X-Auth-Token')])

    def revoke(self, request):
        who = self._subject(request)
        identities.require(
            request.identity.is_admin or request.identity.user_id == who.user_id,
            'You are not authorized to perform the requested action: identity:revoke_token.')
        self._directory.revoke(who.audit_ids[0], who.expires_at)

    def _subject(self, request):
        token = request.header('X-Subject-Token')
        if not token:
            raise rest.Fault(400, 'The header X-Subject-Token is missing.')
        who = self._tokens.identify(token)
        if who is None:
            raise rest.Fault(404, 'Could not find token.')
        return who

    def catalog(self, request):
        who = request.identity
        if not (who.project_id or who.domain_id or who.system):
            raise rest.Fault(403, 'You are not authorized to perform the requested action: '
                                  'an unscoped token has no catalog.')
        return {'catalog': self._catalog(who), 'links': {'self': request.host_url + '/v3/auth/catalog'}}

    def projects(self, request):
        return self._targets(request, 'project', self._directory.projects)

    def domains(self, request):
        return self._targets(request, 'domain', self._directory.domains)

    def system(self, request):
        there = self._directory.held(request.identity.user_id, 'system', 'all')
        return {'system': [{'all': True}] if there else [],
                'links': {'self': request.host_url + '/v3/auth/system', 'next': None, 'previous': None}}

    def _targets(self, request, kind, collection):
        """The enabled targets of one kind that the caller has a role on."""
        ids = self._directory.targets(request.identity.user_id, kind)
        plural = kind + 's'
        found = [{**item, 'links': {'self': '%s/v3/%s/%s' % (request.host_url, plural, item['id'])}}
                 for item in collection if item['id'] in ids and item['enabled']]
        return {plural: found, 'links': {'self': '%s/v3/auth/%s' % (request.host_url, plural),
                                         'next': None, 'previous': None}}

    def _document(self, request, who):
        """The body that tells a token's content."""
        directory = self._directory
        token = {
            'methods': list(who.methods),
            'user': {'id': who.user_id, 'name': who.user_name, 'password_expires_at': None,
                     'domain': self._domain(who.user_domain_id)},
            'audit_ids': list(who.audit_ids),
            'issued_at': directories.timestamp(who.issued_at),
            'expires_at': directories.timestamp(who.expires_at),
        }
        if who.application_credential_id:
            credential = directory.application_credentials.by_id[who.application_credential_id]
            token['application_credential'] = {'id': credential['id'], 'name': credential['name'],
                                               'restricted': who.restricted}
        if who.project_id:
            token['project'] = {'id': who.project_id, 'name': who.project_name,
                                'domain': self._domain(who.project_domain_id)}
            token['is_domain'] = False
        elif who.domain_id:
            token['domain'] = self._domain(who.domain_id)
        elif who.system:
            token['system'] = {'all': True}
        else:
            return {'token': token}
        token['roles'] = [{'id': role['id'], 'name': role['name']}
                          for role in directory.roles if role['name'] in who.roles]
        if 'nocatalog' not in request.query:
            token['catalog'] = self._catalog(who)
        return {'token': token}

    def _domain(self, id):
        return {'id': id, 'name': self._directory.domains.by_id[id]['name']}

    def _catalog(self, who):
        services = {}
        for service in self._directory.services:
            if service['enabled']:
                services[service['id']] = {'id': service['id'], 'type': service['type'],
                                           'name': service.get('name', ''), 'endpoints': []}
        for endpoint in self._directory.endpoints:
            url = endpoint['url']
            if PLACEHOLDER.search(url):
                if not who.project_id:
                    continue
                url = PLACEHOLDER.sub(who.project_id, url)
            if endpoint['enabled'] and endpoint['service_id'] in services:
                services[endpoint['service_id']]['endpoints'].append({
                    'id': endpoint['id'], 'interface': endpoint['interface'], 'url': url,
                    'region_id': endpoint['region_id'], 'region': endpoint['region_id']})
        return list(services.values())


def _refused():
    return rest.Fault(401, REFUSED, headers=[('WWW-Authenticate', 'Keystone')])
