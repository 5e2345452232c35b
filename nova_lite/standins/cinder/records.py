# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""What the volume service keeps: volumes, snapshots, attachments, types, transfers, quotas and messages.

A volume is a document with the fields of the API and, for the service itself: `work`, what a job needs to know (from
which image, how large to become); `export`, the port where other hosts reach it; `connections`, the hosts that the
older actions have connected.
"""

import datetime
import uuid

import sqlalchemy

from nova_lite.standins import documents
from nova_lite.standins.cinder import access
from nova_lite.standins.cinder import faults

METADATA = sqlalchemy.MetaData()
DEFAULT_TYPE = '__DEFAULT__'
MESSAGE_DAYS = 30
MAX_MESSAGES = 1000


def new_id():
    return str(uuid.uuid4())


def now():
    return timestamp(datetime.datetime.now(datetime.timezone.utc))


def timestamp(moment):
    return moment.strftime('%Y-%m-%dT%H:%M:%S.%f')


class Records(documents.Shelf):
    """All of it, in memory and in the database."""

    def __init__(self, store):
        super().__init__(store, METADATA)
        self.volumes = _collection('volume')
        self.snapshots = _collection('snapshot')
        self.attachments = _collection('attachment')
        self.types = _collection('type', lambda kind: (kind['name'],))
        self.default_types = _collection('default_type')  # id: a project's
        self.transfers = _collection('transfer')
        self.quotas = _collection('quota')  # id: a project's, or `class:` and a name
        self.services = _collection('service')  # id: binary@host
        self.messages = _collection('message')
        self.open()
        self._seed()

    def _seed(self):
        """The type of volumes that name none."""
        if not list(self.types):
            moment = now()
            with self.change() as change:
                change.insert(self.types, {
                    'id': new_id(), 'name': DEFAULT_TYPE, 'description': 'Default Volume Type', 'is_public': True,
                    'extra_specs': {}, 'projects': [], 'created_at': moment, 'updated_at': None})

    def volume(self, who, identifier):
        """The volume, if the caller may know of it; else 404."""
        return self._visible(who, self.volumes, 'volume', identifier)

    def snapshot(self, who, identifier):
        return self._visible(who, self.snapshots, 'snapshot', identifier)

    def attachment(self, who, identifier):
        return self._visible(who, self.attachments, 'attachment', identifier)

    def _visible(self, who, collection, kind, identifier):
        document = collection.by_id.get(identifier)
        if document is None or not access.owns(who, document):
            raise faults.missing(kind, identifier)
        return document

    def revise(self, who, kind, identifier, function):
        """Let `function(document)` say which fields of a volume or snapshot change to what; the document then."""
        with self.change() as change:
            document = getattr(self, kind)(who, identifier)
            document = changed(document, **function(document))
            change.update(getattr(self, kind + 's'), document)
        return document

    def attachments_of(self, volume_id):
        return [item for item in self.attachments if item['volume_id'] == volume_id]

    def snapshots_of(self, volume_id):
        return [item for item in self.snapshots if item['volume_id'] == volume_id]

    def type_name(self, volume):
        kind = self.types.by_id.get(volume['type_id'])
        return kind['name'] if kind else None

    def tell(self, change, document, kind, text, request_id):
        """Leave a message for the users of a volume or snapshot about what went wrong after their request."""
        moment = datetime.datetime.now(datetime.timezone.utc)
        old = sorted(self.messages, key=lambda message: message['created_at'])
        for message in old[:max(0, len(old) - MAX_MESSAGES + 1)]:
            change.delete(self.messages, message)
        change.insert(self.messages, {
            'id': new_id(), 'project_id': document['project_id'], 'request_id': request_id,
            'resource_type': kind.upper(), 'resource_uuid': document['id'], 'message_level': 'ERROR',
            'event_id': 'VOLUME_%s_001' % kind.upper(), 'user_message': text[:500],
            'created_at': timestamp(moment),
            'guaranteed_until': timestamp(moment + datetime.timedelta(days=MESSAGE_DAYS))})


def _collection(name, key=None):
    return documents.Collection(METADATA, 'cinder_' + name, name, key)


def changed(document, **fields):
    """A new document: the old one with other fields and the time of the change."""
    return {**document, **fields, 'updated_at': now()}
