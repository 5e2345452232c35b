# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Volume types: made and changed by administrators, used by all or by some, and chosen where none is named."""

import pytest

OTHER = 'e' * 32


@pytest.fixture
def kind(callers):
    """Makes a type."""
    def make_one(name='fast', **fields):
        status, body = callers.admin('POST', '/types', {'volume_type': {'name': name, **fields}})
        assert status == 200, body
        return body['volume_type']
    return make_one


def test_life_of_a_type(kind, callers):
    made = kind(description='d', extra_specs={'a': 'b', 'multiattach': '<is> True'})
    path = '/types/' + made['id']
    assert (made['is_public'], made['os-volume-type-access:is_public']) == (True, True)
    assert callers.admin('GET', path)[1]['volume_type'] == {
        'id': made['id'], 'name': 'fast', 'description': 'd', 'is_public': True, 'qos_specs_id': None,
        'os-volume-type-access:is_public': True, 'extra_specs': {'a': 'b', 'multiattach': '<is> True'}}
    shown = callers.demo('GET', path)[1]['volume_type']
    assert shown['extra_specs'] == {'multiattach': '<is> True'}
    assert 'qos_specs_id' not in shown
    assert callers.admin('PUT', path, {'volume_type': {'name': 'faster'}})[1]['volume_type']['name'] == 'faster'
    assert callers.admin('PUT', path, {'volume_type': {}})[0] == 400
    assert callers.admin('PUT', path, {'volume_type': {'name': ''}})[0] == 400
    assert callers.admin('PUT', path, {'volume_type': {'name': '__DEFAULT__'}})[0] == 409
    assert callers.admin('POST', '/types', {'volume_type': {'name': 'faster'}})[0] == 409
    assert callers.admin('DELETE', path)[0] == 202
    assert callers.admin('GET', path)[0] == 404


def test_users_change_nothing(kind, callers):
    path = '/types/' + kind()['id']
    for method, where, body in (
            ('POST', '/types', {'volume_type': {'name': 'x'}}), ('PUT', path, {'volume_type': {'name': 'x'}}),
            ('DELETE', path, None), ('POST', path + '/extra_specs', {'extra_specs': {'a': 'b'}}),
            ('PUT', path + '/extra_specs/a', {'a': 'b'}), ('DELETE', path + '/extra_specs/a', None),
            ('POST', path + '/action', {'addProjectAccess': {'project': 'p'}}),
            ('GET', path + '/os-volume-type-access', None), ('GET', '/default-types', None),
            ('PUT', '/default-types/p', {'default_type': {'volume_type': 'fast'}}),
            ('POST', path + '/encryption', {'encryption': {}})):
        assert callers.demo(method, where, body)[0] == 403, (method, where)


@pytest.mark.parametrize('fields', [{}, {'name': ''}, {'name': 'a' * 256}, {'name': 'x', 'extra_specs': {'a': 1}},
                                    {'name': 'x', 'colour': 'x'}, {'name': 'x', 'is_public': True}])
def test_what_is_no_type(callers, fields):
    assert callers.admin('POST', '/types', {'volume_type': fields})[0] == 400


def test_private_type(kind, callers, create):
    made = kind('secret', **{'os-volume-type-access:is_public': False})
    path = '/types/' + made['id']
    for text in (made['id'], 'secret'):
        assert callers.other('POST', '/volumes', {'volume': {'size': 1, 'volume_type': text}})[0] == 404
    assert callers.other('GET', path)[0] == 404
    assert callers.admin('POST', path + '/action', {'addProjectAccess': {'project': OTHER}}) == (202, b'')
    assert callers.admin('POST', path + '/action', {'addProjectAccess': {'project': OTHER}})[0] == 409
    assert callers.admin('GET', path + '/os-volume-type-access')[1] == {
        'volume_type_access': [{'volume_type_id': made['id'], 'project_id': OTHER}]}
    assert callers.other('GET', path)[0] == 200
    assert {item['name'] for item in callers.other('GET', '/types')[1]['volume_types']} == {'__DEFAULT__', 'secret'}
    assert {item['name'] for item in callers.demo('GET', '/types')[1]['volume_types']} == {'__DEFAULT__'}
    assert create(caller='other', volume_type='secret')['volume_type'] == 'secret'
    assert callers.admin('DELETE', path)[0] == 400  # in use
    assert callers.admin('POST', path + '/action', {'removeProjectAccess': {'project': OTHER}})[0] == 202
    assert callers.admin('POST', path + '/action', {'removeProjectAccess': {'project': OTHER}})[0] == 404
    assert callers.admin('POST', path + '/action', {'addProjectAccess': {}})[0] == 400
    public = '/types/' + kind('open')['id']
    assert callers.admin('GET', public + '/os-volume-type-access')[0] == 404
    assert callers.admin('POST', public + '/action', {'addProjectAccess': {'project': OTHER}})[0] == 400


def test_list(kind, callers):
    kind('b')
    kind('a', **{'os-volume-type-access:is_public': False})

    def names(query, call=callers.admin):
        status, body = call('GET', '/types?sort=name:asc&' + query)
        assert status == 200, body
        return [item['name'] for item in body['volume_types']]
    assert names('') == ['__DEFAULT__', 'b']
    assert names('is_public=None') == ['__DEFAULT__', 'a', 'b']
    assert names('is_public=False') == ['a']
    assert names('is_public=None', callers.demo) == ['__DEFAULT__', 'b']
    assert names('name=b') == ['b']
    assert names('is_public=None&limit=2') == ['__DEFAULT__', 'a']
    assert callers.admin('GET', '/types?is_public=x')[0] == 400


def test_extra_specs(kind, callers):
    path = '/types/%s/extra_specs' % kind()['id']
    assert callers.admin('POST', path, {'extra_specs': {'a': 'b', 'c': 'd'}})[1] == {'extra_specs': {
        'a': 'b', 'c': 'd'}}
    assert callers.admin('PUT', path + '/a', {'a': 'x'})[1] == {'a': 'x'}
    assert callers.admin('PUT', path + '/a', {'z': 'x'})[0] == 400
    assert callers.admin('GET', path + '/a')[1] == {'a': 'x'}
    assert callers.admin('DELETE', path + '/c')[0] == 202
    assert callers.admin('GET', path)[1] == {'extra_specs': {'a': 'x'}}
    for method in ('GET', 'DELETE'):
        assert callers.admin(method, path + '/c')[0] == 404
    for body in ({}, {'extra_specs': {}}, {'extra_specs': {'a': 1}}, {'extra_specs': {'': 'x'}}):
        assert callers.admin('POST', path, body)[0] == 400


def test_default_types(kind, callers, create):
    made = kind()
    path = '/default-types/' + 'd' * 32
    assert callers.admin('GET', path)[0] == 404
    assert callers.admin('PUT', path, {'default_type': {'volume_type': 'nothing'}})[0] == 404
    for _ in range(2):
        assert callers.admin('PUT', path, {'default_type': {'volume_type': 'fast'}})[1] == {'default_type': {
            'project_id': 'd' * 32, 'volume_type_id': made['id']}}
    assert callers.admin('GET', path)[1]['default_type']['volume_type_id'] == made['id']
    assert len(callers.admin('GET', '/default-types')[1]['default_types']) == 1
    assert callers.demo('GET', '/types/default')[1]['volume_type']['name'] == 'fast'
    assert create()['volume_type'] == 'fast'
    assert create(caller='other')['volume_type'] == '__DEFAULT__'
    assert callers.admin('DELETE', '/types/' + made['id'])[0] == 400
    assert callers.admin('DELETE', path) == (204, b'')
    assert create()['volume_type'] == '__DEFAULT__'
    assert callers.admin('GET', path, headers={'OpenStack-API-Version': 'volume 3.61'})[0] == 404


def test_the_default_stays(callers):
    default = callers.admin('GET', '/types/default')[1]['volume_type']
    assert callers.admin('DELETE', '/types/' + default['id'])[0] == 400
    assert callers.admin('PUT', '/types/' + default['id'], {'volume_type': {'name': 'x'}})[0] == 400
    assert callers.admin('PUT', '/types/' + default['id'], {'volume_type': {'description': 'x'}})[0] == 200


def test_type_of_a_copy_and_encryption(kind, callers, create):
    made = kind()
    volume = create(volume_type='fast')
    assert create(source_volid=volume['id'])['volume_type'] == 'fast'
    assert create(source_volid=volume['id'], volume_type='__DEFAULT__')['volume_type'] == '__DEFAULT__'
    path = '/types/%s/encryption' % made['id']
    assert callers.admin('GET', path) == (200, {})
    assert callers.admin('POST', path, {'encryption': {'provider': 'luks'}})[0] == 400
    assert callers.admin('POST', '/types/x/encryption', {})[0] == 404
