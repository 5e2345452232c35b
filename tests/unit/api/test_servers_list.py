# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""GET /servers and /servers/detail: filters, order, pages and what they cost."""

import datetime
import urllib.parse

import pytest
import sqlalchemy as sa

from nova_lite.db import models
from nova_lite.objects import instance as instance_obj
from nova_lite.objects import network
from tests.unit.api import servers_cloud
from tests.unit.compute_api import doubles

DAY = datetime.datetime(2026, 1, 1)


@pytest.fixture
def cloud(tmp_path):
    return servers_cloud.Cloud(tmp_path, quota__instances=-1, quota__cores=-1, quota__ram=-1)


def change(cloud, uuid, **values):
    with cloud.db.engine.begin() as connection:
        connection.execute(sa.update(models.instances).where(models.instances.c.uuid == uuid).values(values))


def names(answer):
    assert answer.status == 200, answer.body
    return [server['name'] for server in answer.body['servers']]


def listed(cloud, query='', version='2.1', **caller):
    return names(cloud.ask('GET', '/servers?' + query, version=version, **caller))


def pages(cloud, query, path='/servers', **caller):
    """The names on all pages, followed by their links."""
    found, url = [], '%s?%s' % (path, query)
    for _ in range(100):
        answer = cloud.ask('GET', url, **caller)
        found += names(answer)
        if 'servers_links' not in answer.body:
            return found
        [link] = answer.body['servers_links']
        assert link['rel'] == 'next' and link['href'].startswith('http://cloud:8774/v2.1' + path)
        url = link['href'].removeprefix('http://cloud:8774/v2.1')
    raise AssertionError('pages without end')


# ---- what it costs -------------------------------------------------------------------------------------------

def test_what_a_page_costs(cloud):
    cloud.host()
    for index in range(3):
        uuid = cloud.make('2.96', name='s%d' % index)
        cloud.run(uuid)
        change(cloud, uuid, fault=instance_obj.InstanceFault(code=500, message='m'))
    for path, statements in (('/servers', 1), ('/servers/detail', 2)):      # the second one asks for volumes
        with cloud.counted() as costs:
            assert len(names(cloud.ask('GET', path, version='2.104'))) == 3
        assert costs == {'sql': statements, 'http': 0}
        with cloud.counted() as costs:
            cloud.ask('GET', path + '?ip=10.&name=s', version='2.104')
        assert costs == {'sql': 1, 'http': 0}
    with cloud.counted() as costs:      # and one for the state of the hosts, where the caller may see it
        answer = cloud.ask('GET', '/servers/detail', version='2.104', admin=True)
    assert {server['host_status'] for server in answer.body['servers']} == {'UP'}
    assert costs == {'sql': 3, 'http': 0}
    with cloud.counted() as costs:      # the last one's place is looked up
        cloud.ask('GET', '/servers/detail?marker=%s' % answer.body['servers'][0]['id'])
    assert costs == {'sql': 3, 'http': 0}


# ---- whose servers -------------------------------------------------------------------------------------------

def test_projects_see_their_own(cloud):
    cloud.make(name='mine')
    cloud.make(name='theirs', project='p2', networks=None)
    assert listed(cloud) == listed(cloud, 'all_tenants=0') == listed(cloud, 'tenant_id=p2') == ['mine']
    assert listed(cloud, project='p1', admin=True) == ['mine']
    for text in ('all_tenants=1', 'all_tenants=', 'all_tenants', 'all_tenants=True'):
        answer = cloud.ask('GET', '/servers?' + text)
        assert answer.status == 403 and 'get_all_tenants' in answer.message
        assert cloud.ask('GET', '/servers/detail?' + text).status == 403
        assert sorted(listed(cloud, text, admin=True)) == ['mine', 'theirs']
    assert listed(cloud, 'tenant_id=p2', admin=True) == listed(cloud, admin=True)
    assert listed(cloud, 'project_id=p2', admin=True) == listed(cloud, 'all_tenants=1&tenant_id=p2', admin=True) == [
        'theirs']
    assert cloud.ask('GET', '/servers?all_tenants=abc').status == 400


# ---- filters -------------------------------------------------------------------------------------------------

def test_names_are_regular_expressions(cloud):
    for name in ('web', 'web-2', 'db'):
        cloud.make(name=name)
    assert listed(cloud, 'name=web&sort_key=display_name&sort_dir=asc') == ['web', 'web-2']
    assert listed(cloud, 'name=%5Eweb$') == ['web']
    assert listed(cloud, 'name=x') == []
    for pattern in ('[', '(', '*', '(a+)+$', 'a' * 300):
        answer = cloud.ask('GET', '/servers?' + urllib.parse.urlencode({'name': pattern}))
        assert answer.status == 400, pattern


def test_states(cloud):
    active, failed, building = cloud.make(name='active'), cloud.make(name='failed'), cloud.make(name='building')
    cloud.run(active)
    change(cloud, failed, vm_state='error', task_state=None)
    assert listed(cloud, 'status=active') == listed(cloud, 'status=ACTIVE') == ['active']
    assert sorted(listed(cloud, 'status=ERROR&status=BUILD')) == ['building', 'failed']
    assert listed(cloud, 'status=SHUTOFF') == listed(cloud, 'status=NONSENSE') == []
    assert cloud.ask('GET', '/servers?status=NONSENSE', version='2.38').message == 'Invalid status value'
    assert listed(cloud, 'vm_state=error', admin=True) == ['failed']
    assert listed(cloud, 'vm_state=error', version='2.83') == ['failed']
    assert len(listed(cloud, 'vm_state=error', version='2.82')) == 3, 'not for everybody before 2.83'
    assert listed(cloud, 'task_state=scheduling', version='2.83') == [cloud.ask(
        'GET', '/servers/%s' % building).body['server']['name']]


def test_other_fields(cloud):
    cloud.flavor('2')
    image = cloud.glance.add()
    first = cloud.make('2.96', name='first', flavorRef='2', tags=['a', 'b'], config_drive=True)
    second = cloud.make('2.96', name='second', imageRef=image, tags=['b', 'c'])
    cloud.run(first, network_info=[vif('10.0.0.7', 4), vif('fd00::7', 6)])
    cloud.run(second, host='host2', locked=True)
    assert listed(cloud, 'flavor=2') == ['first'] and listed(cloud, 'image=%s' % image) == ['second']
    assert listed(cloud, 'ip=10.0.0.7') == listed(cloud, 'ip=10.') == ['first'] and listed(cloud, 'ip=11.') == []
    assert listed(cloud, 'ip6=fd', version='2.5') == ['first']
    assert len(listed(cloud, 'ip6=fe', version='2.4')) == 2
    assert listed(cloud, 'host=host2', admin=True) == ['second'] and len(listed(cloud, 'host=host2')) == 2
    tags = {'tags=a,b': ['first'], 'tags=b': ['first', 'second'], 'tags-any=a,c': ['first', 'second'], 'tags=d': [],
            'not-tags=a,b': ['second'], 'not-tags-any=a': ['second'], 'tags=b&not-tags=c': ['first']}
    for query, expected in tags.items():
        assert sorted(listed(cloud, query, version='2.26')) == expected, query
    assert len(listed(cloud, 'tags=a', version='2.25')) == 2
    assert listed(cloud, 'locked=true', version='2.73') == ['second']
    assert listed(cloud, 'config_drive=True', admin=True) == ['first']
    assert listed(cloud, 'power_state=0', admin=True) == []
    for query in ('locked=perhaps', 'config_drive=perhaps'):
        assert cloud.ask('GET', '/servers?' + query, version='2.83').status == 400
    assert cloud.ask('GET', '/servers?power_state=x', admin=True).status == 400


def vif(address, version):
    return network.VIF(id=doubles.new_id(), address='fa:16:3e:00:00:01', network_id='n', network_label='net',
                       vif_type='bridge', fixed_ips=[network.FixedIP(address=address, version=version, subnet_id='s',
                                                                     cidr='c')])


def test_changes_since(cloud):
    old, new, gone = cloud.make(name='old'), cloud.make(name='new'), cloud.make(name='gone')
    change(cloud, old, updated_at=DAY)
    change(cloud, new, updated_at=DAY.replace(day=3))
    change(cloud, gone, updated_at=DAY.replace(day=4), deleted=True, vm_state='deleted')
    assert sorted(listed(cloud)) == ['new', 'old']
    assert sorted(listed(cloud, 'changes-since=2026-01-02T00:00:00Z')) == ['gone', 'new']
    assert listed(cloud, 'changes-since=2026-01-02T00:00:00Z&changes-before=2026-01-03T12:00:00Z', '2.66') == ['new']
    assert sorted(listed(cloud, 'changes-before=2026-01-03T12:00:00Z', '2.66')) == ['new', 'old']
    detail = cloud.ask('GET', '/servers/detail?changes-since=2026-01-04T00:00:00Z').body['servers']
    assert [server['status'] for server in detail] == ['DELETED']
    assert cloud.ask('GET', '/servers?changes-since=yesterday').status == 400
    answer = cloud.ask('GET', '/servers?changes-since=2026-01-02T00:00:00Z&changes-before=2026-01-01T00:00:00Z',
                       version='2.66')
    assert answer.message == 'The value of changes-since must be less than or equal to changes-before.'
    assert listed(cloud, 'deleted=true', admin=True) == listed(cloud, 'status=DELETED', admin=True) == ['gone']
    assert sorted(listed(cloud, 'deleted=true')) == ['new', 'old']
    assert cloud.ask('GET', '/servers?status=DELETED').message == 'Only administrators may list deleted instances'


def test_unknown_parameters(cloud):
    for version, status in (('2.1', 200), ('2.74', 200), ('2.75', 400), ('2.104', 400)):
        for path in ('/servers', '/servers/detail'):
            assert cloud.ask('GET', path + '?foo=bar', version=version).status == status
            assert cloud.ask('GET', path + '?block_device_mapping=x', version=version).status == status
    assert cloud.ask('GET', '/servers?changes-before=x', version='2.65').status == 200
    assert cloud.ask('GET', '/servers?changes-before=x', version='2.66').status == 400


# ---- order and pages -----------------------------------------------------------------------------------------

def test_order(cloud):
    for name, day in (('b', 1), ('a', 2), ('c', 3)):
        change(cloud, cloud.make(name=name), created_at=DAY.replace(day=day), host='h' + name)
    assert listed(cloud) == ['c', 'a', 'b'] and listed(cloud, 'sort_dir=asc') == ['c', 'a', 'b']
    assert listed(cloud, 'sort_key=display_name') == ['c', 'b', 'a']
    assert listed(cloud, 'sort_key=display_name&sort_dir=asc') == ['a', 'b', 'c']
    assert listed(cloud, 'sort_key=vm_state&sort_key=display_name&sort_dir=asc') == ['a', 'b', 'c']
    assert listed(cloud, 'sort_key=host&sort_dir=asc', admin=True) == ['a', 'b', 'c']
    assert listed(cloud, 'sort_key=host&sort_dir=asc') == ['c', 'a', 'b'], 'hosts are no concern of theirs'
    for query in ('sort_key=nonsense', 'sort_key=uuid&sort_dir=up'):
        assert cloud.ask('GET', '/servers?' + query).status == 400
    assert cloud.ask('GET', '/servers?sort_key=cleaned', version='2.74').status == 200
    assert cloud.ask('GET', '/servers?sort_key=cleaned', version='2.75').status == 400


@pytest.mark.parametrize('path', ['/servers', '/servers/detail'])
def test_each_server_is_on_one_page(cloud, path):
    for index in range(7):
        change(cloud, cloud.make(name='s%d' % index), created_at=DAY)
    expected = ['s6', 's5', 's4', 's3', 's2', 's1', 's0']
    for limit in (1, 2, 3, 6, 7, 8):
        assert pages(cloud, 'limit=%d&name=s' % limit, path) == expected
    assert pages(cloud, 'limit=2&sort_key=task_state&sort_key=launched_at', path) == expected


def test_markers(cloud):
    first, second, third = [cloud.make(name='s%d' % index) for index in range(3)]
    change(cloud, second, deleted=True)
    assert listed(cloud, 'marker=%s' % third) == listed(cloud, 'marker=%s&limit=1' % third) == ['s0']
    assert listed(cloud, 'marker=%s' % second) == ['s0'], 'a deleted one still has its place'
    for query in ('marker=%s' % doubles.new_id(), 'marker=x', 'limit=-1', 'limit=x', 'limit='):
        assert cloud.ask('GET', '/servers?' + query).status == 400, query
    assert listed(cloud, 'limit=0') == []


def test_pages_have_a_greatest_size(tmp_path):
    cloud = servers_cloud.Cloud(tmp_path, api__max_limit=2)
    for index in range(5):
        cloud.make(name='s%d' % index)
    assert len(listed(cloud, 'limit=1000')) == len(listed(cloud)) == 2
    assert len(pages(cloud, '')) == 5


def test_a_filter_is_kept_on_the_next_page(cloud):
    for index in range(4):
        cloud.make(name=('web%d' if index % 2 else 'db%d') % index)
    assert pages(cloud, 'limit=1&name=web&all_tenants=1', admin=True) == ['web3', 'web1']
