# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""What the REST API calls to have images made of servers: createImage and createBackup.

The image is made here, with the caller's rights and without bytes, so that its id can be told at once; the server's
host gives it the bytes, or deletes it.
"""

import logging

from nova_lite import exception
from nova_lite.compute import api_quota
from nova_lite.db import block_devices
from nova_lite.objects import block_device

LOG = logging.getLogger(__name__)

SNAPSHOT, BACKUP = 'snapshot', 'backup'
# Of the image that the server was made from; true of those bytes only.
NEVER_INHERITED = ('img_signature', 'img_signature_hash_method', 'img_signature_key_type',
                   'img_signature_certificate_uuid', 'block_device_mapping', 'bdm_v2', 'root_device_name')
# Of the image service's own making; it would refuse them.
RESERVED = ('os_glance', 'os_hash', 'os_hidden', 'stores')


class Images:
    """operations: an api_operations.Operations; image: a glance.API; quotas: an api_quota.Quotas.

    Methods take the context and the Instance, and raise Conflict when it is locked, in another state, or its host down;
    QuotaError, ImageQuotaExceeded, ImageRefused, ServiceUnreachable when there can be no such image.
    """

    def __init__(self, db, operations, image, quotas, non_inheritable):
        self._db = db
        self._operations = operations
        self._image = image
        self._quotas = quotas
        self._dropped = frozenset((*NEVER_INHERITED, *non_inheritable))

    # ---- images of all kinds, passed on --------------------------------------------------------------------------

    def record(self, ctxt, image_id):
        """{field or property: value} of an image. :raises ImageNotFound, ServiceUnreachable:"""
        return self._image.record(ctxt, image_id)

    def page(self, ctxt, filters, limit, marker):
        """[record…] of the images that the caller may see, the newest first; the words are glance.API.list's."""
        return self._image.list(ctxt, filters, limit, marker)

    def delete(self, ctxt, image_id):
        """:raises ImageNotFound, ImageRefused, Conflict, ServiceUnreachable:"""
        self._image.delete(ctxt, image_id)

    def set_properties(self, ctxt, image_id, values, removed):
        """:raises ImageNotFound, ImageRefused, Invalid, ServiceUnreachable:"""
        self._image.update(ctxt, image_id, values, removed)

    # ---- images of servers ---------------------------------------------------------------------------------------

    def url(self, image_id):
        """The address of an image, for clients."""
        return self._image.url(image_id)

    def create_image(self, ctxt, instance, name, metadata):
        """Have an image made of a server. metadata: {name: text}, more properties. :returns: the image's id"""
        self._operations.check_ready(ctxt, instance, 'create_image', 'createImage')
        self._check_metadata(ctxt, metadata)
        if block_device.is_volume_backed(block_devices.get_all(self._db, instance.uuid)):
            raise exception.Invalid('Images of volume-backed instances are not made; take snapshots of their volumes.')
        return self.begin(ctxt, instance, 'create_image', 'createImage',
                          self.new_image(ctxt, instance, name, SNAPSHOT, metadata))

    def create_backup(self, ctxt, instance, name, backup_type, rotation, metadata):    # noqa: PLR0913 (as clients say)
        """Have a backup made, of which the newest `rotation` ones of the type are kept. :returns: the image's id

        :raises Invalid: also, when the server has its root disk on a volume
        """
        self._operations.check_ready(ctxt, instance, 'create_backup', 'createBackup')
        self._check_metadata(ctxt, metadata)
        if block_device.is_volume_backed(block_devices.get_all(self._db, instance.uuid)):
            raise exception.Invalid('Backup is not supported for volume-backed instances.')
        image_id = self.new_image(ctxt, instance, name, BACKUP, {'backup_type': backup_type, **metadata})
        return self.begin(ctxt, instance, 'create_backup', 'createBackup', image_id,
                          backup_type=backup_type, rotation=rotation)

    def new_image(self, ctxt, instance, name, image_type, properties):
        """An image without bytes, with what it has from the server's own image. :returns: its id"""
        made_from = instance.image_meta
        inherited = {key: value for key, value in made_from.properties.items()
                     if key not in self._dropped and not key.startswith(RESERVED) and isinstance(value, str)}
        inherited.setdefault('base_image_ref', instance.image_ref)
        fields = {'name': name, 'visibility': 'private', 'min_ram': made_from.min_ram or 0,
                  'min_disk': max(made_from.min_disk or 0, instance.flavor.root_gb)}
        return self._image.create(ctxt, fields, {
            **inherited, 'instance_uuid': instance.uuid, 'user_id': ctxt.user_id, 'owner_id': instance.project_id,
            'image_type': image_type, 'image_location': 'snapshot', 'image_state': 'available', **properties}).id

    def discard(self, ctxt, image_id):
        """Delete an image that turned out not to be wanted; should that fail, it stays without bytes."""
        try:
            self._image.delete(ctxt, image_id)
        except exception.NovaException as exc:
            LOG.warning('Image %s could not be deleted: %s', image_id, exc)

    def begin(self, ctxt, instance, name, method, image_id, **arguments):    # noqa: PLR0913 (passed on)
        """Record an operation that was checked and is to fill an image, or none; if it cannot be recorded, the image is
        deleted. :returns: the image's id"""
        try:
            self._operations.record(ctxt, instance, name, method=method, image_id=image_id, **arguments)
        except Exception:
            if image_id is not None:
                self.discard(ctxt, image_id)
            raise
        return image_id

    def _check_metadata(self, ctxt, metadata):
        if metadata:
            try:
                api_quota.check_metadata(self._quotas.limits(ctxt.project_id), metadata)
            except exception.QuotaError as exc:
                raise exception.QuotaError('Image metadata limit exceeded') from exc
