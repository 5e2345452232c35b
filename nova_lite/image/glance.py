# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Client of the image service (Glance v2): the records of images, and their bytes.

A request with the caller's token sees what the caller may see. Without one (the service user asks) the same rule is
applied here: public, community and own images, and those that are shared with the project.
"""

import http.client
import json
import re
import urllib.parse

import requests

from nova_lite import exception
from nova_lite import http as services
from nova_lite.objects import image_meta

SERVICE = 'image'
CHUNK = 1024 * 1024     # bytes
PAGE = 100              # images of one answer to a list
PATCH = 'application/openstack-images-v2.1-json-patch'
BYTES = 'application/octet-stream'
WORDS = 200             # characters of a refusal that are passed on

_TAG = re.compile(r'<[^>]*>')

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

    def record(self, ctxt, image_id):
        """{field or property: value} of an image that the caller may see, as Glance has it.

        :raises ImageNotFound, ServiceUnreachable:
        """
        return services.body(self._request(ctxt, image_id, ''), SERVICE)

    def download(self, ctxt, image_id):
        """The bytes of an image, as an iterator of chunks; nothing of it is verified here.

        :raises ImageNotFound, ServiceUnreachable: at once; ImageDownloadFailed: also while iterating.
        """
        response = self._request(ctxt, image_id, '/file', stream=True)
        if response.status_code == http.client.NO_CONTENT:
            response.close()
            raise exception.ImageDownloadFailed(image_id=image_id, reason='it has no data')
        return _chunks(image_id, response)

    # ---- change --------------------------------------------------------------------------------------------------

    def create(self, ctxt, fields, properties):
        """Make an image without bytes, as the caller. fields: Glance's own; properties: {name: text}.

        :returns: its ImageMeta :raises ImageQuotaExceeded, ImageRefused, Invalid, ServiceUnreachable:
        """
        response = self._send(ctxt, 'POST', '/v2/images', json={**properties, **fields})
        _check(response, None)
        return _image_meta(services.body(response, SERVICE))

    def update(self, ctxt, image_id, values, removed=()):
        """Set fields or properties of an image, and remove properties.

        :raises ImageNotFound, ImageRefused, Invalid, ServiceUnreachable:
        """
        patch = [{'op': 'add', 'path': _pointer(name), 'value': value} for name, value in values.items()]
        patch += [{'op': 'remove', 'path': _pointer(name)} for name in removed]
        _check(self._send(ctxt, 'PATCH', _path(image_id), data=json.dumps(patch), headers={'Content-Type': PATCH}),
               image_id)

    def upload(self, ctxt, image_id, data):
        """Give an image its bytes; `data`: an open file, which is read as it is sent.

        It is sent once and no more, so what went before (:meth:`update`) has to find a token that is good.
        :raises ImageNotFound: (also when it is deleted meanwhile), ImageQuotaExceeded, ImageRefused, Conflict,
            ServiceUnreachable:
        """
        _check(self._send(ctxt, 'PUT', _path(image_id, '/file'), data=data, headers={'Content-Type': BYTES},
                          allow_reauth=False), image_id)

    def delete(self, ctxt, image_id):
        """:raises ImageNotFound, ImageRefused: (it is protected), Conflict: (in use), ServiceUnreachable:"""
        _check(self._send(ctxt, 'DELETE', _path(image_id)), image_id)

    def list(self, ctxt, filters, limit=None, marker=None):
        """[{field or property: value}…] of the images that the caller may see and that have these values, the newest
        first: all of them, or at most `limit` after the one with the id `marker`.

        :raises Invalid: a filter or marker that makes no sense; ServiceUnreachable
        """
        query = {**filters, 'sort': 'created_at:desc', 'limit': min(PAGE, limit) if limit else PAGE}
        if marker is not None:
            query['marker'] = marker
        url, found = '/v2/images?%s' % urllib.parse.urlencode(query), []
        while url and (limit is None or len(found) < limit):
            page = self._send(ctxt, 'GET', url)
            _check(page, None)
            body = services.body(page, SERVICE)
            found += body['images']
            url = body.get('next')
        return found[:limit]

    def url(self, image_id):
        """The address of an image, as answers of the compute API have it."""
        return '%s/images/%s' % (services.endpoint(self._adapter, SERVICE)[0], image_id)

    # ---- requests ------------------------------------------------------------------------------------------------

    def _send(self, ctxt, method, url, headers=None, **kwargs):
        on_behalf = services.on_behalf_of(ctxt)
        on_behalf['headers'] = {**on_behalf['headers'], **(headers or {})}
        return services.request(self._adapter, method, url, SERVICE, **on_behalf, **kwargs)

    def _request(self, ctxt, image_id, suffix, **kwargs):
        response = self._send(ctxt, 'GET', _path(image_id, suffix), **kwargs)
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


def properties(record):
    """{name: value} of what a record of the image service has beside its own fields."""
    return {name: value for name, value in record.items() if name not in _NOT_PROPERTIES}


def _pointer(name):
    return '/' + name.replace('~', '~0').replace('/', '~1')


def _path(image_id, suffix=''):
    return '/v2/images/%s%s' % (urllib.parse.quote(str(image_id), safe=''), suffix)


def _check(response, image_id):
    """Raise what an answer to a change means."""
    status = response.status_code
    if status < http.client.BAD_REQUEST:
        return
    if status in (http.client.NOT_FOUND, http.client.GONE):
        raise exception.ImageNotFound(image_id=image_id)
    if status == http.client.REQUEST_ENTITY_TOO_LARGE:
        raise exception.ImageQuotaExceeded(image_id=image_id or '')
    if status == http.client.FORBIDDEN:
        raise exception.ImageRefused(reason=_words(response))
    if status == http.client.BAD_REQUEST:
        raise exception.Invalid('The image service refuses it: %s' % _words(response))
    if status == http.client.CONFLICT:
        raise exception.Conflict('The image service refuses it: %s' % _words(response))
    raise exception.ServiceUnreachable(service=SERVICE, reason='HTTP %d' % status)


def _words(response):
    """What an error body says: JSON, or the HTML of a real Glance without its tags."""
    try:
        body = response.json()
        text = body.get('message') or body['error']['message']
    except (ValueError, KeyError, TypeError, AttributeError):
        text = _TAG.sub(' ', response.text)
    return ' '.join(str(text).split())[:WORDS]


def _image_meta(record):
    """An ImageMeta from the image service's own record; what it does not define itself is a property."""
    fields = {name: record[name] for name in _FIELDS if record.get(name) is not None}
    return image_meta.ImageMeta(**fields, properties=properties(record))


def _chunks(image_id, response):
    try:
        yield from response.iter_content(CHUNK)
    except requests.RequestException as exc:
        raise exception.ImageDownloadFailed(image_id=image_id, reason='the connection broke') from exc
    finally:
        response.close()
