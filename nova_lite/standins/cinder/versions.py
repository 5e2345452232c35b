# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Microversions 3.0 to 3.71, the version documents, and paths with and without the project id."""

import re

from nova_lite.standins import rest
from nova_lite.standins.cinder import faults

MAXIMUM = 71  # of 3.x
_HEADER = 'HTTP_OPENSTACK_API_VERSION'
_FORMAT = re.compile(r'(\d{1,4})\.(\d{1,4})\Z', re.ASCII)


def before(request):
    """Settle the microversion of a request. A path with nothing where an id should be leads nowhere."""
    if request.path.endswith('/') and request.path not in ('/', '/v3/'):
        raise faults.not_served()
    request.version = _version(request.environ.get(_HEADER, ''))
    request.reply_headers += [('OpenStack-API-Version', 'volume 3.%d' % request.version),
                              ('Vary', 'OpenStack-API-Version')]


def _version(header):
    """The x of the 3.x that a header asks for; it may speak of several services."""
    text = None
    for part in header.split(','):
        service, _, value = part.strip().partition(' ')
        if service.lower() == 'volume':
            text = value.strip()
    if text is None:
        return 0
    if text == 'latest':
        return MAXIMUM
    match = _FORMAT.match(text)
    if match is None:
        raise faults.bad('API Version String %s is of invalid format. Must be of format MajorNum.MinorNum.'
                         % text[:64])
    if int(match[1]) != 3 or int(match[2]) > MAXIMUM:
        raise rest.Fault(406, 'Version %s is not supported by the API. Minimum is 3.0 and maximum is 3.%d.'
                         % (text, MAXIMUM))
    return int(match[2])


def routes(rows):
    """The routes of rows (method, path after the project id, handler, microversion that brought it: 0 if left out).

    Each is reached with the project id in front and without.
    """
    found = []
    for method, path, handler, *since in rows:
        guarded = _guard(handler, *since)
        found += [rest.Route(method, '/v3' + path, guarded), rest.Route(method, '/v3/{project_id}' + path, guarded)]
    return found


def _guard(handler, since=0):
    def handle(request, project_id=None, **values):
        if project_id is not None and project_id != request.identity.project_id:
            raise faults.bad('Malformed request url')
        if request.version < since:
            raise faults.not_served()
        return handler(request, **values)
    return handle


def documents():
    """The routes of the version documents."""
    return [rest.Route('GET', '/', _choices, public=True), rest.Route('GET', '/v3', _documents, public=True)]


def _choices(request):
    return rest.Reply(300, _documents(request))


def _documents(request):
    return {'versions': [{
        'id': 'v3.0', 'status': 'CURRENT', 'version': '3.%d' % MAXIMUM, 'min_version': '3.0',
        'updated': '2023-08-31T00:00:00Z',
        'links': [{'rel': 'describedby', 'type': 'text/html', 'href': 'https://docs.openstack.org/'},
                  {'rel': 'self', 'href': request.host_url + '/v3/'}],
        'media-types': [{'base': 'application/json',
                         'type': 'application/vnd.openstack.volume+json;version=3'}]}]}
