# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Which application answers which path: `/` and other roots, the version documents, and what lies below them.

An entry `/v2.1` of the paste file answers for exactly that path with or without a slash at its end; `/v2.1/+` for
everything below it. The longest entry that fits wins.
"""

from nova_lite.api.openstack import links
from nova_lite.api.openstack import wsgi

LEGACY_PREFIX = '/v2'


class URLMap:
    def __init__(self, exact, below, default):
        self._exact = exact             # {path: application}
        self._below = below             # {path: application}
        self._default = default

    def __call__(self, environ, start_response):
        path = environ.get('PATH_INFO', '')
        prefix = '/' + path[1:].partition('/')[0]
        rest = path[len(prefix):]
        if rest in ('', '/') and prefix in self._exact:
            app = self._exact[prefix]
        elif rest and prefix in self._below:
            app = self._below[prefix]
        else:
            return self._default(environ, start_response)
        environ['SCRIPT_NAME'] = environ.get('SCRIPT_NAME', '') + prefix
        environ['PATH_INFO'] = rest
        environ[links.VERSION_PATH] = prefix
        environ[wsgi.LEGACY] = prefix == LEGACY_PREFIX
        return app(environ, start_response)


def urlmap_factory(loader, global_conf, **local_conf):
    """Composite factory for the paste file."""
    exact, below, default = {}, {}, None
    for path, name in local_conf.items():
        app = loader.get_app(name, global_conf=global_conf)
        if path == '/':
            default = app
        elif path.endswith('/+'):
            below[path[:-2]] = app
        else:
            exact[path] = app
    return URLMap(exact, below, default)
