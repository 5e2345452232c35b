# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Security groups, their rules, and quotas."""

import pytest


def error(answer):
    return answer[0], answer[1]['NeutronError']['type']


@pytest.fixture
def group(callers):
    return callers.demo('POST', '/security-groups', {'security_group': {'name': 'web'}})[1]['security_group']


def rule(callers, group, caller='demo', **values):
    return getattr(callers, caller)('POST', '/security-group-rules', {'security_group_rule': {
        'security_group_id': group['id'], 'direction': 'ingress', **values}})


def test_default_group(callers):
    groups = callers.demo('GET', '/security-groups')[1]['security_groups']
    assert [group['name'] for group in groups] == ['default']
    rules = {(rule['direction'], rule['ethertype'], rule['remote_group_id'])
             for rule in groups[0]['security_group_rules']}
    own = groups[0]['id']
    assert rules == {('egress', 'IPv4', None), ('egress', 'IPv6', None), ('ingress', 'IPv4', own),
                     ('ingress', 'IPv6', own)}
    assert len(callers.demo('GET', '/security-groups')[1]['security_groups']) == 1


def test_default_group_is_protected(callers):
    default = callers.demo('GET', '/security-groups')[1]['security_groups'][0]
    path = '/security-groups/' + default['id']
    assert error(callers.demo('DELETE', path)) == (409, 'SecurityGroupCannotRemoveDefault')
    renamed = callers.demo('PUT', path, {'security_group': {'name': 'x'}})
    assert error(renamed) == (409, 'SecurityGroupCannotUpdateDefault')
    second = callers.demo('POST', '/security-groups', {'security_group': {'name': 'default'}})
    assert error(second) == (409, 'SecurityGroupDefaultAlreadyExists')
    assert callers.admin('DELETE', path)[0] == 204


def test_new_group(callers, group):
    assert {(rule['direction'], rule['ethertype']) for rule in group['security_group_rules']} == {
        ('egress', 'IPv4'), ('egress', 'IPv6')}
    path = '/security-groups/' + group['id']
    assert error(callers.other('GET', path)) == (404, 'SecurityGroupNotFound')
    changed = callers.demo('PUT', path, {'security_group': {'name': 'db', 'description': 'd'}})[1]['security_group']
    assert (changed['name'], changed['description']) == ('db', 'd')
    assert callers.demo('DELETE', path)[0] == 204
    assert callers.demo('GET', '/security-group-rules?security_group_id=' + group['id'])[1] == {
        'security_group_rules': []}


def test_group_in_use(callers, group, private):
    port = callers.demo('POST', '/ports', {'port': {'network_id': private['id'],
                                                    'security_groups': [group['id']]}})[1]['port']
    path = '/security-groups/' + group['id']
    assert error(callers.demo('DELETE', path)) == (409, 'SecurityGroupInUse')
    callers.demo('DELETE', '/ports/' + port['id'])
    other = callers.demo('POST', '/security-groups', {'security_group': {'name': 'x'}})[1]['security_group']
    assert rule(callers, other, remote_group_id=group['id'])[0] == 201
    assert callers.demo('DELETE', path)[0] == 204       # and with it what lets its members in elsewhere
    rules = callers.demo('GET', '/security-group-rules?security_group_id=' + other['id'])[1]['security_group_rules']
    assert {item['direction'] for item in rules} == {'egress'}


@pytest.mark.parametrize(('given', 'kept'), [
    ('tcp', 'tcp'), ('TCP', 'tcp'), (6, '6'), ('06', '6'), ('17', '17'), ('1', '58'), (None, None), ('any', None),
    ('', None), ('99', '99'), (0, '0'), ('icmpv6', 'ipv6-icmp'), ('ICMP', 'ipv6-icmp')])
def test_protocols_have_one_form(callers, group, given, kept):
    status, body = rule(callers, group, protocol=given, ethertype='IPv6')
    assert status == 201 and body['security_group_rule']['protocol'] == kept


def test_a_rule(callers, group):
    status, body = rule(callers, group, protocol='tcp', port_range_min='80', port_range_max=90,
                        remote_ip_prefix='10.1.2.3/16', ethertype='ipv4')
    made = body['security_group_rule']
    assert status == 201
    assert (made['port_range_min'], made['port_range_max'], made['ethertype']) == (80, 90, 'IPv4')
    assert (made['remote_ip_prefix'], made['normalized_cidr']) == ('10.1.2.3/16', '10.1.0.0/16')
    again = rule(callers, group, protocol='6', port_range_min=80, port_range_max=90, remote_ip_prefix='10.1.0.0/16')
    assert error(again) == (409, 'SecurityGroupRuleExists')
    single = rule(callers, group, remote_ip_prefix='10.1.2.3')[1]['security_group_rule']
    assert single['remote_ip_prefix'] == single['normalized_cidr'] == '10.1.2.3/32'
    path = '/security-group-rules/' + made['id']
    assert callers.demo('GET', path)[1]['security_group_rule'] == made
    assert error(callers.other('DELETE', path)) == (404, 'SecurityGroupRuleNotFound')
    before = callers.demo('GET', '/security-groups/' + group['id'])[1]['security_group']
    assert callers.demo('DELETE', path)[0] == 204
    after = callers.demo('GET', '/security-groups/' + group['id'])[1]['security_group']
    assert after['revision_number'] > before['revision_number']
    assert error(callers.demo('DELETE', path)) == (404, 'SecurityGroupRuleNotFound')


@pytest.mark.parametrize(('values', 'expected'), [
    ({'protocol': 'nonsense'}, (400, 'HTTPBadRequest')), ({'protocol': '256'}, (400, 'HTTPBadRequest')),
    ({'protocol': True}, (400, 'HTTPBadRequest')), ({'direction': 'up'}, (400, 'HTTPBadRequest')),
    ({'ethertype': 'IPv5'}, (400, 'HTTPBadRequest')),
    ({'port_range_min': 80, 'port_range_max': 90}, (400, 'SecurityGroupProtocolRequiredWithPorts')),
    ({'protocol': 'tcp', 'port_range_min': 90, 'port_range_max': 80}, (400, 'SecurityGroupInvalidPortRange')),
    ({'protocol': 'tcp', 'port_range_min': 90}, (400, 'SecurityGroupInvalidPortRange')),
    ({'protocol': 'tcp', 'port_range_min': 0, 'port_range_max': 80}, (400, 'SecurityGroupInvalidPortValue')),
    ({'protocol': 'tcp', 'port_range_min': 1, 'port_range_max': 65536}, (400, 'SecurityGroupInvalidPortValue')),
    ({'protocol': '6', 'port_range_min': -16, 'port_range_max': 80}, (400, 'SecurityGroupInvalidPortValue')),
    ({'protocol': '17', 'port_range_min': 9, 'port_range_max': 8}, (400, 'SecurityGroupInvalidPortRange')),
    ({'protocol': '1', 'port_range_min': -1, 'port_range_max': 3}, (400, 'SecurityGroupInvalidIcmpValue')),
    ({'protocol': 'vrrp', 'port_range_min': 1, 'port_range_max': 2}, (400, 'SecurityGroupInvalidProtocolForPort')),
    ({'protocol': 'icmp', 'port_range_min': 256}, (400, 'SecurityGroupInvalidIcmpValue')),
    ({'protocol': 'icmp', 'port_range_max': 3}, (400, 'SecurityGroupMissingIcmpType')),
    ({'remote_ip_prefix': 'fd00::/64'}, (400, 'SecurityGroupRuleParameterConflict')),
    ({'protocol': 'ipv6-icmp'}, (400, 'SecurityGroupEthertypeConflictWithProtocol')),
    ({'remote_ip_prefix': 'x'}, (400, 'HTTPBadRequest')),
    ({'remote_group_id': 'x'}, (404, 'SecurityGroupNotFound')),
    ({'protocol': '58'}, (400, 'SecurityGroupEthertypeConflictWithProtocol')),
    ({'remote_group_id': '11111111-2222-4333-8444-555555555555'}, (404, 'SecurityGroupNotFound')),
])
def test_rules_that_mean_nothing(callers, group, values, expected):
    assert error(rule(callers, group, **values)) == expected


def test_rules_in_groups_of_others(callers, group):
    assert error(rule(callers, group, 'other')) == (404, 'SecurityGroupNotFound')
    theirs = callers.other('GET', '/security-groups')[1]['security_groups'][0]
    assert error(rule(callers, group, remote_group_id=theirs['id'])) == (404, 'SecurityGroupNotFound')
    both = rule(callers, group, remote_group_id=group['id'], remote_ip_prefix='10.0.0.0/8')
    assert error(both) == (400, 'SecurityGroupRemoteGroupAndRemoteIpPrefix')


def test_quotas(callers):
    shown = callers.demo('GET', '/quotas/p-demo')[1]['quota']
    assert (shown['port'], shown['network'], shown['security_group']) == (500, 100, 10)
    assert error(callers.demo('GET', '/quotas/p-other')) == (403, 'PolicyNotAuthorized')
    assert error(callers.demo('PUT', '/quotas/p-demo', {'quota': {'port': 9}})) == (403, 'PolicyNotAuthorized')
    for bad in ({'port': -2}, {'port': 'x'}, {'trunk': 5}, []):
        assert callers.admin('PUT', '/quotas/p-demo', {'quota': bad})[0] == 400
    assert callers.admin('PUT', '/quotas/p-demo', {'quota': {'security_group': 2}})[1]['quota']['security_group'] == 2
    assert [quota['project_id'] for quota in callers.admin('GET', '/quotas')[1]['quotas']] == ['p-demo']
    assert callers.demo('POST', '/security-groups', {'security_group': {}})[0] == 201
    assert error(callers.demo('POST', '/security-groups', {'security_group': {}})) == (409, 'OverQuota')
    details = callers.demo('GET', '/quotas/p-demo/details')[1]['quota']
    assert details['security_group'] == {'limit': 2, 'used': 2, 'reserved': 0}
    low = {'security_group': 1, 'check_limit': True}
    assert error(callers.admin('PUT', '/quotas/p-demo', {'quota': low})) == (409, 'InvalidQuotaValue')
    changed = callers.admin('PUT', '/quotas/p-demo', {'quota': {**low, 'check_limit': False}})[1]['quota']
    assert changed['security_group'] == 1 and 'check_limit' not in changed
    assert callers.admin('DELETE', '/quotas/p-demo')[0] == 204
    assert error(callers.admin('DELETE', '/quotas/p-demo')) == (404, 'TenantQuotaNotFound')
    assert callers.demo('GET', '/quotas/p-demo/default')[1]['quota']['security_group'] == 10
