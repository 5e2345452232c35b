# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""`/v2/images/{id}/members`: the projects that an image is shared with."""

from nova_lite.standins import identity
from nova_lite.standins import rest
from nova_lite.standins.glance import library as libraries

BASE = '/v2/images/{image_id}/members'
NEW = rest.schema({'type': 'object', 'required': ['member'],
                   'properties': {'member': {'type': 'string', 'minLength': 1, 'maxLength': 255}}})
CHANGE = rest.schema({'type': 'object', 'required': ['status'],
                      'properties': {'status': {'enum': ['pending', 'accepted', 'rejected']}}})


class Members:
    def __init__(self, library):
        self._library = library

    def routes(self):
        one = BASE + '/{member_id}'
        return [rest.Route('GET', BASE, self.list), rest.Route('POST', BASE, self.create),
                rest.Route('GET', one, self.show), rest.Route('PUT', one, self.update),
                rest.Route('DELETE', one, self.delete)]

    def list(self, request, image_id):
        image = self._library.visible(request.identity, image_id)
        who = request.identity
        shown = [project for project in image['members'] if libraries.owns(who, image) or project == who.project_id]
        if not shown and not libraries.owns(who, image):
            raise libraries.not_found(image_id)
        return {'members': [_view(image, project) for project in shown], 'schema': '/v2/schemas/members'}

    def show(self, request, image_id, member_id):
        image = self._library.visible(request.identity, image_id)
        if not libraries.owns(request.identity, image) and member_id != request.identity.project_id:
            raise _not_found(image_id, member_id)
        _require(image, member_id)
        return _view(image, member_id)

    def create(self, request, image_id):
        project = request.json(NEW)['member']
        with self._library.change() as change:
            image = self._library.changeable(request.identity, image_id)
            identity.require(image['visibility'] == 'shared', 'Only shared images have members.')
            if project in image['members']:
                raise rest.Fault(409, 'Image member %s is already associated with image %s.' % (project, image_id))
            if len(image['members']) >= libraries.MAX_MEMBERS:
                raise rest.Fault(413, 'The limit of %d members has been exceeded.' % libraries.MAX_MEMBERS)
            image = _with(image, project, {'status': 'pending', 'created_at': libraries.now()})
            change.update(self._library.images, image)
        return _view(image, project)

    def update(self, request, image_id, member_id):
        """The member's own answer to the offer."""
        status = request.json(CHANGE)['status']
        who = request.identity
        with self._library.change() as change:
            image = self._library.visible(who, image_id)
            _require(image, member_id)
            identity.require(who.is_admin or who.project_id == member_id,
                             'Only the member itself may accept or reject an image.')
            libraries.require_member(who)
            image = _with(image, member_id, {**image['members'][member_id], 'status': status})
            change.update(self._library.images, image)
        return _view(image, member_id)

    def delete(self, request, image_id, member_id):
        with self._library.change() as change:
            image = self._library.changeable(request.identity, image_id)
            _require(image, member_id)
            change.update(self._library.images, {**image, 'members': {
                project: member for project, member in image['members'].items() if project != member_id}})


def _not_found(image_id, member_id):
    return rest.Fault(404, '%s not found in the member list of the image %s.' % (member_id[:255], image_id))


def _require(image, member_id):
    if member_id not in image['members']:
        raise _not_found(image['id'], member_id)


def _with(image, project, member):
    return {**image, 'members': {**image['members'], project: {**member, 'updated_at': libraries.now()}}}


def _view(image, project):
    return {**image['members'][project], 'member_id': project, 'image_id': image['id'],
            'schema': '/v2/schemas/member'}
