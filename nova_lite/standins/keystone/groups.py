# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Groups of users, and who is in which."""

from nova_lite.standins import rest
from nova_lite.standins.keystone import people
from nova_lite.standins.keystone import resources


class Groups(resources.Resource):
    singular, plural = 'group', 'groups'
    filters = ('name', 'domain_id')
    properties = {'name': resources.SHORT_NAME, 'description': resources.TEXT,
                  'domain_id': resources.OPTIONAL_REFERENCE}
    hidden = ('enabled',)

    def __init__(self, directory, collection, users):
        """`users`: the resource of users, who are shown as it shows them."""
        super().__init__(directory, collection)
        self._users = users

    def routes(self):
        route = rest.Route
        member = '/v3/groups/{id}/users/{user_id}'
        return super().routes() + [
            route('GET', '/v3/groups/{id}/users', self.members),
            route('GET', '/v3/users/{user_id}/groups', self.of_user),
            route('PUT', member, self.add), route('GET', member, self.check), route('DELETE', member, self.remove)]

    def fill(self, document):
        people.require_domain(self.directory, document)
        document.setdefault('description', '')

    def amend(self, old, document):
        if document['domain_id'] != old['domain_id']:
            raise rest.Fault(400, 'The domain_id of a group cannot be changed.')

    def follow(self, change, document):
        self.directory.drop_assignments(change, 'group_id', document['id'])
        self.directory.drop_memberships(change, 'group_id', document['id'])

    def members(self, request, id):
        _require_read(request, 'list_users_in_group')
        self.collection.get(id)
        found = [self.directory.users.by_id[user_id] for user_id in self.directory.members_of(id)]
        return resources.listing(request, 'users', [self._users.view(request, user) for user in found])

    def of_user(self, request, user_id):
        if request.identity.user_id != user_id:
            _require_read(request, 'list_groups_for_user')
        self.directory.users.get(user_id)
        wanted = request.argument('name')
        found = [self.collection.by_id[id] for id in self.directory.groups_of(user_id)]
        return resources.listing(request, 'groups', [self.view(request, group) for group in found
                                                     if wanted in (None, group['name'])])

    def add(self, request, id, user_id):
        self.require_admin(request, 'add_user_to_group')
        with self.directory.change() as change:
            self.collection.get(id)
            self.directory.users.get(user_id)
            if user_id not in self.directory.members_of(id):
                change.insert(self.directory.memberships, {
                    'id': '%s:%s' % (id, user_id), 'group_id': id, 'user_id': user_id})

    def check(self, request, id, user_id):
        if request.identity.user_id != user_id:
            _require_read(request, 'check_user_in_group')
        self._membership(id, user_id)

    def remove(self, request, id, user_id):
        self.require_admin(request, 'remove_user_from_group')
        with self.directory.change() as change:
            change.delete(self.directory.memberships, self._membership(id, user_id))

    def _membership(self, id, user_id):
        self.collection.get(id)
        self.directory.users.get(user_id)
        found = self.directory.memberships.by_id.get('%s:%s' % (id, user_id))
        if found is None:
            raise rest.Fault(404, 'User %s is not found in group %s.' % (user_id, id))
        return found


def _require_read(request, action):
    if not resources.reads_all(request.identity):
        raise resources.forbidden(action)
