# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Server groups over the microversions."""

import pytest


def make(client, version='2.15', status=200, name='g', **values):
    if not values:
        values = {'policy': 'anti-affinity'} if version == '2.64' else {'policies': ['anti-affinity']}
    return client(version=version).post('/os-server-groups', {'server_group': {'name': name} | values}, status)


@pytest.mark.parametrize(('version', 'values', 'status'), [
    ('2.1', {'policies': ['soft-anti-affinity']}, 400), ('2.14', {'policies': ['soft-affinity']}, 400),
    ('2.15', {'policies': ['soft-anti-affinity']}, 200), ('2.63', {'policies': ['soft-anti-affinity']}, 200),
    ('2.63', {'policies': ['affinity', 'anti-affinity']}, 400), ('2.63', {'policies': []}, 400),
    ('2.63', {'policy': 'affinity'}, 400), ('2.64', {'policies': ['affinity']}, 400),
    ('2.64', {'policy': 'affinity'}, 200), ('2.64', {'policy': 'nonsense'}, 400),
    ('2.64', {'policy': 'anti-affinity', 'rules': {'max_server_per_host': '3'}}, 200),
    ('2.64', {'policy': 'anti-affinity', 'rules': {'max_server_per_host': 0}}, 400),
    ('2.64', {'policy': 'anti-affinity', 'rules': {'max_server_per_host': '0'}}, 400),
    ('2.64', {'policy': 'anti-affinity', 'rules': {'other': 1}}, 400),
    ('2.64', {'policy': 'affinity', 'rules': {'max_server_per_host': 3}}, 400), ('2.64', {'policy': None}, 400)])
def test_policies(demo, version, values, status):
    make(demo, version, status, **values)


def test_views(demo):
    made = make(demo, '2.64', policy='anti-affinity', rules={'max_server_per_host': 2})['server_group']
    id_ = made['id']
    assert made == {'id': id_, 'name': 'g', 'members': [], 'policy': 'anti-affinity',
                    'rules': {'max_server_per_host': 2}, 'project_id': 'demo', 'user_id': 'demo'}
    assert demo().get('/os-server-groups/' + id_)['server_group'] == {
        'id': id_, 'name': 'g', 'members': [], 'policies': ['anti-affinity'], 'metadata': {}}
    assert set(demo(version='2.13').get('/os-server-groups/' + id_)['server_group']) == {
        'id', 'name', 'members', 'policies', 'metadata', 'project_id', 'user_id'}


def test_projects_see_their_own(demo, admin):
    id_ = make(demo)['server_group']['id']
    make(admin, name='of admin')
    assert [group['id'] for group in demo().get('/os-server-groups')['server_groups']] == [id_]
    assert len(admin().get('/os-server-groups?all_projects=true')['server_groups']) == 2
    assert len(admin().get('/os-server-groups')['server_groups']) == 1
    assert len(demo().get('/os-server-groups?all_projects=true')['server_groups']) == 1
    demo(project='other').get('/os-server-groups/' + id_, 404)
    demo(project='other').delete('/os-server-groups/' + id_, 404)
    admin().get('/os-server-groups/' + id_)
    demo().delete('/os-server-groups/' + id_)
    assert demo().get('/os-server-groups/' + id_, 404) == 'Instance group %s could not be found.' % id_


def test_pages_and_quota(demo, admin):
    names = ['g%d' % number for number in range(10)]
    for name in names:
        make(demo, name=name)
    page = demo().get('/os-server-groups?limit=3&offset=2')['server_groups']
    assert [group['name'] for group in page] == names[2:5]
    assert make(demo, status=403) == 'Quota exceeded, too many server groups.'
    assert demo().get('/limits')['limits']['absolute']['totalServerGroupsUsed'] == 10
    for query in ('limit=x', 'offset=-1', 'limit=' + '9' * 30):
        demo().get('/os-server-groups?' + query, 400)
