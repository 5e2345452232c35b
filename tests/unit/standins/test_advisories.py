# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""What once was a hole in services of this kind, tried on the stand-ins; which test is for what: doc/coverage.md."""

import gc
import itertools
import json
import time
import tracemalloc
import uuid

import pytest

from nova_lite.standins.keystone import passwords
from tests.fixtures import wsgi
from tests.unit.standins import cloud
from tests.unit.standins import test_every_route

apps = test_every_route.apps        # a fixture


def login_body(**password):
    return {'auth': {'identity': {'methods': ['password'], 'password': {'user': {
        'name': 'demo', 'domain': {'id': 'default'}, **password}}}}}


@pytest.fixture
def anyone(keystone):
    return cloud.Client(keystone.app)


def me(client):
    return client('GET', '/v3/auth/tokens', headers={'X-Subject-Token': client.token})[1]['token']


# ---- identity ------------------------------------------------------------------------------------------------

@pytest.mark.parametrize('length', [5000, 60000, 1 << 20])
def test_a_huge_password_is_refused_fast(anyone, length):
    started = time.monotonic()
    status, body = anyone('POST', '/v3/auth/tokens', login_body(password='x' * length))
    assert status in (400, 401, 413) and 'xxx' not in json.dumps(body)
    assert time.monotonic() - started < 2


def test_a_method_that_is_named_again_and_again_is_tried_once(anyone, monkeypatch):
    checks = []
    verify = passwords.Passwords.verify
    monkeypatch.setattr(passwords.Passwords, 'verify', lambda *words: checks.append(1) or verify(*words))
    body = login_body(password='wrong')
    body['auth']['identity']['methods'] *= 1000
    assert 400 <= anyone('POST', '/v3/auth/tokens', body)[0] < 500
    assert len(checks) <= 1


@pytest.mark.parametrize('sign', '$%')
@pytest.mark.parametrize('name', ['admin_token', 'password', 'auth_url', 'state_path', 'project_id)s$(admin_token'])
def test_an_endpoint_names_nothing_but_the_project(admin, name, sign):
    service = admin('POST', '/v3/services', {'service': {'type': 'x'}})[1]['service']
    endpoint = {'service_id': service['id'], 'interface': 'public', 'url': 'http://x/%s(%s)s' % (sign, name)}
    assert admin('POST', '/v3/endpoints', {'endpoint': endpoint})[0] == 400
    made = admin('POST', '/v3/endpoints', {'endpoint': {**endpoint, 'url': 'http://x/$(project_id)s'}})[1]['endpoint']
    path = '/v3/endpoints/' + made['id']
    assert admin('PATCH', path, {'endpoint': {'url': endpoint['url']}})[0] == 400


def test_a_body_says_nothing_about_who_asks(admin, demo):
    """Members name themselves, or a project of theirs, where the rule looks at what is asked for."""
    mine, theirs = me(demo), me(admin)
    also = {'user_id': mine['user']['id'], 'project_id': mine['project']['id'], 'domain_id': 'default',
            'target': {'user': {'id': mine['user']['id']}}}
    user, project = '/v3/users/' + theirs['user']['id'], '/v3/projects/' + theirs['project']['id']
    for method, path, body in (
            ('GET', user, {'user': also, **also}), ('PATCH', user, {'user': {'description': 'x', **also}, **also}),
            ('DELETE', user, also), ('GET', project, also), ('PATCH', project, {'project': {'name': 'x'}, **also}),
            ('POST', user + '/application_credentials', {'application_credential': {'name': 'x'}, **also}),
            ('GET', user + '/application_credentials', also), ('POST', '/v3/users', {'user': {'name': 'x', **also}}),
            ('POST', '/v3/credentials', {'credential': {
                'type': 'cert', 'blob': 'x', 'user_id': theirs['user']['id']}, **also})):
        assert demo(method, path, body)[0] in (400, 403, 404), (method, path)
    assert admin('GET', user)[1]['user'].get('description') in (None, '')


def test_a_credential_goes_to_no_other_project(admin, demo):
    blob = json.dumps({'access': 'a', 'secret': 's'})
    made = demo('POST', '/v3/credentials', {'credential': {
        'type': 'ec2', 'blob': blob, 'project_id': me(demo)['project']['id']}})[1]['credential']
    path = '/v3/credentials/' + made['id']
    for project in (me(admin)['project']['id'], uuid.uuid4().hex):
        assert demo('PATCH', path, {'credential': {'project_id': project}})[0] in (400, 403, 404)
    assert demo('PATCH', path, {'credential': {'user_id': me(admin)['user']['id']}})[0] in (400, 403)
    assert demo('GET', path)[1]['credential'] == made


# ---- image ---------------------------------------------------------------------------------------------------

def test_no_image_says_or_takes_where_its_bytes_are(apps, admin):
    image = cloud.Client(apps['glance'], admin.token)
    made = image('POST', '/v2/images', {'name': 'i', 'disk_format': 'raw', 'container_format': 'bare'})[1]
    kind = {'Content-Type': 'application/octet-stream'}
    assert image('PUT', made['file'], b'x' * 600, kind)[0] == 204
    shown = image('GET', made['self'])[1]
    assert not {'direct_url', 'locations'} & set(shown) and 'file:' not in json.dumps(shown)
    assert image('PUT', made['file'], b'y' * 600, kind)[0] == 409
    patch = {'Content-Type': 'application/openstack-images-v2.1-json-patch'}
    for where in ('file:///etc/passwd', 'http://169.254.169.254/'):
        steps = [{'op': 'add', 'path': '/locations/-', 'value': {'url': where, 'metadata': {}}}]
        assert 400 <= image('PATCH', made['self'], json.dumps(steps).encode(), patch)[0] < 500
    assert image('GET', made['file'])[1] == b'x' * 600


@pytest.mark.parametrize('uri', ['http://169.254.169.254/latest', 'http://127.0.0.1:1/', 'https://example.com/a.img',
                                 'file:///etc/passwd'])
def test_nothing_is_fetched_from_elsewhere(apps, admin, uri):
    image = cloud.Client(apps['glance'], admin.token)
    made = image('POST', '/v2/images', {'name': 'i', 'disk_format': 'raw', 'container_format': 'bare'})[1]
    status, body = image('POST', made['self'] + '/import', {'method': {'name': 'web-download', 'uri': uri}})
    assert status == 400 and 'web-download' in body['error']['message']
    assert image('GET', made['self'])[1]['status'] == 'queued'
    assert 'web-download' not in json.dumps(image('GET', '/v2/info/import')[1])


# ---- network -------------------------------------------------------------------------------------------------

@pytest.fixture
def projects(apps, admin, demo):
    """Calls to the network service by the administrator and a member."""
    def caller(client):
        network = cloud.Client(apps['neutron'], client.token)
        return lambda method, path, body=None: network(method, '/v2.0' + path, body)
    return caller(admin), caller(demo)


def test_subnets_of_others_are_not_onboarded(projects):
    boss, member = projects
    pool = member('POST', '/subnetpools', {'subnetpool': {
        'name': 'mine', 'prefixes': ['10.60.0.0/16'], 'default_prefixlen': 24}})[1]['subnetpool']
    network = boss('POST', '/networks', {'network': {'name': 'theirs'}})[1]['network']
    subnet = boss('POST', '/subnets', {'subnet': {
        'network_id': network['id'], 'ip_version': 4, 'cidr': '10.61.0.0/24'}})[1]['subnet']
    path = '/subnetpools/%s/onboard_network_subnets' % pool['id']
    assert member('PUT', path, {'network_id': network['id']})[0] == 404
    assert boss('GET', '/subnets/' + subnet['id'])[1]['subnet']['subnetpool_id'] is None


def test_parts_of_what_is_somebody_elses(projects):
    boss, member = projects
    network = boss('POST', '/networks', {'network': {'name': 'theirs'}})[1]['network']
    subnet = boss('POST', '/subnets', {'subnet': {
        'network_id': network['id'], 'ip_version': 4, 'cidr': '10.61.0.0/24'}})[1]['subnet']
    port = boss('POST', '/ports', {'port': {'network_id': network['id']}})[1]['port']
    router = boss('POST', '/routers', {'router': {'name': 'theirs'}})[1]['router']
    group = boss('POST', '/security-groups', {'security_group': {'name': 'theirs'}})[1]['security_group']
    rule = group['security_group_rules'][0]
    mine = member('POST', '/routers', {'router': {'name': 'mine'}})[1]['router']
    for method, path, body in (
            ('PUT', '/routers/%s/add_router_interface' % router['id'], {'subnet_id': subnet['id']}),
            ('PUT', '/routers/%s/add_router_interface' % mine['id'], {'subnet_id': subnet['id']}),
            ('PUT', '/routers/%s/add_router_interface' % mine['id'], {'port_id': port['id']}),
            ('PUT', '/routers/%s/remove_router_interface' % mine['id'], {'port_id': port['id']}),
            ('DELETE', '/security-group-rules/' + rule['id'], None),
            ('POST', '/security-group-rules', {'security_group_rule': {
                'security_group_id': group['id'], 'direction': 'ingress'}}),
            ('POST', '/subnets', {'subnet': {'network_id': network['id'], 'ip_version': 4, 'cidr': '10.62.0.0/24'}}),
            ('POST', '/ports', {'port': {'network_id': network['id']}}),
            *((method, '/%s/%s/tags%s' % (kind, item['id'], tail), body)
              for kind, item in (('networks', network), ('subnets', subnet), ('ports', port), ('routers', router),
                                 ('security-groups', group))
              for method, tail, body in (('PUT', '/x', None), ('DELETE', '/x', None), ('PUT', '', {'tags': ['x']}),
                                         ('DELETE', '', None), ('GET', '', None)))):
        assert member(method, path, body)[0] in (403, 404), (method, path)
    assert boss('GET', '/networks/' + network['id'])[1]['network']['tags'] == []
    assert len(boss('GET', '/ports?network_id=' + network['id'])[1]['ports']) <= 2      # the DHCP port, and that one


def test_readers_leave_tags_alone(apps, admin, keystone, projects):
    user = admin('POST', '/v3/users', {'user': {'name': 'looker', 'password': 'pw'}})[1]['user']
    project = admin('GET', '/v3/projects?name=demo')[1]['projects'][0]
    role = admin('GET', '/v3/roles?name=reader')[1]['roles'][0]
    assert admin('PUT', '/v3/projects/%s/users/%s/roles/%s' % (project['id'], user['id'], role['id']))[0] == 204
    body = login_body(password='pw', name='looker')
    body['auth']['scope'] = {'project': {'id': project['id']}}
    token = wsgi.call(keystone.app, 'POST', '/v3/auth/tokens', body)[1]['x-subject-token']
    reader = cloud.Client(apps['neutron'], token)
    network = projects[1]('POST', '/networks', {'network': {'name': 'ours'}})[1]['network']
    path = '/v2.0/networks/%s/tags' % network['id']
    assert projects[1]('PUT', '/networks/%s/tags/x' % network['id'])[0] == 201
    assert reader('GET', path)[1] == {'tags': ['x']}
    for method, tail, body in (('PUT', '/x', None), ('DELETE', '/x', None), ('PUT', '', {'tags': ['x']}),
                               ('DELETE', '', None)):
        assert reader(method, path + tail, body)[0] == 403


# ---- all -----------------------------------------------------------------------------------------------------

@pytest.mark.parametrize('service', test_every_route.SERVICES)
def test_unknown_paths_leave_nothing_in_memory(apps, admin, service):
    numbers = itertools.count()

    def ask(times):
        for _ in range(times):
            path = '/nowhere/%d/%s' % (next(numbers), 'x' * 1000)
            assert wsgi.call(apps[service], 'GET', path, b'', {'X-Auth-Token': admin.token})[0] == 404
    ask(50)     # what is made once is made by now
    tracemalloc.start()
    try:
        ask(10)
        gc.collect()
        before, _ = tracemalloc.get_traced_memory()
        ask(2000)       # two megabytes of paths
        gc.collect()
        after, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert after - before < 200 * 1024
