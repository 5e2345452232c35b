# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Server actions that make images: createImage and createBackup."""

from nova_lite.api.openstack import wsgi
from nova_lite.api.openstack.compute import server_access

IN_BODY = (2, 45)       # the microversion since which the image's id is in the body, and not in the header Location


class Controller(server_access.ServerAccess):
    def __init__(self, services):
        self._compute = services.compute_api
        self._images = services.compute_api.images

    def create_image(self, req, id, body):
        wanted = body['createImage']
        image_id = self._images.create_image(
            req.context, self._get(req, id), wanted['name'], wanted.get('metadata') or {})
        return self._reply(req, image_id)

    def create_backup(self, req, id, body):
        wanted = body['createBackup']
        rotation = int(wanted['rotation'])
        image_id = self._images.create_backup(
            req.context, self._get(req, id), wanted['name'], wanted['backup_type'], rotation,
            wanted.get('metadata') or {})
        return self._reply(req, image_id, stays=rotation > 0)

    def _reply(self, req, image_id, stays=True):
        if req.version >= IN_BODY:
            return {'image_id': image_id}
        return wsgi.Reply(headers=[('Location', self._images.url(image_id))] if stays else [])
