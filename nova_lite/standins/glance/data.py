# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""The way of an image's bytes in and out: `/v2/images/{id}/file`, or `…/stage` and then `…/import`."""

import contextlib
import re

from nova_lite.standins import identity
from nova_lite.standins import rest
from nova_lite.standins.glance import library as libraries
from nova_lite.standins.glance import vault as vaults

MEDIA_TYPE = 'application/octet-stream'
IMPORT_METHOD = 'glance-direct'
IMPORT = rest.schema({'type': 'object', 'required': ['method'], 'properties': {
    'method': {'type': 'object', 'required': ['name'], 'properties': {'name': {'type': 'string'}}}}})
RANGE = re.compile(r'bytes=(\d{0,18})-(\d{0,18})\Z', re.ASCII)


class Data:
    """Uploads and downloads. `size_cap`: bytes an image may have; `quota`: bytes of a project's images, 0 for any."""

    def __init__(self, library, vault, size_cap, quota):
        self._library = library
        self._vault = vault
        self._size_cap = size_cap
        self._quota = quota
        self._tidy()

    def routes(self):
        place = '/v2/images/{image_id}/file'
        return [rest.Route('PUT', place, self.upload), rest.Route('GET', place, self.download),
                rest.Route('PUT', '/v2/images/{image_id}/stage', self.stage),
                rest.Route('POST', '/v2/images/{image_id}/import', self.import_staged)]

    def _tidy(self):
        """Undo the uploads that the end of an earlier process cut short."""
        with self._library.change() as change:
            for image in self._library.images:
                if image['status'] in (libraries.SAVING, libraries.UPLOADING):
                    change.update(self._library.images, {**image, 'status': libraries.QUEUED, 'staged': None})
        for name in self._vault.names():
            image = self._library.images.by_id.get(name)
            if image is None or image['status'] == libraries.QUEUED:
                self._vault.remove(name)

    def upload(self, request, image_id):
        image = self._begin(request, image_id, libraries.QUEUED, libraries.SAVING)
        with self._queued_again(image_id):
            _check_formats(image)
            self._finish(image, self._receive(request, image))

    def stage(self, request, image_id):
        """Take the bytes for an import, which looks into them. They do not outlive a restart."""
        image = self._begin(request, image_id, libraries.QUEUED, libraries.UPLOADING)
        with self._queued_again(image_id):
            staged = self._receive(request, image)
            if not self._set_status(image_id, libraries.UPLOADING, {'staged': staged}):
                raise _deleted(image_id)

    def import_staged(self, request, image_id):
        """Let what was staged be the image's content; it is when the answer comes."""
        method = request.json(IMPORT)['method']['name']
        if method != IMPORT_METHOD:
            raise rest.Fault(400, 'The import method %s is not supported.' % method[:64])
        image = self._library.changeable(request.identity, image_id)
        if not image.get('staged'):
            raise rest.Fault(409, 'Image %s is %s, and nothing of it is staged.' % (image_id, image['status']))
        self._begin(request, image_id, libraries.UPLOADING, libraries.SAVING)
        with self._queued_again(image_id):
            _check_formats(image)
            self._finish(image, image['staged'])
        return rest.Reply(202)

    def _begin(self, request, image_id, old, new):
        """Let the image be of another status, so that nobody else begins the same."""
        if request.method == 'PUT' and request.content_type != MEDIA_TYPE:
            raise rest.Fault(415, 'The body of an upload is %s.' % MEDIA_TYPE)
        with self._library.change() as change:
            image = self._library.changeable(request.identity, image_id)
            if image['status'] != old:
                raise rest.Fault(409, 'Image status transition from %s to %s is not allowed' % (image['status'], new))
            image = {**image, 'status': new}
            change.update(self._library.images, image)
        return image

    @contextlib.contextmanager
    def _queued_again(self, image_id):
        """When the block fails, nothing has been received and the image waits for bytes as before."""
        try:
            yield
        except BaseException:
            self._vault.discard(image_id)
            for status in (libraries.SAVING, libraries.UPLOADING):
                self._set_status(image_id, status, {'status': libraries.QUEUED, 'staged': None})
            raise

    def _receive(self, request, image):
        """Keep the body of a request aside; → what the record of the image says of it."""
        limit = self._limit(image, request.content_length)
        size, checksum, hash_value = self._vault.receive(image['id'], self._pieces(request, image['id']), limit)
        return {'size': size, 'checksum': checksum, 'os_hash_algo': vaults.HASH, 'os_hash_value': hash_value}

    def _limit(self, image, length):
        """How many bytes the image may have; 413 when more are announced."""
        limit = self._size_cap
        if self._quota:
            limit = min(limit, max(0, self._quota - self._library.used_by(image['owner'])))
        if length is not None and length > limit:
            raise rest.Fault(413, 'The image is larger than the %d bytes that it may have.' % limit)
        return limit

    def _pieces(self, request, image_id):
        """The body piece by piece; 400 when it ends early, 410 when the image was deleted meanwhile."""
        left = request.content_length
        while left is None or left > 0:
            try:
                piece = request.stream.read(vaults.CHUNK if left is None else min(vaults.CHUNK, left))
            except (OSError, ValueError) as error:
                raise rest.Fault(400, 'The upload was cut short.') from error
            if not piece:
                break
            if left is not None:
                left -= len(piece)
            if image_id not in self._library.images.by_id:
                raise _deleted(image_id)
            yield piece
        if left:
            raise rest.Fault(400, 'The upload was cut short: %d bytes are missing.' % left)

    def _finish(self, image, received):
        """Look into what was received and let it be the image's content."""
        virtual_size = self._vault.inspect(image['id'], image['disk_format'], image['container_format'],
                                           received['size'])
        fields = {**received, 'virtual_size': virtual_size, 'status': libraries.ACTIVE, 'staged': None}
        if not self._set_status(image['id'], libraries.SAVING, fields, self._vault.keep):
            raise _deleted(image['id'])

    def _set_status(self, image_id, old, fields, act=None):
        """Change an image of status `old`, and then `act(image_id)`; whether there was such an image."""
        with self._library.change() as change:
            image = self._library.images.by_id.get(image_id)
            if image is None or image['status'] != old:
                return False
            if act is not None:
                act(image_id)
            change.update(self._library.images, {**image, **fields, 'updated_at': libraries.now()})
        return True

    def download(self, request, image_id):
        image = self._library.visible(request.identity, image_id)
        if image['status'] == libraries.DEACTIVATED:
            identity.require(request.identity.is_admin, 'The requested image has been deactivated. Image data '
                                                        'download is forbidden.')
        if image['status'] not in (libraries.ACTIVE, libraries.DEACTIVATED):
            return None
        size = image['size']
        start, end, status = _range(request.header('Range'), size)
        headers = [('Content-Type', MEDIA_TYPE), ('Content-Length', str(end - start)), ('Accept-Ranges', 'bytes')]
        if status == 206:
            headers.append(('Content-Range', 'bytes %d-%d/%d' % (start, end - 1, size)))
        else:
            headers.append(('Content-MD5', image['checksum']))
        return rest.Reply(status, vaults.read(self._vault.open(image_id), start, end - start), headers)


def _check_formats(image):
    missing = [name for name in ('disk_format', 'container_format') if image[name] is None]
    if missing:
        raise rest.Fault(400, 'Properties %s must be set prior to saving data.' % ', '.join(missing))


def _deleted(image_id):
    return rest.Fault(410, 'Image %s was deleted while it was uploaded.' % image_id)


def _range(text, size):
    """(first byte, byte after the last, HTTP status) of a Range header; one range is understood."""
    match = RANGE.match(text) if text else None
    if match is None or match.group(0) == 'bytes=-':
        return 0, size, 200
    first, last = match.groups()
    if first:
        start, end = int(first), min(int(last) + 1, size) if last else size
    else:
        start, end = max(0, size - int(last)), size
    if start >= end:
        raise rest.Fault(416, 'The image has no such range.', headers=[('Content-Range', 'bytes */%d' % size)])
    return start, end, 206
