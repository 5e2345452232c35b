# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Which user or group has which role where, and which role implies which."""

import itertools

from nova_lite.standins import rest
from nova_lite.standins.keystone import directory as directories
from nova_lite.standins.keystone import resources

TARGETS = {'project': 'projects', 'domain': 'domains', 'system': None}


class Assignments:
    """Handlers of the role assignment and implied role paths."""

    def __init__(self, directory):
        self._directory = directory

    def routes(self):
        routes = [rest.Route('GET', '/v3/role_assignments', self.list)]
        for kind, actors in itertools.product(TARGETS, ('users', 'groups')):
            place = '%s/{target_id}' % TARGETS[kind] if TARGETS[kind] else 'system'
            base = '/v3/%s/%s/{actor_id}/roles' % (place, actors)
            target = Target(self._directory, kind, actors)
            routes += [
                rest.Route('GET', base, target.list), rest.Route('PUT', base + '/{role_id}', target.grant),
                rest.Route('GET', base + '/{role_id}', target.check),
                rest.Route('DELETE', base + '/{role_id}', target.revoke)]
        rule = '/v3/roles/{prior_id}/implies/{implied_id}'
        return routes + [
            rest.Route('GET', '/v3/role_inferences', self.inferences),
            rest.Route('GET', '/v3/roles/{prior_id}/implies', self.implied),
            rest.Route('PUT', rule, self.imply), rest.Route('GET', rule, self.check_implied),
            rest.Route('DELETE', rule, self.stop_implying)]

    def list(self, request):
        """Assignments by user, group, role and scope. With `effective` the implied roles stand in the list too, and the
        members of a group in place of the group."""
        wanted = {name: request.argument(name) for name in ('user.id', 'group.id', 'role.id', 'scope.project.id',
                                                            'scope.domain.id', 'scope.system')}
        caller = request.identity
        own = wanted['user.id'] == caller.user_id
        of_project = caller.project_id is not None and wanted['scope.project.id'] == caller.project_id
        if not (resources.reads_all(caller) or own or of_project):
            raise resources.forbidden('list_role_assignments')
        found = []
        for item in self._directory.assignments:
            roles, items = [self._directory.roles.by_id[item['role_id']]], [item]
            if asked(request, 'effective'):
                roles = self._directory.effective(roles)
                if item.get('group_id'):
                    items = [{**item, 'user_id': id} for id in self._directory.members_of(item['group_id'])]
            found += [self._view(request, one, role) for one in items for role in roles if _matches(one, role, wanted)]
        return resources.listing(request, 'role_assignments', found)

    def _view(self, request, item, role):
        kind, target_id = item['target_type'], item['target_id']
        who, collection = ('user', self._directory.users) if item['user_id'] else ('group', self._directory.groups)
        actor = collection.by_id[item['user_id'] or item['group_id']]
        names = asked(request, 'include_names')
        if kind == 'system':
            scope, place = {'system': {'all': True}}, 'system'
        else:
            collection = self._directory.projects if kind == 'project' else self._directory.domains
            scope = {kind: self._reference(collection.by_id[target_id], names)}
            place = '%s/%s' % (TARGETS[kind], target_id)
        through = 'groups' if item.get('group_id') else 'users'
        url = '%s/v3/%s/%s/%s/roles/%s' % (request.host_url, place, through, directories.actor(item), item['role_id'])
        return {'role': self._reference(role, names), who: self._reference(actor, names), 'scope': scope,
                'links': {'assignment': url}}

    def _reference(self, document, names):
        if not names:
            return {'id': document['id']}
        reference = {'id': document['id'], 'name': document['name']}
        if document.get('domain_id'):
            domain = self._directory.domains.by_id[document['domain_id']]
            reference['domain'] = {'id': domain['id'], 'name': domain['name']}
        return reference

    def inferences(self, request):
        _require_read(request, 'list_role_inference_rules')
        rules = []
        for role in self._directory.roles:
            implied = self._directory.implied_by(role['id'])
            if implied:
                rules.append(self._rule(request, role, implied))
        return {'role_inferences': rules, 'links': {'self': request.host_url + '/v3/role_inferences'}}

    def implied(self, request, prior_id):
        _require_read(request, 'list_implied_roles')
        role = self._directory.roles.get(prior_id)
        return {'role_inference': self._rule(request, role, self._directory.implied_by(prior_id)),
                'links': {'self': request.host_url + request.path}}

    def _rule(self, request, role, implied):
        return {'prior_role': self._role(request, role),
                'implies': [self._role(request, item) for item in implied]}

    def _role(self, request, role):
        return {'id': role['id'], 'name': role['name'],
                'links': {'self': '%s/v3/roles/%s' % (request.host_url, role['id'])}}

    def imply(self, request, prior_id, implied_id):
        _require_admin(request, 'create_implied_role')
        with self._directory.change() as change:
            role, implied = self._directory.roles.get(prior_id), self._directory.roles.get(implied_id)
            if prior_id in (found['id'] for found in self._directory.effective([implied])):
                raise rest.Fault(403, 'The role %s would imply itself.' % role['name'])
            rule = {'id': '%s:%s' % (prior_id, implied_id), 'prior_id': prior_id, 'implied_id': implied_id}
            if rule['id'] not in self._directory.implied_roles.by_id:
                change.insert(self._directory.implied_roles, rule)
        return rest.Reply(201, {'role_inference': {'prior_role': self._role(request, role),
                                                   'implies': self._role(request, implied)}})

    def check_implied(self, request, prior_id, implied_id):
        _require_read(request, 'check_implied_role')
        self._directory.implied_roles.get('%s:%s' % (prior_id, implied_id))
        return {'role_inference': {
            'prior_role': self._role(request, self._directory.roles.get(prior_id)),
            'implies': self._role(request, self._directory.roles.get(implied_id))}}

    def stop_implying(self, request, prior_id, implied_id):
        _require_admin(request, 'delete_implied_role')
        with self._directory.change() as change:
            rule = self._directory.implied_roles.get('%s:%s' % (prior_id, implied_id))
            change.delete(self._directory.implied_roles, rule)


class Target:
    """Handlers of the roles that users, or groups (`actors`), have on one kind of target."""

    def __init__(self, directory, kind, actors):
        self._directory = directory
        self._kind = kind
        self._actors = getattr(directory, actors)
        self._of_groups = actors == 'groups'

    def _check(self, actor_id, target_id, role_id=None):
        """404 for whatever of these is not there."""
        self._actors.get(actor_id)
        if self._kind == 'project':
            self._directory.projects.get(target_id)
        elif self._kind == 'domain':
            self._directory.domains.get(target_id)
        if role_id is not None:
            self._directory.roles.get(role_id)

    def list(self, request, actor_id, target_id='all'):
        if request.identity.user_id != actor_id:
            _require_read(request, 'list_grants')
        self._check(actor_id, target_id)
        roles = self._directory.assigned(actor_id, self._kind, target_id)
        return resources.listing(request, 'roles', [
            {'id': role['id'], 'name': role['name'], 'domain_id': None, 'description': role['description'],
             'options': role['options'], 'links': {'self': '%s/v3/roles/%s' % (request.host_url, role['id'])}}
            for role in roles])

    def grant(self, request, actor_id, role_id, target_id='all'):
        _require_admin(request, 'create_grant')
        with self._directory.change() as change:
            self._check(actor_id, target_id, role_id)
            item = self._item(actor_id, role_id, target_id)
            if item['id'] not in self._directory.assignments.by_id:
                change.insert(self._directory.assignments, item)

    def check(self, request, actor_id, role_id, target_id='all'):
        _require_read(request, 'check_grant')
        self._find(actor_id, role_id, target_id)

    def revoke(self, request, actor_id, role_id, target_id='all'):
        _require_admin(request, 'revoke_grant')
        with self._directory.change() as change:
            item = self._find(actor_id, role_id, target_id)
            change.delete(self._directory.assignments, item)

    def _find(self, actor_id, role_id, target_id):
        self._check(actor_id, target_id, role_id)
        item = self._item(actor_id, role_id, target_id)
        if item['id'] not in self._directory.assignments.by_id:
            raise rest.Fault(404, 'Could not find role assignment with role: %s, user or group: %s, '
                                  'project, domain, or system: %s.' % (role_id, actor_id, target_id))
        return item

    def _item(self, actor_id, role_id, target_id):
        return assignment(actor_id, role_id, self._kind, target_id, self._of_groups)


def assignment(actor_id, role_id, target_type, target_id, of_group=False):
    """The document of one assignment to a user, or to a group."""
    return {'id': '%s:%s:%s:%s' % (actor_id, role_id, target_type, target_id),
            'user_id': None if of_group else actor_id, 'group_id': actor_id if of_group else None,
            'role_id': role_id, 'target_type': target_type, 'target_id': target_id}


def asked(request, flag):
    """Whether a flag stands in the query string, with a value that is not a form of no."""
    value = request.argument(flag)
    return value is not None and value.lower() not in ('0', 'false', 'no', 'off')


def _matches(item, role, wanted):
    kind, target_id = item['target_type'], item['target_id']
    return (wanted['user.id'] in (None, item['user_id']) and wanted['group.id'] in (None, item.get('group_id'))
            and wanted['role.id'] in (None, role['id'])
            and (wanted['scope.project.id'] is None
                 or (kind == 'project' and target_id == wanted['scope.project.id']))
            and (wanted['scope.domain.id'] is None
                 or (kind == 'domain' and target_id == wanted['scope.domain.id']))
            and (wanted['scope.system'] is None or kind == 'system'))


def _require_read(request, action):
    if not resources.reads_all(request.identity):
        raise resources.forbidden(action)


def _require_admin(request, action):
    if not request.identity.is_admin:
        raise resources.forbidden(action)
