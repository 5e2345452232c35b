# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Documents kept in memory for reading and written through to the database.

For services with few and small records: a `Change` collects writes in one transaction, and memory follows once
that is committed. One process owns the database, so memory is never behind it.
"""

import contextlib
import threading

import sqlalchemy
from sqlalchemy import exc

from nova_lite.standins import rest


class Collection:
    """Documents of one kind by id. `key(document)`, a tuple, is unique among them; by default the id is."""

    def __init__(self, metadata, table, kind, key=None):
        self.kind = kind
        self._key = key or (lambda document: (document['id'],))
        self.table = metadata.tables.get(table)
        if self.table is None:
            self.table = sqlalchemy.Table(
                table, metadata,
                sqlalchemy.Column('number', sqlalchemy.Integer, primary_key=True),  # the order of creation
                sqlalchemy.Column('id', sqlalchemy.String(255), nullable=False, unique=True),
                sqlalchemy.Column('unique_key', sqlalchemy.String(512), nullable=False, unique=True),
                sqlalchemy.Column('document', sqlalchemy.JSON, nullable=False))
        # Made once: making a statement costs more than running it.
        where = self.table.c.id == sqlalchemy.bindparam('key')
        self.insert, self.update, self.delete = (
            self.table.insert(), self.table.update().where(where), self.table.delete().where(where))
        self.by_id = {}
        self._by_key = {}

    def key(self, document):
        """The unique key of a document as the text that is stored."""
        return '\n'.join(self._key(document))

    def load(self, connection):
        for row in connection.execute(sqlalchemy.select(self.table).order_by(self.table.c.number)):
            self.put(row.id, row.document)

    def put(self, id, document):
        """Let memory hold `document` under `id`; None forgets it."""
        old = self.by_id.get(id)
        if old is not None:
            del self._by_key[self.key(old)]
        if document is None:
            self.by_id.pop(id, None)
        else:
            self.by_id[id] = document
            self._by_key[self.key(document)] = document

    def find(self, *key):
        """The document with this unique key, or None."""
        return self._by_key.get('\n'.join(key))

    def get(self, id):
        """The document with this id; 404 when there is none."""
        document = self.by_id.get(id)
        if document is None:
            raise rest.Fault(404, 'Could not find %s: %s.' % (self.kind, id[:255]))
        return document

    def __iter__(self):
        return iter(list(self.by_id.values()))


class Change:
    """Writes in one transaction. Documents are replaced, never changed in place."""

    def __init__(self, connection):
        self._connection = connection
        self._done = []

    def insert(self, collection, document):
        self._write(collection, document, collection.insert, {'id': document['id']})

    def update(self, collection, document):
        self._write(collection, document, collection.update, {'key': document['id']})

    def delete(self, collection, document):
        self._connection.execute(collection.delete, {'key': document['id']})
        self._done.append((collection, document['id'], None))

    def _write(self, collection, document, statement, key):
        try:
            self._connection.execute(statement, {
                **key, 'unique_key': collection.key(document), 'document': document})
        except exc.IntegrityError:
            what = 'name %s' % document['name'] if document.get('name') else 'ID %s' % document['id']
            raise rest.Fault(409, 'Conflict occurred attempting to store %s - Duplicate entry found with %s.'
                             % (collection.kind, what)) from None
        self._done.append((collection, document['id'], document))

    def apply(self):
        for collection, id, document in self._done:
            collection.put(id, document)


class Shelf:
    """The collections of one service, made as attributes before `open` is called."""

    def __init__(self, store, metadata):
        self._store = store
        self._metadata = metadata
        self._lock = threading.RLock()
        self.generation = 0  # counts changes, so that what was derived from older content shows its age

    def open(self):
        """Make the tables that are missing and read what is in them."""
        self._store.create(self._metadata)
        with self._store.begin() as connection:
            for value in vars(self).values():
                if isinstance(value, Collection):
                    value.load(connection)

    @contextlib.contextmanager
    def change(self):
        """A `Change`, written to the database and then to memory when the block ends without an exception.

        Only one block runs at a time, so what is read in it still holds when it is written.
        """
        with self._lock:
            with self._store.begin() as connection:
                change = Change(connection)
                yield change
            change.apply()
            self.generation += 1
