# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Everything Keystone knows: domains, projects, users, roles, assignments and the catalog.

Held in memory for reading and written through to the database: a `Change` collects writes in one transaction
and memory follows once that is committed.
"""

import contextlib
import datetime
import time
import uuid

import sqlalchemy
from sqlalchemy import exc

from nova_lite.standins import rest

METADATA = sqlalchemy.MetaData()


class Collection:
    """Documents of one kind by id. `key(document)` must be unique among them; None: the id alone is."""

    def __init__(self, kind, key=None):
        self.kind = kind
        self._key = key or (lambda document: document['id'])
        self.table = sqlalchemy.Table(
            'keystone_' + kind, METADATA,
            sqlalchemy.Column('id', sqlalchemy.String(255), primary_key=True),
            sqlalchemy.Column('unique_key', sqlalchemy.String(512), nullable=False, unique=True),
            sqlalchemy.Column('document', sqlalchemy.JSON, nullable=False),
            extend_existing=True)
        self.by_id = {}
        self.by_key = {}

    def key(self, document):
        """The unique key of a document as the text that is stored."""
        value = self._key(document)
        return value if isinstance(value, str) else '\n'.join(value)

    def load(self, connection):
        for row in connection.execute(sqlalchemy.select(self.table)):
            self.put(row.id, row.document)

    def put(self, id, document):
        """Let memory hold `document` under `id`; None forgets it."""
        old = self.by_id.pop(id, None)
        if old is not None:
            self.by_key.pop(self.key(old), None)
        if document is not None:
            self.by_id[id] = document
            self.by_key[self.key(document)] = document

    def find(self, *key):
        """The document with this unique key, or None."""
        return self.by_key.get('\n'.join(key))

    def get(self, id):
        """The document with this id; 404 when there is none."""
        document = self.by_id.get(id)
        if document is None:
            raise rest.Fault(404, 'Could not find %s: %s.' % (self.kind, id[:255]))
        return document

    def __iter__(self):
        return iter(list(self.by_id.values()))


class Change:
    """Writes in one transaction."""

    def __init__(self, connection):
        self._connection = connection
        self._done = []

    def insert(self, collection, document):
        self._write(collection.table.insert().values(
            id=document['id'], unique_key=collection.key(document), document=document), collection, document)
        self._done.append((collection, document['id'], document))

    def update(self, collection, document):
        self._write(collection.table.update().where(collection.table.c.id == document['id']).values(
            unique_key=collection.key(document), document=document), collection, document)
        self._done.append((collection, document['id'], document))

    def delete(self, collection, document):
        self._connection.execute(collection.table.delete().where(collection.table.c.id == document['id']))
        self._done.append((collection, document['id'], None))

    def _write(self, statement, collection, document):
        try:
            self._connection.execute(statement)
        except exc.IntegrityError:
            what = 'name %s' % document['name'] if 'name' in document else 'ID %s' % document['id']
            raise rest.Fault(409, 'Conflict occurred attempting to store %s - Duplicate entry found with %s.'
                             % (collection.kind, what)) from None

    def apply(self):
        for collection, id, document in self._done:
            collection.put(id, document)


class Directory:
    """All collections, and what is asked of several of them together."""

    def __init__(self, store):
        self._store = store
        self.domains = Collection('domain', lambda d: (d['name'],))
        self.projects = Collection('project', lambda d: (d['domain_id'], d['name']))
        self.users = Collection('user', lambda d: (d['domain_id'], d['name']))
        self.roles = Collection('role', lambda d: (d['domain_id'] or '', d['name']))
        self.implied_roles = Collection('implied_role')  # id: "<prior role id>:<implied role id>"
        self.assignments = Collection('assignment')  # id: "<user id>:<role id>:<target type>:<target id>"
        self.regions = Collection('region')
        self.services = Collection('service')
        self.endpoints = Collection('endpoint')
        self.revocations = Collection('revocation')  # id: a token's audit id
        self.generation = 0  # counts changes, so that what was derived from older content shows its age
        store.create(METADATA)
        with store.begin() as connection:
            for collection in self.collections():
                collection.load(connection)

    def collections(self):
        return [value for value in vars(self).values() if isinstance(value, Collection)]

    @contextlib.contextmanager
    def change(self):
        """A `Change`, written to the database and then to memory when the block ends without an exception."""
        with self._store.begin() as connection:
            change = Change(connection)
            yield change
        change.apply()
        self.generation += 1

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


def new_id():
    return uuid.uuid4().hex


def timestamp(seconds):
    """Seconds since the epoch as Keystone writes them."""
    moment = datetime.datetime.fromtimestamp(seconds, datetime.timezone.utc)
    return moment.strftime('%Y-%m-%dT%H:%M:%S.%fZ')
