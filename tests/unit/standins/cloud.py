# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Log-ins, calls to a stand-in's WSGI application without a socket, and what several tests need of Placement."""

import json
import uuid

from tests.fixtures import wsgi

PASSWORDS = {'admin': 'admin-pw', 'demo': 'demo-pw', 'nova': 'service-pw'}

VERSION = {'OpenStack-API-Version': 'placement 1.39'}
SIZE = {'VCPU': 1, 'MEMORY_MB': 512}
QUERY = '/allocation_candidates?resources=VCPU:1,MEMORY_MB:512'


class Client:
    """Calls one application with one token; answers are (status, decoded body)."""

    def __init__(self, app, token=None, headers=None):
        self.app = app
        self.token = token
        self.extra = headers or {}
        self.headers = {}  # of the last answer

    def __call__(self, method, path, body=None, headers=None):
        sent = {**self.extra, **({'X-Auth-Token': self.token} if self.token else {}), **(headers or {})}
        status, self.headers, content = wsgi.call(self.app, method, path, body, sent)
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
    status, headers, content = wsgi.call(app, 'POST', '/v3/auth/tokens', body)
    assert status == 201, content
    return headers['x-subject-token']


def make_host(placement, name, parent=None, traits=(), **totals):
    """A provider with inventories of the totals; its uuid."""
    body = {'name': name, 'parent_provider_uuid': parent}
    status, provider = placement('POST', '/resource_providers', body)
    assert status == 200, provider
    path = '/resource_providers/' + provider['uuid']
    inventories = {key: {'total': total} for key, total in (totals or {'VCPU': 4, 'MEMORY_MB': 4096}).items()}
    status, body = placement('PUT', path + '/inventories', {
        'resource_provider_generation': 0, 'inventories': inventories})
    assert status == 200, body
    if traits:
        status, body = placement('PUT', path + '/traits', {'resource_provider_generation': 1, 'traits': list(traits)})
        assert status == 200, body
    return provider['uuid']


def claim(placement, host, consumer=None, generation=None, resources=None):
    """Put an allocation: (status, answer)."""
    return placement('PUT', '/allocations/%s' % (consumer or uuid.uuid4()), {
        'allocations': {host: {'resources': resources or SIZE}}, 'project_id': 'p', 'user_id': 'u',
        'consumer_generation': generation, 'consumer_type': 'INSTANCE'})


def usages(placement, host):
    return placement('GET', '/resource_providers/%s/usages' % host)[1]['usages']
