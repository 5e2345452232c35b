# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Calls to a WSGI application without a socket."""

import io
import json
import urllib.parse


class Answer:
    def __init__(self, status, headers, content):
        self.status = status
        self.headers = {name.lower(): value for name, value in headers}
        self.content = content

    @property
    def json(self):
        return json.loads(self.content)

    @property
    def fault(self):
        """(name, code, message) of an error body, which has to be in Nova's shape."""
        assert self.headers['content-type'].startswith('application/json'), self.content
        (name, fault), = self.json.items()
        assert fault['code'] == self.status and isinstance(fault['message'], str), self.json
        return name, fault['code'], fault['message']


class Client:
    """One caller at one microversion; by default the member `demo` of the project `demo`."""

    def __init__(self, app, user='demo', project='demo', version=None, base='/v2.1'):
        self.app = app
        self.base = base
        self.headers = {'X-Auth-Token': '%s:%s' % (user, project)} if user else {}
        if version:
            self.headers['OpenStack-API-Version'] = 'compute %s' % version

    def __call__(self, method, path, body=None, headers=None, raw=None):
        content = raw if raw is not None else b'' if body is None else json.dumps(body).encode()
        path, _, query = (self.base + path).partition('?')
        environ = {
            'REQUEST_METHOD': method, 'SCRIPT_NAME': '', 'QUERY_STRING': query,
            'PATH_INFO': urllib.parse.unquote(path, 'latin-1'), 'SERVER_NAME': 'nova.test', 'SERVER_PORT': '8774',
            'SERVER_PROTOCOL': 'HTTP/1.1', 'REMOTE_ADDR': '192.0.2.1', 'CONTENT_LENGTH': str(len(content)),
            'wsgi.url_scheme': 'http', 'wsgi.input': io.BytesIO(content), 'wsgi.errors': io.StringIO(),
            'wsgi.version': (1, 0), 'wsgi.multithread': False, 'wsgi.multiprocess': False, 'wsgi.run_once': False}
        sent = {'Content-Type': 'application/json'} | self.headers | (headers or {})
        for name, value in sent.items():
            key = name.upper().replace('-', '_')
            if value is not None:
                environ[key if key in ('CONTENT_TYPE', 'CONTENT_LENGTH') else 'HTTP_' + key] = value
        told = []
        chunks = self.app(environ, lambda status, headers, exc_info=None: told.append((status, headers)))
        (status, headers), = told
        return Answer(int(status[:3]), headers, b''.join(chunks))

    def get(self, path, status=200, **kwargs):
        """The body of a GET that has to end with this status."""
        return self._expect('GET', path, status, None, kwargs)

    def post(self, path, body, status=200, **kwargs):
        return self._expect('POST', path, status, body, kwargs)

    def put(self, path, body, status=200, **kwargs):
        return self._expect('PUT', path, status, body, kwargs)

    def delete(self, path, status=204, **kwargs):
        return self._expect('DELETE', path, status, None, kwargs)

    def _expect(self, method, path, status, body, kwargs):
        answer = self(method, path, body, **kwargs)
        assert answer.status == status, (answer.status, answer.content)
        if status >= 400:
            return answer.fault[2]
        return answer.json if answer.content else None
