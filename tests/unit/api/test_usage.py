# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""What projects have used, and the extension list."""

import datetime

import pytest

from tests.fixtures import records

SPAN = '?start=2026-01-01T00:00:00&end=2026-01-02T00:00:00'


def make(db, project_id, **columns):
    made = records.created(db, records.user_context(project_id))
    records.set_columns(db, made.uuid, **columns)


@pytest.fixture
def servers(db):
    """In the span: one that runs on, one that ran for six hours; and one of another project, later."""
    make(db, 'demo', vm_state='active', launched_at=datetime.datetime(2026, 1, 1, 12))
    make(db, 'demo', vm_state='active', launched_at=datetime.datetime(2025, 12, 1),
         terminated_at=datetime.datetime(2026, 1, 1, 6), deleted=True)
    make(db, 'other', launched_at=datetime.datetime(2026, 2, 1))


def test_project(servers, demo):
    usage = demo().get('/os-simple-tenant-usage/demo' + SPAN)['tenant_usage']
    assert (usage['total_hours'], usage['total_vcpus_usage'], usage['total_memory_mb_usage'],
            usage['total_local_gb_usage']) == (18.0, 18.0, 18.0 * 2048, 18.0 * 20)
    assert {(server['state'], server['hours']) for server in usage['server_usages']} == {
        ('active', 12.0), ('terminated', 6.0)}
    assert (usage['start'], usage['stop']) == ('2026-01-01T00:00:00.000000', '2026-01-02T00:00:00.000000')


def test_nothing_used(demo):
    assert demo(version='2.40').get('/os-simple-tenant-usage/demo') == {'tenant_usage': {}}


def test_all_projects(servers, admin, demo):
    usage, = admin().get('/os-simple-tenant-usage' + SPAN)['tenant_usages']
    assert usage['tenant_id'] == 'demo' and 'server_usages' not in usage
    usage, = admin().get('/os-simple-tenant-usage' + SPAN + '&detailed=1')['tenant_usages']
    assert len(usage['server_usages']) == 2
    demo().get('/os-simple-tenant-usage', 403)
    demo().get('/os-simple-tenant-usage/other', 403)
    admin().get('/os-simple-tenant-usage/other')


def test_pages(servers, demo):
    first = demo(version='2.40').get('/os-simple-tenant-usage/demo' + SPAN + '&limit=1')
    assert len(first['tenant_usage']['server_usages']) == 1
    marker = first['tenant_usage']['server_usages'][0]['instance_id']
    assert first['tenant_usage_links'][0]['href'].endswith('limit=1&marker=' + marker)
    second = demo(version='2.40').get('/os-simple-tenant-usage/demo%s&limit=1&marker=%s' % (SPAN, marker))
    assert second['tenant_usage']['server_usages'][0]['instance_id'] != marker


@pytest.mark.parametrize('query', ['?start=yesterday', '?end=x', '?start=2026-01-02&end=2026-01-01',
                                   '?start=2026-01-01&end=2026-01-01'])
def test_bad_spans(demo, query):
    demo().get('/os-simple-tenant-usage/demo' + query, 400)


def test_extensions(demo):
    extensions = demo().get('/extensions')['extensions']
    assert {'servers', 'os-keypairs'} <= {extension['alias'] for extension in extensions}
    assert demo().get('/extensions/os-keypairs') == {'extension': next(
        extension for extension in extensions if extension['alias'] == 'os-keypairs')}
    demo().get('/extensions/nothing', 404)
