# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Keystone: groups, application credentials and credentials."""

import json
import time

import pytest
import sqlalchemy

from nova_lite.standins.keystone import directory as directories
from tests.unit.standins import cloud


def me(client):
    """The content of a client's own token."""
    status, body = client('GET', '/v3/auth/tokens', headers={'X-Subject-Token': client.token})
    assert status == 200
    return body['token']


def found(client, plural, name):
    """The id of what has a name."""
    return client('GET', '/v3/%s?name=%s' % (plural, name))[1][plural][0]['id']


def login(app, credential, scope=None, user=None):
    """(status, client) with an application credential, by id or by the names of itself and its user."""
    by = {'name': credential['name'], 'user': user} if user else {'id': credential['id']}
    body = {'auth': {'identity': {'methods': ['application_credential'],
                                  'application_credential': {**by, 'secret': credential['secret']}}}}
    if scope:
        body['auth']['scope'] = scope
    client = cloud.Client(app)
    status, _ = client('POST', '/v3/auth/tokens', body)
    return status, cloud.Client(app, client.headers.get('x-subject-token'))


@pytest.fixture
def make(demo):
    """A function that makes an application credential of demo's."""
    def make(client=demo, status=201, **values):
        path = '/v3/users/%s/application_credentials' % me(demo)['user']['id']
        got, body = client('POST', path, {'application_credential': {'name': 'robot', **values}})
        assert got == status, body
        return body.get('application_credential')
    return make


# ---- groups --------------------------------------------------------------------------------------------------

def test_groups(admin, demo):
    status, body = admin('POST', '/v3/groups', {'group': {'name': 'crew', 'description': 'x'}})
    group = body['group']
    assert (status, group['domain_id'], group['description']) == (201, 'default', 'x')
    user_id = me(demo)['user']['id']
    member = '/v3/groups/%s/users/%s' % (group['id'], user_id)
    assert admin('HEAD', member)[0] == 404
    assert admin('PUT', member)[0] == 204 and admin('PUT', member)[0] == 204
    assert admin('HEAD', member)[0] == demo('HEAD', member)[0] == 204
    users = admin('GET', '/v3/groups/%s/users' % group['id'])[1]['users']
    assert [user['name'] for user in users] == ['demo'] and 'password_hash' not in users[0]
    assert [item['name'] for item in demo('GET', '/v3/users/%s/groups' % user_id)[1]['groups']] == ['crew']
    assert admin('DELETE', member)[0] == 204
    assert admin('DELETE', member)[0] == 404
    assert admin('POST', '/v3/groups', {'group': {'name': 'crew'}})[0] == 409
    assert admin('DELETE', '/v3/groups/' + group['id'])[0] == 204
    for method, path in (('GET', '/v3/groups'), ('POST', '/v3/groups'), ('PUT', member), ('DELETE', member)):
        assert demo(method, path, {'group': {'name': 'mine'}} if method == 'POST' else None)[0] == 403


def test_roles_by_a_group(admin, demo, keystone):
    group_id = admin('POST', '/v3/groups', {'group': {'name': 'crew'}})[1]['group']['id']
    user_id, project_id, role_id = me(demo)['user']['id'], found(admin, 'projects', 'admin'), found(
        admin, 'roles', 'reader')
    grant = '/v3/projects/%s/groups/%s/roles/%s' % (project_id, group_id, role_id)
    assert admin('PUT', grant)[0] == admin('HEAD', grant)[0] == 204
    query = '/v3/role_assignments?group.id=%s' % group_id
    [item] = admin('GET', query)[1]['role_assignments']
    assert (item['group'], item['scope']) == ({'id': group_id}, {'project': {'id': project_id}})
    admin('PUT', '/v3/groups/%s/users/%s' % (group_id, user_id))
    member = cloud.Client(keystone.app, cloud.login(keystone.app, 'demo', 'admin'))
    assert [role['name'] for role in me(member)['roles']] == ['reader']
    assert 'admin' in {project['name'] for project in demo('GET', '/v3/auth/projects')[1]['projects']}
    [item] = admin('GET', query + '&effective')[1]['role_assignments']
    assert item['user'] == {'id': user_id}
    admin('DELETE', '/v3/groups/%s/users/%s' % (group_id, user_id))
    assert member('GET', '/v3/auth/projects')[0] == 401
    assert admin('DELETE', '/v3/groups/' + group_id)[0] == 204
    assert admin('GET', query)[1]['role_assignments'] == []


# ---- application credentials ---------------------------------------------------------------------------------

def test_an_application_credential(demo, make, keystone):
    made = make(description='for CI')
    assert made['secret'] and {role['name'] for role in made['roles']} == {'member', 'reader'}
    path = '/v3/users/%s/application_credentials' % made['user_id']
    [shown] = demo('GET', path)[1]['application_credentials']
    assert shown['id'] == made['id'] and 'secret' not in shown and 'secret_hash' not in shown
    assert demo('GET', '%s/%s' % (path, made['id']))[1]['application_credential']['description'] == 'for CI'
    status, robot = login(keystone.app, made)
    token = me(robot)
    assert (status, token['project']['name'], token['methods']) == (201, 'demo', ['application_credential'])
    assert token['application_credential'] == {'id': made['id'], 'name': 'robot', 'restricted': True}
    assert login(keystone.app, made, user={'name': 'demo', 'domain': {'id': 'default'}})[0] == 201
    assert login(keystone.app, {**made, 'secret': 'guess'})[0] == 401
    assert login(keystone.app, {**made, 'id': 'nothing'})[0] == 401
    assert demo('DELETE', '%s/%s' % (path, made['id']))[0] == 204
    assert login(keystone.app, made)[0] == robot('GET', '/v3/auth/projects')[0] == 401


def test_it_gives_no_more_than_its_user_has(admin, demo, make, keystone):
    made = make(roles=[{'name': 'reader'}])
    _, robot = login(keystone.app, made)
    assert [role['name'] for role in me(robot)['roles']] == ['reader']
    make(status=400, name='boss', roles=[{'name': 'admin'}])
    make(status=400, name='other', project_id=found(admin, 'projects', 'admin'))
    other = {'project': {'name': 'admin', 'domain': {'id': 'default'}}}
    assert login(keystone.app, made, other)[0] == login(keystone.app, made, {'system': {'all': True}})[0] == 401
    user_id, project_id = made['user_id'], made['project_id']
    for role in ('member', 'reader'):
        admin('DELETE', '/v3/projects/%s/users/%s/roles/%s' % (project_id, user_id, found(admin, 'roles', role)))
    assert login(keystone.app, made)[0] == robot('GET', '/v3/auth/projects')[0] == 401


def test_a_restricted_one_makes_no_secrets(demo, make, keystone):
    path = '/v3/users/%s/application_credentials' % me(demo)['user']['id']
    made = make()
    _, robot = login(keystone.app, made)
    make(robot, 403, name='more')
    assert robot('DELETE', '%s/%s' % (path, made['id']))[0] == 403
    assert robot('POST', '/v3/credentials', {'credential': {'type': 'cert', 'blob': 'x'}})[0] == 403
    _, free = login(keystone.app, make(name='free', unrestricted=True))
    assert make(free, name='more')['project_id'] == made['project_id']
    assert free('POST', '/v3/credentials', {'credential': {'type': 'cert', 'blob': 'x'}})[0] == 201


def test_a_token_of_one_stays_what_it_is(make, keystone):
    _, robot = login(keystone.app, make())
    body = {'auth': {'identity': {'methods': ['token'], 'token': {'id': robot.token}}}}
    client = cloud.Client(keystone.app)
    status, answer = client('POST', '/v3/auth/tokens', body)
    assert status == 201 and answer['token']['application_credential']['restricted']
    assert answer['token']['expires_at'] == me(robot)['expires_at']
    body['auth']['scope'] = 'unscoped'
    assert client('POST', '/v3/auth/tokens', body)[0] == 401


def test_times_names_and_owners(admin, demo, make, keystone):
    moment = time.time() + 60
    made = make(name='short', expires_at=directories.timestamp(moment))
    assert made['expires_at'] == me(login(keystone.app, made)[1])['expires_at']
    make(name='past', status=400, expires_at='2001-01-01T00:00:00')
    make(name='odd', status=400, expires_at='tomorrow')
    make(name='short', status=409)
    make(name='rules', status=400, access_rules=[{'path': '/', 'method': 'GET', 'service': 'compute'}])
    path = '/v3/users/%s/application_credentials' % made['user_id']
    assert admin('POST', path, {'application_credential': {'name': 'x'}})[0] == 403
    assert admin('GET', '%s/%s' % (path, made['id']))[0] == 200
    other = '/v3/users/%s/application_credentials' % me(admin)['user']['id']
    assert demo('GET', other)[0] == 403
    assert admin('GET', '%s/%s' % (other, made['id']))[0] == 404
    assert admin('DELETE', '/v3/users/' + made['user_id'])[0] == 204
    assert login(keystone.app, made)[0] == 401


# ---- credentials ---------------------------------------------------------------------------------------------

def test_credentials(admin, demo, keystone):
    blob = json.dumps({'access': 'a', 'secret': 'very-secret'})
    project_id = me(demo)['project']['id']
    body = {'credential': {'type': 'ec2', 'blob': blob, 'project_id': project_id}}
    status, made = demo('POST', '/v3/credentials', body)
    made = made['credential']
    assert (status, made['blob'], made['user_id']) == (201, blob, me(demo)['user']['id'])
    path = '/v3/credentials/' + made['id']
    assert demo('GET', path)[1]['credential'] == made
    assert demo('POST', '/v3/credentials', body)[0] == 409
    assert demo('GET', '/v3/credentials?type=ec2')[1]['credentials'] == [made]
    assert demo('GET', '/v3/credentials?type=cert')[1]['credentials'] == []
    changed = json.dumps({'access': 'a', 'secret': 'newer'})
    assert demo('PATCH', path, {'credential': {'blob': changed}})[1]['credential']['blob'] == changed
    assert demo('PATCH', path, {'credential': {'blob': json.dumps({'access': 'b', 'secret': 'x'})}})[0] == 400
    assert demo('DELETE', path)[0] == 204
    assert demo('GET', path)[0] == 404


def test_credentials_are_their_owners_and_sealed(admin, demo, store):
    theirs = admin('POST', '/v3/credentials', {'credential': {'type': 'cert', 'blob': 'of-admin'}})[1]['credential']
    path = '/v3/credentials/' + theirs['id']
    for method, body in (('GET', None), ('PATCH', {'credential': {'blob': 'x'}}), ('DELETE', None)):
        assert demo(method, path, body)[0] == 404
    assert demo('GET', '/v3/credentials')[1]['credentials'] == []
    for values in ({'user_id': theirs['user_id']}, {'project_id': found(admin, 'projects', 'admin')}):
        body = {'credential': {'type': 'cert', 'blob': 'x', **values}}
        assert demo('POST', '/v3/credentials', body)[0] == 403
    for values in ({'type': 'ec2', 'blob': 'x'}, {'type': 'ec2', 'blob': '{"access": "a"}'}, {'type': 'cert'}):
        assert demo('POST', '/v3/credentials', {'credential': values})[0] == 400
    with store.begin() as connection:
        kept = connection.execute(sqlalchemy.text('SELECT document FROM keystone_credential')).scalars().all()
    assert kept and 'of-admin' not in str(kept)
