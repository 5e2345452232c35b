# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""A volume service whose tokens are the callers' names, beside an image service that it reaches without a socket."""

import io
import os

import pytest
import requests
from requests import adapters

from nova_lite.standins import identity
from nova_lite.standins.cinder import app
from nova_lite.standins.glance import app as glance_app
from tests.fixtures import wsgi
from tests.unit.standins import cloud

MEMBER = frozenset(('member', 'reader'))
IDENTITIES = {
    'admin': identity.Identity('u-admin', 'admin', 'default', MEMBER | {'admin'}, project_id='a' * 32),
    'demo': identity.Identity('u-demo', 'demo', 'default', MEMBER, project_id='d' * 32),
    'other': identity.Identity('u-other', 'other', 'default', MEMBER, project_id='e' * 32),
    'reader': identity.Identity('u-reader', 'reader', 'default', frozenset(('reader',)), project_id='d' * 32),
    'nova': identity.Identity('u-nova', 'nova', 'default', frozenset(('service',)), project_id='f' * 32),
    'cinder': identity.Identity('u-cinder', 'cinder', 'default', MEMBER | {'admin', 'service'}, project_id='f' * 32),
    'nobody': identity.Identity('u-demo', 'demo', 'default', frozenset()),
}
LATEST = {'OpenStack-API-Version': 'volume 3.71'}
BY_NOVA = {'X-Service-Token': 'nova', **LATEST}


class Tokens:
    """Stands for the identity service."""

    challenge = 'Keystone uri="http://localhost"'
    identify = staticmethod(IDENTITIES.get)

    @staticmethod
    def service_token(name):
        return name


class Wire(adapters.BaseAdapter):
    """Carries requests to a WSGI application."""

    def __init__(self, application):
        super().__init__()
        self.application = application

    def send(self, request, **kwargs):
        body = request.body.read() if hasattr(request.body, 'read') else request.body
        path = request.path_url
        status, headers, content = wsgi.call(self.application, request.method, path, body, dict(request.headers))
        answer = requests.Response()
        answer.status_code, answer.request, answer.url = status, request, request.url
        answer.headers.update(headers)
        answer.raw = io.BytesIO(content)
        return answer

    def close(self):
        pass


class Callers:
    """`callers.demo('GET', '/volumes')`: calls below /v3/PROJECT by name of the caller, at the latest microversion."""

    def __init__(self, service):
        self.service = service
        self.last = None

    def __getattr__(self, name):
        self.last = client = cloud.Client(self.service.app, name)
        root = '/v3/%s' % IDENTITIES[name].project_id

        def call(method, path, body=None, headers=LATEST):
            return client(method, root + path, body, headers)
        return call


@pytest.fixture
def glance(conf, store):
    return glance_app.application(conf, store, IDENTITIES.get)


@pytest.fixture
def make(conf, store, glance):
    """Builds the service over the same database, as often as it is called."""
    def build(**options):
        for name, value in options.items():
            conf.set_override(name, value, 'volume')
        session = requests.Session()
        session.mount('http://', Wire(glance))
        return app.Cinder(conf, store, Tokens, session=session)
    return build


@pytest.fixture
def service(make):
    return make(host='here', export='none')


@pytest.fixture
def callers(service):
    return Callers(service)


@pytest.fixture
def files(service):
    """A function that tells the names of the back end's files."""
    return lambda: sorted(name for name in os.listdir(service.files.directory) if name != 'exports')


@pytest.fixture
def create(callers, service):
    """Makes a volume of the project of demo and waits until that is done; the volume then."""
    def make_one(caller='demo', **fields):
        call = getattr(callers, caller)
        status, body = call('POST', '/volumes', {'volume': {'size': 1, **fields}})
        assert status == 202, body
        service.jobs.wait()
        return call('GET', '/volumes/' + body['volume']['id'])[1]['volume']
    return make_one
