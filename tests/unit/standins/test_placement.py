# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Placement: the books stay right under concurrency and over restarts, and answers follow the contract."""

import threading
import uuid

import pytest

from nova_lite.standins.placement import app as placement_app
from tests.unit.standins import cloud


def test_version_document_needs_no_token(placement):
    status, body = cloud.Client(placement.app)('GET', '/')
    assert (status, body['versions'][0]['max_version']) == (200, '1.39')


@pytest.mark.parametrize('header, status', [
    ('placement 1.40', 406), ('placement 2.0', 406), ('placement x', 400), ('placement 1.0', 404),
    ('compute 2.1', 404), ('compute 2.1, placement latest', 200), ('', 404)])
def test_microversions(placement, header, status):
    assert placement(*('GET', '/traits', None), {'OpenStack-API-Version': header})[0] == status


def test_who_may(placement, keystone, demo, admin):
    for client, status in ((demo, 403), (admin, 200)):
        assert cloud.Client(placement.app, client.token, cloud.VERSION)('GET', '/resource_providers')[0] == status
    assert cloud.Client(placement.app, None, cloud.VERSION)('GET', '/resource_providers')[0] == 401
    mine, other = keystone.project_id('demo'), keystone.project_id('admin')
    client = cloud.Client(placement.app, demo.token, cloud.VERSION)
    assert client('GET', '/usages?project_id=' + mine)[0] == 200
    assert client('GET', '/usages?project_id=' + other)[0] == 403


def test_error_body(placement):
    status, body = placement('GET', '/resource_providers/nope')
    error = body['errors'][0]
    assert (status, error['status'], error['title']) == (404, 404, 'Not Found')
    assert error['code'] == 'placement.resource_provider.not_found'
    assert error['request_id'] == placement.headers['x-openstack-request-id']


def test_claim_and_release(placement):
    host, consumer = cloud.make_host(placement, 'h'), str(uuid.uuid4())
    assert cloud.claim(placement, host, consumer) == (204, b'')
    assert cloud.usages(placement, host) == cloud.SIZE
    shown = placement('GET', '/allocations/' + consumer)[1]
    assert shown['allocations'][host]['resources'] == cloud.SIZE
    assert (shown['consumer_generation'], shown['consumer_type'], shown['project_id']) == (1, 'INSTANCE', 'p')
    assert placement('GET', '/usages?project_id=p')[1]['usages'] == {'INSTANCE': {'consumer_count': 1, **cloud.SIZE}}
    assert placement('DELETE', '/resource_providers/' + host)[0] == 409
    assert placement('DELETE', '/allocations/' + consumer)[0] == 204
    assert placement('DELETE', '/allocations/' + consumer)[0] == 404
    assert cloud.usages(placement, host) == {'VCPU': 0, 'MEMORY_MB': 0}
    assert placement('GET', '/allocations/' + consumer)[1] == {'allocations': {}}
    assert placement('DELETE', '/resource_providers/' + host)[0] == 204


def test_consumer_generation(placement):
    host, consumer = cloud.make_host(placement, 'h'), str(uuid.uuid4())
    assert cloud.claim(placement, host, consumer, 3)[1]['errors'][0]['code'] == 'placement.concurrent_update'
    assert cloud.claim(placement, host, consumer)[0] == 204
    status, body = cloud.claim(placement, host, consumer)
    assert (status, body['errors'][0]['code']) == (409, 'placement.concurrent_update')
    assert 'consumer generation conflict - expected 1 but got null' in body['errors'][0]['detail']
    assert cloud.claim(placement, host, consumer, 1, {'VCPU': 2, 'MEMORY_MB': 512})[0] == 204
    assert cloud.usages(placement, host)['VCPU'] == 2


def test_empty_allocations_let_go(placement):
    host, consumer = cloud.make_host(placement, 'h'), str(uuid.uuid4())
    cloud.claim(placement, host, consumer)
    body = {'allocations': {}, 'project_id': 'p', 'user_id': 'u', 'consumer_generation': 1, 'consumer_type': 'INSTANCE'}
    assert placement('POST', '/allocations', {consumer: body})[0] == 204
    assert cloud.usages(placement, host)['VCPU'] == 0


@pytest.mark.parametrize('inventory, amount, status', [
    ({'total': 4}, 4, 204), ({'total': 4}, 5, 409), ({'total': 4, 'reserved': 1}, 4, 409),
    ({'total': 4, 'allocation_ratio': 1.5}, 6, 204), ({'total': 4, 'allocation_ratio': 1.5}, 7, 409),
    ({'total': 4, 'max_unit': 2}, 3, 409), ({'total': 4, 'min_unit': 2}, 1, 409),
    ({'total': 4, 'step_size': 2}, 3, 409), ({'total': 4, 'reserved': 4}, 1, 409)])
def test_capacity(placement, inventory, amount, status):
    host = cloud.make_host(placement, 'h')
    body = {'resource_provider_generation': 1, 'inventories': {'VCPU': inventory}}
    assert placement('PUT', '/resource_providers/%s/inventories' % host, body)[0] == 200
    got, answer = cloud.claim(placement, host, resources={'VCPU': amount})
    assert got == status
    found = placement('GET', '/allocation_candidates?resources=VCPU:%d' % amount)[1]['allocation_requests']
    assert len(found) == 0  # what was claimed fills the host, and what was refused does not fit
    if got == 409:
        assert 'Unable to allocate inventory' in answer['errors'][0]['detail']
        assert cloud.usages(placement, host)['VCPU'] == 0


def test_move_in_one_request_is_all_or_nothing(placement):
    source, full = cloud.make_host(placement, 'h1'), cloud.make_host(placement, 'h2', VCPU=1, MEMORY_MB=4096)
    instance, migration, other = (str(uuid.uuid4()) for _ in range(3))
    cloud.claim(placement, source, instance)
    cloud.claim(placement, full, other)

    def body(host, generation):
        return {'allocations': {host: {'resources': cloud.SIZE}}, 'project_id': 'p', 'user_id': 'u',
                'consumer_generation': generation, 'consumer_type': 'INSTANCE'}
    move = {migration: body(source, None), instance: body(full, 1)}
    assert placement('POST', '/allocations', move)[0] == 409
    assert cloud.usages(placement, source) == cloud.SIZE
    assert placement('GET', '/allocations/' + migration)[1] == {'allocations': {}}
    placement('DELETE', '/allocations/' + other)
    assert placement('POST', '/allocations', move)[0] == 204
    assert (cloud.usages(placement, source), cloud.usages(placement, full)) == (cloud.SIZE, cloud.SIZE)


def test_overfull_provider_may_be_relieved_but_not_filled(placement):
    host, consumer = cloud.make_host(placement, 'h'), str(uuid.uuid4())
    cloud.claim(placement, host, consumer, resources={'VCPU': 4})
    body = {'resource_provider_generation': 2, 'inventories': {'VCPU': {'total': 2}, 'MEMORY_MB': {'total': 4096}}}
    assert placement('PUT', '/resource_providers/%s/inventories' % host, body)[0] == 200
    assert cloud.claim(placement, host, consumer, 1, {'VCPU': 3})[0] == 204
    assert cloud.claim(placement, host, consumer, 2, {'VCPU': 4})[0] == 409


def test_never_overcommitted_by_concurrent_claims(placement):
    host = cloud.make_host(placement, 'h', VCPU=5, MEMORY_MB=100000)
    results = []

    def work():
        client = cloud.Client(placement.app, placement.token, cloud.VERSION)
        results.extend(cloud.claim(client, host)[0] for _ in range(5))
    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (results.count(204), results.count(409)) == (5, 35)
    assert cloud.usages(placement, host)['VCPU'] == 5


def test_everything_is_there_after_a_restart(placement, store, keystone):
    root = cloud.make_host(placement, 'h', traits=['HW_CPU_X86_VMX'])
    child = cloud.make_host(placement, 'c', root, SRIOV_NET_VF=2)
    group = str(uuid.uuid4())
    placement('PUT', '/resource_providers/%s/aggregates' % root, {
        'aggregates': [group], 'resource_provider_generation': 2})
    placement('PUT', '/traits/CUSTOM_T')
    placement('PUT', '/resource_classes/CUSTOM_C')
    consumer = str(uuid.uuid4())
    cloud.claim(placement, root, consumer)
    paths = ['/resource_providers', '/resource_providers?in_tree=' + child, '/allocations/' + consumer,
             '/resource_providers/%s/traits' % root, '/resource_providers/%s/aggregates' % root,
             '/resource_providers/%s/usages' % root, '/resource_classes', '/traits?name=startswith:CUSTOM',
             cloud.QUERY, '/resource_providers/%s/inventories' % child]
    before = [placement('GET', path) for path in paths]
    placement.app = placement_app.application(store, keystone.identify)
    assert [placement('GET', path) for path in paths] == before
    assert all(status == 200 for status, _ in before)


def test_inventories(placement):
    host = cloud.make_host(placement, 'h')
    path = '/resource_providers/%s/inventories' % host
    assert placement('GET', path)[1]['inventories']['VCPU'] == {
        'total': 4, 'reserved': 0, 'min_unit': 1, 'max_unit': 2147483647, 'step_size': 1, 'allocation_ratio': 1.0}
    stale = {'resource_provider_generation': 0, 'inventories': {}}
    status, body = placement('PUT', path, stale)
    assert (status, body['errors'][0]['code']) == (409, 'placement.concurrent_update')
    assert placement('PUT', path + '/VCPU', {'resource_provider_generation': 1, 'total': 8})[1]['total'] == 8
    cloud.claim(placement, host)
    status, body = placement('DELETE', path + '/VCPU')
    assert (status, body['errors'][0]['code']) == (409, 'placement.inventory.inuse')
    assert placement('DELETE', path)[0] == 409
    for bad in ({'VCPU': {'total': 0}}, {'VCPU': {'total': 2, 'reserved': 3}}, {'NO_CLASS': {'total': 1}},
                {'VCPU': {'total': 1 << 40}}, {'VCPU': {'total': 1, 'allocation_ratio': -1}}, {'VCPU': {}}):
        body = {'resource_provider_generation': 3, 'inventories': bad}
        assert placement('PUT', path, body)[0] == 400, bad


def test_traits_and_classes(placement):
    host = cloud.make_host(placement, 'h')
    assert placement('PUT', '/traits/CUSTOM_A')[0] == 201
    assert placement('PUT', '/traits/CUSTOM_A')[0] == 204
    assert placement('PUT', '/traits/HW_NONSENSE')[0] == 400
    path = '/resource_providers/%s/traits' % host
    assert placement('PUT', path, {'resource_provider_generation': 1, 'traits': ['CUSTOM_NO']})[0] == 400
    assert placement('PUT', path, {'resource_provider_generation': 1, 'traits': ['CUSTOM_A']})[0] == 200
    assert placement('GET', '/traits?associated=true')[1]['traits'] == ['CUSTOM_A']
    assert placement('DELETE', '/traits/CUSTOM_A')[0] == 409
    assert placement('DELETE', path)[0] == 204
    assert placement('DELETE', '/traits/CUSTOM_A')[0] == 204
    assert placement('PUT', '/resource_classes/CUSTOM_GPU')[0] == 201
    assert placement('DELETE', '/resource_classes/VCPU')[0] == 400
    assert placement('DELETE', '/resource_classes/CUSTOM_GPU')[0] == 204


def test_provider_list(placement):
    one = cloud.make_host(placement, 'one', traits=['HW_CPU_X86_VMX'])
    two = cloud.make_host(placement, 'two', VCPU=100)
    group = str(uuid.uuid4())
    placement('PUT', '/resource_providers/%s/aggregates' % two, {
        'aggregates': [group], 'resource_provider_generation': 1})

    def names(query):
        status, body = placement('GET', '/resource_providers?' + query)
        assert status == 200, body
        return [item['name'] for item in body['resource_providers']]
    assert names('name=one') == ['one']
    assert names('uuid=' + two) == ['two']
    assert names('resources=VCPU:50') == ['two']
    assert names('required=HW_CPU_X86_VMX') == ['one']
    assert names('required=!HW_CPU_X86_VMX') == ['two']
    assert names('member_of=in:%s,%s' % (group, one)) == ['two']
    assert names('member_of=!' + group) == ['one']
    assert names('in_tree=' + one) == ['one']
    for query in ('colour=red', 'resources=VCPU', 'resources=NONE:1', 'required=NO_TRAIT', 'member_of=x', 'uuid=x',
                  'required=,', 'resources=VCPU:0'):
        assert placement('GET', '/resource_providers?' + query)[0] == 400, query


def test_tree_rules(placement):
    root = cloud.make_host(placement, 'root')
    child = cloud.make_host(placement, 'child', root)
    assert placement('DELETE', '/resource_providers/' + root)[0] == 409
    assert placement('PUT', '/resource_providers/' + root, {'name': 'root', 'parent_provider_uuid': child})[0] == 400
    assert placement('POST', '/resource_providers', {'name': 'root'})[0] == 409
    other = cloud.make_host(placement, 'other')
    body = {'name': 'child', 'parent_provider_uuid': other}
    old = {'OpenStack-API-Version': 'placement 1.36'}
    assert placement('PUT', '/resource_providers/' + child, body, old)[0] == 400
    assert placement('PUT', '/resource_providers/' + child, body)[1]['root_provider_uuid'] == other
    assert placement('DELETE', '/resource_providers/' + root)[0] == 204


def test_reshape(placement):
    root = cloud.make_host(placement, 'root')
    child = cloud.make_host(placement, 'child', root)
    consumer = str(uuid.uuid4())
    cloud.claim(placement, root, consumer)
    generations = {item: placement('GET', '/resource_providers/' + item)[1]['generation'] for item in (root, child)}
    body = {
        'inventories': {
            root: {'resource_provider_generation': generations[root], 'inventories': {'MEMORY_MB': {'total': 4096}}},
            child: {'resource_provider_generation': generations[child], 'inventories': {'VCPU': {'total': 4}}}},
        'allocations': {}}
    assert placement('POST', '/reshaper', body)[1]['errors'][0]['code'] == 'placement.inventory.inuse'
    body['allocations'] = {consumer: {
        'allocations': {root: {'resources': {'MEMORY_MB': 512}}, child: {'resources': {'VCPU': 1}}},
        'project_id': 'p', 'user_id': 'u', 'consumer_generation': 1, 'consumer_type': 'INSTANCE'}}
    assert placement('POST', '/reshaper', body)[0] == 204
    assert (cloud.usages(placement, root), cloud.usages(placement, child)) == ({'MEMORY_MB': 512}, {'VCPU': 1})


SOMEBODY = '/allocations/%s' % uuid.UUID(int=1)      # the same in every worker that collects the tests


@pytest.mark.parametrize('path, body', [
    ('/allocations/x', {}), (SOMEBODY, {}), (SOMEBODY, []),
    (SOMEBODY, {'allocations': {'x': {'resources': {'VCPU': 1}}}})])
def test_bad_allocations(placement, path, body):
    assert placement('PUT', path, body)[0] == 400


def test_allocation_of_what_is_not_there(placement):
    host = cloud.make_host(placement, 'h')
    assert cloud.claim(placement, str(uuid.uuid4()))[0] == 400
    assert cloud.claim(placement, host, resources={'COWS': 1})[0] == 400
    assert cloud.claim(placement, host, resources={'PCPU': 1})[0] == 409
