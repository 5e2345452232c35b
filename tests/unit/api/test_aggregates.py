# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Host aggregates, and the availability zones that they make."""

import pytest

from nova_lite.db import services as services_db
from tests.fixtures import records


@pytest.fixture
def hosts(db):
    for host in ('h1', 'h2'):
        services_db.report(db, host, 'nova-compute', 'compute')


@pytest.fixture
def make(admin, hosts):
    """A function that makes an aggregate and tells its path."""
    def make(name, **values):
        return '/os-aggregates/%d' % admin().post('/os-aggregates', {'aggregate': {'name': name, **values}})[
            'aggregate']['id']
    return make


def act(client, path, name, status=200, **values):
    answer = client.post(path + '/action', {name: values}, status)
    return answer['aggregate'] if status == 200 else answer


def zones(client):
    return {item['zoneName']: set(item['hosts'] or ())
            for item in client.get('/os-availability-zone/detail')['availabilityZoneInfo']}


def test_life(admin, make):
    made = admin(version='2.41').post('/os-aggregates', {'aggregate': {'name': 'first'}})['aggregate']
    assert len(made['uuid']) == 36 and 'hosts' not in made and 'metadata' not in made
    path = '/os-aggregates/%d' % made['id']
    shown = admin().get(path)['aggregate']
    assert shown == {'id': made['id'], 'name': 'first', 'hosts': [], 'metadata': {}, 'availability_zone': None,
                     'created_at': made['created_at'], 'updated_at': None, 'deleted': False, 'deleted_at': None}
    assert admin().put(path, {'aggregate': {'name': 'second'}})['aggregate']['name'] == 'second'
    second = act(admin(), path, 'set_metadata', metadata={'ssd': 'true', 'gpu': 'no'})
    assert second['metadata'] == {'ssd': 'true', 'gpu': 'no'} and second['updated_at']
    assert act(admin(), path, 'set_metadata', metadata={'gpu': None})['metadata'] == {'ssd': 'true'}
    make('third')
    assert [item['name'] for item in admin().get('/os-aggregates')['aggregates']] == ['second', 'third']
    admin().delete(path, 200)
    assert admin().get(path, 404) == 'Aggregate %d could not be found.' % made['id']


def test_hosts_change_zone_with_their_aggregate(admin, make):
    path = make('east', availability_zone='east')
    assert act(admin(), path, 'add_host', host='h1')['hosts'] == ['h1']
    assert zones(admin()) == {'east': {'h1'}, 'nova': {'h2'}}
    assert admin().put(path, {'aggregate': {'availability_zone': 'west'}})['aggregate']['metadata'] == {
        'availability_zone': 'west'}
    assert zones(admin()) == {'west': {'h1'}, 'nova': {'h2'}}
    act(admin(), path, 'set_metadata', metadata={'availability_zone': None})
    assert zones(admin()) == {'nova': {'h1', 'h2'}}
    act(admin(), path, 'set_metadata', metadata={'availability_zone': 'east'})
    assert act(admin(), path, 'remove_host', host='h1')['hosts'] == []
    assert zones(admin()) == {'nova': {'h1', 'h2'}}


def test_a_host_is_in_one_zone(admin, make):
    east, west, plain = make('a', availability_zone='east'), make('b', availability_zone='west'), make('c')
    act(admin(), east, 'add_host', host='h1')
    assert 'east' in act(admin(), west, 'add_host', 409, host='h1')
    assert admin().get(west)['aggregate']['hosts'] == []
    act(admin(), plain, 'add_host', host='h1')
    assert 'east' in act(admin(), plain, 'set_metadata', 400, metadata={'availability_zone': 'west'})
    assert 'east' in admin().put(plain, {'aggregate': {'availability_zone': 'west'}}, 400)
    assert admin().get(plain)['aggregate']['metadata'] == {}
    act(admin(), plain, 'set_metadata', metadata={'availability_zone': 'east'})


def test_instances_do_not_change_zone(db, admin, make):
    records.active(db, records.user_context(), host='h1')
    path = make('east', availability_zone='east')
    assert act(admin(), path, 'add_host', 409, host='h1') == 'One or more hosts contain instances in this zone'
    act(admin(), make('plain'), 'add_host', host='h1')
    act(admin(), path, 'add_host', host='h2')


def test_refusals(admin, demo, make):
    path = make('one')
    assert admin().post('/os-aggregates', {'aggregate': {'name': 'one'}}, 409) == 'Aggregate one already exists.'
    other = make('two')
    assert admin().put(other, {'aggregate': {'name': 'one'}}, 409) == 'Aggregate one already exists.'
    for values in ({}, {'name': ''}, {'name': 'x' * 256}, {'name': 'x', 'hosts': []}, {'availability_zone': 'x'}):
        admin().post('/os-aggregates', {'aggregate': values}, 400)
    admin().put(path, {'aggregate': {}}, 400)
    act(admin(), path, 'add_host', 404, host='nowhere')
    act(admin(), path, 'add_host', host='h1')
    act(admin(), path, 'add_host', 409, host='h1')
    assert 'not empty' in admin().delete(path, 400)
    assert 'has no host h2' in act(admin(), path, 'remove_host', 404, host='h2')
    act(admin(), path, 'set_metadata', 400, metadata={'availability_zone': ''})
    act(admin(), path, 'explode', 400)
    for id_, status in (('12345', 404), ('x', 400), ('-1', 404), ('9' * 30, 404)):
        admin().get('/os-aggregates/' + id_, status)
        admin().delete('/os-aggregates/' + id_, status)
    demo().get('/os-aggregates', 403)
    demo().post('/os-aggregates', {'aggregate': {'name': 'mine'}}, 403)


def test_a_host_that_is_forgotten_is_in_no_aggregate(db, admin, make):
    path = make('one')
    act(admin(), path, 'add_host', host='h1')
    services_db.delete(db, 'h1', 'nova-compute')
    assert admin().get(path)['aggregate']['hosts'] == []
