# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Client of the image service (Glance v2): the record of an image, and its bytes.

A request with the caller's token sees what the caller may see. Without one (the service user asks) the same rule is
applied here: public, community and own images, and those that are shared with the project.
"""

import http.client
import urllib.parse

import requests

from nova_lite import exception
from nova_lite import http as services
from nova_lite.objects import image_meta

SERVICE = 'image'
CHUNK = 1024 * 1024     # bytes

_FIELDS = frozenset(('id', 'name', 'status', 'owner', 'visibility', 'disk_format', 'container_format', 'size',
                     'virtual_size', 'checksum', 'os_hash_algo', 'os_hash_value', 'min_disk', 'min_ram'))
_NOT_PROPERTIES = _FIELDS | {'protected', 'tags', 'created_at', 'updated_at', 'file', 'schema', 'self', 'locations',
                             'direct_url', 'os_hidden', 'stores'}


class API:
    """`adapter`: a keystoneauth Adapter for the image service, as `nova_lite/http.py` makes it."""

    def __init__(self, adapter):
        self._adapter = adapter

    def get(self, ctxt, image_id):
        """The ImageMeta of an image that the caller may see.

        :raises ImageNotFound: it does not exist, or not for the caller; ServiceUnreachable.
        """
        response = self._request(ctxt, image_id, '')
        image = _image_meta(services.body(response, SERVICE))
        if not ctxt.auth_token and not self._visible(ctxt, image):
            raise exception.ImageNotFound(image_id=image_id)
        return image

    def download(self, ctxt, image_id):
        """The bytes of an image, as an iterator of chunks; nothing of it is verified here.

        :raises ImageNotFound, ServiceUnreachable: at once; ImageDownloadFailed: also while iterating.
        """
        response = self._request(ctxt, image_id, '/file', stream=True)
        if response.status_code == http.client.NO_CONTENT:
            response.close()
            raise exception.ImageDownloadFailed(image_id=image_id, reason='it has no data')
        return _chunks(image_id, response)

    def _request(self, ctxt, image_id, suffix, **kwargs):
        url = '/v2/images/%s%s' % (urllib.parse.quote(str(image_id), safe=''), suffix)
        response = services.request(self._adapter, 'GET', url, SERVICE, **services.on_behalf_of(ctxt), **kwargs)
        if response.status_code in (http.client.NOT_FOUND, http.client.FORBIDDEN, http.client.BAD_REQUEST):
            raise exception.ImageNotFound(image_id=image_id)
        if response.status_code not in (http.client.OK, http.client.NO_CONTENT):
            raise exception.ServiceUnreachable(service=SERVICE, reason='HTTP %d' % response.status_code)
        return response

    def _visible(self, ctxt, image):
        if ctxt.is_admin or image.visibility in ('public', 'community') or image.owner == ctxt.project_id:
            return True
        if image.visibility != 'shared':
            return False
        response = self._request(ctxt, image.id, '/members')
        return any(member['member_id'] == ctxt.project_id and member['status'] == 'accepted'
                   for member in services.body(response, SERVICE)['members'])


def _image_meta(record):
    """An ImageMeta from the image service's own record; what it does not define itself is a property."""
    fields = {name: record[name] for name in _FIELDS if record.get(name) is not None}
    return image_meta.ImageMeta(
        **fields, properties={name: value for name, value in record.items() if name not in _NOT_PROPERTIES})


def _chunks(image_id, response):
    try:
        yield from response.iter_content(CHUNK)
    except requests.RequestException as exc:
        raise exception.ImageDownloadFailed(image_id=image_id, reason='the connection broke') from exc
    finally:
        response.close()
