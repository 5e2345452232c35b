# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Callers as Keystone knows them: keystonemiddleware in the pipeline, the Keystone stand-in behind it."""

import threading
from concurrent import futures
from wsgiref import simple_server

import pytest
from keystonemiddleware import auth_token
from oslo_config import cfg

from nova_lite.api.openstack import auth
from nova_lite.api.openstack import frame
from nova_lite.api.openstack import wsgi
from nova_lite.standins import settings
from nova_lite.standins import store as stores
from nova_lite.standins.keystone import app as keystone_app
from tests.unit.api import client
from tests.unit.standins import cloud

CALLS = []      # paths that Keystone was asked for


class Quiet(simple_server.WSGIRequestHandler):
    def log_message(self, *args):
        """Requests are no output of a test."""


@pytest.fixture(scope='module')
def keystone(tmp_path_factory):
    """(Keystone's application, its URL)."""
    conf = cfg.ConfigOpts()
    settings.register(conf)
    conf([], project='standins', default_config_files=[], default_config_dirs=[])
    conf.set_override('state_path', str(tmp_path_factory.mktemp('keystone')))
    for option, user in (('admin_password', 'admin'), ('demo_password', 'demo'), ('service_password', 'nova')):
        conf.set_override(option, cloud.PASSWORDS[user], 'identity')
    rounds, keystone_app.password_module.ROUNDS = keystone_app.password_module.ROUNDS, 4
    apps = []
    CALLS.clear()

    def count(environ, start_response):
        CALLS.append(environ['PATH_INFO'])
        return apps[0](environ, start_response)
    server = simple_server.make_server('127.0.0.1', 0, count, handler_class=Quiet)
    conf.set_override('identity', server.server_port, 'ports')
    store = stores.Store(settings.database_url(conf))
    apps.append(keystone_app.Keystone(conf, store).app)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield apps[0], 'http://127.0.0.1:%d/v3' % server.server_port
    server.shutdown()
    server.server_close()
    thread.join()
    store.close()
    keystone_app.password_module.ROUNDS = rounds


def pipeline(app, url, tmp_path):
    """The keystone pipeline of api-paste.ini around an application."""
    path = tmp_path / 'nova.conf'
    path.write_text('\n'.join((
        '[keystone_authtoken]', 'auth_type = password', 'auth_url = ' + url, 'www_authenticate_uri = ' + url,
        'username = nova', 'password = ' + cloud.PASSWORDS['nova'], 'project_name = service',
        'user_domain_name = Default', 'project_domain_name = Default', 'http_request_max_retries = 0')))
    conf = cfg.ConfigOpts()
    conf([], project='nova', default_config_files=[str(path)])
    filtered = auth_token.AuthProtocol(auth.KeystoneContext(app), {
        'oslo_config_config': conf, 'cache': auth.TOKEN_CACHE})
    return frame.ComputeReqId(frame.FaultWrapper(auth.CachedTokens(filtered, auth.TokenCache())))


@pytest.fixture
def seen():
    """The contexts of the requests that came through."""
    return []


@pytest.fixture
def api(keystone, seen, tmp_path):
    def app(environ, start_response):
        seen.append(environ[wsgi.CONTEXT])
        start_response('200 OK', [])
        return [b'{}']
    return client.Client(pipeline(app, keystone[1], tmp_path), user=None)


def with_token(app, user, project):
    return {'X-Auth-Token': cloud.login(app, user, project)}


def test_member_and_admin(keystone, api, seen):
    assert api('GET', '/x', headers=with_token(keystone[0], 'demo', 'demo')).status == 200
    assert api('GET', '/x', headers=with_token(keystone[0], 'admin', 'admin')).status == 200
    demo, admin = seen
    assert set(demo.roles) == {'member', 'reader'}
    assert 'admin' in admin.roles
    assert demo.project_id != admin.project_id and demo.user_name == 'demo' and demo.request_id.startswith('req-')
    assert 'auth_token' not in demo.to_dict()


@pytest.mark.parametrize('headers', [
    {}, {'X-Auth-Token': 'bogus'}, {'X-Auth-Token': 'demo:demo'},
    {'X-Roles': 'admin', 'X-Identity-Status': 'Confirmed', 'X-User-Id': 'u', 'X-Project-Id': 'p'}])
def test_strangers(api, seen, headers):
    answer = api('GET', '/x', headers=headers)
    assert answer.fault == ('unauthorized', 401, 'The request you have made requires authentication.')
    assert answer.headers['www-authenticate'].startswith('Keystone uri=')
    assert answer.headers['openstack-api-version'] == 'compute 2.1' and not seen


def test_own_identity_headers_are_dropped(keystone, api, seen):
    forged = {'X-Roles': 'admin', 'X-User-Id': 'u', 'X-Project-Id': 'p', 'X-Is-Admin-Project': 'True'}
    assert api('GET', '/x', headers=forged | with_token(keystone[0], 'demo', 'demo')).status == 200
    assert 'admin' not in seen[0].roles and seen[0].project_id != 'p'


def test_requests_at_the_same_time_are_not_mixed_up(keystone, seen, tmp_path):
    """Each of 100 requests of two users sees its own, also while the others are under way."""
    meeting = threading.Barrier(10)

    def app(environ, start_response):
        before = environ[wsgi.CONTEXT].user_name
        meeting.wait(20)
        seen.append((environ['HTTP_X_ASKED_BY'], before, environ[wsgi.CONTEXT].user_name))
        start_response('200 OK', [])
        return [b'{}']
    api = client.Client(pipeline(app, keystone[1], tmp_path), user=None)
    tokens = {user: with_token(keystone[0], user, user) for user in ('demo', 'admin')}
    with futures.ThreadPoolExecutor(10) as pool:
        answers = list(pool.map(lambda number: api('GET', '/x', headers={
            'X-Asked-By': ('demo', 'admin')[number % 2], **tokens[('demo', 'admin')[number % 2]]}), range(100)))
    assert [answer.status for answer in answers] == [200] * 100
    assert sorted(seen) == [('admin',) * 3] * 50 + [('demo',) * 3] * 50


def test_a_verified_token_is_remembered(keystone, api):
    token = with_token(keystone[0], 'demo', 'demo')
    api('GET', '/x', headers=token)
    before = len(CALLS)
    for _ in range(5):
        assert api('GET', '/x', headers=token).status == 200
    assert len(CALLS) == before


def test_keystone_away(seen, tmp_path):
    api = client.Client(pipeline(None, 'http://127.0.0.1:1/v3', tmp_path), user=None)
    answer = api('GET', '/x', headers={'X-Auth-Token': 'some'})
    assert answer.fault[:2] == ('serviceUnavailable', 503) and answer.headers['retry-after'] == '5'


def test_the_cache_is_bounded_and_forgets(monkeypatch):
    now = [0]
    monkeypatch.setattr(auth.time, 'monotonic', lambda: now[0])
    cache = auth.TokenCache()
    for number in range(auth.TokenCache.SIZE + 5):
        cache.set(number, b'x', time=10)
    assert cache.get(0) is None and cache.get(5) == b'x'
    now[0] = 11
    assert cache.get(5) is None
