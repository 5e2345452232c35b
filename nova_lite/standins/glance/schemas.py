# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""`/v2/schemas`: the JSON schemas that clients ask the service for."""

from nova_lite.standins import rest
from nova_lite.standins.glance import library

_TEXT = {'type': ['null', 'string'], 'readOnly': True}
_NUMBER = {'type': ['null', 'integer'], 'readOnly': True}
_LINKS = [{'rel': 'self', 'href': '{self}'}, {'rel': 'enclosure', 'href': '{file}'},
          {'rel': 'describedby', 'href': '{schema}'}]
IMAGE = {
    'name': 'image',
    'properties': {
        **library.SETTABLE,
        'id': {'type': 'string', 'pattern': '^[0-9a-fA-F]{8}-([0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}$'},
        'status': {'type': 'string', 'readOnly': True,
                   'enum': ['queued', 'saving', 'active', 'killed', 'deleted', 'uploading', 'importing',
                            'pending_delete', 'deactivated']},
        **dict.fromkeys(('checksum', 'os_hash_algo', 'os_hash_value', 'created_at', 'updated_at', 'self', 'file',
                         'schema'), _TEXT),
        'size': _NUMBER, 'virtual_size': _NUMBER,
    },
    'additionalProperties': {'type': 'string'},
    'links': _LINKS,
}
MEMBER = {
    'name': 'member',
    'properties': {
        **{name: {'type': 'string'} for name in ('member_id', 'image_id', 'created_at', 'updated_at', 'schema')},
        'status': {'type': 'string', 'enum': ['pending', 'accepted', 'rejected']},
    },
}


def _collection(name, plural, schema):
    return {
        'name': plural,
        'properties': {plural: {'type': 'array', 'items': schema},
                       **{link: {'type': 'string'} for link in ('first', 'next', 'schema')}},
        'links': [{'rel': 'first', 'href': '{first}'}, {'rel': 'next', 'href': '{next}'},
                  {'rel': 'describedby', 'href': '{schema}'}],
    }


SCHEMAS = {'image': IMAGE, 'images': _collection('image', 'images', IMAGE), 'member': MEMBER,
           'members': _collection('member', 'members', MEMBER)}


def show(request, name):
    if name not in SCHEMAS:
        raise rest.Fault(404, 'There is no schema %s.' % name[:64])
    return SCHEMAS[name]


def routes():
    return [rest.Route('GET', '/v2/schemas/{name}', show)]
