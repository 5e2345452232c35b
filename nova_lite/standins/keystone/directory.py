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
        self.roles = _collection('role', lambda d: (d['domain_id'] or '', d['name']))
        self.implied_roles = _collection('implied_role')  # id: "<prior role id>:<implied role id>"
        self.assignments = _collection('assignment')  # id: "<user id>:<role id>:<target type>:<target id>"
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

    def assigned(self, user_id, target_type, target_id):
        """Roles given to a user on a target directly."""
        prefix, suffix = user_id + ':', ':%s:%s' % (target_type, target_id)
        return [role for role in self.roles if prefix + role['id'] + suffix in self.assignments.by_id]

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
        """Take away the assignments whose `field` (user_id, role_id, target_id) is `id`."""
        for assignment in self.assignments:
            if assignment[field] == id:
                change.delete(self.assignments, assignment)

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


def new_id():
    return uuid.uuid4().hex


def timestamp(seconds):
    """Seconds since the epoch as Keystone writes them."""
    moment = datetime.datetime.fromtimestamp(seconds, datetime.timezone.utc)
    return moment.strftime('%Y-%m-%dT%H:%M:%S.%fZ')
