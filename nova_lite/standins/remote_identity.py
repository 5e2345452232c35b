# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""A real Keystone in place of the identity stand-in: verifies tokens there and logs in as the service user."""

import datetime
import time

from keystoneauth1 import exceptions
from keystoneauth1 import loading
from keystoneauth1 import session as ks_session

from nova_lite.standins import identity
from nova_lite.standins import rest

GROUP = 'service_auth'
CACHE_SECONDS = 60      # until a revoked token is noticed
CACHED = 4096
MAX_TOKEN = 8192
TIMEOUT = 20


class RemoteIdentity:
    """What the other stand-ins need of the identity service: `identify`, `challenge` and tokens of their own."""

    def __init__(self, conf, session=None):
        """`conf` has the stand-ins' options. :raises ValueError: the service user cannot log in there."""
        self._url = conf.real.identity.rstrip('/')
        self.challenge = 'Keystone uri="%s"' % self._url
        self._cache = {}    # token: (when it was verified, identity)
        try:
            auth = loading.load_auth_from_conf_options(conf, GROUP)
            self._session = session or ks_session.Session(auth=auth, timeout=TIMEOUT)
            self._project_id = self._session.get_project_id()
        except exceptions.ClientException as error:
            raise ValueError('no login at the identity service %s: %s' % (self._url, error)) from error

    def identify(self, token):
        """The identity behind a token, None when it is not valid. :raises rest.Fault: 503, Keystone does not say."""
        token = token.strip()
        if not token or len(token) > MAX_TOKEN or not (token.isascii() and token.isprintable()):
            return None
        now = time.time()
        verified, who = self._cache.get(token, (0, None))
        if now - verified > CACHE_SECONDS:
            who = self._ask(token)
            if who is not None:
                if len(self._cache) >= CACHED:
                    self._cache.clear()
                self._cache[token] = (now, who)
        return who if who is not None and who.expires_at > now else None

    def service_token(self, user_name):
        """A token of the service user; all stand-ins share it, so `user_name` makes no difference."""
        try:
            return self._session.get_token()
        except exceptions.ClientException as error:
            raise rest.Fault(503, 'The identity service gives no token.') from error

    def project_id(self, name):
        """The id of the service user's project, which owns what other clouds give to the project `name`."""
        return self._project_id

    def _ask(self, token):
        try:
            answer = self._session.get(self._url + '/v3/auth/tokens?nocatalog', headers={'X-Subject-Token': token},
                                       raise_exc=False)
            if answer.status_code == 404:
                return None
            if answer.status_code == 200:
                return _read(answer.json()['token'])
            problem = 'HTTP %d' % answer.status_code
        except (exceptions.ClientException, ValueError, KeyError, TypeError) as error:
            problem = type(error).__name__
        raise rest.Fault(503, 'The identity service does not verify tokens: %s.' % problem)


def _read(token):
    """An identity from the body of a verified token."""
    user, project = token['user'], token.get('project', {})
    return identity.Identity(
        user_id=user['id'], user_name=user['name'], user_domain_id=user['domain']['id'],
        roles=frozenset(role['name'] for role in token.get('roles', ())),
        project_id=project.get('id'), project_name=project.get('name'),
        project_domain_id=project.get('domain', {}).get('id'), domain_id=token.get('domain', {}).get('id'),
        system='system' in token, expires_at=_seconds(token['expires_at']), issued_at=_seconds(token['issued_at']),
        methods=tuple(token['methods']), audit_ids=tuple(token['audit_ids']))


def _seconds(text):
    return datetime.datetime.fromisoformat(text).timestamp()
