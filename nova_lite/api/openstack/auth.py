# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Who asks: filters that put a RequestContext into the request's environment.

`keystonecontext` reads the headers that keystonemiddleware's auth_token filter has verified; `noauth2` believes what
the token says and is for trials only.
"""

import json
import time

from oslo_utils import timeutils

from nova_lite import context
from nova_lite.api.openstack import faults
from nova_lite.api.openstack import frame
from nova_lite.api.openstack import links
from nova_lite.api.openstack import wsgi

ROLES = ['reader', 'member']
ADMIN_ROLES = ROLES + ['manager', 'admin']
TOKEN_CACHE = 'nova_lite.token_cache'       # `cache` of [keystone_authtoken]: the environ key of the token cache


def _context(environ, **identity):
    ctxt = context.RequestContext(
        request_id=environ.get(frame.REQUEST_ID), global_request_id=environ.get(frame.GLOBAL_REQUEST_ID),
        remote_address=environ.get('REMOTE_ADDR'), timestamp=timeutils.utcnow().isoformat(), **identity)
    environ[wsgi.CONTEXT] = ctxt


class KeystoneContext:
    """The caller as Keystone knows them. Requests that auth_token did not confirm get a 401."""

    def __init__(self, app):
        self._app = app

    def __call__(self, environ, start_response):
        user_id = environ.get('HTTP_X_USER_ID')
        if environ.get('HTTP_X_IDENTITY_STATUS') != 'Confirmed' or not user_id:
            raise faults.HTTPError(401, 'The request you have made requires authentication.')
        roles = [role.strip() for role in environ.get('HTTP_X_ROLES', '').split(',') if role.strip()]
        catalog = environ.get('HTTP_X_SERVICE_CATALOG')
        _context(environ, auth_token=environ.get('HTTP_X_AUTH_TOKEN'),
                 user_id=user_id, user_name=environ.get('HTTP_X_USER_NAME'),
                 user_domain_id=environ.get('HTTP_X_USER_DOMAIN_ID'),
                 project_id=environ.get('HTTP_X_PROJECT_ID'), project_name=environ.get('HTTP_X_PROJECT_NAME'),
                 project_domain_id=environ.get('HTTP_X_PROJECT_DOMAIN_ID'), domain_id=environ.get('HTTP_X_DOMAIN_ID'),
                 system_scope='all' if environ.get('HTTP_OPENSTACK_SYSTEM_SCOPE') == 'all' else None,
                 roles=roles, service_catalog=json.loads(catalog) if catalog else None)
        return self._app(environ, start_response)


class NoAuth2:
    """`X-Auth-Token: USER:PROJECT` is believed; the user `admin` is an administrator.

    A request without a token is answered as the log-in of old: 204 and a token made of X-Auth-User and
    X-Auth-Project-Id (both `admin` when missing).
    """

    def __init__(self, app):
        self._app = app

    def __call__(self, environ, start_response):
        token = environ.get('HTTP_X_AUTH_TOKEN')
        if token is None:
            return self._log_in(environ, start_response)
        user_id, _, project_id = token.partition(':')
        # no auth_token: the other services do not know this one, so they are asked with the service user's own
        _context(environ, user_id=user_id, project_id=project_id or user_id,
                 roles=list(ADMIN_ROLES if user_id == 'admin' else ROLES))
        return self._app(environ, start_response)

    @staticmethod
    def _log_in(environ, start_response):
        user_id = environ.get('HTTP_X_AUTH_USER', 'admin')
        project_id = environ.get('HTTP_X_AUTH_PROJECT_ID', 'admin')
        url = links.base_url(environ) + environ.get(links.VERSION_PATH, '')
        start_response('204 No Content', [('X-Auth-Token', '%s:%s' % (user_id, project_id)),
                                          ('X-Server-Management-Url', '%s/%s' % (url, project_id))])
        return []


class TokenCache:
    """What auth_token keeps of verified tokens, in this process: bounded in number and time."""

    SIZE = 2000

    def __init__(self):
        self._entries = {}

    def get(self, key):
        value, expires = self._entries.get(key, (None, 0))
        return value if expires > time.monotonic() else None

    def set(self, key, value, time=0, **_):
        while len(self._entries) >= self.SIZE:
            self._entries.pop(next(iter(self._entries)))
        self._entries[key] = value, _deadline(time)


def _deadline(seconds):
    return time.monotonic() + seconds


class CachedTokens:
    """Hands auth_token its cache, by the environment of each request."""

    def __init__(self, app, cache):
        self._app = app
        self._cache = cache

    def __call__(self, environ, start_response):
        environ[TOKEN_CACHE] = self._cache
        return self._app(environ, start_response)
