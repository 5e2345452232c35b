# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Stand-ins beside a Keystone that is not in their process: tokens verified over HTTP, by keystoneauth."""

import threading
import time
import wsgiref.simple_server

import pytest
from keystoneauth1 import loading

from nova_lite.standins import remote_identity
from nova_lite.standins import rest
from nova_lite.standins.keystone import app as keystone_app
from nova_lite.standins.placement import app as placement_app
from tests.unit.standins import cloud


class Quiet(wsgiref.simple_server.WSGIRequestHandler):
    def log_message(self, *args):
        pass


@pytest.fixture
def server(keystone, conf):
    """The identity stand-in over HTTP; `asked` counts its requests."""
    def application(environ, start_response):
        made.asked += 1
        return keystone.app(environ, start_response)

    made = wsgiref.simple_server.make_server('127.0.0.1', 0, application, handler_class=Quiet)
    made.asked = 0
    thread = threading.Thread(target=made.serve_forever, kwargs={'poll_interval': 0.02}, daemon=True)
    thread.start()
    point(conf, 'http://127.0.0.1:%d' % made.server_port)
    yield made
    made.shutdown()
    thread.join()
    made.server_close()


def point(conf, url, password='service-pw'):
    """Let `conf` name the Keystone at `url`."""
    conf.set_override('identity', url, 'real')
    conf.set_override('auth_type', 'password', remote_identity.GROUP)
    conf.register_opts(loading.get_auth_plugin_conf_options('password'), remote_identity.GROUP)
    for name, value in {'auth_url': url + '/v3', 'username': 'nova', 'password': password, 'project_name': 'service',
                        'user_domain_id': 'default', 'project_domain_id': 'default'}.items():
        conf.set_override(name, value, remote_identity.GROUP)


@pytest.fixture
def remote(server, conf):
    return remote_identity.RemoteIdentity(conf)


def test_a_token_means_the_same_there_and_here(keystone, remote):
    for user, project, scope in (('demo', 'demo', None), ('admin', None, {'system': {'all': True}}),
                                 ('nova', 'service', None)):
        token = cloud.login(keystone.app, user, project, scope)
        here, there = keystone.identify(token), remote.identify(token)
        for field in ('user_id', 'user_name', 'user_domain_id', 'roles', 'project_id', 'project_name',
                      'project_domain_id', 'system', 'methods', 'audit_ids', 'is_admin', 'is_service'):
            assert getattr(there, field) == getattr(here, field), field
        assert abs(there.expires_at - here.expires_at) < 1


def test_a_verified_token_is_not_asked_for_again(keystone, server, remote, monkeypatch):
    token = cloud.login(keystone.app, 'demo', 'demo')
    who = remote.identify(token)
    asked = server.asked
    assert remote.identify(token) is who
    assert server.asked == asked
    now = time.time()
    monkeypatch.setattr(remote_identity.time, 'time', lambda: now + remote_identity.CACHE_SECONDS + 1)
    assert remote.identify(token).user_name == 'demo'
    assert server.asked == asked + 1
    monkeypatch.setattr(remote_identity.time, 'time', lambda: who.expires_at + 1)
    assert remote.identify(token) is None


@pytest.mark.parametrize('token', ['nonsense', '', 'x' * 9000, 'ü', 'a\r\nX: y'])
def test_what_is_no_token(remote, token):
    assert remote.identify(token) is None


def test_stand_ins_serve_those_whom_it_knows(keystone, store, remote):
    app = placement_app.application(store, remote.identify, remote.challenge)
    assert cloud.Client(app, remote.service_token('placement'), cloud.VERSION)('GET', '/resource_providers')[0] == 200
    assert cloud.Client(app, cloud.login(keystone.app, 'demo', 'demo'))('GET', '/resource_providers')[0] == 403
    client = cloud.Client(app, 'nonsense')
    assert client('GET', '/resource_providers')[0] == 401
    assert client.headers['www-authenticate'].startswith('Keystone uri="http://127.0.0.1:')
    assert remote.project_id('admin') == keystone.project_id('service')


def test_a_keystone_that_went_away_is_a_503(remote):
    remote._url = 'http://127.0.0.1:1'
    with pytest.raises(rest.Fault) as raised:
        remote.identify('sometoken')
    assert raised.value.status == 503


def test_a_login_that_is_refused_is_said_at_the_start(server, conf):
    conf.set_override('password', 'wrong', remote_identity.GROUP)
    with pytest.raises(ValueError, match='no login at the identity service http://127.0.0.1'):
        remote_identity.RemoteIdentity(conf)


def test_the_catalog_names_what_is_real(conf, store, monkeypatch):
    from_stand_in = {'http://127.0.0.1:8778', 'http://127.0.0.1:9696'}
    conf.set_override('image', 'http://real:9292', 'real')
    conf.set_override('volume', 'http://real:8776', 'real')
    monkeypatch.setattr(keystone_app.password_module, 'ROUNDS', 4)
    made = keystone_app.Keystone(conf, store)
    client = cloud.Client(made.app, cloud.login(made.app, 'admin', 'admin'))
    urls = {endpoint['url'] for endpoint in client('GET', '/v3/endpoints')[1]['endpoints']}
    assert urls >= from_stand_in | {'http://real:9292', 'http://real:8776/v3/$(project_id)s'}
    assert 'http://127.0.0.1:9292' not in urls
