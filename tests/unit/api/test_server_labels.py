# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Metadata, tags and addresses of servers: their own resources under /servers/{id}."""

import pytest
import sqlalchemy as sa

from nova_lite.db import models
from nova_lite.objects import network
from tests.unit.api import servers_cloud


@pytest.fixture
def cloud(tmp_path):
    return servers_cloud.Cloud(tmp_path)


@pytest.fixture
def server(cloud):
    """The path of an active server."""
    uuid = cloud.make(metadata={'a': '1'})
    cloud.run(uuid)
    return '/servers/%s' % uuid


def body(cloud, method, path, content=None, status=200, **kwargs):
    answer = cloud.ask(method, path, content, **kwargs)
    assert answer.status == status, answer.body
    return answer.body


def change(cloud, path, **values):
    with cloud.db.engine.begin() as connection:
        connection.execute(sa.update(models.instances).where(models.instances.c.uuid == path[-36:]).values(values))


def test_metadata(cloud, server):
    path = server + '/metadata'
    assert body(cloud, 'GET', path) == {'metadata': {'a': '1'}}
    assert body(cloud, 'POST', path, {'metadata': {'b': '2'}}) == {'metadata': {'a': '1', 'b': '2'}}
    assert body(cloud, 'PUT', path, {'metadata': {'c': '3', 'd': ''}}) == {'metadata': {'c': '3', 'd': ''}}
    assert body(cloud, 'GET', path + '/c') == {'meta': {'c': '3'}}
    assert body(cloud, 'PUT', path + '/c', {'meta': {'c': '4'}}) == {'meta': {'c': '4'}}
    assert body(cloud, 'DELETE', path + '/d', status=204) is None
    assert body(cloud, 'GET', path) == {'metadata': {'c': '4'}}
    assert body(cloud, 'GET', server)['server']['metadata'] == {'c': '4'}


def test_metadata_that_is_refused(cloud, server):
    path = server + '/metadata'
    for method in ('GET', 'DELETE'):
        assert cloud.ask(method, path + '/x').message == 'Metadata item was not found'
    assert cloud.ask('PUT', path + '/x', {'meta': {'y': '1'}}).message == 'Request body and URI mismatch'
    for meta in ({'x': '1', 'y': '2'}, {}, {'x': 1}, {'x': 'x' * 256}):
        body(cloud, 'PUT', path + '/x', {'meta': meta}, 400)
    for metadata in ({'k' * 256: '1'}, {'k': 'x' * 256}, {'': '1'}, {'k': None}, {'k\u00e9': '1'}):
        body(cloud, 'POST', path, {'metadata': metadata}, 400)
    many = {'key%d' % number: '' for number in range(128)}
    assert cloud.ask('POST', path, {'metadata': many}).message.startswith('Maximum number of metadata items exceeds')
    assert len(body(cloud, 'PUT', path, {'metadata': many})['metadata']) == 128
    body(cloud, 'GET', path, project='p2', status=404)


@pytest.mark.parametrize('values', [{'vm_state': 'building'}, {'vm_state': 'error'}, {'task_state': 'deleting'}])
def test_nothing_is_changed_in_the_middle_of_something(cloud, server, values):
    change(cloud, server, tags=['x'], **values)
    for method, path, content in (
            ('PUT', '/metadata', {'metadata': {}}), ('POST', '/metadata', {'metadata': {}}),
            ('PUT', '/metadata/a', {'meta': {'a': '2'}}), ('DELETE', '/metadata/a', None),
            ('PUT', '/tags', {'tags': []}), ('PUT', '/tags/y', None), ('DELETE', '/tags/x', None),
            ('DELETE', '/tags', None)):
        answer = cloud.ask(method, server + path, content, version='2.26')
        assert answer.status == 409 and answer.message.startswith("Cannot '"), (method, path, answer.body)
    shown = body(cloud, 'GET', server, version='2.26')['server']
    assert (shown['metadata'], shown['tags']) == ({'a': '1'}, ['x'])


def test_the_metadata_of_a_locked_server(cloud, server):
    change(cloud, server, locked=True)
    body(cloud, 'POST', server + '/metadata', {'metadata': {'b': '2'}}, 409)
    body(cloud, 'DELETE', server + '/metadata/a', status=409)
    body(cloud, 'POST', server + '/metadata', {'metadata': {'b': '2'}}, admin=True)


def test_tags(cloud, server):
    path = server + '/tags'
    body(cloud, 'GET', path, status=404, version='2.25')
    assert body(cloud, 'GET', path, version='2.26') == {'tags': []}
    made = cloud.ask('PUT', path + '/one', version='2.26')
    assert (made.status, made.headers['Location']) == (201, 'http://cloud:8774/v2.1' + path + '/one')
    assert cloud.ask('PUT', path + '/one', version='2.26').status == 204
    assert cloud.ask('GET', path + '/one', version='2.26').status == 204
    assert cloud.ask('GET', path + '/two', version='2.26').status == 404
    assert body(cloud, 'PUT', path, {'tags': ['b', 'a', 'b']}, version='2.26') == {'tags': ['a', 'b']}
    assert cloud.ask('DELETE', path + '/a', version='2.26').status == 204
    assert cloud.ask('DELETE', path + '/a', version='2.26').status == 404
    assert body(cloud, 'GET', path, version='2.26') == {'tags': ['b']}
    assert cloud.ask('DELETE', path, version='2.26').status == 204
    assert body(cloud, 'GET', path, version='2.26') == {'tags': []}


def test_tags_that_are_refused(cloud, server):
    path = server + '/tags'
    fifty = ['t%d' % number for number in range(50)]
    for tags in (fifty + ['x'], ['x' * 61], ['a,b'], ['a/b'], [''], [1], 'a'):
        body(cloud, 'PUT', path, {'tags': tags}, 400, version='2.26')
    body(cloud, 'PUT', path, {'tags': fifty}, version='2.26')
    assert cloud.ask('PUT', path + '/x', version='2.26').message == (
        'The number of tags exceeded the per-server limit 50')
    assert cloud.ask('PUT', path + '/t1', version='2.26').status == 204
    body(cloud, 'PUT', path + '/' + 'x' * 61, status=400, version='2.26')
    body(cloud, 'PUT', path + '/a,b', status=400, version='2.26')


def test_addresses(cloud, server):
    assert body(cloud, 'GET', server + '/ips') == {'addresses': {}}
    fixed = network.FixedIP(address='10.0.0.5', version=4, subnet_id='s', cidr='10.0.0.0/24')
    change(cloud, server, network_info=[network.VIF(id='p', address='fa:16:3e:00:00:01', network_id='n',
                                                    network_label='private', vif_type='bridge', fixed_ips=[fixed])])
    private = [{'version': 4, 'addr': '10.0.0.5'}]
    assert body(cloud, 'GET', server + '/ips') == {'addresses': {'private': private}}
    assert body(cloud, 'GET', server + '/ips/private') == {'private': private}
    assert cloud.ask('GET', server + '/ips/other').message == 'Instance is not a member of specified network'


def test_addresses_for_access_are_shown_in_their_shortest_form(cloud):
    uuid = cloud.make(accessIPv6='0000:0000:0000:0000:0000:babe:220.12.22.2')
    shown = body(cloud, 'GET', '/servers/' + uuid)['server']
    assert shown['accessIPv6'] == '::babe:dc0c:1602'
    answer = body(cloud, 'PUT', '/servers/' + uuid, {'server': {'accessIPv6': 'FE80:0:0:0::1'}})
    assert answer['server']['accessIPv6'] == 'fe80::1'
