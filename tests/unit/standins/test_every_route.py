# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Every route of every service, called with what no client should send: the answer is a 4xx, never a 5xx."""

import itertools
import json
import re

import pytest

from nova_lite.standins.cinder import app as cinder_app
from nova_lite.standins.glance import app as glance_app
from nova_lite.standins.neutron import app as neutron_app
from nova_lite.standins.placement import app as placement_app
from tests.fixtures import wsgi
from tests.unit.standins import cloud

SERVICES = ('keystone', 'glance', 'neutron', 'cinder', 'placement')
BODIES = [
    b'', b'{', b'null', b'7', b'"x"', b'[]', b'{}', b'[' * 50000, b'\xff\xfe', b'{"a": ' * 5000 + b'1' + b'}' * 5000,
    b'{"x": "\\ud800"}', b'{"x": 1e999}', b'x' * (2 * 1024 * 1024)]
VALUES = [None, 7, -1, 1 << 80, 1.5, True, '', 'x', '\ud800', '\x00', 'a' * 300, [], [None], [{}], {}, {'id': None},
          {'name': {}, 'domain': 3}]
NAMES = ['x', '%00', '%ff', '%F0%9F%92%A9', 'a' * 300, '..', '%2e%2e%2f', '00000000-0000-0000-0000-000000000000']
ODD = [None, 1 << 80, '\ud800', '\x00', [{}], {'id': None}]
FIELDS = ['name', 'id', 'description', 'enabled', 'domain_id', 'project_id', 'type', 'url', 'network_id', 'cidr',
          'fixed_ips', 'binding:host_id', 'tags', 'password', 'default_project_id', 'protocol', 'port_range_min']
QUERIES = ['limit=x&marker=%00', 'limit=99999999999999999999&sort_key=%ff', 'name=%00&id=x&name=y', '&=&=%',
           'a=1' * 300, 'resources=%00&required=%ff&member_of=&in_tree=', 'fields=x&fields=&sort_dir=up&sort_key=name']


@pytest.fixture
def apps(conf, store, keystone):
    return {
        'keystone': keystone.app, 'glance': glance_app.application(conf, store, keystone.identify),
        'neutron': neutron_app.Neutron(conf, store, keystone.identify, keystone.project_id('admin')).app,
        'cinder': cinder_app.Cinder(conf, store, keystone).app,
        'placement': placement_app.application(store, keystone.identify)}


def fill(path, name):
    return re.sub(r'\{\w+\}', name, path)


@pytest.mark.parametrize('service', SERVICES)
def test_junk(apps, admin, service):
    app = apps[service]
    headers = {'X-Auth-Token': admin.token, **cloud.VERSION}
    types = itertools.cycle(['application/json', 'application/octet-stream', 'text/plain', '',
                             'application/openstack-images-v2.1-json-patch'])
    bad, calls_made = [], 0
    for route in app.routes:
        calls = [(fill(route.path, name), b'{}') for name in NAMES]
        calls += [('%s?%s' % (fill(route.path, 'x'), query), b'{}') for query in QUERIES]
        calls += [(fill(route.path, 'x'), body) for body in BODIES]
        words = re.findall(r'[a-z_]+', route.path) + ['auth', 'allocations', 'resource_provider_generation']
        for word in {*words, *(word.rstrip('s') for word in words)}:
            calls += [(fill(route.path, 'x'), json.dumps({word: value}).encode()) for value in VALUES]
            calls += [(fill(route.path, 'x'), json.dumps({word: {'name': 'n', field: value}}).encode())
                      for field in FIELDS for value in ODD] if route.method in ('POST', 'PUT', 'PATCH') else []
        for path, body in calls:
            kinds = {'Content-Type': 'application/json'} if len(body) < 1000 else {'Content-Type': next(types)}
            calls_made += 1
            status, _, content = wsgi.call(app, route.method, path, body, {**headers, **kinds})
            if status >= 500:
                bad.append((route.method, path, body[:80], content[:200]))
    assert not bad
    assert calls_made > 1000


@pytest.mark.parametrize('service', SERVICES)
def test_no_token(apps, service):
    app = apps[service]
    open_routes = {(route.method, route.path) for route in app.routes if route.public}
    for route in app.routes:
        for headers in ({}, {'X-Auth-Token': 'junk'}, {'X-Auth-Token': 'gAAAAA' + 'x' * 5000},
                        {'X-Auth-Token': '\xff'}, {'X-Roles': 'admin', 'X-Project-Id': 'x', 'X-User-Id': 'x'}):
            status = wsgi.call(app, route.method, fill(route.path, 'x'), b'{}', headers)[0]
            assert (status == 401) or (route.method, route.path) in open_routes
            assert status < 500
    assert all(path in ('/', '/v3', '/v2', '/v2.0', '/versions', '/v3/auth/tokens', '/v3/users/{id}/password')
               for _, path in open_routes)
