# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""The version documents, by which clients discover the API without a token."""

import json

from nova_lite.api.openstack import faults
from nova_lite.api.openstack import links
from nova_lite.api.openstack import microversions
from nova_lite.api.openstack import wsgi

MEDIA_TYPE = 'application/vnd.openstack.compute+json;version='
UPDATED = {'v2.0': '2011-01-21T11:33:21Z', 'v2.1': '2013-07-23T11:33:21Z'}
PATHS = {'v2.0': '/v2/', 'v2.1': '/v2.1/'}
GUIDE = 'http://docs.openstack.org/'


def _summary(version_id, base):
    current = version_id == 'v2.1'
    return {'id': version_id, 'status': 'CURRENT' if current else 'SUPPORTED',
            'version': microversions.MAX_TEXT if current else '',
            'min_version': str(microversions.MIN) if current else '',
            'updated': UPDATED[version_id], 'links': [{'rel': 'self', 'href': base + PATHS[version_id]}]}


def _details(version_id, base):
    version = _summary(version_id, base)
    version['links'].append({'rel': 'describedby', 'type': 'text/html', 'href': GUIDE})
    version['media-types'] = [{'base': 'application/json', 'type': MEDIA_TYPE + version_id[1:].replace('.0', '')}]
    return {'version': version}


def _send(start_response, status, document):
    content = json.dumps(document).encode()
    start_response(faults.STATUS_LINES[status], [('Content-Type', 'application/json'),
                                                 ('Content-Length', str(len(content)))])
    return [content]


class Versions:
    """`/`: both versions. Any other path that no version owns: 300, with what there is."""

    def __init__(self, prefix):
        self._prefix = prefix

    def __call__(self, environ, start_response):
        base = links.base_url(environ, self._prefix)
        if environ.get('PATH_INFO', '') in ('', '/'):
            _only_get(environ)
            return _send(start_response, 200, {'versions': [_summary(id_, base) for id_ in PATHS]})
        choices = []
        for id_ in PATHS:
            details = _details(id_, base)['version']
            choices.append({'id': id_, 'status': details['status'], 'media-types': details['media-types'],
                            'links': [{'rel': 'self', 'href': base + PATHS[id_].rstrip('/')
                                       + environ.get('PATH_INFO', '')}]})
        return _send(start_response, 300, {'choices': choices})


class Version:
    """`/v2` and `/v2.1`, with or without a slash at the end."""

    def __init__(self, version_id, prefix):
        self._id = version_id
        self._prefix = prefix

    def document(self, environ):
        return _details(self._id, links.base_url(environ, self._prefix))

    def __call__(self, environ, start_response):
        _only_get(environ)
        return _send(start_response, 200, self.document(environ))


def _only_get(environ):
    if environ['REQUEST_METHOD'] != 'GET':
        raise faults.HTTPError(405, 'The method is not allowed for this resource.', [('Allow', 'GET')])


def project_document(prefix):
    """A function of a Request: the version document that its project's root shows."""
    documents = {False: Version('v2.1', prefix), True: Version('v2.0', prefix)}
    return lambda req: documents[req.environ.get(wsgi.LEGACY, False)].document(req.environ)
