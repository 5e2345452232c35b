# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Images by way of the compute API, as up to microversion 2.35 (metadata: 2.38), passed on to the image service."""

from nova_lite import exception
from nova_lite.api.openstack import links
from nova_lite.compute import api_quota
from nova_lite.image import glance

STATUS = {'queued': 'SAVING', 'saving': 'SAVING', 'uploading': 'SAVING', 'importing': 'SAVING', 'active': 'ACTIVE',
          'killed': 'ERROR', 'deleted': 'DELETED', 'pending_delete': 'DELETED'}
PROGRESS = {'queued': 25, 'saving': 50, 'active': 100}
FILTERS = {'name': 'name', 'minRam': 'min_ram', 'minDisk': 'min_disk', 'type': 'image_type'}
BY_STATUS = {'ACTIVE': 'active', 'SAVING': 'saving', 'ERROR': 'killed', 'DELETED': 'deleted'}


class Controller:
    """The images themselves."""

    def __init__(self, services):
        self._images = services.compute_api.images

    def index(self, req):
        found, more = self._page(req, '/images')
        return {'images': [_basic(self._images, req, record) for record in found], **more}

    def detail(self, req):
        found, more = self._page(req, '/images/detail')
        return {'images': [_view(self._images, req, record) for record in found], **more}

    def show(self, req, id):
        return {'image': _view(self._images, req, self._images.record(req.context, id))}

    def delete(self, req, id):
        self._images.delete(req.context, id)

    def _page(self, req, path):
        """([record…], the link to more, if there are more)"""
        limit, marker = links.page(req)
        found = self._images.page(req.context, _filters(req), limit, marker)
        full = req.param('limit') is not None and found and len(found) == limit
        return found, {'images_links': req.urls.next_page(path, found[-1]['id'])} if full else {}


class Metadata:
    """The metadata of an image: what Glance calls its properties."""

    def __init__(self, services):
        self._images = services.compute_api.images
        self._quotas = services.compute_api.quotas

    def index(self, req, image_id):
        return {'metadata': self._get(req, image_id)}

    def show(self, req, image_id, id):
        metadata = self._get(req, image_id)
        if id not in metadata:
            raise exception.NotFound('Metadata item was not found')
        return {'meta': {id: metadata[id]}}

    def create(self, req, image_id, body):
        return {'metadata': self._set(req, image_id, body['metadata'])}

    def update_all(self, req, image_id, body):
        return {'metadata': self._set(req, image_id, body['metadata'], replace=True)}

    def update(self, req, image_id, id, body):
        if id not in body['meta']:
            raise exception.Invalid('Request body and URI mismatch')
        self._set(req, image_id, body['meta'])
        return body

    def delete(self, req, image_id, id):
        if id not in self._get(req, image_id):
            raise exception.NotFound('Image metadata key was not found')
        self._images.set_properties(req.context, image_id, {}, [id])

    def _get(self, req, image_id):
        return glance.properties(self._images.record(req.context, image_id))

    def _set(self, req, image_id, metadata, replace=False):
        before = self._get(req, image_id)
        after = metadata if replace else {**before, **metadata}
        api_quota.check_metadata(self._quotas.limits(req.context.project_id), after)
        self._images.set_properties(req.context, image_id, metadata, set(before) - set(after))
        return after


def _filters(req):
    """What the image service calls that which the caller asks for."""
    found = {theirs: req.param(ours) for ours, theirs in FILTERS.items() if req.param(ours) is not None}
    if req.param('server') is not None:     # its id, or the address of it
        found['instance_uuid'] = req.param('server').rstrip('/').rpartition('/')[2]
    if req.param('status') is not None:
        found['status'] = BY_STATUS.get(req.param('status').upper(), req.param('status'))
    if req.param('changes-since') is not None:
        found['updated_at'] = 'gte:' + req.param('changes-since')
    return found


def _basic(images, req, record):
    return {'id': record['id'], 'name': record['name'], 'links': [
        *req.urls.both('images', record['id']),
        {'rel': 'alternate', 'type': 'application/vnd.openstack.image', 'href': images.url(record['id'])}]}


def _view(images, req, record):
    properties = glance.properties(record)
    view = {**_basic(images, req, record), 'status': STATUS.get(record['status'], 'UNKNOWN'),
            'progress': PROGRESS.get(record['status'], 0), 'created': record['created_at'],
            'updated': record['updated_at'], 'minRam': record['min_ram'], 'minDisk': record['min_disk'],
            'metadata': properties, 'OS-EXT-IMG-SIZE:size': record['size'] or 0}
    server = properties.get('instance_uuid')
    if server is not None:
        view['server'] = {'id': server, 'links': req.urls.both('servers', server)}
    automatic = properties.get('auto_disk_config')
    if automatic is not None:
        view['OS-DCF:diskConfig'] = 'AUTO' if automatic.lower() in ('true', '1', 'yes', 'on') else 'MANUAL'
    return view
