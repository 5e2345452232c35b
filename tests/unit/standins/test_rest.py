# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""The REST core: dispatch, limits, and errors in the service's form."""

import io
import json

import pytest

from nova_lite.standins import identity
from nova_lite.standins import rest
from tests.fixtures import wsgi

WHO = identity.Identity('u1', 'user', 'default', frozenset(['member']), project_id='p1')


def echo(request, **values):
    return {'path': values, 'user': request.identity.user_id if request.identity else None}


def body(request):
    return {'body': request.json(rest.schema({'type': 'object', 'properties': {'n': {'type': 'integer'}}}))}


def fail(request):
    raise KeyError('secret detail')


def surrogate(request):
    return {'text': request.json()['text'].encode().decode()}


def stream(request):
    return rest.Reply(200, (piece for piece in (b'a', b'b')))


@pytest.fixture
def app():
    routes = [
        rest.Route('GET', '/', echo, public=True), rest.Route('GET', '/things/special', body, public=True),
        rest.Route('GET', '/things/{id}', echo), rest.Route('GET', '/things/{id}/parts/{part}', echo),
        rest.Route('DELETE', '/things/{id}', lambda request, id: None), rest.Route('POST', '/things', body),
        rest.Route('GET', '/fail', fail, public=True), rest.Route('POST', '/text', surrogate, public=True),
        rest.Route('GET', '/stream', stream, public=True)]
    return rest.App('test', routes, identify=lambda token: WHO if token == 'good' else None,
                    render_fault=lambda request, fault: {'error': fault.message, 'kind': fault.kind},
                    challenge='Keystone uri="x"')


def call(app, method, path, body=None, **headers):
    status, fields, content = wsgi.call(app, method, path, body, {'X-Auth-Token': 'good', **headers})
    return status, fields, json.loads(content) if content else None


def test_dispatch_passes_path_values(app):
    assert call(app, 'GET', '/things/a%20b/parts/7/')[2] == {'path': {'id': 'a b', 'part': '7'}, 'user': 'u1'}
    assert call(app, 'GET', '/things/%C3%BC')[2]['path'] == {'id': 'ü'}
    assert call(app, 'DELETE', '/things/1')[0] == 204


def test_literal_segment_goes_first_but_does_not_hide_the_wildcard(app):
    assert call(app, 'GET', '/things/special', {'n': 1})[2] == {'body': {'n': 1}}
    assert call(app, 'GET', '/things/special/parts/1')[2]['path'] == {'id': 'special', 'part': '1'}


@pytest.mark.parametrize('path', [
    '/nothing', '/things/1/parts', '/things//parts/1', '/things/%ff', '/a' * 5000])
def test_unknown_path(app, path):
    assert call(app, 'GET', path)[0] == 404


def test_wrong_method_names_the_right_ones(app):
    status, headers, _ = call(app, 'PUT', '/things/1')
    assert (status, headers['allow']) == (405, 'DELETE, GET')


def test_head_is_get_without_body(app):
    status, headers, content = call(app, 'HEAD', '/things/1')
    assert (status, content) == (200, None)
    assert int(headers['content-length']) > 0


def test_token_is_needed_unless_public(app):
    status, headers, _ = wsgi.call(app, 'GET', '/things/1')
    assert (status, headers['www-authenticate']) == (401, 'Keystone uri="x"')
    assert wsgi.call(app, 'GET', '/things/1', headers={'X-Auth-Token': 'bad', 'X-Roles': 'admin'})[0] == 401
    assert json.loads(wsgi.call(app, 'GET', '/')[2])['user'] is None


@pytest.mark.parametrize('data', [b'{', b'\xff', b'{"n": NaN}', b'[' * 100000, b'', b'{"n": 1' + b'0' * 5000])
def test_what_is_not_json(app, data):
    status, _, content = call(app, 'POST', '/things', data)
    assert (status, content['error']) == (400, 'The request body is not valid JSON.')


def test_schema_names_the_place(app):
    status, _, content = call(app, 'POST', '/things', {'n': 'x'})
    assert status == 400
    assert content['error'].startswith('Invalid input for field/attribute n. ')


def test_body_limit(app):
    assert call(app, 'POST', '/things', b'"' + b'x' * rest.MAX_BODY + b'"')[0] == 413


def test_body_limit_holds_for_chunked_bodies(app):
    environ = {'REQUEST_METHOD': 'POST', 'PATH_INFO': '/things', 'HTTP_X_AUTH_TOKEN': 'good',
               'HTTP_TRANSFER_ENCODING': 'chunked', 'wsgi.input': io.BytesIO(b' ' * (rest.MAX_BODY + 5))}
    statuses = []
    app(environ, lambda status, headers: statuses.append(status))
    assert statuses == ['413 Request Entity Too Large']


def test_senseless_content_length(app):
    assert call(app, 'POST', '/things', b'{}', **{'Content-Length': '-1'})[0] == 400


def test_unexpected_error_tells_nothing_of_itself(app):
    status, headers, content = call(app, 'GET', '/fail')
    assert status == 500
    assert 'secret' not in content['error']
    assert headers['x-openstack-request-id'] in content['error']


def test_text_that_cannot_be_encoded(app):
    assert call(app, 'POST', '/text', b'{"text": "\\ud800"}')[0] == 400


def test_streamed_body(app):
    assert wsgi.call(app, 'GET', '/stream')[2] == b'ab'
    assert wsgi.call(app, 'HEAD', '/stream')[0::2] == (200, b'')


def test_malformed_query(app):
    assert wsgi.call(app, 'GET', '/')[0] == 200
    request = rest.Request({'REQUEST_METHOD': 'GET', 'QUERY_STRING': '&'.join('a=1' for _ in range(2000))})
    with pytest.raises(rest.Fault) as caught:
        request.argument('a')
    assert caught.value.status == 400


def test_two_routes_for_one_place_are_refused():
    with pytest.raises(ValueError):
        rest.App('x', [rest.Route('GET', '/a/{b}', echo), rest.Route('GET', '/a/{c}', echo)],
                 identify=None, render_fault=None)
