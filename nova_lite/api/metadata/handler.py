# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""The metadata service: what a guest reads of itself, behind the network service's proxy.

The proxy knows which port a request came from and names the instance in `X-Instance-ID`, its project in `X-Tenant-ID`,
both vouched for by a signature with the shared secret. Who asks is never guessed from an address.
"""

import hashlib
import hmac
import http
import logging
import posixpath
import re
import time

from oslo_utils import uuidutils

from nova_lite import exception
from nova_lite import instance_metadata
from nova_lite import server_password
from nova_lite.db import instances

LOG = logging.getLogger(__name__)

CACHE_SIZE = 500        # instances
LENGTH_DIGITS = 12      # of a Content-Length that is read as a number at all

_PASSWORD = re.compile('/openstack/(%s)/password$' % '|'.join(
    [version for version in instance_metadata.OPENSTACK_VERSIONS if version >= instance_metadata.SINCE['password']]
    + [instance_metadata.LATEST]))


class Refused(Exception):
    """Answer with this HTTP status and text."""

    def __init__(self, code, text):
        super().__init__(text)
        self.code = code
        self.text = text


class MetadataHandler:
    """The WSGI application. `secret`: the shared one, None where there is no proxy; `keep`: seconds in the cache."""

    def __init__(self, db, secret, keep):
        self._db = db
        self._secret = secret
        self._keep = keep
        self._cache = {}        # uuid → (good until, project id, InstanceMetadata)

    def __call__(self, environ, start_response):
        try:
            content, kind = self._answer(environ)
            code = 200
        except Refused as exc:
            code, content, kind = exc.code, exc.text.encode(), 'text/plain; charset=UTF-8'
        except exception.Unavailable as exc:
            code, content, kind = 503, exc.message.encode(), 'text/plain; charset=UTF-8'
        except Exception:
            LOG.exception('Metadata request failed')
            code, content, kind = 500, b'The metadata cannot be read now.', 'text/plain; charset=UTF-8'
        start_response('%d %s' % (code, http.HTTPStatus(code).phrase),
                       [('Content-Type', kind), ('Content-Length', str(len(content)))])
        return [] if environ['REQUEST_METHOD'] == 'HEAD' else [content]

    def _answer(self, environ):
        """(bytes, content type) of a document. :raises Refused: no such document, or not for the one who asks"""
        path = posixpath.normpath('/' + environ.get('PATH_INFO', '').lstrip('/'))
        if environ['REQUEST_METHOD'] == 'POST' and _PASSWORD.match(path):
            self._set_password(environ)
            return b'', 'text/plain; charset=UTF-8'
        if environ['REQUEST_METHOD'] not in ('GET', 'HEAD'):
            raise Refused(405, 'Metadata is only read.')
        if path.strip('/') == '':
            return '\n'.join((*instance_metadata.EC2_VERSIONS, instance_metadata.LATEST)).encode(), 'text/plain'
        metadata = self._metadata(*self._caller(environ))
        try:
            document = metadata.lookup(path)
        except KeyError:
            raise Refused(404, 'There is nothing at this path.') from None
        content = document.encode() if isinstance(document, str) else document
        return content, 'application/json' if path.endswith('.json') else 'text/plain; charset=UTF-8'

    def _set_password(self, environ):
        """Keep the password that a guest has made for itself, encrypted for its owner's key: once."""
        instance_id, project_id = self._caller(environ)
        self._metadata(instance_id, project_id)
        length = environ.get('CONTENT_LENGTH') or '0'
        if not length.isascii() or not length.isdigit() or len(length) > LENGTH_DIGITS:
            raise Refused(400, 'Content-Length is not a number.')
        if int(length) > server_password.MAX_SIZE:
            raise Refused(400, 'Request is too large.')
        try:
            text = environ['wsgi.input'].read(int(length)).decode('ascii')
            server_password.save(self._db, instance_id, text, once=True)
        except UnicodeDecodeError:
            raise Refused(400, 'The password is not text.') from None
        except exception.Conflict as exc:
            raise Refused(409, exc.message) from exc
        except exception.NotFound:
            raise Refused(404, 'There is no such instance.') from None
        self._cache.pop(instance_id, None)

    def _caller(self, environ):
        """(instance id, project id) that the proxy vouches for."""
        if not self._secret:
            raise Refused(404, 'Metadata is served through the proxy of the network service only.')
        instance_id = environ.get('HTTP_X_INSTANCE_ID')
        project_id = environ.get('HTTP_X_TENANT_ID')
        signature = environ.get('HTTP_X_INSTANCE_ID_SIGNATURE')
        for name, value in (('X-Instance-ID', instance_id), ('X-Tenant-ID', project_id)):
            if not value:
                raise Refused(400, '%s header is missing from request.' % name)
            if ',' in value:
                raise Refused(400, 'Multiple %s headers found within request.' % name)
        expected = hmac.new(self._secret, instance_id.encode('latin-1', 'replace'), hashlib.sha256).hexdigest()
        if not hmac.compare_digest(expected.encode(), (signature or '').encode('latin-1', 'replace')):
            LOG.warning('Metadata request with a wrong signature from %s', environ.get('REMOTE_ADDR'))
            raise Refused(403, 'Invalid proxy request signature.')
        return instance_id, project_id

    def _metadata(self, instance_id, project_id):
        until, owner, metadata = self._cache.get(instance_id, (0, None, None))
        if until <= time.monotonic():
            instance = self._load(instance_id)
            owner, metadata = instance.project_id, instance_metadata.InstanceMetadata(instance)
            self._remember(instance_id, owner, metadata)
        if owner != project_id:
            LOG.warning('Metadata of %s was asked for by another project', instance_id)
            raise Refused(404, 'There is no such instance.')
        return metadata

    def _load(self, instance_id):
        try:
            if not uuidutils.is_uuid_like(instance_id):
                raise exception.InstanceNotFound(instance_id=instance_id)
            return instances.get(self._db, instance_id)
        except exception.NotFound:
            raise Refused(404, 'There is no such instance.') from None

    def _remember(self, instance_id, owner, metadata):
        if self._keep:
            while len(self._cache) >= CACHE_SIZE:
                del self._cache[next(iter(self._cache))]
            self._cache[instance_id] = time.monotonic() + self._keep, owner, metadata


def create(services):
    """The handler by the process's configuration."""
    neutron = services.conf.neutron
    secret = neutron.metadata_proxy_shared_secret.encode() if neutron.service_metadata_proxy else None
    return MetadataHandler(services.db, secret, services.conf.api.metadata_cache_expiration)
