# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""The small REST core that every stand-in service is built on.

A service is a table of `Route`s and an `App`, a plain WSGI application that dispatches by path segment,
checks the token, reads JSON within limits and turns a `Fault` into the service's own error body.
"""

import dataclasses
import json
import logging
import time
import uuid
from collections import abc
from urllib import parse

import jsonschema

LOG = logging.getLogger(__name__)

MAX_BODY = 1024 * 1024
REASONS = {
    200: 'OK', 201: 'Created', 202: 'Accepted', 204: 'No Content', 206: 'Partial Content',
    300: 'Multiple Choices', 400: 'Bad Request', 401: 'Unauthorized', 403: 'Forbidden', 404: 'Not Found',
    405: 'Method Not Allowed', 406: 'Not Acceptable', 409: 'Conflict', 410: 'Gone', 411: 'Length Required',
    412: 'Precondition Failed', 413: 'Request Entity Too Large', 415: 'Unsupported Media Type',
    416: 'Requested Range Not Satisfiable', 500: 'Internal Server Error', 501: 'Not Implemented',
    503: 'Service Unavailable',
}


FORMATS = jsonschema.FormatChecker()


@FORMATS.checks('uuid')
def is_uuid(text):
    """Whether a text is a UUID, with or without dashes."""
    try:
        return uuid.UUID(text).hex == text.lower().replace('-', '')
    except (ValueError, AttributeError, TypeError):
        return not isinstance(text, str)  # what is no text at all is for the schema's `type` to refuse


class Fault(Exception):
    """An answer other than success: HTTP status, text for the user, and what the service's error body adds.

    `kind` is the service's machine-readable name of the error (Neutron's `type`, Placement's `code`).
    """

    def __init__(self, status, message, kind='', headers=()):
        super().__init__(message)
        self.status = status
        self.message = message
        self.kind = kind
        self.headers = list(headers)

    @property
    def title(self):
        return REASONS[self.status]


@dataclasses.dataclass(slots=True)
class Reply:
    """An answer: `body` is None (no body), a JSON-able object, bytes, or a generator of bytes."""

    status: int = 200
    body: object = None
    headers: abc.Sequence = ()


@dataclasses.dataclass(slots=True, frozen=True)
class Route:
    """One row of a service's table; `{name}` in `path` stands for a whole segment and is passed by that name.

    `handler(request, **names)` returns a `Reply`, a JSON-able object (status 200) or None (status 204).
    A `public` route needs no token; it still sees the identity if a valid token came along.
    """

    method: str
    path: str
    handler: abc.Callable
    public: bool = False


class Request:
    """One request as handlers see it."""

    __slots__ = ('environ', 'method', 'path', 'id', 'identity', 'reply_headers', 'version', '_query')

    def __init__(self, environ):
        self.environ = environ
        self.method = environ['REQUEST_METHOD']
        self.path = environ.get('PATH_INFO') or '/'
        self.id = 'req-' + str(uuid.uuid4())
        self.identity = None
        self.version = None  # the microversion, for a service that has them
        self.reply_headers = []  # sent with the answer whatever it is
        self._query = None

    def header(self, name, default=None):
        """The value of a request header, `name` in any case."""
        key = name.upper().replace('-', '_')
        if key not in ('CONTENT_TYPE', 'CONTENT_LENGTH'):
            key = 'HTTP_' + key
        return self.environ.get(key, default)

    @property
    def query(self):
        """The query string as {name: [values]}, blank values kept."""
        if self._query is None:
            text = self.environ.get('QUERY_STRING', '')
            try:
                self._query = parse.parse_qs(text, keep_blank_values=True, errors='strict',
                                             max_num_fields=1000) if text else {}
            except ValueError:
                raise Fault(400, 'The query string is malformed.') from None
        return self._query

    def argument(self, name, default=None):
        """The last value of one query parameter."""
        values = self.query.get(name)
        return values[-1] if values else default

    @property
    def host_url(self):
        """`scheme://host[:port]` as the caller addressed this service."""
        scheme = self.environ.get('wsgi.url_scheme', 'http')
        host = self.environ.get('HTTP_HOST')
        if not host:
            host = '%s:%s' % (self.environ['SERVER_NAME'], self.environ['SERVER_PORT'])
        return '%s://%s' % (scheme, host)

    @property
    def content_type(self):
        """What the caller declared, None where it declared nothing."""
        kind = self.environ.get('CONTENT_TYPE') or None
        if kind == 'text/plain':  # what eventlet says when there is no such header; its raw headers tell
            raw = self.environ.get('headers_raw', (('content-type', kind),))
            return kind if any(name.lower() == 'content-type' for name, _ in raw) else None
        return kind

    @property
    def content_length(self):
        """Length that the caller declared, None where it declared none (chunked or no body)."""
        text = self.environ.get('CONTENT_LENGTH')
        if not text:
            return None
        if not text.isascii() or not text.isdigit():
            raise Fault(400, 'Content-Length is not a number.')
        return int(text)

    @property
    def stream(self):
        """The body as a file, for a handler that reads it piece by piece."""
        return self.environ['wsgi.input']

    def read(self, limit=MAX_BODY):
        """The whole body as bytes; 413 when it is longer than `limit`."""
        length = self.content_length
        if length is None and 'chunked' not in self.environ.get('HTTP_TRANSFER_ENCODING', ''):
            return b''
        if length is not None and length > limit:
            raise Fault(413, 'The request body is longer than %d bytes.' % limit)
        wanted = limit + 1 if length is None else length
        pieces, size = [], 0
        while size < wanted:
            piece = self.stream.read(wanted - size)
            if not piece:
                break
            pieces.append(piece)
            size += len(piece)
        if size > limit:
            raise Fault(413, 'The request body is longer than %d bytes.' % limit)
        return b''.join(pieces)

    def json(self, validator=None, limit=MAX_BODY):
        """The body as decoded JSON, checked by `validator` (see `schema`); 400 with the reason if bad."""
        data = self.read(limit)
        try:
            document = json.loads(data, parse_constant=_refuse_constant)
            if b'\\u' in data:  # an escape may be half of a character, which no text can hold
                json.dumps(document, ensure_ascii=False).encode()
        except (ValueError, RecursionError):
            raise Fault(400, 'The request body is not valid JSON.') from None
        if validator is not None:
            check(validator, document)
        return document


def _refuse_constant(name):
    raise ValueError(name)


def schema(definition):
    """A compiled JSON schema for `Request.json` and `check`."""
    return jsonschema.Draft202012Validator(definition, format_checker=FORMATS)


def check(validator, document):
    """Raise a 400 that names the first thing in `document` which `validator` refuses."""
    error = next(validator.iter_errors(document), None)
    if error is not None:
        place = '/'.join(str(step) for step in error.absolute_path) or 'body'
        raise Fault(400, 'Invalid input for field/attribute %s. %s' % (place, error.message[:300]))


class _Node:
    """A path segment in the dispatch tree."""

    __slots__ = ('literal', 'wildcard', 'methods')

    def __init__(self):
        self.literal = {}
        self.wildcard = None
        self.methods = {}


class App:
    """A WSGI application over a table of routes.

    `identify(token)` gives the caller's identity or None. `render_fault(request, fault)` gives the JSON
    body of an error. `before(request)`, if given, runs ahead of dispatch (microversions). `challenge` is the
    value of WWW-Authenticate on a 401.
    """

    def __init__(self, name, routes, *, identify, render_fault, before=None, challenge=None):
        self.name = name
        self.routes = tuple(routes)
        self._identify = identify
        self._render_fault = render_fault
        self._before = before
        self._challenge = challenge
        self._root = _Node()
        for route in self.routes:
            self._add(route)

    def _add(self, route):
        node, names = self._root, []
        for segment in _segments(route.path):
            if segment.startswith('{'):
                names.append(segment[1:-1])
                node.wildcard = node.wildcard or _Node()
                node = node.wildcard
            else:
                node = node.literal.setdefault(segment, _Node())
        if route.method in node.methods:
            raise ValueError('two routes for %s %s' % (route.method, route.path))
        node.methods[route.method] = (route, names)

    def __call__(self, environ, start_response):
        started = time.monotonic()
        request = Request(environ)
        try:
            reply = self._answer(request)
        except Fault as fault:
            reply = self._refuse(request, fault)
        except (UnicodeError, OverflowError):
            reply = self._refuse(request, Fault(400, 'The request has text or a number that cannot be kept.'))
        except Exception:
            LOG.exception('[%s] %s %s failed', request.id, request.method, request.path)
            reply = self._refuse(request, Fault(
                500, 'The %s service met an unexpected error; its log tells it under %s.'
                % (self.name, request.id)))
        headers, body = self._encode(request, reply)
        LOG.info('[%s %s] %s "%s %s" status: %d time: %.4f', request.id,
                 request.identity.label if request.identity else '-', self.name, request.method,
                 request.path[:200].encode('unicode_escape').decode(), reply.status, time.monotonic() - started)
        start_response('%d %s' % (reply.status, REASONS[reply.status]), headers)
        return body

    def _answer(self, request):
        try:
            path = request.path.encode('latin-1').decode('utf-8')
        except UnicodeError:
            raise Fault(404, 'The resource could not be found.') from None
        request.path = path
        if self._before is not None:
            self._before(request)
        token = request.environ.get('HTTP_X_AUTH_TOKEN')
        if token:
            request.identity = self._identify(token)
        route, values = self._find(request.method, path)
        if request.identity is None and not route.public:
            headers = [('WWW-Authenticate', self._challenge)] if self._challenge else []
            raise Fault(401, 'The request you have made requires authentication.', headers=headers)
        reply = route.handler(request, **values)
        if reply is None:
            return Reply(204)
        return reply if isinstance(reply, Reply) else Reply(200, reply)

    def _find(self, method, path):
        values = []
        node = _walk(self._root, _segments(path), 0, values)
        if node is None:
            raise Fault(404, 'The resource could not be found.')
        found = node.methods.get(method) or (node.methods.get('GET') if method == 'HEAD' else None)
        if found is None:
            raise Fault(405, 'The method %s is not allowed for this resource.' % method[:20],
                        headers=[('Allow', ', '.join(sorted(node.methods)))])
        route, names = found
        return route, dict(zip(names, values, strict=True))

    def _refuse(self, request, fault):
        body = self._render_fault(request, fault)
        return Reply(fault.status, body, fault.headers)

    def _encode(self, request, reply):
        headers = [('X-Openstack-Request-Id', request.id), *request.reply_headers, *reply.headers]
        body = reply.body
        if body is None:
            if reply.status != 204:
                headers.append(('Content-Length', '0'))
            return headers, []
        if isinstance(body, abc.Generator):
            if request.method == 'HEAD':
                body.close()
                return headers, []
            return headers, body
        if not isinstance(body, bytes):
            body = json.dumps(body).encode()
            headers.append(('Content-Type', 'application/json'))
        headers.append(('Content-Length', str(len(body))))
        return headers, [] if request.method == 'HEAD' else [body]


def _segments(path):
    path = path.strip('/')
    return path.split('/') if path else []


def _walk(node, segments, index, values):
    """The node of a path, literal segments first; what the wildcards took is left in `values`."""
    if index == len(segments):
        return node if node.methods else None
    segment = segments[index]
    child = node.literal.get(segment)
    if child is not None:
        found = _walk(child, segments, index + 1, values)
        if found is not None:
            return found
    if node.wildcard is None or not segment:
        return None
    values.append(segment)
    found = _walk(node.wildcard, segments, index + 1, values)
    if found is None:
        values.pop()
    return found
