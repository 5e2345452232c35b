# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""A cloud of stand-ins in a temporary directory, driven without sockets."""

import pytest
from oslo_config import cfg

from nova_lite.standins import settings
from nova_lite.standins import store as stores
from nova_lite.standins.keystone import app as keystone_app
from nova_lite.standins.placement import app as placement_app
from tests.unit.standins import cloud


@pytest.fixture
def conf(tmp_path):
    conf = cfg.ConfigOpts()
    settings.register(conf)
    conf([], project='standins', default_config_files=[], default_config_dirs=[])
    conf.set_override('state_path', str(tmp_path))
    conf.set_override('admin_password', cloud.PASSWORDS['admin'], 'identity')
    conf.set_override('demo_password', cloud.PASSWORDS['demo'], 'identity')
    conf.set_override('service_password', cloud.PASSWORDS['nova'], 'identity')
    return conf


@pytest.fixture
def store(conf):
    made = stores.Store(settings.database_url(conf))
    yield made
    made.close()


@pytest.fixture
def keystone(conf, store, monkeypatch):
    monkeypatch.setattr(keystone_app.password_module, 'ROUNDS', 4)
    return keystone_app.Keystone(conf, store)


@pytest.fixture
def admin(keystone):
    return cloud.Client(keystone.app, cloud.login(keystone.app, 'admin', 'admin'))


@pytest.fixture
def demo(keystone):
    return cloud.Client(keystone.app, cloud.login(keystone.app, 'demo', 'demo'))


@pytest.fixture
def placement(store, keystone):
    token = cloud.login(keystone.app, 'nova', 'service')
    return cloud.Client(placement_app.application(store, keystone.identify), token, cloud.VERSION)
