# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Flavors, who may use them, and their extra specs."""

import pytest

SMALL = {'name': 'small', 'ram': 512, 'vcpus': 1, 'disk': 1}


def make(admin, version=None, status=200, **values):
    return admin(version=version).post('/flavors', {'flavor': SMALL | values}, status)


@pytest.fixture
def flavors(admin):
    """Three public ones and a private one."""
    for number in (1, 2, 3):
        make(admin, id=str(number), name='f%d' % number, ram=512 * number, disk=number)
    make(admin, id='9', name='hidden', **{'os-flavor-access:is_public': False})


def ids(body):
    return [flavor['id'] for flavor in body['flavors']]


def test_show_over_the_microversions(flavors, demo):
    old = demo().get('/flavors/1')['flavor']
    assert old == {
        'id': '1', 'name': 'f1', 'ram': 512, 'disk': 1, 'vcpus': 1, 'swap': '', 'OS-FLV-EXT-DATA:ephemeral': 0,
        'OS-FLV-DISABLED:disabled': False, 'os-flavor-access:is_public': True, 'rxtx_factor': 1.0,
        'links': [{'rel': 'self', 'href': 'http://nova.test:8774/v2.1/flavors/1'},
                  {'rel': 'bookmark', 'href': 'http://nova.test:8774/flavors/1'}]}
    assert demo(version='2.55').get('/flavors/1')['flavor'] == old | {'description': None}
    assert demo(version='2.61').get('/flavors/1')['flavor'] == old | {'description': None, 'extra_specs': {}}
    assert demo(version='2.75').get('/flavors/1')['flavor']['swap'] == 0
    newest = demo(version='2.104').get('/flavors/1')['flavor']
    assert set(old) | {'description', 'extra_specs'} == set(newest) | {'rxtx_factor', 'OS-FLV-DISABLED:disabled'}


def test_lists(flavors, demo):
    assert demo().get('/flavors')['flavors'][0] == {
        'id': '1', 'name': 'f1', 'links': demo().get('/flavors/1')['flavor']['links']}
    assert set(demo(version='2.55').get('/flavors')['flavors'][0]) == {'id', 'name', 'links', 'description'}
    for version in ('2.1', '2.55', '2.61', '2.102'):
        client = demo(version=version)
        assert client.get('/flavors/detail')['flavors'][0] == client.get('/flavors/1')['flavor']


@pytest.mark.parametrize(('query', 'expected'), [
    ('', ['1', '2', '3']), ('minRam=1024', ['2', '3']), ('minDisk=3', ['3']), ('is_public=none', ['1', '2', '3']),
    ('is_public=false', ['1', '2', '3']), ('sort_key=memory_mb&sort_dir=desc', ['3', '2', '1']),
    ('marker=1', ['2', '3']), ('limit=0', [])])
def test_filters_of_a_member(flavors, demo, query, expected):
    assert ids(demo().get('/flavors?' + query)) == expected


def test_admins_filter_by_visibility(flavors, admin):
    assert ids(admin().get('/flavors')) == ['1', '2', '3']
    assert ids(admin().get('/flavors?is_public=None')) == ['1', '2', '3', '9']
    assert ids(admin().get('/flavors?is_public=no')) == ['9']
    assert ids(admin(version='2.102').get('/flavors?name=f2')) == ['2']
    assert ids(admin(version='2.74').get('/flavors?name=f2')) == ['1', '2', '3']


def test_pages(flavors, demo):
    first = demo().get('/demo/flavors/detail?limit=2&minRam=1')
    assert ids(first) == ['1', '2']
    link = first['flavors_links'][0]
    assert link == {'rel': 'next',
                    'href': 'http://nova.test:8774/v2.1/demo/flavors/detail?limit=2&minRam=1&marker=2'}
    second = demo().get('/demo/flavors/detail?limit=2&minRam=1&marker=2')
    assert ids(second) == ['3'] and 'flavors_links' not in second


@pytest.mark.parametrize('query', ['limit=x', 'limit=-1', 'minRam=x', 'minDisk=-1', 'is_public=maybe', 'marker=77',
                                   'sort_key=nonsense', 'sort_dir=up'])
def test_bad_queries(flavors, admin, query):
    admin().get('/flavors?' + query, 400)


def test_unknown_parameters(flavors, demo):
    demo(version='2.74').get('/flavors?foo=1')
    demo(version='2.75').get('/flavors?foo=1', 400)
    demo(version='2.101').get('/flavors/1?foo=1')
    demo(version='2.102').get('/flavors/1?foo=1', 400)


def test_create(admin):
    made = make(admin, id='x.1', swap='10', description=None, version='2.55',
                **{'OS-FLV-EXT-DATA:ephemeral': 2, 'rxtx_factor': '1.5', 'os-flavor-access:is_public': 'no'})['flavor']
    assert (made['id'], made['swap'], made['OS-FLV-EXT-DATA:ephemeral'], made['rxtx_factor'],
            made['os-flavor-access:is_public']) == ('x.1', 10, 2, 1.5, False)
    for value in (None, 'auto'):
        assert len(make(admin, name='n%s' % value, id=value)['flavor']['id']) == 36
    assert make(admin, name='number', id=77)['flavor']['id'] == '77'


@pytest.mark.parametrize(('values', 'status'), [
    ({'ram': 1.5}, 400), ({'ram': 0}, 400), ({'ram': '0'}, 400), ({'ram': 2 ** 31}, 400), ({'ram': '99999999999'}, 400),
    ({'vcpus': 0}, 400), ({'disk': -1}, 400), ({'name': ''}, 400), ({'name': ' x'}, 400), ({'name': 'a' * 256}, 400),
    ({'name': 'a\tb'}, 400), ({'id': ' x'}, 400), ({'id': 'a/b'}, 400), ({'id': ''}, 400), ({'swap': 'x'}, 400),
    ({'rxtx_factor': 0}, 400), ({'rxtx_factor': '0.0'}, 400), ({'rxtx_factor': 1e300}, 400), ({'foo': 1}, 400),
    ({'description': 'later'}, 400), ({'os-flavor-access:is_public': 'perhaps'}, 400), ({'disk': True}, 400)])
def test_refused_values(admin, values, status):
    make(admin, status=status, **values)


def test_conflicts(flavors, admin):
    assert make(admin, id='1', status=409) == 'Flavor with ID 1 already exists.'
    assert make(admin, name='f1', status=409) == 'Flavor with name f1 already exists.'


def test_rxtx_factor_left_with_2_102(admin):
    make(admin, version='2.102', status=400, rxtx_factor=1.0)


def test_members_manage_nothing(flavors, demo):
    demo().post('/flavors', {'flavor': SMALL}, 403)
    demo().delete('/flavors/1', 403)
    demo(version='2.55').put('/flavors/1', {'flavor': {'description': 'x'}}, 403)
    demo().get('/flavors/9/os-flavor-access', 403)
    demo().post('/flavors/9/action', {'addTenantAccess': {'tenant': 'demo'}}, 403)
    demo().post('/flavors/1/os-extra_specs', {'extra_specs': {'a': 'b'}}, 403)


def test_update_and_delete(flavors, admin, demo):
    changed = admin(version='2.55').put('/flavors/1', {'flavor': {'description': 'said'}})
    assert changed['flavor']['description'] == 'said'
    admin(version='2.54').put('/flavors/1', {'flavor': {'description': 'x'}}, 404)
    admin(version='2.55').put('/flavors/77', {'flavor': {'description': 'x'}}, 404)
    admin().delete('/flavors/1', 202)
    assert demo().get('/flavors/1', 404) == 'Flavor 1 could not be found.'
    admin().delete('/flavors/1', 404)


def test_access(flavors, admin, demo):
    demo().get('/flavors/9', 404)
    given = admin().post('/flavors/9/action', {'addTenantAccess': {'tenant': 'demo'}})
    assert given == {'flavor_access': [{'flavor_id': '9', 'tenant_id': 'demo'}]}
    assert admin().get('/flavors/9/os-flavor-access') == given
    assert demo().get('/flavors/9')['flavor']['name'] == 'hidden'
    assert ids(demo().get('/flavors')) == ['1', '2', '3', '9']
    admin().post('/flavors/9/action', {'addTenantAccess': {'tenant': 'demo'}}, 409)
    admin().post('/flavors/1/action', {'addTenantAccess': {'tenant': 'demo'}}, 409)
    admin().get('/flavors/1/os-flavor-access', 404)
    assert admin().post('/flavors/9/action', {'removeTenantAccess': {'tenant': 'demo'}}) == {'flavor_access': []}
    admin().post('/flavors/9/action', {'removeTenantAccess': {'tenant': 'demo'}}, 404)
    demo().get('/flavors/9', 404)


def test_extra_specs(flavors, admin, demo):
    assert admin().post('/flavors/1/os-extra_specs', {'extra_specs': {'hw:a': 1, 'b': 'x', 'c': True}}) == {
        'extra_specs': {'hw:a': '1', 'b': 'x', 'c': 'True'}}
    assert demo().get('/flavors/1/os-extra_specs')['extra_specs']['hw:a'] == '1'
    assert demo().get('/flavors/1/os-extra_specs/b') == {'b': 'x'}
    assert admin().put('/flavors/1/os-extra_specs/b', {'b': 'y'}) == {'b': 'y'}
    admin().put('/flavors/1/os-extra_specs/b', {'d': 'y'}, 400)
    admin().put('/flavors/1/os-extra_specs/b', {'b': 'y', 'd': 'z'}, 400)
    admin().put('/flavors/1/os-extra_specs/b', {}, 400)
    admin().delete('/flavors/1/os-extra_specs/b', 200)
    demo().get('/flavors/1/os-extra_specs/b', 404)
    admin().delete('/flavors/1/os-extra_specs/b', 404)
    admin().delete('/flavors/77/os-extra_specs/b', 404)
    for specs in ({'a/b': 'x'}, {'a': 'x' * 256}, {'a': None}, {'a' * 256: 'x'}, []):
        admin().post('/flavors/1/os-extra_specs', {'extra_specs': specs}, 400)
