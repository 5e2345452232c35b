# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""`/v2/images`: create, show, list, change, delete, tags, and taking an image out of use."""

import uuid
from urllib import parse

from nova_lite.standins import identity
from nova_lite.standins import rest
from nova_lite.standins.glance import data
from nova_lite.standins.glance import library as libraries
from nova_lite.standins.glance import listing
from nova_lite.standins.glance import patches

ONE = '/v2/images/{image_id}'
BODY = rest.schema({'type': 'object'})


class Images:
    def __init__(self, library, vault):
        self._library = library
        self._vault = vault

    def routes(self):
        route = rest.Route
        return [
            route('GET', '/v2/images', self.list), route('POST', '/v2/images', self.create),
            route('GET', ONE, self.show), route('PATCH', ONE, self.update), route('DELETE', ONE, self.delete),
            route('GET', ONE + '/tasks', self.tasks),
            route('PUT', ONE + '/tags/{tag}', self.add_tag), route('DELETE', ONE + '/tags/{tag}', self.drop_tag),
            route('POST', ONE + '/actions/deactivate', self.deactivate),
            route('POST', ONE + '/actions/reactivate', self.reactivate)]

    def list(self, request):
        """A page of the images that the caller may see and asks for."""
        query = listing.parse(request)
        found = [image for image in self._library.images if listing.listed(request.identity, image, query)]
        page, last = listing.page(found, query)
        body = {'images': [libraries.view(image) for image in page], 'schema': '/v2/schemas/images',
                'first': '/v2/images' + _query_string(request.query, None)}
        if last is not None:
            body['next'] = '/v2/images' + _query_string(request.query, last)
        return body

    def show(self, request, image_id):
        return libraries.view(self._library.visible(request.identity, image_id))

    def tasks(self, request, image_id):
        """What is under way on an image: an import has ended when it is answered, so there is never anything."""
        self._library.visible(request.identity, image_id)
        return {'tasks': []}

    def create(self, request):
        who = request.identity
        libraries.require_member(who)
        body = request.json(BODY)
        fields, properties = {}, {}
        for name, value in body.items():
            if name == 'id':
                fields['id'] = _image_id(value)
                continue
            libraries.check_writable(name)
            if name in libraries.SETTABLE:
                fields[name] = value
            else:
                libraries.check_property(name, value)
                properties[name] = value
        rest.check(libraries.FIELDS_VALIDATOR, fields)
        image = libraries.new_image(who, {**fields, 'properties': properties})
        image['tags'] = list(dict.fromkeys(image['tags']))
        libraries.check_rights(who, image)
        with self._library.change() as change:
            change.insert(self._library.images, image)
        return rest.Reply(201, libraries.view(image), [
            ('Location', '%s/v2/images/%s' % (request.host_url, image['id'])),
            ('OpenStack-image-import-methods', data.IMPORT_METHOD)])

    def update(self, request, image_id):
        """Apply a JSON patch."""
        if request.content_type not in (patches.MEDIA_TYPE, patches.OLD_MEDIA_TYPE):
            raise rest.Fault(415, 'The body of a PATCH is %s.' % patches.MEDIA_TYPE,
                             headers=[('Accept-Patch', patches.MEDIA_TYPE)])
        body = request.json()
        steps = patches.parse(patches.from_old(body) if request.content_type == patches.OLD_MEDIA_TYPE else body)
        who = request.identity
        with self._library.change() as change:
            image = patches.apply(self._library.changeable(who, image_id), steps)
            libraries.check_rights(who, image)
            image['updated_at'] = libraries.now()
            change.update(self._library.images, image)
        return libraries.view(image)

    def delete(self, request, image_id):
        with self._library.change() as change:
            image = self._library.changeable(request.identity, image_id)
            identity.require(not image['protected'], 'Image %s is protected and cannot be deleted.' % image_id)
            change.delete(self._library.images, image)
        self._vault.remove(image_id)
        if image['status'] == libraries.UPLOADING:      # one that is being imported is dealt with by its request
            self._vault.discard(image_id)

    def add_tag(self, request, image_id, tag):
        if len(tag) > 255:
            raise rest.Fault(400, 'A tag has at most 255 characters.')

        def add(image):
            tags = list(dict.fromkeys((*image['tags'], tag)))
            if len(tags) > libraries.MAX_TAGS:
                raise rest.Fault(413, 'The limit of %d tags has been exceeded.' % libraries.MAX_TAGS)
            return {'tags': tags}
        self._change(request, image_id, add)

    def drop_tag(self, request, image_id, tag):
        def drop(image):
            if tag not in image['tags']:
                raise rest.Fault(404, 'The image has no tag %s.' % tag[:255])
            return {'tags': [other for other in image['tags'] if other != tag]}
        self._change(request, image_id, drop)

    def deactivate(self, request, image_id):
        self._set_status(request, image_id, libraries.ACTIVE, libraries.DEACTIVATED)

    def reactivate(self, request, image_id):
        self._set_status(request, image_id, libraries.DEACTIVATED, libraries.ACTIVE)

    def _set_status(self, request, image_id, old, new):
        def turn(image):
            if image['status'] not in (old, new):
                raise rest.Fault(403, 'Image status transition from %s to %s is not allowed' % (
                    image['status'], new))
            return {'status': new}
        self._change(request, image_id, turn)

    def _change(self, request, image_id, function):
        """Let `function(image)` say which fields change to what."""
        with self._library.change() as change:
            image = self._library.changeable(request.identity, image_id)
            change.update(self._library.images, {**image, **function(image), 'updated_at': libraries.now()})


def _image_id(value):
    if not isinstance(value, str) or not rest.is_uuid(value):
        raise rest.Fault(400, 'Invalid image id format: the id of an image is a UUID.')
    return str(uuid.UUID(value))


def _query_string(query, marker):
    """The query string of a link: that of the request, with another marker or none."""
    pairs = [(name, value) for name, values in query.items() if name != 'marker' for value in values]
    if marker is not None:
        pairs.append(('marker', marker))
    return '?' + parse.urlencode(pairs) if pairs else ''
