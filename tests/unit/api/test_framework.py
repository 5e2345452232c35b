# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Routing, microversions, error bodies, bodies and policy, with a small table of operations."""

import pytest

from nova_lite import exception
from nova_lite.api import deploy
from nova_lite.api import enforcer
from nova_lite.api import policies
from nova_lite.api.openstack import auth
from nova_lite.api.openstack import frame
from nova_lite.api.openstack import microversions
from nova_lite.api.openstack import urlmap
from nova_lite.api.openstack import validation
from nova_lite.api.openstack import wsgi
from nova_lite.api.openstack.compute.schemas import types
from tests.unit.api import client

SCHEMA = types.only('thing', types.closed(['name'], name=types.NAME, size=types.integer(1, 10)))


class Things:
    raises = None

    def __init__(self, services):
        pass

    def show(self, req, id):
        return {'id': id, 'version': str(req.version), 'query': req.query}

    def create(self, req, body):
        return {'thing': body['thing'], 'project': req.context.project_id}

    def forgets(self, req):
        return {'secret': 1}

    def owned(self, req, id):
        req.authorize(enforcer.Owner(project_id=id))
        return {}

    def fails(self, req):
        raise self.raises

    def old(self, req):
        return {'old': True}

    def new(self, req):
        return wsgi.Reply({'new': True}, status=202, headers=[('Location', 'x')])

    def act(self, req, id, body):
        return body


class Parts:
    def __init__(self, services):
        pass

    def show(self, req, thing_id, id):
        return [thing_id, id]


op = wsgi.op
TABLE = {
    '/things': {'POST': op(Things, 'create', policies.FLAVOR_MANAGE % 'create', body=SCHEMA, success=201)},
    '/things/{id}': {'GET': op(Things, 'show', wsgi.ANYBODY, query=microversions.Since({
        '2.1': validation.Query({'limit': types.LIMIT}, single=('limit',)),
        '2.75': validation.Query({'limit': types.LIMIT}, strict=True)}))},
    '/things/{id}/action': {'POST': {'one': op(Things, 'act', wsgi.ANYBODY, body=types.only('one', {}), min='2.10')}},
    '/forgets': {'GET': op(Things, 'forgets', policies.FLAVOR_ACCESS, target=wsgi.OBJECT)},
    '/owned/{id}': {'GET': op(Things, 'owned', policies.FLAVOR_SPECS % 'show', target=wsgi.OBJECT)},
    '/fails': {'GET': op(Things, 'fails', wsgi.ANYBODY)},
    '/versioned': {'GET': [op(Things, 'old', wsgi.ANYBODY, max='2.9'),
                           op(Things, 'new', wsgi.ANYBODY, min='2.20')]},
}


@pytest.fixture
def app(services):
    table = TABLE | {'/things/{thing_id}/parts/{id}': {'GET': op(Parts, 'show', wsgi.ANYBODY)}}
    api = frame.ComputeReqId(frame.FaultWrapper(auth.NoAuth2(deploy.build_application(table, services))))
    return urlmap.URLMap({}, {'/v2': api, '/v2.1': api}, api)


@pytest.mark.parametrize(('header', 'value', 'version'), [
    (None, None, '2.1'),
    ('OpenStack-API-Version', 'compute 2.50', '2.50'),
    ('openstack-api-version', 'COMPUTE 2.50', '2.50'),
    ('OpenStack-API-Version', 'compute latest', '2.104'),
    ('OpenStack-API-Version', 'volume 3.0, compute 2.7', '2.7'),
    ('OpenStack-API-Version', 'compute 2.1, compute 2.7', '2.7'),
    ('OpenStack-API-Version', 'volume 3.0', '2.1'),
    ('OpenStack-API-Version', 'compute', '2.1'),
    ('X-OpenStack-Nova-API-Version', '2.50', '2.50'),
    ('X-OpenStack-Nova-API-Version', 'latest', '2.104'),
])
def test_microversion_is_negotiated(demo, header, value, version):
    answer = demo()('GET', '/things/1', headers={header: value} if header else None)
    assert answer.json['version'] == version
    assert answer.headers['openstack-api-version'] == 'compute ' + version
    assert answer.headers['x-openstack-nova-api-version'] == version
    assert answer.headers['vary'] == 'OpenStack-API-Version, X-OpenStack-Nova-API-Version'


def test_new_header_wins_and_old_one_helps(demo):
    both = {'OpenStack-API-Version': 'compute 2.60', 'X-OpenStack-Nova-API-Version': '2.50'}
    assert demo().get('/things/1', headers=both)['version'] == '2.60'
    other = {'OpenStack-API-Version': 'volume 3.0', 'X-OpenStack-Nova-API-Version': '2.50'}
    assert demo().get('/things/1', headers=other)['version'] == '2.50'


@pytest.mark.parametrize(('text', 'code'), [
    ('2.999', 406), ('2.105', 406), ('2.0', 406), ('1.1', 406), ('3.1', 406), ('9999999999999999999999.1', 406),
    ('abc', 400), ('2', 400), ('2.01', 400), ('2.1.1', 400), ('-2.1', 400), ('2.１', 400)])
def test_bad_microversion(demo, text, code):
    answer = demo()('GET', '/things/1', headers={'OpenStack-API-Version': 'compute ' + text})
    assert answer.fault[:2] == ('computeFault' if code == 406 else 'badRequest', code)
    if code == 406:
        assert '2.1' in answer.fault[2] and '2.104' in answer.fault[2]
    assert answer.headers['openstack-api-version'] == 'compute 2.1'


def test_legacy_requests_know_no_microversions(demo):
    answer = demo(base='/v2', version='2.50')('GET', '/things/1')
    assert answer.json['version'] == '2.1'
    assert not {'openstack-api-version', 'x-openstack-nova-api-version', 'vary'} & set(answer.headers)


def test_operation_of_the_microversion(demo):
    assert demo(version='2.9').get('/versioned') == {'old': True}
    assert 'API version 2.10 is not supported on this method.' == demo(version='2.10').get('/versioned', 404)
    answer = demo(version='2.20')('GET', '/versioned')
    assert (answer.status, answer.json, answer.headers['location']) == (202, {'new': True}, 'x')


@pytest.mark.parametrize('path', [
    '/nothing', '/things/1/', '/things//', '//things', '/things/1/parts', '/', '//', '/+'])
def test_unknown_paths(demo, path):
    assert demo()('GET', path).fault[0] == 'itemNotFound'


def test_ids_are_named_by_their_own_row(demo):
    assert demo().get('/things/a/parts/b%20c') == ['a', 'b c']


def test_project_in_the_url(demo):
    assert demo().get('/demo/things/1')['id'] == '1'
    message = demo().get('/0123abcd/things/1', 400)
    assert message == ("Malformed request URL: URL's project_id '0123abcd' doesn't match Context's project_id 'demo'")
    assert demo().get('/demo/')['version']['id'] == 'v2.1'
    assert demo().get('/demo')['version']['id'] == 'v2.1'
    assert demo(base='/v2').get('/demo/')['version']['id'] == 'v2.0'
    demo().get('/0123abcd/', 400)
    demo().get('/other/', 404)


def test_method_not_allowed(demo):
    answer = demo()('PATCH', '/things/1')
    assert answer.fault[0] == 'badMethod' and answer.headers['allow'] == 'GET'
    assert demo()('HEAD', '/things/1').status == 405


@pytest.mark.parametrize(('exc', 'name', 'code', 'message'), [
    (exception.FlavorNotUsable(flavor_id='7'), 'badRequest', 400, 'Flavor 7 could not be found.'),
    (exception.PortLimitExceeded(), 'forbidden', 403, 'Maximum number of ports exceeded'),
    (exception.FlavorNotFound(flavor_id='7'), 'itemNotFound', 404, 'Flavor 7 could not be found.'),
    (exception.KeyPairExists(key_name='k'), 'conflictingRequest', 409, "Key pair 'k' already exists."),
    (exception.MessagingUnavailable(), 'serviceUnavailable', 503, 'The message queue does not answer.'),
])
def test_exception_families(demo, monkeypatch, exc, name, code, message):
    monkeypatch.setattr(Things, 'raises', exc)
    answer = demo()('GET', '/fails')
    assert answer.fault == (name, code, message)
    assert ('retry-after' in answer.headers) == (code == 503)
    assert answer.headers['openstack-api-version'] == 'compute 2.1'


def test_unforeseen_exception_tells_nothing(demo, monkeypatch, caplog):
    monkeypatch.setattr(Things, 'raises', RuntimeError('secret /etc/x 10.0.0.9'))
    answer = demo()('GET', '/fails')
    assert answer.fault[:2] == ('computeFault', 500)
    assert b'secret' not in answer.content and b'RuntimeError' not in answer.content
    assert 'secret /etc/x' in caplog.text       # the operator reads it


def test_forgotten_policy_check_sends_nothing(admin):
    answer = admin()('GET', '/forgets')
    assert answer.status == 500 and b'secret' not in answer.content


def test_policy_is_about_the_owner(demo, admin):
    demo().get('/owned/demo')
    assert demo().get('/owned/other', 403).startswith("Policy doesn't allow os_compute_api:os-flavor-extra-specs:show")
    admin().get('/owned/other')


def test_policy_before_the_handler(demo, admin):
    body = {'thing': {'name': 'x'}}
    demo().post('/things', body, 403)
    assert admin().post('/things', body, 201)['project'] == 'admin'


def test_request_ids(demo):
    inbound = 'req-01234567-89ab-cdef-0123-456789abcdef'
    answer = demo()('GET', '/things/1', headers={'X-OpenStack-Request-Id': inbound})
    own = answer.headers['x-openstack-request-id']
    assert own.startswith('req-') and own != inbound and own == answer.headers['x-compute-request-id']
    assert demo()('GET', '/nothing').headers['x-openstack-request-id'] != own


@pytest.mark.parametrize(('kind', 'code'), [
    ('application/json', 201), ('application/json; charset=utf-8', 201), ('text/plain', 201), ('', 201), (None, 201),
    ('application/vnd.openstack.compute+json', 201), ('application/xml', 415),
    ('application/x-www-form-urlencoded', 415)])
def test_content_types(admin, kind, code):
    answer = admin()('POST', '/things', {'thing': {'name': 'x'}}, headers={'Content-Type': kind})
    assert answer.status == code
    if code == 415:
        assert answer.fault[0] == 'badMediaType'


@pytest.mark.parametrize('raw', [
    b'', b'{', b'null', b'[]', b'"x"', b'\xff\xfe', b'{"thing": NaN}', b'[' * 100000, b'{"a":' * 20000,
    b'{"thing": {"name": "\\ud800"}}', b'{"thing": {"name": "a\\u0000b"}}', b'1' * 5000, b'{"thing": 1e999}'])
def test_malformed_bodies(admin, raw):
    assert admin()('POST', '/things', raw=raw).fault[0] == 'badRequest'


def test_too_large_a_body(admin):
    answer = admin()('POST', '/things', raw=b' ' * 114689)
    assert answer.fault[:2] == ('overLimit', 413)
    for length in ('99999999999', '9' * 5000):
        answer = admin()('POST', '/things', raw=b'', headers={'Content-Length': length})
        assert answer.fault[:2] == ('overLimit', 413)
    for length in ('-1', 'x', '²'):
        answer = admin()('POST', '/things', raw=b'', headers={'Content-Length': length})
        assert answer.fault[:2] == ('badRequest', 400)
    chunked = {'Content-Length': '', 'Transfer-Encoding': 'chunked'}
    assert admin()('POST', '/things', raw=b' ' * 114690, headers=chunked).fault[:2] == ('overLimit', 413)
    assert admin()('POST', '/things', {'thing': {'name': 'x'}}, headers=chunked).status == 201


def test_validation_texts(admin):
    message = admin().post('/things', {'thing': {'name': 'x', 'size': 11}}, 400)
    assert message.startswith('Invalid input for field/attribute size. Value: 11.') or \
        message.startswith('Invalid input for field/attribute thing.size. Value: 11.')
    assert "'foo' was unexpected" in admin().post('/things', {'thing': {'name': 'x', 'foo': 1}}, 400)
    assert "'name' is a required property" in admin().post('/things', {'thing': {}}, 400)
    long = admin()('POST', '/things', {'thing': {'name': 'y' * 100000}})
    assert long.status == 400 and len(long.content) < 2000


def test_legacy_bodies_are_read_kindly(admin):
    body = {'thing': {'name': '  x ', 'foo': 1}, 'bar': 2}
    assert admin(base='/v2').post('/things', body, 201)['thing'] == {'name': '  x '}
    admin().post('/things', body, 400)


def test_queries(demo):
    assert demo().get('/things/1?limit=3&foo=1')['query'] == {'limit': ['3']}
    demo(version='2.75').get('/things/1?limit=3&foo=1', 400)
    demo().get('/things/1?limit=-1', 400)
    demo().get('/things/1?limit=1&limit=2', 400)
    assert demo(version='2.75').get('/things/1?limit=1&limit=2')['query'] == {'limit': ['1', '2']}
    demo().get('/things/1?a=%00', 400)
    demo().get('/things/1?a=%ff', 400)
    assert demo().get('/things/%ff', 400) == 'The URL is not UTF-8 encoded'


def test_actions(demo):
    new = demo(version='2.10')
    assert new.post('/things/1/action', {'one': 5}) == {'one': 5}
    assert demo().post('/things/1/action', {'one': 5}, 404).startswith('API version 2.1 is not supported')
    assert new.post('/things/1/action', {'two': 5}, 400) == 'There is no such action: two'
    new.post('/things/1/action', {'one': 1, 'two': 5}, 400)
    new.post('/things/1/action', {}, 400)
    new.post('/things/1/action', [], 400)


def test_noauth_log_in(app):
    answer = client.Client(app, user=None)('GET', '/things/1', headers={'X-Auth-Project-Id': 'p', 'X-Auth-User': 'u'})
    assert (answer.status, answer.headers['x-auth-token']) == (204, 'u:p')
    answer = client.Client(app, user=None)('GET', '/')
    assert answer.headers['x-auth-token'] == 'admin:admin'
    assert answer.headers['x-server-management-url'] == 'http://nova.test:8774/v2.1/admin'


def test_since():
    since = microversions.Since({'2.1': 'a', '2.10': 'b'})
    assert [since.at(microversions.parse(text)) for text in ('2.1', '2.9', '2.10', '2.104')] == ['a', 'a', 'b', 'b']
    assert microversions.Since({'2.5': 1}).at(microversions.parse('2.4')) is None
    with pytest.raises(ValueError):
        microversions.Since({'2.10': 1, '2.9': 2})
