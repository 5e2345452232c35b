# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""The same negative set against every operation of the route table, under /v2.1 and /v2, with and without project id.

Whatever a client sends, the answer is a 4xx in Nova's shape (or a success); never a 5xx, and never anything but JSON.
"""

import functools

import jsonschema
import pytest

from nova_lite.api import deploy
from nova_lite.api import enforcer
from nova_lite.api import policies
from nova_lite.api.openstack import microversions
from nova_lite.api.openstack import wsgi
from nova_lite.api.openstack.compute import routes
from nova_lite.compute import api as compute_api
from nova_lite.compute import api_clients
from nova_lite.image import glance
from nova_lite.network import neutron
from tests.fixtures import records
from tests.unit.api import client as api_client
from tests.unit.api import conftest
from tests.unit.compute_api import doubles

UUID = '00000000-0000-4000-8000-000000000000'
ODD_IDS = ['0', '-1', 'x' * 5000, "'; DROP TABLE instances; --", 'é', '%2e%2e', '%ff', '%00', '%0a', '٣']
DEEP = b'{"a":' * 5000 + b'1' + b'}' * 5000


def operations():
    """(method, path, action or None, operation) of every row."""
    for path, methods in routes.TABLE.items():
        for method, entry in methods.items():
            named = entry.items() if isinstance(entry, dict) else [(None, entry)]
            for action, operation in named:
                for item in operation if isinstance(operation, list) else [operation]:
                    yield method, path, action, item


ALL = list(operations())
WITH_BODY = [row for row in ALL if row[3].body is not None]


@pytest.fixture(scope='module')
def app(tmp_path_factory):
    """One for all these requests: none of them leaves anything behind."""
    conf = conftest.configuration()
    db = records.database(tmp_path_factory.mktemp('api'))
    policy = enforcer.Enforcer(conf)
    network = neutron.API(doubles.Neutron())
    compute = compute_api.API(conf, db, policy, api_clients.Clients(
        image=glance.API(doubles.Glance()), network=network, volume=None), conductor=None, compute=None)
    yield deploy.load(str(conftest.PASTE), 'osapi_compute', deploy.Services(conf, db, policy, compute, network))
    db.close()


@pytest.fixture(scope='module')
def admin(app):
    return functools.partial(api_client.Client, app, 'admin', 'admin')


def each(rows):
    names = ['%s %s%s %s' % (method, path, ' ' + action if action else '', item.min)
             for method, path, action, item in rows]
    return pytest.mark.parametrize(('method', 'path', 'action', 'operation'), rows, ids=names)


def url(path, id_=UUID):
    return '/'.join(id_ if segment.startswith('{') else segment for segment in path.split('/'))


def ways(client, operation):
    """The same caller under both versions' URLs, with and without project id."""
    yield client(version=operation.min)
    yield client(version=operation.max, base='/v2.1/admin')
    if operation.min == '2.1':
        yield client(base='/v2')
        yield client(base='/v2/admin')


def refused(answer, *codes):
    assert answer.status in codes, (answer.status, answer.content[:300])
    assert answer.fault[2]


def sane(answer):
    """A success, or a failure of the client's in Nova's shape."""
    assert answer.status < 500, answer.content[:300]
    if answer.status >= 400:
        assert answer.fault[2]


@each(ALL)
def test_rules_exist_and_microversions_make_sense(method, path, action, operation):
    known = {rule.name for rule in policies.list_rules()}
    assert operation.policy is wsgi.ANYBODY or operation.policy in known
    assert microversions.MIN <= microversions.parse(operation.min) <= microversions.parse(operation.max)
    if method == 'GET':
        assert operation.body is None


@each(ALL)
def test_schemas_are_schemas(method, path, action, operation):
    bodies = microversions.since(operation.body).values
    queries = [query and query.schema for query in microversions.since(operation.query).values]
    for schema in bodies + queries:
        if schema is not None:
            jsonschema.Draft202012Validator.check_schema(schema)


@each(ALL)
def test_paths_methods_versions(admin, method, path, action, operation):
    for client in ways(admin, operation):
        refused(client(method, url(path) + '/'), 404)
        refused(client('PATCH', url(path)), 405)
        refused(client('TRACE', url(path)), 405)
    refused(admin()(method, '/' + url(path)), 404)
    refused(admin(version='2.999')(method, url(path)), 406)
    refused(admin(version='abc')(method, url(path)), 400)
    refused(admin(base='/v2.1/0123456789abcdef')(method, url(path)), 400)
    before = microversions.parse(operation.min)
    if before > microversions.MIN and len(routes.TABLE[path]) == 1 and action is None:
        refused(admin(version='2.%d' % (before.minor - 1))(method, url(path)), 404)


@each(ALL)
def test_strange_ids(admin, method, path, action, operation):
    if '{' not in path:
        return
    for client in (admin(version=operation.max), admin(version=operation.min, base='/v2.1/admin')):
        for id_ in [UUID, *ODD_IDS]:
            sane(client(method, url(path, id_)))


@each(ALL)
def test_strange_queries(admin, method, path, action, operation):
    client = admin(version=operation.max)
    query = microversions.since(operation.query).values[-1]
    for name in query.parameters if query else ():
        for value in ('', '-1', 'x', '1' * 30, '%00', '%ff', '(((((', 'é', '2026-99-99'):
            sane(client(method, '%s?%s=%s' % (url(path), name, value)))
    sane(client(method, url(path) + '?' + '&'.join('a%d=1' % number for number in range(1500))))


@each(WITH_BODY)
def test_malformed_bodies(admin, method, path, action, operation):
    for client in (admin(version=operation.max), admin(version=operation.min, base='/v2.1/admin')):
        for raw in (b'', b'{', b'[]', b'"x"', b'null', b'\xff', b'[' * 50000, DEEP, b'{"a": NaN}', b'{"a": "\\ud800"}'):
            refused(client(method, url(path), raw=raw), 400)
        refused(client(method, url(path), raw=b'<a/>', headers={'Content-Type': 'application/xml'}), 415)
        refused(client(method, url(path), raw=b' ' * 114689), 413)


@each(WITH_BODY)
def test_strange_bodies(admin, method, path, action, operation):
    """Each property of the body's schema in turn with values that it was not made for."""
    client = admin(version=operation.max)
    schema = microversions.since(operation.body).values[-1]
    for name, part in list(schema.get('properties', {}).items()) or [('a', {})]:
        for value in (None, True, -1, 1.5, 10 ** 30, '', 'x' * 70000, '\u202e', [], [[]], {}, [{'a': {}}] * 50):
            sane(client(method, url(path), {name: value}))
            for inner in part.get('properties', {}):
                sane(client(method, url(path), {name: {inner: value}}))


@each([row for row in ALL if row[3].body is None and row[3].target == wsgi.CALLER])
def test_what_is_for_admins_is_not_for_members(demo, method, path, action, operation):
    admins = {name for name, check, *_ in policies.OPERATIONS if check == policies.ADMIN}
    if operation.policy in admins:
        for client in ways(demo, operation):
            client.base = client.base.replace('/admin', '/demo')
            refused(client(method, url(path)), 403)


@each(ALL)
def test_the_state_of_the_table_survives(admin, method, path, action, operation):
    """The same request twice gives the same answer: nothing of a request stays in the framework."""
    client = admin(version=operation.max)
    first, second = client(method, url(path)), client(method, url(path))
    assert (first.status, first.content) == (second.status, second.content)
