# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""A network service whose tokens are the callers' names."""

import pytest

from nova_lite.standins import identity
from nova_lite.standins.neutron import app
from tests.unit.standins import cloud

IDENTITIES = {
    'admin': identity.Identity('u-admin', 'admin', 'default', frozenset(('admin', 'member', 'reader')),
                               project_id='p-admin'),
    'demo': identity.Identity('u-demo', 'demo', 'default', frozenset(('member', 'reader')), project_id='p-demo'),
    'other': identity.Identity('u-other', 'other', 'default', frozenset(('member', 'reader')), project_id='p-other'),
    'reader': identity.Identity('u-reader', 'reader', 'default', frozenset(('reader',)), project_id='p-demo'),
    'nova': identity.Identity('u-nova', 'nova', 'default', frozenset(('service',)), project_id='p-service'),
}


class Callers:
    """`callers.demo('GET', '/networks')`: calls below /v2.0 by name of the caller."""

    def __init__(self, application):
        self.application = application

    def __getattr__(self, name):
        client = cloud.Client(self.application, name)

        def call(method, path, body=None, headers=None):
            return client(method, '/v2.0' + path, body, headers)
        return call


@pytest.fixture
def make(conf, store):
    """Builds the service over the same database, as often as it is called."""
    return lambda: app.Neutron(conf, store, IDENTITIES.get, 'p-admin')


@pytest.fixture
def callers(make):
    return Callers(make().app)


@pytest.fixture
def shared(callers):
    """The shared network that the first start made."""
    return callers.admin('GET', '/networks')[1]['networks'][0]


@pytest.fixture
def private(callers):
    """A network of the project p-demo, with the range 192.168.7.0/24."""
    network = callers.demo('POST', '/networks', {'network': {'name': 'mine'}})[1]['network']
    status, body = callers.demo('POST', '/subnets', {'subnet': {
        'network_id': network['id'], 'ip_version': 4, 'cidr': '192.168.7.0/24'}})
    assert status == 201
    return {**network, 'subnet': body['subnet']}
