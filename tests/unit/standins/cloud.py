# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Log-ins and calls to a stand-in's WSGI application without a socket."""

import json

from nova_lite.standins import rest

PASSWORDS = {'admin': 'admin-pw', 'demo': 'demo-pw', 'nova': 'service-pw'}


class Client:
    """Calls one application with one token; answers are (status, decoded body)."""

    def __init__(self, app, token=None, headers=None):
        self.app = app
        self.token = token
        self.extra = headers or {}
        self.headers = {}  # of the last answer

    def __call__(self, method, path, body=None, headers=None):
        sent = {**self.extra, **({'X-Auth-Token': self.token} if self.token else {}), **(headers or {})}
        status, self.headers, content = rest.call(self.app, method, path, body, sent)
        if self.headers.get('content-type') == 'application/json' and content:
            content = json.loads(content)
        return status, content


def login(app, user, project=None, scope=None):
    """A token of a user of the default domain."""
    body = {'auth': {'identity': {'methods': ['password'], 'password': {'user': {
        'name': user, 'domain': {'id': 'default'}, 'password': PASSWORDS[user]}}}}}
    if project:
        scope = {'project': {'name': project, 'domain': {'id': 'default'}}}
    if scope:
        body['auth']['scope'] = scope
    status, headers, content = rest.call(app, 'POST', '/v3/auth/tokens', body)
    assert status == 201, content
    return headers['x-subject-token']
