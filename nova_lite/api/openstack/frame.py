# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""The filters around the API that every request passes: its id, the access log, and the frame of each answer
(microversion headers, errors in Nova's shape).
"""

import json
import logging
import re
import time

from oslo_context import context as oslo_context

from nova_lite.api.openstack import faults
from nova_lite.api.openstack import microversions
from nova_lite.api.openstack import wsgi

LOG = logging.getLogger(__name__)

REQUEST_ID = 'openstack.request_id'
GLOBAL_REQUEST_ID = 'openstack.global_request_id'

_GLOBAL_ID = re.compile(r'req-[0-9a-fA-F]{8}-([0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}\Z')
_KEPT_HEADERS = {'www-authenticate', 'retry-after', 'allow'}
_LOGGED_QUERY = 200         # characters
_SECRET = re.compile(r'(/os-console-auth-tokens/)[^/]+')      # who has a console's token has the console


class ComputeReqId:
    """Gives each request an id, told in two headers; a caller's own `req-…` id goes along as the global one."""

    def __init__(self, app):
        self._app = app

    def __call__(self, environ, start_response):
        request_id = oslo_context.generate_request_id()
        environ[REQUEST_ID] = request_id
        inbound = environ.get('HTTP_X_OPENSTACK_REQUEST_ID', '')
        if _GLOBAL_ID.match(inbound):
            environ[GLOBAL_REQUEST_ID] = inbound

        def start(status, headers, exc_info=None):
            headers = [pair for pair in headers if pair[0].lower() != 'x-openstack-request-id']
            return start_response(status, headers + [('x-openstack-request-id', request_id),
                                                     ('x-compute-request-id', request_id)], exc_info)
        return self._app(environ, start)


class RequestLog:
    """One line for each request."""

    def __init__(self, app):
        self._app = app

    def __call__(self, environ, start_response):
        began = time.monotonic()
        told = {}

        def start(status, headers, exc_info=None):
            told.update(status=status[:3], headers=headers)
            return start_response(status, headers, exc_info)
        path = _SECRET.sub(r'\1***', environ.get('SCRIPT_NAME', '') + environ.get('PATH_INFO', ''))
        content = self._app(environ, start)
        query = environ.get('QUERY_STRING', '')
        headers = dict(told.get('headers', ()))
        LOG.info('%s "%s %s%s" status: %s len: %s microversion: %s time: %.4f', environ.get('REMOTE_ADDR', '-'),
                 environ['REQUEST_METHOD'], path[:_LOGGED_QUERY], query and '?' + query[:_LOGGED_QUERY],
                 told.get('status'), headers.get('Content-Length', '0'),
                 headers.get(microversions.LEGACY_HEADER, '-'), time.monotonic() - began)
        return content


class FaultWrapper:
    """Frames each answer: finds the microversion, tells it in headers, and makes Nova's error bodies of whatever is
    raised, or refused by another filter, below it. Answers of /v2 know nothing of microversions."""

    def __init__(self, app):
        self._app = app

    def __call__(self, environ, start_response):
        legacy = environ.get(wsgi.LEGACY, False)
        version = shown = microversions.MIN
        if not legacy:
            try:
                version = shown = microversions.negotiate(environ)
            except faults.HTTPError as exc:
                version = exc
        environ[wsgi.VERSION] = version
        status, headers, content = self._run(environ)
        if not legacy:
            headers = [pair for pair in headers if pair[0].lower() != 'vary'] + [
                (microversions.HEADER, '%s %s' % (microversions.SERVICE, shown)),
                (microversions.LEGACY_HEADER, str(shown)), ('Vary', microversions.VARY)]
        start_response(status, headers)
        return content

    def _run(self, environ):
        answer = []

        def start(status, headers, exc_info=None):
            answer[:] = status, headers
        try:
            content = self._app(environ, start)
            status, headers = answer
            if status < '400' or faults.HANDLED in environ:
                return status, headers, content
            error = _foreign_error(status, headers, content)
        except Exception as exc:
            error = faults.from_exception(exc)
        content = faults.respond(error, environ, start)
        return answer[0], answer[1], content


def _foreign_error(status, headers, content):
    """The HTTPError that says what another library's error answer says."""
    text = b''.join(content).decode('utf-8', 'replace').strip()
    if hasattr(content, 'close'):
        content.close()
    try:
        text = json.loads(text)['error']['message']
    except (ValueError, KeyError, TypeError):
        text = text.splitlines()[-1].strip() if text else ''     # webob's plain texts begin with the status
        if not text or '<' in text or len(text) > 512:
            text = status[4:]
    kept = [pair for pair in headers if pair[0].lower() in _KEPT_HEADERS]
    code = int(status[:3])
    if code == 503 and not any(name.lower() == 'retry-after' for name, _ in kept):
        kept.append(('Retry-After', str(faults.RETRY_AFTER)))
    return faults.HTTPError(code, text, kept)
