# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""The whole API, paste pipeline and all, on an SQLite database of its own."""

import functools
import pathlib

import pytest
from oslo_config import cfg

from nova_lite.api import deploy
from nova_lite.api import enforcer
from nova_lite.compute import api as compute_api
from nova_lite.compute import api_clients
from nova_lite.conf import registry
from nova_lite.db import engine
from nova_lite.db import models
from nova_lite.network import neutron
from tests.unit.api import client
from tests.unit.compute_api import doubles

PASTE = pathlib.Path(__file__).parents[3] / 'etc' / 'nova' / 'api-paste.ini'


def configuration():
    """Options as they are without a file, but for noauth2."""
    conf = cfg.ConfigOpts()
    registry.register_all(conf)
    conf([], project='nova', default_config_files=[], default_config_dirs=[])
    conf.set_override('auth_strategy', 'noauth2', 'api')
    return conf


@pytest.fixture
def conf():
    return configuration()


@pytest.fixture
def db(tmp_path):
    """Empty, without the flavors that a migration brings."""
    database = engine.Database('sqlite:///%s' % (tmp_path / 'nova.sqlite'))
    models.metadata.create_all(database.engine)
    yield database
    database.close()


@pytest.fixture
def services(conf, db):
    policy = enforcer.Enforcer(conf)
    network = neutron.API(doubles.Neutron())
    compute = compute_api.API(conf, db, policy, api_clients.Clients(image=None, network=network, volume=None),
                              conductor=None, compute=None)
    return deploy.Services(conf=conf, db=db, enforcer=policy, compute_api=compute, network=network)


@pytest.fixture
def app(services):
    return deploy.load(str(PASTE), 'osapi_compute', services)


@pytest.fixture
def demo(app):
    """A function that makes a client of a member: demo(version='2.37')."""
    return functools.partial(client.Client, app)


@pytest.fixture
def admin(app):
    return functools.partial(client.Client, app, 'admin', 'admin')
