# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Quotas of projects, the default ones, and limits."""

import pytest

LASTING = {'cores': 20, 'instances': 10, 'key_pairs': 100, 'metadata_items': 128, 'ram': 51200,
           'server_group_members': 10, 'server_groups': 10}
FILES = {'injected_file_content_bytes': 10240, 'injected_file_path_bytes': 255, 'injected_files': 5}
NETWORKS = {'fixed_ips': -1, 'floating_ips': -1, 'security_group_rules': -1, 'security_groups': -1}


@pytest.mark.parametrize(('version', 'quotas'), [
    ('2.1', LASTING | FILES | NETWORKS), ('2.36', LASTING | FILES), ('2.57', LASTING), ('2.104', LASTING)])
def test_resources_over_the_microversions(demo, admin, version, quotas):
    assert demo(version=version).get('/os-quota-sets/demo') == {'quota_set': {'id': 'demo'} | quotas}
    assert demo(version=version).get('/os-quota-sets/demo/defaults') == {'quota_set': {'id': 'demo'} | quotas}
    detail = demo(version=version).get('/os-quota-sets/demo/detail')['quota_set']
    assert detail['ram'] == {'limit': 51200, 'in_use': 0, 'reserved': 0} and set(detail) == {'id', *quotas}
    changed = admin(version=version).put('/os-quota-sets/demo', {'quota_set': {'ram': '100'}})
    assert changed == {'quota_set': quotas | {'ram': 100}}


def test_change_and_forget(demo, admin):
    admin().put('/os-quota-sets/demo', {'quota_set': {'cores': -1, 'fixed_ips': 7, 'injected_file_path_bytes': 9}})
    shown = demo().get('/os-quota-sets/demo')['quota_set']
    assert (shown['cores'], shown['fixed_ips'], shown['injected_file_path_bytes']) == (-1, 7, 9)
    assert demo().get('/os-quota-sets/demo/defaults')['quota_set']['cores'] == 20
    admin().delete('/os-quota-sets/demo', 202)
    assert demo().get('/os-quota-sets/demo')['quota_set']['cores'] == 20


def test_default_class(demo, admin):
    admin().put('/os-quota-class-sets/default', {'quota_class_set': {'cores': 7}})
    assert admin(version='2.50').get('/os-quota-class-sets/default')['quota_class_set']['cores'] == 7
    assert demo().get('/os-quota-sets/demo')['quota_set']['cores'] == 7
    admin().put('/os-quota-class-sets/other', {'quota_class_set': {'cores': 7}}, 400)
    old = admin(version='2.49').get('/os-quota-class-sets/default')['quota_class_set']
    assert 'server_groups' not in old and 'floating_ips' in old
    demo().get('/os-quota-class-sets/default', 403)
    demo().put('/os-quota-class-sets/default', {'quota_class_set': {'cores': 7}}, 403)


@pytest.mark.parametrize('limits', [{'cores': -2}, {'cores': '-2'}, {'cores': 2 ** 31}, {'cores': 'x'}, {'cores': 1.5},
                                    {'cores': None}, {'foo': 1}, {'cores': '9' * 40}])
def test_refused_limits(admin, limits):
    admin().put('/os-quota-sets/demo', {'quota_set': limits}, 400)


def test_later_microversions_know_less(admin):
    admin(version='2.36').put('/os-quota-sets/demo', {'quota_set': {'fixed_ips': 1}}, 400)
    admin(version='2.57').put('/os-quota-sets/demo', {'quota_set': {'injected_files': 1}}, 400)


def test_who_may(demo, admin):
    demo().get('/os-quota-sets/other', 403)
    demo().put('/os-quota-sets/demo', {'quota_set': {'cores': 1}}, 403)
    demo().delete('/os-quota-sets/demo', 403)
    admin().get('/os-quota-sets/other')
    admin().put('/os-quota-sets/demo?user_id=u', {'quota_set': {'cores': 1}}, 400)


@pytest.mark.parametrize(('version', 'gone'), [
    ('2.1', set()), ('2.36', {'maxSecurityGroups', 'totalFloatingIpsUsed'}), ('2.39', {'maxImageMeta'}),
    ('2.57', {'maxPersonality', 'maxPersonalitySize'})])
def test_limits(demo, version, gone):
    limits = demo(version=version).get('/limits')['limits']
    assert limits['rate'] == [] and not gone & set(limits['absolute'])
    assert (limits['absolute']['maxTotalRAMSize'], limits['absolute']['totalRAMUsed']) == (51200, 0)


def test_limits_of_others(demo, admin):
    admin().put('/os-quota-sets/demo', {'quota_set': {'cores': 3}})
    assert admin().get('/limits?tenant_id=demo')['limits']['absolute']['maxTotalCores'] == 3
    demo().get('/limits?tenant_id=other', 403)
    demo(version='2.75').get('/limits?foo=1', 400)
