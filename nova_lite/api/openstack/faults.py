# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""What a client sees when a request fails: the one table from exception to HTTP status, and the body in Nova's shape,
`{"itemNotFound": {"code": 404, "message": "…"}}`.
"""

import http
import json
import logging

from nova_lite import exception

LOG = logging.getLogger(__name__)

NAMES = {400: 'badRequest', 401: 'unauthorized', 403: 'forbidden', 404: 'itemNotFound', 405: 'badMethod',
         409: 'conflictingRequest', 413: 'overLimit', 415: 'badMediaType', 429: 'overLimit', 501: 'notImplemented',
         503: 'serviceUnavailable'}

# family → status; the first match counts
STATUS = ((exception.Invalid, 400), (exception.Forbidden, 403), (exception.NotFound, 404), (exception.Conflict, 409),
          (exception.Unavailable, 503))

RETRY_AFTER = 5         # seconds; what a client is told when another service is away
UNEXPECTED = 'Unexpected API Error. Please report it with the id of the request and the log of nova-api.'
STATUS_LINES = {status.value: '%d %s' % (status.value, status.phrase) for status in http.HTTPStatus}
HANDLED = 'nova_lite.fault'     # in the environment of a request whose error body is Nova's already


class HTTPError(Exception):
    """A failure that only makes sense in HTTP (405, 406, 415, …); others are a NovaException of some family."""

    def __init__(self, code, message, headers=()):
        super().__init__(message)
        self.code = code
        self.message = message
        self.headers = list(headers)


def from_exception(exc):
    """The HTTPError that tells a client of any exception. What nobody foresaw is logged here and told as a bare 500."""
    if isinstance(exc, HTTPError):
        return exc
    for family, code in STATUS:
        if isinstance(exc, family):
            headers = [('Retry-After', str(RETRY_AFTER))] if code == 503 else []
            return HTTPError(code, exc.message, headers)
    LOG.error('Unexpected exception in API method', exc_info=exc)
    return HTTPError(500, UNEXPECTED)


def body(code, message, headers=()):
    """The error body as bytes of JSON."""
    fault = {'code': code, 'message': message}
    retry = dict(headers).get('Retry-After')
    if retry is not None:
        fault['retryAfter'] = retry
    return json.dumps({NAMES.get(code, 'computeFault'): fault}).encode()


def respond(error, environ, start_response):
    """Answer a WSGI request with an HTTPError."""
    environ[HANDLED] = True
    content = body(error.code, error.message, error.headers)
    start_response(STATUS_LINES.get(error.code, '%d Error' % error.code),
                   [('Content-Type', 'application/json; charset=UTF-8'), ('Content-Length', str(len(content))),
                    *error.headers])
    return [content]
