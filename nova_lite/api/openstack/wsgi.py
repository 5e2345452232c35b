# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""From a WSGI request to a controller's method and back, by a table of operations.

An operation is one method of one URL (or one action of `…/action`): everything that the framework has to know of it
stands in its row. A handler gets a :class:`Request`, the ids of the URL by name and the checked body, and returns what
becomes the JSON body, or a :class:`Reply`.
"""

import dataclasses
import json
import logging

from nova_lite.api.openstack import faults
from nova_lite.api.openstack import microversions
from nova_lite.api.openstack import validation

LOG = logging.getLogger(__name__)

MAX_BODY = 114688       # bytes
MAX_BODY_DIGITS = 12    # of a Content-Length that is read as a number at all
JSON_TYPES = {'', 'application/json', 'text/plain', 'application/vnd.openstack.compute+json'}
CONTEXT = 'nova.context'                # environ key: the RequestContext that the auth filter made
VERSION = 'nova_lite.microversion'      # environ key: the negotiated Version
LEGACY = 'nova_lite.legacy_v2'          # environ key: the request came in under /v2

ANYBODY = None          # as a policy: every authenticated caller
CALLER, OBJECT = 'caller', 'object'

_ANY, _END = object(), object()        # keys of the router's tree beside the segments themselves



@dataclasses.dataclass(kw_only=True)
class Operation:
    """One row of the table.

    `target`: CALLER has the framework check the policy rule against the caller's own project before the handler runs;
    OBJECT leaves it to the handler, who must call `req.authorize(owner)`: an answer without that check is not sent.
    `body`, `query` and `success` may be a `microversions.Since`. `min` and `max` are the microversions that know the
    operation.
    """

    controller: type
    method: str
    policy: str | None
    target: str = CALLER
    body: object = None
    query: object = None
    success: object = 200
    min: str = '2.1'
    max: str = microversions.MAX_TEXT


def op(controller, method, policy, **details):
    """An Operation, short enough for a table."""
    return Operation(controller=controller, method=method, policy=policy, **details)


class Reply:
    """An answer that is more than a JSON body with the operation's own status."""

    def __init__(self, body=None, status=None, headers=()):
        self.body = body
        self.status = status
        self.headers = list(headers)


class Compiled:
    """An operation made ready: bound handler, compiled schemas, parsed versions."""

    def __init__(self, operation, controller):
        self.operation = operation
        self.handler = getattr(controller, operation.method)
        self.policy = operation.policy
        self.min = microversions.parse(operation.min)
        self.max = microversions.parse(operation.max)
        self._bodies = microversions.since(operation.body).map(validation.Body)
        self._queries = microversions.since(operation.query)
        self._success = microversions.since(operation.success)

    def body_schema(self, version):
        return self._bodies.at(version)

    def query_schema(self, version):
        return self._queries.at(version)

    def success(self, version):
        return self._success.at(version)


class Request:
    """A call on its way to a handler.

    `context`: the caller; `version`: the microversion; `legacy`: it came under /v2; `project_id`: the one in the URL or
    None; `query`: {name: [values…]} as the operation's query schema lets through; `urls`: where links point.
    """

    __slots__ = ('environ', 'context', 'version', 'legacy', 'project_id', 'query', 'compiled', 'urls', 'authorized',
                 '_enforcer')

    def __init__(self, environ, enforcer):
        self.environ = environ
        self.context = environ[CONTEXT]
        self.version = environ[VERSION]
        self.legacy = environ.get(LEGACY, False)
        self.project_id = None
        self.query = {}
        self.compiled = None
        self.urls = None
        self.authorized = False
        self._enforcer = enforcer

    def authorize(self, owner=None, rule=None):
        """Check the operation's policy rule (or another) against an owner: any object with project_id and user_id.

        Without an owner it is checked against the caller's own project.
        :raises exception.PolicyNotAuthorized: the rule forbids it
        """
        self._enforcer.authorize(rule or self.compiled.policy, self.context, owner)
        if rule is None:
            self.authorized = True

    def allows(self, rule, owner=None):
        """Whether a policy rule holds, for what some callers see and others do not."""
        return self._enforcer.allows(rule, self.context, owner)

    def param(self, name, default=None):
        """The last value of a query parameter."""
        values = self.query.get(name)
        return values[-1] if values else default

    def raw_query(self):
        return self.environ.get('QUERY_STRING', '')

    def json(self):
        """The JSON body; None when there is none. :raises faults.HTTPError: 400, 413, 415"""
        length = self.environ.get('CONTENT_LENGTH') or '0'
        chunked = self.environ.get('HTTP_TRANSFER_ENCODING', '').lower() == 'chunked'
        if not length.isascii() or not length.isdigit():
            raise faults.HTTPError(400, 'Content-Length is not a number')
        if len(length) > MAX_BODY_DIGITS or int(length) > MAX_BODY:
            raise faults.HTTPError(413, 'Request is too large.')
        raw = self.environ['wsgi.input'].read(MAX_BODY + 1 if chunked else int(length))
        if len(raw) > MAX_BODY:
            raise faults.HTTPError(413, 'Request is too large.')
        if not raw:
            return None
        kind = self.environ.get('CONTENT_TYPE', '').partition(';')[0].strip().lower()
        if kind not in JSON_TYPES:
            raise faults.HTTPError(415, 'Unsupported Content-Type')
        return _parse(raw)


def _parse(raw):
    try:
        value = json.loads(raw, parse_constant=_refuse_constant)
        if b'\\u' in raw:
            text = json.dumps(value, ensure_ascii=False)
            text.encode()           # a lone surrogate is JSON, but no text
            if '\\u0000' in text:
                raise ValueError('NUL')
    except (ValueError, RecursionError):
        raise faults.HTTPError(400, 'Malformed request body') from None
    return value


def _refuse_constant(name):
    raise ValueError(name)


class Router:
    """Finds the operations of a path: `table` is {'/flavors/{id}': {'GET': operation, …}, …}.

    `POST` of a path may be a dict {action: operation} instead.
    """

    def __init__(self, table, controllers):
        self._root = {}
        self.rules = set()      # every policy rule of the table
        for path, methods in table.items():
            node, names = self._root, []
            for segment in path.strip('/').split('/'):
                if segment.startswith('{'):
                    names.append(segment[1:-1])
                    segment = _ANY
                node = node.setdefault(segment, {})
            node[_END] = {method: self._compile(entry, controllers) for method, entry in methods.items()}, names

    def _compile(self, entry, controllers):
        if isinstance(entry, dict):
            return {name: self._compile(item, controllers) for name, item in entry.items()}
        entries = entry if isinstance(entry, list) else [entry]
        self.rules.update(item.policy for item in entries if item.policy is not ANYBODY)
        return [Compiled(item, controllers[item.controller]) for item in entries]

    def starts(self, segment):
        """Whether a path may start with this segment."""
        return segment in self._root

    def find(self, segments):
        """({method: …}, ids by name) of a path's segments, or (None, None)."""
        node, ids = self._root, []
        for segment in segments:
            following = node.get(segment)
            if following is None and segment:
                following = node.get(_ANY)
                ids.append(segment)
            if following is None:
                return None, None
            node = following
        methods, names = node.get(_END, (None, ()))
        return methods, dict(zip(names, ids, strict=False))


def encode(reply, status):
    """(headers, content) of a Reply."""
    if reply.body is None:
        content = b''
    else:
        content = json.dumps(reply.body).encode()
    headers = [('Content-Type', 'application/json'), ('Content-Length', str(len(content)))] if status != 204 else []
    return headers + reply.headers, content
