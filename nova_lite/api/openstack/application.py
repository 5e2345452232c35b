# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""The compute API as a WSGI application: route, check, authorize, call, answer, in this order.

It sits at the end of the pipeline: who asks (`nova.context`) is known by then and version and errors are framed by
`faults.FaultWrapper`'s filter, so anything raised here becomes an answer there.
"""

import re

from nova_lite.api import policies
from nova_lite.api.openstack import faults
from nova_lite.api.openstack import links
from nova_lite.api.openstack import wsgi

_PROJECT = re.compile(r'[0-9a-f-]{8,64}\Z')


class Application:
    """`router`: the operations; `enforcer`: policy; `link_prefix`: the public URL for links, or None for the
    request's own; `version_document(req)`: what the root of a project's URL shows."""

    def __init__(self, router, enforcer, link_prefix, version_document):
        self._router = router
        self._enforcer = enforcer
        self._link_prefix = link_prefix
        self._version_document = version_document

    def __call__(self, environ, start_response):
        version = environ[wsgi.VERSION]
        if isinstance(version, Exception):      # a bad microversion is told only to those who are let in
            raise version
        req = wsgi.Request(environ, self._enforcer)
        req.context.is_admin = req.allows(policies.CONTEXT_IS_ADMIN)
        methods, names = self._route(req, environ)
        reply, status = self._call(req, methods, names, environ['REQUEST_METHOD'])
        headers, content = wsgi.encode(reply, status)
        start_response(faults.STATUS_LINES[status], headers)
        return [content]

    def _route(self, req, environ):
        """The methods of the path and the ids in it; sets the request's project and links."""
        try:
            path = environ['PATH_INFO'].encode('latin-1').decode()
        except UnicodeError:
            raise faults.HTTPError(400, 'The URL is not UTF-8 encoded') from None
        if '\0' in path:
            raise faults.HTTPError(400, 'The URL holds a NUL character')
        segments = path[1:].split('/')
        project_id = None
        if self._router.starts(segments[0]):
            methods, names = self._router.find(segments)
        else:
            project_id, rest = segments[0], segments[1:]
            if not project_id:
                methods = None
            elif rest in ([], ['']):
                methods, names = self._project_root(req, project_id), {}
            else:
                methods, names = self._router.find(rest)
        if methods is None:
            raise faults.HTTPError(404, 'The resource could not be found.')
        if project_id is not None:
            self._check_project(req, project_id)
        req.project_id = project_id
        req.urls = links.Links(environ, self._link_prefix, project_id)
        return methods, names

    def _project_root(self, req, project_id):
        if project_id == req.context.project_id or _PROJECT.match(project_id):
            return {'GET': self._version_document}
        return None

    @staticmethod
    def _check_project(req, project_id):
        if project_id != req.context.project_id:
            raise faults.HTTPError(400, "Malformed request URL: URL's project_id '%s' doesn't match Context's "
                                        "project_id '%s'" % (project_id[:64], req.context.project_id))

    def _call(self, req, methods, names, method):
        entry = methods.get(method)
        if entry is None:
            raise faults.HTTPError(405, 'The method is not allowed for this resource.',
                                   [('Allow', ', '.join(sorted(methods)))])
        if callable(entry):
            return wsgi.Reply(entry(req)), 200
        body = req.json() if method in ('POST', 'PUT', 'PATCH') else None
        if isinstance(entry, dict):
            entry = self._action(entry, body)
        compiled = self._by_version(entry, req.version)
        req.compiled = compiled
        schema = compiled.query_schema(req.version)
        if schema is not None:
            req.query = schema.check(req.raw_query())
        schema = compiled.body_schema(req.version)
        if schema is not None:
            names['body'] = schema.check(body, req.legacy)
        if compiled.operation.target == wsgi.CALLER:
            if compiled.policy is not wsgi.ANYBODY:
                req.authorize()
            req.authorized = True
        result = compiled.handler(req, **names)
        if not req.authorized:
            raise RuntimeError('%s answered without a policy check' % compiled.handler.__qualname__)
        reply = result if isinstance(result, wsgi.Reply) else wsgi.Reply(result)
        return reply, reply.status or compiled.success(req.version)

    @staticmethod
    def _action(entry, body):
        if not isinstance(body, dict) or not body:
            raise faults.HTTPError(400, 'Malformed request body')
        if len(body) > 1:
            raise faults.HTTPError(400, 'Multiple actions in one request body are not allowed')
        name = next(iter(body))
        if name not in entry:
            raise faults.HTTPError(400, 'There is no such action: %s' % name[:64])
        return entry[name]

    @staticmethod
    def _by_version(entry, version):
        for compiled in entry:
            if compiled.min <= version <= compiled.max:
                return compiled
        raise faults.HTTPError(404, 'API version %s is not supported on this method.' % str(version))
