# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Keystone: tokens, scopes, revocation, administration and the bootstrap."""

import os
import time

import pytest

from nova_lite.standins.keystone import app as keystone_app
from tests.fixtures import wsgi
from tests.unit.standins import cloud


def password_body(user='demo', password=None, scope=None):
    body = {'auth': {'identity': {'methods': ['password'], 'password': {'user': {
        'name': user, 'domain': {'name': 'Default'}, 'password': password or cloud.PASSWORDS[user]}}}}}
    if scope is not None:
        body['auth']['scope'] = scope
    return body


@pytest.fixture
def anyone(keystone):
    return cloud.Client(keystone.app)


def make_user(admin, name='carol', project='demo', role='member'):
    """A new user with a role, and a client with their token."""
    _, body = admin('POST', '/v3/users', {'user': {'name': name, 'password': 'x'}})
    _, projects = admin('GET', '/v3/projects?name=' + project)
    _, roles = admin('GET', '/v3/roles?name=' + role)
    path = '/v3/projects/%s/users/%s/roles/%s' % (
        projects['projects'][0]['id'], body['user']['id'], roles['roles'][0]['id'])
    assert admin('PUT', path)[0] == 204
    cloud.PASSWORDS[name] = 'x'
    return body['user'], path, cloud.Client(admin.app, cloud.login(admin.app, name, project))


def test_version_documents(anyone):
    status, body = anyone('GET', '/')
    assert status == 300
    assert body['versions']['values'][0]['links'][0]['href'] == 'http://localhost/v3/'
    status, body = anyone('GET', '/v3/')
    assert (status, body['version']['status']) == (200, 'stable')


def test_project_scoped_token_says_everything(anyone):
    status, body = anyone('POST', '/v3/auth/tokens', password_body(scope={
        'project': {'name': 'demo', 'domain': {'id': 'default'}}}))
    assert status == 201
    token = body['token']
    assert (token['user']['name'], token['project']['name']) == ('demo', 'demo')
    assert {role['name'] for role in token['roles']} == {'member', 'reader'}
    services = {service['type']: service for service in token['catalog']}
    assert set(services) == {'identity', 'compute', 'image', 'network', 'placement', 'volumev3', 'block-storage'}
    assert {e['interface'] for e in services['compute']['endpoints']} == {'public', 'internal', 'admin'}
    assert services['compute']['endpoints'][0]['url'] == 'http://127.0.0.1:8774/v2.1'


def test_admin_implies_the_lesser_roles(admin):
    _, body = admin('GET', '/v3/auth/tokens', headers={'X-Subject-Token': admin.token})
    assert {r['name'] for r in body['token']['roles']} == {'admin', 'manager', 'member', 'reader'}


@pytest.mark.parametrize('scope, key', [
    ({'system': {'all': True}}, 'system'), ('unscoped', None), (None, None)])
def test_other_scopes(anyone, scope, key):
    status, body = anyone('POST', '/v3/auth/tokens', password_body('admin', scope=scope))
    assert status == 201
    assert ('project' not in body['token']) and (key is None or key in body['token'])
    assert ('catalog' in body['token']) == (key is not None)


@pytest.mark.parametrize('body', [
    password_body(password='wrong'), password_body('demo', 'x' * 10000),
    password_body('nobody', 'x'), password_body(scope={'project': {'id': 'nope'}}),
    password_body(scope={'project': {'name': 'admin', 'domain': {'id': 'default'}}}),
    password_body(scope={'system': {'all': True}}), password_body(scope={'domain': {'id': 'default'}}),
    {'auth': {'identity': {'methods': ['totp']}}}, {'auth': {'identity': {'methods': ['password']}}},
    {'auth': {'identity': {'methods': ['token'], 'token': {'id': 'gAAAA'}}}}])
def test_refused_logins_all_look_the_same(anyone, body):
    status, content = anyone('POST', '/v3/auth/tokens', body)
    assert (status, content['error']['message']) == (
        401, 'The request you have made requires authentication.')


@pytest.mark.parametrize('body', [{}, {'auth': {}}, {'auth': {'identity': {'methods': 'password'}}}, [], 7,
                                  password_body(scope={'project': {'name': 'x'}})])
def test_malformed_logins(anyone, body):
    assert anyone('POST', '/v3/auth/tokens', body)[0] == 400


def test_token_method_keeps_the_expiry(anyone, keystone):
    first = cloud.login(keystone.app, 'demo')
    status, body = anyone('POST', '/v3/auth/tokens', {'auth': {
        'identity': {'methods': ['token'], 'token': {'id': first}},
        'scope': {'project': {'name': 'demo', 'domain': {'id': 'default'}}}}})
    assert status == 201
    assert body['token']['methods'] == ['password', 'token']
    second = anyone.headers['x-subject-token']
    assert keystone.identify(first).expires_at == keystone.identify(second).expires_at


def test_who_may_look_at_a_token(keystone, admin, demo):
    own = {'X-Subject-Token': demo.token}
    assert demo('GET', '/v3/auth/tokens', headers=own)[0] == 200
    assert demo('GET', '/v3/auth/tokens', headers={'X-Subject-Token': admin.token})[0] == 403
    assert demo('GET', '/v3/auth/tokens')[0] == 400
    nova = cloud.Client(keystone.app, cloud.login(keystone.app, 'nova', 'service'))
    assert nova('GET', '/v3/auth/tokens', headers=own)[1]['token']['user']['name'] == 'demo'
    assert nova('HEAD', '/v3/auth/tokens', headers=own) == (200, b'')
    assert nova('GET', '/v3/auth/tokens', headers={'X-Subject-Token': 'gAAAAAtrash'})[0] == 404
    assert 'catalog' not in nova('GET', '/v3/auth/tokens?nocatalog', headers=own)[1]['token']


def test_revoked_token_is_dead_also_after_a_restart(keystone, demo, conf, store):
    assert demo('DELETE', '/v3/auth/tokens', headers={'X-Subject-Token': demo.token})[0] == 204
    assert demo('GET', '/v3/auth/projects')[0] == 401
    assert keystone_app.Keystone(conf, store).identify(demo.token) is None


def test_token_expires(keystone, demo, monkeypatch):
    later = time.time() + 3601
    monkeypatch.setattr(time, 'time', lambda: later)
    assert keystone.identify(demo.token) is None


def test_lost_role_disabled_user_and_new_password_end_tokens(admin):
    user, path, carol = make_user(admin)
    assert carol('GET', '/v3/auth/projects')[0] == 200
    assert admin('DELETE', path)[0] == 204
    assert carol('GET', '/v3/auth/projects')[0] == 401
    admin('PUT', path)
    assert carol('GET', '/v3/auth/projects')[0] == 200
    assert admin('PATCH', '/v3/users/' + user['id'], {'user': {'enabled': False}})[0] == 200
    assert carol('GET', '/v3/auth/projects')[0] == 401
    admin('PATCH', '/v3/users/' + user['id'], {'user': {'enabled': True}})
    assert carol('GET', '/v3/auth/projects')[0] == 401
    carol.token = cloud.login(admin.app, 'carol', 'demo')
    assert admin('PATCH', '/v3/users/' + user['id'], {'user': {'password': 'y'}})[0] == 200
    assert carol('GET', '/v3/auth/projects')[0] == 401


def test_own_password(admin):
    user, _, carol = make_user(admin)
    path = '/v3/users/%s/password' % user['id']
    change = {'user': {'original_password': 'bad', 'password': 'new'}}
    assert carol('POST', path, change)[0] == 401
    change['user']['original_password'] = 'x'
    assert carol('POST', path, change)[0] == 204
    assert carol('GET', '/v3/auth/projects')[0] == 401
    cloud.PASSWORDS['carol'] = 'new'
    assert cloud.login(admin.app, 'carol', 'demo')


def test_disabled_project_and_deleted_project(admin):
    _, body = admin('POST', '/v3/projects', {'project': {'name': 'p', 'extra_thing': 'kept'}})
    project = body['project']
    assert (project['domain_id'], project['parent_id']) == ('default', 'default')
    assert project['extra_thing'] == 'kept'
    _, _, carol = make_user(admin, project='p')
    admin('PATCH', '/v3/projects/' + project['id'], {'project': {'enabled': False}})
    assert carol('GET', '/v3/auth/projects')[0] == 401
    assert admin('DELETE', '/v3/projects/' + project['id'])[0] == 204
    assert admin('GET', '/v3/projects/' + project['id'])[0] == 404
    assert admin('GET', '/v3/role_assignments?scope.project.id=' + project['id'])[1]['role_assignments'] == []


def test_users_may_read_themselves_only(demo, admin):
    who = admin('GET', '/v3/users?name=demo')[1]['users'][0]
    assert set(who) >= {'id', 'name', 'domain_id', 'enabled', 'links', 'password_expires_at'}
    assert not {'password_hash', 'password', 'valid_since'} & set(who)
    assert demo('GET', '/v3/users/' + who['id'])[1]['user']['name'] == 'demo'
    assert demo('GET', '/v3/users/%s/projects' % who['id'])[1]['projects'][0]['name'] == 'demo'
    assert demo('GET', '/v3/role_assignments?user.id=' + who['id'])[0] == 200
    for method, path in [('GET', '/v3/users'), ('GET', '/v3/users/nobody'), ('GET', '/v3/projects'),
                         ('GET', '/v3/services'), ('GET', '/v3/role_assignments'),
                         ('DELETE', '/v3/users/' + who['id']), ('DELETE', '/v3/regions/RegionOne')]:
        assert demo(method, path)[0] == 403, (method, path)
    assert demo('PATCH', '/v3/users/' + who['id'], {'user': {'enabled': False}})[0] == 403


def test_duplicate_names(admin):
    assert admin('POST', '/v3/users', {'user': {'name': 'demo'}})[0] == 409
    assert admin('POST', '/v3/projects', {'project': {'name': 'demo'}})[0] == 409
    _, body = admin('POST', '/v3/domains', {'domain': {'name': 'other'}})
    assert admin('POST', '/v3/users', {'user': {'name': 'demo', 'domain_id': body['domain']['id']}})[0] == 201


def test_domain_goes_with_all_in_it_once_disabled(admin):
    domain = admin('POST', '/v3/domains', {'domain': {'name': 'other'}})[1]['domain']
    user = admin('POST', '/v3/users', {'user': {'name': 'u', 'domain_id': domain['id']}})[1]['user']
    assert admin('DELETE', '/v3/domains/' + domain['id'])[0] == 403
    admin('PATCH', '/v3/domains/' + domain['id'], {'domain': {'enabled': False}})
    assert admin('DELETE', '/v3/domains/' + domain['id'])[0] == 204
    assert admin('GET', '/v3/users/' + user['id'])[0] == 404
    admin('PATCH', '/v3/domains/default', {'domain': {'enabled': True}})
    assert admin('DELETE', '/v3/domains/default')[0] == 403


@pytest.mark.parametrize('path, body', [
    ('/v3/users', {'user': {}}), ('/v3/users', {'user': {'name': ''}}), ('/v3/users', {}),
    ('/v3/users', {'user': {'name': 'a' * 256}}), ('/v3/users', {'user': {'name': 'a', 'enabled': 'yes'}}),
    ('/v3/projects', {'project': {'name': 'a' * 65}}), ('/v3/endpoints', {'endpoint': {'url': 'x'}}),
    ('/v3/domains', {'domain': {'name': ' '}})])
def test_bad_bodies(admin, path, body):
    assert admin('POST', path, body)[0] == 400


def test_unknown_references(admin):
    assert admin('POST', '/v3/users', {'user': {'name': 'z', 'domain_id': 'nope'}})[0] == 404
    assert admin('PUT', '/v3/projects/a/users/b/roles/c')[0] == 404
    assert admin('POST', '/v3/endpoints', {'endpoint': {
        'service_id': 'nope', 'interface': 'public', 'url': 'http://x'}})[0] == 404


def test_role_life(admin, demo):
    role = admin('POST', '/v3/roles', {'role': {'name': 'auditor'}})[1]['role']
    reader = admin('GET', '/v3/roles?name=reader')[1]['roles'][0]
    path = '/v3/roles/%s/implies/%s' % (role['id'], reader['id'])
    assert admin('PUT', path)[0] == 201
    assert admin('PUT', '/v3/roles/%s/implies/%s' % (reader['id'], role['id']))[0] == 403
    assert admin('GET', path)[0] == 200
    user, grant, _ = make_user(admin, role='auditor')
    assert admin('HEAD', grant)[0] == 204
    listed = admin('GET', '/v3/role_assignments?effective&include_names&user.id=' + user['id'])[1]
    assert {item['role']['name'] for item in listed['role_assignments']} == {'auditor', 'reader'}
    assert admin('DELETE', '/v3/roles/' + role['id'])[0] == 204
    assert admin('GET', path)[0] == 404
    assert admin('GET', '/v3/role_assignments?user.id=' + user['id'])[1]['role_assignments'] == []


def test_catalog_life(admin, demo):
    wanted = {'service': {'type': 'volumev3', 'name': 'cinderv3'}}
    service = admin('POST', '/v3/services', wanted)[1]['service']
    endpoint = admin('POST', '/v3/endpoints', {'endpoint': {
        'service_id': service['id'], 'interface': 'public', 'region_id': 'RegionOne',
        'url': 'http://x/v3/$(project_id)s'}})[1]['endpoint']
    assert endpoint['region'] == 'RegionOne'
    catalog = {item['type']: item for item in demo('GET', '/v3/auth/catalog')[1]['catalog']}
    project = demo('GET', '/v3/auth/projects')[1]['projects'][0]['id']
    assert catalog['volumev3']['endpoints'][0]['url'] == 'http://x/v3/' + project
    assert admin('DELETE', '/v3/regions/RegionOne')[0] == 403
    assert admin('DELETE', '/v3/services/' + service['id'])[0] == 204
    assert admin('GET', '/v3/endpoints/' + endpoint['id'])[0] == 404
    assert admin('PUT', '/v3/regions/R2', {'region': {'parent_region_id': 'RegionOne'}})[0] == 201
    assert demo('GET', '/v3/regions/R2')[1]['region']['parent_region_id'] == 'RegionOne'
    assert admin('PATCH', '/v3/regions/RegionOne', {'region': {'parent_region_id': 'R2'}})[0] == 400


def test_second_start_changes_nothing_and_follows_the_configuration(keystone, admin, conf, store):
    before = {path: admin('GET', path)[1] for path in
              ('/v3/users', '/v3/role_assignments', '/v3/services', '/v3/endpoints', '/v3/roles')}
    image = admin('GET', '/v3/services?type=image')[1]['services'][0]
    moved = admin('GET', '/v3/endpoints?interface=public&service_id=' + image['id'])[1]['endpoints'][0]
    admin('PATCH', '/v3/endpoints/' + moved['id'], {'endpoint': {'url': 'http://real-glance/'}})
    conf.set_override('network', 19696, 'ports')
    again = cloud.Client(keystone_app.Keystone(conf, store).app, admin.token)
    for path, body in before.items():
        if path != '/v3/endpoints':
            assert again('GET', path)[1] == body
    urls = [item['url'] for item in again('GET', '/v3/endpoints')[1]['endpoints']]
    assert urls.count('http://127.0.0.1:19696') == 3
    assert urls.count('http://real-glance/') == 1


def test_files_are_private(keystone, conf):
    names = os.listdir(conf.state_path)
    assert {'token.key', 'standins.sqlite'} <= set(names)
    for name in names:
        assert os.stat(os.path.join(conf.state_path, name)).st_mode & 0o077 == 0, name


def test_unknown_user_costs_as_much_as_a_known_one(keystone, monkeypatch):
    calls = []
    check = keystone_app.password_module.bcrypt.checkpw
    monkeypatch.setattr(keystone_app.password_module.bcrypt, 'checkpw',
                        lambda password, stored: calls.append(stored[:7]) or check(password, stored))
    for user in ('demo', 'nobody'):
        wsgi.call(keystone.app, 'POST', '/v3/auth/tokens', password_body(user, 'wrong'))
    assert len(calls) == 2 and calls[0] == calls[1]  # the same cost


def test_service_token(keystone):
    who = keystone.identify(keystone.service_token('neutron'))
    assert who.is_service and who.is_admin and who.project_name == 'service'
