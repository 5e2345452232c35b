# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""The image service, Glance v2: its routes, version documents and errors put together."""

import os

from nova_lite.standins import rest
from nova_lite.standins.glance import data
from nova_lite.standins.glance import images
from nova_lite.standins.glance import library as libraries
from nova_lite.standins.glance import members
from nova_lite.standins.glance import schemas
from nova_lite.standins.glance import vault as vaults

VERSIONS = (('v2.9', 'CURRENT'), *(('v2.%d' % minor, 'SUPPORTED') for minor in (7, 6, 5, 4, 3, 2, 1, 0)))


def application(conf, store, identify, *, run=None, challenge=None):
    """The WSGI application. `identify(token)` gives the caller's identity; `run` runs what would hold up others."""
    library = libraries.Library(store)
    vault = vaults.Vault(os.path.join(conf.state_path, 'images'), run or _call)
    routes = [
        rest.Route('GET', '/', _versions, public=True), rest.Route('GET', '/versions', _versions_list, public=True),
        rest.Route('GET', '/v2', _versions, public=True), rest.Route('GET', '/v2/info/import', _import_info)]
    for part in (images.Images(library, vault),
                 data.Data(library, vault, conf.image.image_size_cap, conf.image.user_storage_quota),
                 members.Members(library)):
        routes += part.routes()
    routes += schemas.routes()
    return rest.App('image', routes, identify=identify, render_fault=_render, challenge=challenge)


def _call(function, *args):
    return function(*args)


def _versions(request):
    return rest.Reply(300, _versions_list(request))


def _versions_list(request):
    return {'versions': [{'id': id, 'status': status,
                          'links': [{'rel': 'self', 'href': request.host_url + '/v2/'}]}
                         for id, status in VERSIONS]}


def _import_info(request):
    """Nothing is fetched from elsewhere: whoever imports has staged the bytes."""
    return {'import-methods': {'description': 'Import methods available.', 'type': 'array',
                               'value': [data.IMPORT_METHOD]}}


def _render(request, fault):
    return {'error': {'code': fault.status, 'title': fault.title, 'message': fault.message}}
