# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Everything Keystone knows: domains, projects, users, roles, assignments and the catalog."""

import datetime
import time
import uuid

import sqlalchemy

from nova_lite.standins import documents

METADATA = sqlalchemy.MetaData()


class Directory(documents.Shelf):
    """All collections, and what is asked of several of them together."""

    def __init__(self, store):
        super().__init__(store, METADATA)
        self.domains = _collection('domain', lambda d: (d['name'],))
        self.projects = _collection('project', lambda d: (d['domain_id'], d['name']))
        self.users = _collection('user', lambda d: (d['domain_id'], d['name']))
        self.groups = _collection('group', lambda d: (d['domain_id'], d['name']))
        self.memberships = _collection('membership')  # id: "<group id>:<user id>"
        self.roles = _collection('role', lambda d: (d['domain_id'] or '', d['name']))
        self.implied_roles = _collection('implied_role')  # id: "<prior role id>:<implied role id>"
        self.assignments = _collection('assignment')  # id: "<user or group id>:<role id>:<target type>:<target id>"
        self.application_credentials = _collection('application_credential', lambda d: (d['user_id'], d['name']))
        self.credentials = _collection('credential')
        self.regions = _collection('region')
        self.services = _collection('service')
        self.endpoints = _collection('endpoint')
        self.revocations = _collection('revocation')  # id: a token's audit id
        self.open()

    def domain_of(self, reference):
        """The domain that {"id": …} or {"name": …} means, or None."""
        if 'id' in reference:
            return self.domains.by_id.get(reference['id'])
        return self.domains.find(reference['name'])

    def resolve(self, collection, reference):
        """The user or project that {"id": …} or {"name": …, "domain": {…}} means, or None."""
        if 'id' in reference:
            return collection.by_id.get(reference['id'])
        domain = self.domain_of(reference['domain'])
        return collection.find(domain['id'], reference['name']) if domain else None

    def assigned(self, actor_id, target_type, target_id):
        """Roles given to a user or a group on a target directly."""
        prefix, suffix = actor_id + ':', ':%s:%s' % (target_type, target_id)
        return [role for role in self.roles if prefix + role['id'] + suffix in self.assignments.by_id]

    def held(self, user_id, target_type, target_id):
        """Roles that a user has on a target, by itself and by its groups."""
        found = {role['id']: role for actor_id in (user_id, *self.groups_of(user_id))
                 for role in self.assigned(actor_id, target_type, target_id)}
        return list(found.values())

    def targets(self, user_id, target_type):
        """{id…} of the targets of a type that a user has a role on, by itself or by its groups."""
        actors = {user_id, *self.groups_of(user_id)}
        return {item['target_id'] for item in self.assignments
                if item['target_type'] == target_type and actor(item) in actors}

    def groups_of(self, user_id):
        """[id…] of the groups that a user is in."""
        return [item['group_id'] for item in self.memberships if item['user_id'] == user_id]

    def members_of(self, group_id):
        """[id…] of the users in a group."""
        return [item['user_id'] for item in self.memberships if item['group_id'] == group_id]

    def effective(self, roles):
        """`roles` and all that they imply."""
        found, waiting = {}, list(roles)
        while waiting:
            role = waiting.pop()
            if role['id'] not in found:
                found[role['id']] = role
                waiting.extend(self.implied_by(role['id']))
        return list(found.values())

    def implied_by(self, role_id):
        """Roles that a role implies at once."""
        return [self.roles.by_id[rule['implied_id']] for rule in self.implied_roles
                if rule['prior_id'] == role_id]

    def drop_assignments(self, change, field, id):
        """Take away the assignments whose `field` (user_id, group_id, role_id, target_id) is `id`."""
        for assignment in self.assignments:
            if assignment.get(field) == id:
                change.delete(self.assignments, assignment)

    def drop_memberships(self, change, field, id):
        """Take away the memberships whose `field` (user_id, group_id) is `id`."""
        for membership in self.memberships:
            if membership[field] == id:
                change.delete(self.memberships, membership)

    def drop_belongings(self, change, user_id):
        """Take away what is a user's own, who is about to be deleted."""
        self.drop_assignments(change, 'user_id', user_id)
        self.drop_memberships(change, 'user_id', user_id)
        self.drop_secrets(change, 'user_id', user_id)

    def drop_secrets(self, change, field, id):
        """Take away the credentials of all kinds whose `field` (user_id, project_id) is `id`."""
        for collection in (self.application_credentials, self.credentials):
            for item in collection:
                if item[field] == id:
                    change.delete(collection, item)

    def revoke(self, audit_id, expires_at):
        """Make a token invalid, and forget the revocations of tokens that have expired by themselves."""
        now = time.time()
        with self.change() as change:
            for old in self.revocations:
                if old['expires_at'] < now:
                    change.delete(self.revocations, old)
            if audit_id not in self.revocations.by_id:
                change.insert(self.revocations, {'id': audit_id, 'expires_at': expires_at})


def _collection(kind, key=None):
    return documents.Collection(METADATA, 'keystone_' + kind, kind, key)


def actor(assignment):
    """The id of the user or group that an assignment is for."""
    return assignment.get('group_id') or assignment['user_id']


def new_id():
    return uuid.uuid4().hex


def timestamp(seconds):
    """Seconds since the epoch as Keystone writes them."""
    moment = datetime.datetime.fromtimestamp(seconds, datetime.timezone.utc)
    return moment.strftime('%Y-%m-%dT%H:%M:%S.%fZ')
