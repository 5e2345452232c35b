# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""The tags of a server: words by which lists can be filtered."""

import http.client

from nova_lite import exception
from nova_lite.api.openstack import wsgi
from nova_lite.api.openstack.compute.schemas import servers as schema

LONGEST = schema.TAG['maxLength']


class Controller:
    def __init__(self, services):
        self._compute = services.compute_api

    def _instance(self, req, server_id):
        instance = self._compute.get(req.context, server_id)
        req.authorize(instance)
        return instance

    def index(self, req, server_id):
        return {'tags': self._instance(req, server_id).tags}

    def show(self, req, server_id, id):
        _check_has(self._instance(req, server_id), id)

    def update(self, req, server_id, id):
        """201 where the tag is new, 204 where the server has it."""
        instance = self._instance(req, server_id)
        _check(id)
        if id in instance.tags:
            return None

        def add(tags):
            if len(tags | {id}) > schema.MAX_TAGS:
                raise exception.Invalid('The number of tags exceeded the per-server limit %d' % schema.MAX_TAGS)
            return tags | {id}
        self._compute.update_instance_tags(req.context, instance, 'update tag', add)
        path = 'servers/%s/tags' % server_id
        return wsgi.Reply(status=http.client.CREATED, headers=[('Location', req.urls.self_link(path, id))])

    def update_all(self, req, server_id, body):
        return {'tags': self._compute.update_instance_tags(
            req.context, self._instance(req, server_id), 'update tags', lambda tags: set(body['tags']))}

    def delete(self, req, server_id, id):
        instance = self._instance(req, server_id)
        _check_has(instance, id)
        self._compute.update_instance_tags(req.context, instance, 'delete tag', lambda tags: tags - {id})

    def delete_all(self, req, server_id):
        self._compute.update_instance_tags(req.context, self._instance(req, server_id), 'delete tags', lambda tags: [])


def _check(tag):
    """A tag of the URL, as the schema has it for those of a body."""
    if len(tag) > LONGEST:
        raise exception.Invalid("Tag '%s…' is too long. Maximum length of a tag is %d" % (tag[:LONGEST], LONGEST))
    if ',' in tag or '/' in tag:
        raise exception.Invalid("Tag '%s' is invalid. It must be a string without characters '/' and ','." % tag)


def _check_has(instance, tag):
    if tag not in instance.tags:
        raise exception.NotFound("Server %s has no tag '%s'" % (instance.uuid, tag[:LONGEST]))
