# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Lists of volumes: filters, order and pages."""

import pytest

from tests.unit.standins.cinder import conftest


@pytest.fixture
def names(callers, create):
    """Five volumes, and a function that tells the names that a query lists."""
    for name, size, fields in (('b', 2, {'metadata': {'k': 'v'}}), ('a', 1, {}), ('ab', 3, {'description': 'x'})):
        create(name=name, size=size, **fields)
    create(caller='other', name='theirs')

    def listed(query, caller='demo', headers=conftest.LATEST):
        status, body = getattr(callers, caller)('GET', '/volumes?' + query, headers=headers)
        assert status == 200, body
        return [volume['name'] for volume in body['volumes']]
    return listed


@pytest.mark.parametrize('query, wanted', [
    ('', ['ab', 'a', 'b']), ('sort=name:asc', ['a', 'ab', 'b']), ('sort_key=size&sort_dir=desc', ['ab', 'b', 'a']),
    ('sort=size', ['ab', 'b', 'a']), ('sort_key=display_name&sort_dir=asc', ['a', 'ab', 'b']),
    ('sort=status:asc,name:desc', ['b', 'ab', 'a']), ('name=a', ['a']), ('display_name=a', ['a']),
    ('name~=a', ['ab', 'a']), ('status=available&size=2', ['b']), ('status=error', []), ('bootable=False', ['ab', 'a',
                                                                                                            'b']),
    ('bootable=1', []), ('metadata=%7B%27k%27:%20%27v%27%7D', ['b']), ('metadata=%7B%22k%22:%20%22x%22%7D', []),
    ('metadata=nonsense', []), ('availability_zone=nova', ['ab', 'a', 'b']), ('migration_status=x', []),
    ('created_at=gt:2016-01-01T00:00:00', ['ab', 'a', 'b']), ('created_at=gt:2999-01-01T00:00:00', []),
    ('created_at=gt:2016-01-01T00:00:00,lt:2999-01-01T00:00:00', ['ab', 'a', 'b']), ('limit=2', ['ab', 'a']),
    ('offset=1', ['a', 'b']), ('limit=1&offset=1', ['a']), ('limit=0', []), ('offset=10', []),
    ('glance_metadata=%7B%27k%27:%20%27v%27%7D', []), ('consumes_quota=true', ['ab', 'a', 'b'])])
def test_what_is_listed(names, query, wanted):
    assert names(query) == wanted


def test_what_is_listed_for_administrators(names, callers):
    assert names('', 'admin') == []
    assert names('all_tenants=1', 'admin') == ['theirs', 'ab', 'a', 'b']
    assert names('all_tenants=1&project_id=' + 'e' * 32, 'admin') == ['theirs']
    assert names('all_tenants=1&user_id=u-other', 'admin') == ['theirs']
    assert names('all_tenants=1&colour=red', 'admin') == []
    assert names('all_tenants=true') == ['ab', 'a', 'b']


@pytest.mark.parametrize('query, status', [
    ('limit=x', 400), ('limit=-1', 400), ('offset=x', 400), ('marker=nothing', 404), ('sort=colour', 400),
    ('sort=name:up', 400), ('sort=name&sort_key=size', 400), ('sort_key=work', 400), ('colour=red', 400),
    ('with_count=perhaps', 400), ('all_tenants=perhaps', 400), ('bootable=perhaps', 400), ('created_at=x', 400),
    ('created_at=after:2016-01-01T00:00:00', 400), ('updated_at=gt:x', 400), ('project_id=x', 400), ('host=x', 400)])
def test_what_cannot_be_listed(callers, query, status):
    for path in ('/volumes', '/volumes/detail'):
        got, body = callers.demo('GET', '%s?%s' % (path, query))
        assert got == status, body


def test_unknown_filters_were_once_ignored(names):
    assert names('colour=red', headers={'OpenStack-API-Version': 'volume 3.30'}) == ['ab', 'a', 'b']


def test_pages(names, callers):
    seen, path = [], '/volumes/detail?limit=1&with_count=1&sort=name:asc'
    for _ in range(4):
        status, body = callers.demo('GET', path)
        assert body['count'] == 3
        seen += [volume['name'] for volume in body['volumes']]
        if 'volumes_links' not in body:
            break
        link = body['volumes_links'][0]
        assert link['rel'] == 'next'
        path = link['href'].partition('d' * 32)[2]
    assert seen == ['a', 'ab', 'b']
    assert 'count' not in callers.demo('GET', '/volumes?with_count=1', headers={
        'OpenStack-API-Version': 'volume 3.44'})[1]


def test_snapshots_too(callers, create, service):
    volume = create()
    for name in ('a', 'b'):
        callers.demo('POST', '/snapshots', {'snapshot': {'volume_id': volume['id'], 'name': name}})
    service.jobs.wait()
    for query, wanted in (('', ['b', 'a']), ('name=a', ['a']), ('sort=name:asc', ['a', 'b']), ('limit=1', ['b']),
                          ('volume_id=' + volume['id'], ['b', 'a']), ('status=error', [])):
        body = callers.demo('GET', '/snapshots?' + query)[1]
        assert [item['name'] for item in body['snapshots']] == wanted
    assert callers.demo('GET', '/snapshots?colour=red')[0] == 400
    assert callers.demo('GET', '/snapshots/detail?marker=x')[0] == 404
