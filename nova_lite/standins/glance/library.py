# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""The records of images, and who may see and change which.

An image is a document: Glance's base fields, `properties` (what callers add), `tags`, and `members`, a dict from
project id to {status, created_at, updated_at}.
"""

import datetime
import uuid

import sqlalchemy

from nova_lite.standins import documents
from nova_lite.standins import identity
from nova_lite.standins import rest

METADATA = sqlalchemy.MetaData()

QUEUED, SAVING, UPLOADING, ACTIVE, DEACTIVATED = 'queued', 'saving', 'uploading', 'active', 'deactivated'
VISIBILITIES = ('public', 'private', 'shared', 'community')
DISK_FORMATS = ('ami', 'ari', 'aki', 'vhd', 'vhdx', 'vmdk', 'raw', 'qcow2', 'vdi', 'iso', 'ploop')
CONTAINER_FORMATS = ('ami', 'ari', 'aki', 'bare', 'ovf', 'ova', 'docker', 'compressed')
MAX_PROPERTIES = MAX_TAGS = MAX_MEMBERS = 128

# What callers may set, and what only Glance itself does.
SETTABLE = {
    'name': {'type': ['string', 'null'], 'maxLength': 255},
    'visibility': {'type': 'string', 'enum': list(VISIBILITIES)},
    'protected': {'type': 'boolean'},
    'os_hidden': {'type': 'boolean'},
    'owner': {'type': ['string', 'null'], 'maxLength': 255},
    'disk_format': {'type': ['string', 'null'], 'enum': [None, *DISK_FORMATS]},
    'container_format': {'type': ['string', 'null'], 'enum': [None, *CONTAINER_FORMATS]},
    'min_disk': {'type': 'integer', 'minimum': 0, 'maximum': 2147483647},
    'min_ram': {'type': 'integer', 'minimum': 0, 'maximum': 2147483647},
    'tags': {'type': 'array', 'maxItems': MAX_TAGS,
             'items': {'type': 'string', 'minLength': 1, 'maxLength': 255}},
}
READ_ONLY = ('status', 'checksum', 'os_hash_algo', 'os_hash_value', 'size', 'virtual_size', 'created_at',
             'updated_at', 'direct_url', 'self', 'file', 'schema', 'id', 'stores')
RESERVED = ('locations', 'members', 'properties', 'deleted', 'deleted_at')
PROPERTY = {'type': 'string', 'maxLength': 65535}


class Library(documents.Shelf):
    """All images."""

    def __init__(self, store):
        super().__init__(store, METADATA)
        self.images = documents.Collection(METADATA, 'glance_image', 'image')
        self.open()

    def visible(self, who, id):
        """The image, if the caller may know of it; else 404."""
        image = self.images.by_id.get(id)
        if image is None or not may_see(who, image):
            raise not_found(id)
        return image

    def changeable(self, who, id):
        """The image, if the caller may change it; 404 if they may not know of it, 403 otherwise."""
        image = self.visible(who, id)
        require_member(who)
        identity.require(owns(who, image), 'You are not permitted to modify this image.')
        return image

    def used_by(self, owner):
        """Bytes that the images of a project take."""
        return sum(image['size'] or 0 for image in self.images if image['owner'] == owner)


def not_found(id):
    return rest.Fault(404, 'No image found with ID %s' % id[:255])


def owns(who, image):
    return who.is_admin or (image['owner'] is not None and image['owner'] == who.project_id)


def may_see(who, image):
    return (owns(who, image) or image['visibility'] in ('public', 'community')
            or (image['visibility'] == 'shared' and who.project_id in image['members']))


def require_member(who):
    """403 for a caller who may only read."""
    identity.require(who.is_admin or 'member' in who.roles or who.is_service)


def now():
    return datetime.datetime.now(datetime.timezone.utc).strftime('%Y-%m-%dT%H:%M:%SZ')


def new_image(who, fields):
    """The document of a new image; `fields` are the caller's, already checked."""
    moment = now()
    image = {
        'id': str(uuid.uuid4()), 'name': None, 'status': QUEUED, 'visibility': 'shared', 'protected': False,
        'os_hidden': False, 'owner': who.project_id, 'disk_format': None, 'container_format': None,
        'min_disk': 0, 'min_ram': 0, 'size': None, 'virtual_size': None, 'checksum': None,
        'os_hash_algo': None, 'os_hash_value': None, 'created_at': moment, 'updated_at': moment, 'tags': [],
        'properties': {}, 'members': {}}
    image.update(fields)
    return image


def view(image):
    """An image as the API shows it."""
    here = '/v2/images/' + image['id']
    shown = {name: value for name, value in image.items() if name not in ('properties', 'members', 'staged')}
    return {**image['properties'], **shown, 'self': here, 'file': here + '/file', 'schema': '/v2/schemas/image'}


def check_property(name, value):
    """400, 403 for a property that callers may not have."""
    if name.startswith('os_glance'):
        raise rest.Fault(403, 'Attribute \'%s\' is reserved.' % name[:255])
    if not name or len(name) > 255:
        raise rest.Fault(400, 'The name of a property has 1 to 255 characters.')
    rest.check(PROPERTY_VALIDATOR, {name: value})


def check_writable(name):
    """403 for a field that is not for callers to set."""
    if name in READ_ONLY:
        raise rest.Fault(403, 'Attribute \'%s\' is read-only.' % name)
    if name in RESERVED:
        raise rest.Fault(403, 'Attribute \'%s\' is reserved.' % name)


def check_rights(who, image):
    """403 for what only an administrator may make of an image."""
    if not who.is_admin:
        identity.require(image['visibility'] != 'public', 'You are not permitted to publicize this image.')
        identity.require(image['owner'] == who.project_id, 'You are not permitted to create images owned by \'%s\'.'
                         % image['owner'])
    if len(image['properties']) > MAX_PROPERTIES:
        raise rest.Fault(413, 'The limit of %d properties has been exceeded.' % MAX_PROPERTIES)


PROPERTY_VALIDATOR = rest.schema({'type': 'object', 'additionalProperties': PROPERTY})
FIELDS_VALIDATOR = rest.schema({'type': 'object', 'properties': SETTABLE})
