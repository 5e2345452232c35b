# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Hosts, usage audits and migrations."""

import pytest

from nova_lite.db import compute_nodes
from nova_lite.db import services as services_db
from nova_lite.objects import service as service_obj
from tests.fixtures import records


@pytest.fixture
def host(db):
    for binary in ('nova-compute', 'nova-conductor', 'nova-api'):
        services_db.report(db, 'h1', binary, binary)
    compute_nodes.save(db, service_obj.ComputeNode(
        uuid='00000001-0000-4000-8000-000000000000', host='h1', hypervisor_hostname='h1', vcpus=4, memory_mb=1000,
        local_gb=10, vcpus_used=1, memory_mb_used=100, local_gb_used=2))
    return 'h1'


def test_list(host, admin, demo):
    compute = {'host_name': 'h1', 'service': 'compute', 'zone': 'nova'}
    conductor = {'host_name': 'h1', 'service': 'conductor', 'zone': 'internal'}
    assert admin().get('/os-hosts') == {'hosts': [compute, conductor]}
    assert admin().get('/os-hosts?zone=nova') == {'hosts': [compute]}
    assert admin().get('/os-hosts?zone=x') == {'hosts': []}
    admin(version='2.43').get('/os-hosts', 404)
    demo().get('/os-hosts', 403)


def test_show(db, host, admin):
    instance = records.active(db, records.user_context(), host='h1')
    shown = [item['resource'] for item in admin().get('/os-hosts/h1')['host']]
    assert {item.pop('host') for item in shown} == {'h1'}
    used = {'cpu': instance.flavor.vcpus, 'memory_mb': instance.flavor.memory_mb,
            'disk_gb': instance.flavor.root_gb + instance.flavor.ephemeral_gb}
    assert shown == [
        {'project': '(total)', 'cpu': 4, 'memory_mb': 1000, 'disk_gb': 10},
        {'project': '(used_now)', 'cpu': 1, 'memory_mb': 100, 'disk_gb': 2},
        {'project': '(used_max)', **used}, {'project': instance.project_id, **used}]
    admin().get('/os-hosts/h2', 404)


def test_what_no_driver_does(host, admin, demo):
    for action in ('startup', 'shutdown', 'reboot'):
        admin().get('/os-hosts/h1/' + action, 501)
        admin().get('/os-hosts/h2/' + action, 404)
        demo().get('/os-hosts/h1/' + action, 403)
    admin().put('/os-hosts/h1', {'status': 'disable'}, 501)
    admin().put('/os-hosts/h2', {'status': 'disable'}, 404)
    for body in ({}, {'status': 'x'}, {'maintenance_mode': 'x'}, {'status': 'enable', 'other': 1}):
        admin().put('/os-hosts/h1', body, 400)


def test_usage_audits(host, admin):
    log = admin().get('/os-instance_usage_audit_log/2024-03-15 10:00:00')['instance_usage_audit_log']
    assert (log['period_beginning'], log['period_ending']) == ('2024-02-01 00:00:00', '2024-03-01 00:00:00')
    assert (log['num_hosts'], log['num_hosts_not_run'], log['hosts_not_run']) == (1, 1, ['h1'])
    assert admin().get('/os-instance_usage_audit_log')['instance_usage_audit_logs']['total_instances'] == 0
    for before in ('x', '0001-01-01 00:00:00'):
        admin().get('/os-instance_usage_audit_log/' + before, 400)


def test_migrations(db, admin, demo):
    assert admin().get('/os-migrations') == {'migrations': []}
    admin(version='2.59').get('/os-migrations?limit=1&changes-since=2024-01-01T00:00:00Z')
    admin(version='2.59').get('/os-migrations?foo=1', 400)
    demo().get('/os-migrations', 403)
    path = '/servers/%s/migrations' % records.active(db, records.user_context()).uuid
    assert admin(version='2.23').get(path) == {'migrations': []}
    admin(version='2.23').get(path + '/1', 404)
    admin(version='2.22').get(path, 404)
