# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Links in answers, and paging.

They show the address by which the client came, unless `[api] compute_link_prefix` names the public one.
"""

import urllib.parse

from nova_lite.api.openstack import faults

MAX_LIMIT = 1000
VERSION_PATH = 'nova_lite.version_path'     # environ key, set by urlmap: /v2 or /v2.1


def base_url(environ, prefix=None):
    """Scheme, host and path in front of the API's own path, without a slash at the end."""
    if prefix:
        return prefix.rstrip('/')
    host = environ.get('HTTP_HOST')
    if not host:
        host = '%s:%s' % (environ['SERVER_NAME'], environ['SERVER_PORT'])
    outer = environ.get('SCRIPT_NAME', '').removesuffix(environ.get(VERSION_PATH, ''))
    return '%s://%s%s' % (environ['wsgi.url_scheme'], host, outer)


class Links:
    """Makes the links of one request: `version_path` is /v2.1 or /v2, `project_id` stands in them as in the request."""

    __slots__ = ('_base', '_versioned', '_environ', '_project')

    def __init__(self, environ, prefix, project_id):
        self._environ = environ
        self._base = base_url(environ, prefix)
        self._versioned = environ.get(VERSION_PATH, '')
        self._project = '/' + project_id if project_id else ''

    def self_link(self, collection, id_):
        return '%s%s%s/%s/%s' % (self._base, self._versioned, self._project, collection, _quote(id_))

    def bookmark(self, collection, id_):
        return '%s%s/%s/%s' % (self._base, self._project, collection, _quote(id_))

    def both(self, collection, id_):
        """The `links` of a resource."""
        return [{'rel': 'self', 'href': self.self_link(collection, id_)},
                {'rel': 'bookmark', 'href': self.bookmark(collection, id_)}]

    def next_page(self, path, marker):
        """The `…_links` of a full page of `path` (/servers/detail): the same request with another marker."""
        pairs = [(name, value) for name, value in
                 urllib.parse.parse_qsl(self._environ.get('QUERY_STRING', ''), keep_blank_values=True)
                 if name != 'marker']
        query = urllib.parse.urlencode(pairs + [('marker', marker)])
        return [{'rel': 'next', 'href': '%s%s%s%s?%s' % (self._base, self._versioned, self._project, path, query)}]


def _quote(id_):
    return urllib.parse.quote(str(id_), safe='')


def page(req, max_limit=MAX_LIMIT):
    """(limit, marker) of a list request. :raises faults.HTTPError: 400"""
    text = req.param('limit')
    if text is None:
        limit = max_limit
    else:
        if not text.isascii() or not text.isdigit():
            raise faults.HTTPError(400, 'limit param must be an integer')
        limit = min(int(text), max_limit)
    return limit, req.param('marker')
