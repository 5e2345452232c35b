# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Allocation candidates: single hosts, trees, sharing providers and granular groups."""

import uuid

import pytest

from tests.unit.standins import cloud


def candidates(placement, query, version=39):
    """The allocations of each candidate, as {provider uuid: resources}."""
    status, body = placement('GET', query, None, {'OpenStack-API-Version': 'placement 1.%d' % version})
    assert status == 200, body
    return [{host: item['resources'] for host, item in request['allocations'].items()}
            for request in body['allocation_requests']]


def join(placement, group, *hosts):
    for host in hosts:
        generation = placement('GET', '/resource_providers/' + host)[1]['generation']
        assert placement('PUT', '/resource_providers/%s/aggregates' % host, {
            'aggregates': [group], 'resource_provider_generation': generation})[0] == 200


@pytest.fixture
def tree(placement):
    """A host with two NICs, one of which has a trait."""
    root = cloud.make_host(placement, 'cn')
    return (root, cloud.make_host(placement, 'nic1', root, ['HW_NIC_ACCEL_SSL'], SRIOV_NET_VF=2),
            cloud.make_host(placement, 'nic2', root, SRIOV_NET_VF=1))


def test_hosts_with_room(placement):
    one, two = cloud.make_host(placement, 'one'), cloud.make_host(placement, 'two', VCPU=1, MEMORY_MB=512)
    size = {'VCPU': 1, 'MEMORY_MB': 512}
    assert candidates(placement, cloud.QUERY) == [{one: size}, {two: size}]
    cloud.claim(placement, two)
    assert candidates(placement, cloud.QUERY) == [{one: size}]
    assert candidates(placement, '/allocation_candidates?resources=VCPU:99') == []


def test_whole_answer(placement):
    host = cloud.make_host(placement, 'h', traits=['HW_CPU_X86_VMX'])
    cloud.claim(placement, host)
    assert placement('GET', '/allocation_candidates?resources=VCPU:1')[1] == {
        'allocation_requests': [{'allocations': {host: {'resources': {'VCPU': 1}}}, 'mappings': {'': [host]}}],
        'provider_summaries': {host: {
            'resources': {'VCPU': {'capacity': 4, 'used': 1}, 'MEMORY_MB': {'capacity': 4096, 'used': 512}},
            'traits': ['HW_CPU_X86_VMX'], 'parent_provider_uuid': None, 'root_provider_uuid': host}}}


def test_limit_takes_turns(placement):
    hosts = {cloud.make_host(placement, 'h%d' % number) for number in range(6)}
    seen = set()
    for _ in range(200):
        found = candidates(placement, cloud.QUERY + '&limit=2')
        assert len(found) == 2
        seen.update(host for candidate in found for host in candidate)
    assert seen == hosts


def test_traits_aggregates_and_trees(placement):
    one = cloud.make_host(placement, 'one', traits=['HW_CPU_X86_VMX', 'COMPUTE_NODE'])
    two = cloud.make_host(placement, 'two')
    group = str(uuid.uuid4())
    join(placement, group, two)

    def hosts(query):
        return [next(iter(candidate)) for candidate in candidates(placement, cloud.QUERY + query)]
    assert hosts('&required=HW_CPU_X86_VMX') == [one]
    assert hosts('&required=!HW_CPU_X86_VMX') == [two]
    assert hosts('&required=in:HW_CPU_X86_VMX,HW_CPU_X86_SVM&required=COMPUTE_NODE') == [one]
    assert hosts('&required=in:HW_CPU_X86_SVM,HW_CPU_X86_SSE') == []
    assert hosts('&member_of=' + group) == [two]
    assert hosts('&member_of=!' + group) == [one]
    assert hosts('&in_tree=' + two) == [two]
    assert hosts('&root_required=COMPUTE_NODE') == [one]
    assert hosts('&root_required=!COMPUTE_NODE') == [two]


def test_tree_serves_together(placement, tree):
    root, nic1, nic2 = tree
    query = '/allocation_candidates?resources=VCPU:1,SRIOV_NET_VF:1'
    assert candidates(placement, query) == [
        {root: {'VCPU': 1}, nic1: {'SRIOV_NET_VF': 1}}, {root: {'VCPU': 1}, nic2: {'SRIOV_NET_VF': 1}}]
    assert candidates(placement, query + '&required=HW_NIC_ACCEL_SSL') == [
        {root: {'VCPU': 1}, nic1: {'SRIOV_NET_VF': 1}}]
    assert candidates(placement, query + '&required=!HW_NIC_ACCEL_SSL') == [
        {root: {'VCPU': 1}, nic2: {'SRIOV_NET_VF': 1}}]
    assert candidates(placement, query, 28) == []
    summaries = placement('GET', '/allocation_candidates?resources=VCPU:1')[1]['provider_summaries']
    assert set(summaries) == set(tree)


def test_granular_groups(placement, tree):
    root, nic1, nic2 = tree
    query = ('/allocation_candidates?resources=VCPU:1&resources1=SRIOV_NET_VF:1&required1=HW_NIC_ACCEL_SSL'
             '&resources2=SRIOV_NET_VF:1')
    apart = {root: {'VCPU': 1}, nic1: {'SRIOV_NET_VF': 1}, nic2: {'SRIOV_NET_VF': 1}}
    assert candidates(placement, query + '&group_policy=isolate') == [apart]
    assert candidates(placement, query + '&group_policy=none') == [
        {root: {'VCPU': 1}, nic1: {'SRIOV_NET_VF': 2}}, apart]
    mappings = placement('GET', query + '&group_policy=isolate')[1]['allocation_requests'][0]['mappings']
    assert mappings == {'': [root], '1': [nic1], '2': [nic2]}
    cloud.claim(placement, nic1, resources={'SRIOV_NET_VF': 1})
    assert candidates(placement, query + '&group_policy=none') == [apart]


def test_groups_may_swap_providers(placement):
    root = cloud.make_host(placement, 'cn')
    nics = [cloud.make_host(placement, 'nic%d' % number, root, SRIOV_NET_VF=1) for number in range(2)]
    query = '/allocation_candidates?resources1=SRIOV_NET_VF:1&resources2=SRIOV_NET_VF:1&group_policy=isolate'
    found = placement('GET', query)[1]['allocation_requests']
    assert [(item['mappings']['1'], item['mappings']['2']) for item in found] == [
        ([nics[0]], [nics[1]]), ([nics[1]], [nics[0]])]


def test_same_subtree(placement):
    root = cloud.make_host(placement, 'root')
    numa = [cloud.make_host(placement, 'numa%d' % number, root, PCPU=4) for number in range(2)]
    nics = [cloud.make_host(placement, 'nic%d' % number, parent, SRIOV_NET_VF=1) for number, parent in enumerate(numa)]
    query = '/allocation_candidates?resources_A=PCPU:1&resources_B=SRIOV_NET_VF:1&group_policy=none'
    assert len(candidates(placement, query)) == 4
    assert candidates(placement, query + '&same_subtree=_A,_B') == [
        {numa[number]: {'PCPU': 1}, nics[number]: {'SRIOV_NET_VF': 1}} for number in range(2)]


def test_sharing_provider(placement):
    host, other = (cloud.make_host(placement, name, VCPU=4) for name in ('h1', 'h2'))
    disk = cloud.make_host(placement, 'nfs', traits=['MISC_SHARES_VIA_AGGREGATE'], DISK_GB=100)
    join(placement, str(uuid.uuid4()), host, disk)
    query = '/allocation_candidates?resources=VCPU:1,DISK_GB:10'
    assert candidates(placement, query) == [{host: {'VCPU': 1}, disk: {'DISK_GB': 10}}]
    assert candidates(placement, query + '&in_tree=' + host) == []
    assert other not in candidates(placement, query)[0]
    assert candidates(placement, '/allocation_candidates?resources=DISK_GB:10') == [{disk: {'DISK_GB': 10}}]


@pytest.mark.parametrize('query', [
    '', 'resources=', 'resources=VCPU:x', 'resources=VCPU:1&colour=red', 'resources=VCPU:1&limit=0',
    'resources=VCPU:1&limit=x', 'resources=VCPU:1&required=', 'resources=VCPU:1&group_policy=maybe',
    'required1=CUSTOM_X', 'resources1=VCPU:1&resources2=VCPU:1', 'resources=VCPU:1&same_subtree=_A',
    'resources=VCPU:1&in_tree=x',
    'resources=VCPU:1&member_of=x', 'resources=VCPU:1&required1=HW_CPU_X86_VMX', 'resources=VCPU:-1',
    'resources=VCPU:1&required=HW_CPU_X86_VMX,!HW_CPU_X86_VMX', 'resources=VCPU:1&root_required=in:COMPUTE_NODE'])
def test_bad_queries(placement, query):
    assert placement('GET', '/allocation_candidates?' + query)[0] == 400
