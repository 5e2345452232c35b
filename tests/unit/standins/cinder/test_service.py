# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Versions, errors, and what tells clients what there is."""

import pytest

from tests.unit.standins import cloud
from tests.unit.standins.cinder import conftest

DEMO = 'd' * 32


def test_version_documents(service):
    anyone = cloud.Client(service.app)
    for path, status in (('/', 300), ('/v3/', 200), ('/v3', 200)):
        got, body = anyone('GET', path)
        version, = body['versions']
        assert (got, version['id'], version['version'], version['min_version'], version['links'][1]['href']) == (
            status, 'v3.0', '3.71', '3.0', 'http://localhost/v3/')


@pytest.mark.parametrize('header, status, version', [
    (None, 200, '3.0'), ('volume 3.27', 200, '3.27'), ('volume latest', 200, '3.71'), ('compute 2.1', 200, '3.0'),
    ('compute 2.1, volume 3.5', 200, '3.5'), ('volume 3.72', 406, None), ('volume 2.0', 406, None),
    ('volume 3', 400, None), ('volume x', 400, None)])
def test_microversions(callers, header, status, version):
    headers = {'OpenStack-API-Version': header} if header else {}
    got, body = callers.demo('GET', '/volumes', headers=headers)
    assert got == status
    if version:
        assert callers.last.headers['openstack-api-version'] == 'volume ' + version
    else:
        assert next(iter(body.values()))['code'] == status


def test_fields_by_microversion(callers, create):
    volume = create()
    added = {'group_id': 13, 'shared_targets': 48, 'service_uuid': 48, 'volume_type_id': 63, 'consumes_quota': 65}
    for minor in (0, 13, 48, 63, 65):
        shown = callers.demo('GET', '/volumes/' + volume['id'], headers={
            'OpenStack-API-Version': 'volume 3.%d' % minor})[1]['volume']
        assert set(added) & set(shown) == {name for name, since in added.items() if since <= minor}
    assert 'provider_id' not in shown
    shown = callers.admin('GET', '/volumes/' + volume['id'])[1]['volume']
    assert {'provider_id', 'cluster_name', 'os-vol-host-attr:host'} <= set(shown)


def test_paths_with_and_without_the_project(service, create):
    volume = create()
    client = cloud.Client(service.app, 'demo')
    for path, href in (('/v3/%s/volumes/%s', '/v3/%s/volumes/%s' % (DEMO, volume['id'])),
                       ('/v3/volumes/%s', '/v3/volumes/' + volume['id'])):
        path = path % ((DEMO, volume['id']) if path.count('%') == 2 else volume['id'])
        status, body = client('GET', path)
        assert (status, body['volume']['links'][0]['href']) == (200, 'http://localhost' + href)
    assert client('GET', '/v3/%s/volumes' % ('e' * 32)) == (
        400, {'badRequest': {'code': 400, 'message': 'Malformed request url'}})
    assert client('GET', '/v3/%s/volumes/' % DEMO)[0] == 404


@pytest.mark.parametrize('path', ['/backups', '/groups', '/consistencygroups', '/cgsnapshots', '/group_types',
                                  '/clusters', '/workers', '/nothing'])
def test_what_is_not_served(callers, path):
    assert callers.demo('GET', path) == (
        404, {'itemNotFound': {'code': 404, 'message': 'The resource could not be found.'}})


def test_errors(service, callers):
    status, body = cloud.Client(service.app)('GET', '/v3/volumes')
    assert (status, body['error']['code'], body['error']['title']) == (401, 401, 'Unauthorized')
    assert callers.demo('PATCH', '/volumes')[1]['badMethod']['code'] == 405
    assert list(callers.demo('POST', '/volumes', b'{')[1]) == ['badRequest']
    assert list(callers.demo('POST', '/volumes', b'"' + b'x' * (1 << 20) + b'"')[1]) == ['overLimit']
    for body in ([], 'x', None, {'x': 1}):
        assert callers.demo('POST', '/volumes', body)[0] == 400


def test_a_token_without_a_project(service):
    nobody = cloud.Client(service.app, 'nobody')
    assert nobody('GET', '/v3/volumes') == (200, {'volumes': []})
    assert nobody('POST', '/v3/volumes', {'volume': {'size': 1}})[0] == 403
    assert nobody('GET', '/v3/limits')[0] == 403


def test_services(callers, create):
    assert callers.demo('GET', '/os-services')[0] == 403
    entry, = callers.admin('GET', '/os-services')[1]['services']
    assert (entry['binary'], entry['host'], entry['state'], entry['status']) == (
        'cinder-volume', 'here@files', 'up', 'enabled')
    for query, count in (('host=here', 1), ('host=here@files', 1), ('binary=cinder-volume', 1), ('host=x', 0),
                         ('binary=cinder-backup', 0)):
        assert len(callers.admin('GET', '/os-services?' + query)[1]['services']) == count
    body = {'host': 'here@files', 'binary': 'cinder-volume'}
    assert callers.demo('PUT', '/os-services/disable', body)[0] == 403
    assert callers.admin('PUT', '/os-services/disable-log-reason', {**body, 'disabled_reason': 'r'})[1] == {
        **body, 'service': '', 'status': 'disabled', 'disabled': True, 'disabled_reason': 'r'}
    assert callers.admin('GET', '/os-services')[1]['services'][0]['disabled_reason'] == 'r'
    assert create()['status'] == 'error'
    assert callers.admin('PUT', '/os-services/enable', body)[1]['status'] == 'enabled'
    assert create()['status'] == 'available'
    for action, wanted, status in (('disable', {**body, 'host': 'x'}, 404), ('explode', body, 404),
                                   ('disable', {}, 400), ('freeze', body, 400), ('disable-log-reason', body, 400)):
        assert callers.admin('PUT', '/os-services/' + action, wanted)[0] == status


def test_what_there_is(callers, create):
    create(size=2)
    assert callers.demo('GET', '/os-availability-zone')[1] == {
        'availabilityZoneInfo': [{'zoneName': 'nova', 'zoneState': {'available': True}}]}
    assert 'os-volume-actions' in {item['alias'] for item in callers.demo('GET', '/extensions')[1]['extensions']}
    filters = {item['resource']: item['filters'] for item in callers.demo('GET', '/resource_filters')[1][
        'resource_filters']}
    assert 'bootable' in filters['volume'] and 'instance_id' in filters['attachment']
    body = callers.demo('GET', '/resource_filters?resource=snapshot')[1]
    assert [item['resource'] for item in body['resource_filters']] == ['snapshot']
    assert callers.admin('GET', '/scheduler-stats/get_pools')[1] == {'pools': [{'name': 'here@files#files'}]}
    pool, = callers.admin('GET', '/scheduler-stats/get_pools?detail=true')[1]['pools']
    assert pool['capabilities']['allocated_capacity_gb'] == 2
    assert 0 < pool['capabilities']['free_capacity_gb'] <= pool['capabilities']['total_capacity_gb']
    assert callers.admin('GET', '/capabilities/here@files')[1]['volume_backend_name'] == 'files'
    assert callers.admin('GET', '/capabilities/there')[0] == 404
    assert callers.admin('GET', '/os-hosts')[1]['hosts'][0]['host_name'] == 'here@files'
    total, project = callers.admin('GET', '/os-hosts/here@files')[1]['host']
    assert (total['resource']['project'], project['resource']['total_volume_gb']) == ('(total)', '2')
    assert callers.admin('GET', '/qos-specs')[1] == {'qos_specs': []}
    for path in ('/scheduler-stats/get_pools', '/capabilities/here@files', '/os-hosts', '/os-hosts/here@files',
                 '/qos-specs'):
        assert callers.demo('GET', path)[0] == 403


def test_transfer(callers, create, service):
    volume = create()
    callers.demo('POST', '/snapshots', {'snapshot': {'volume_id': volume['id']}})
    service.jobs.wait()
    assert callers.demo('POST', '/volume-transfers', {'transfer': {'volume_id': volume['id'],
                                                                   'no_snapshots': True}})[0] == 400
    status, body = callers.demo('POST', '/volume-transfers', {'transfer': {'volume_id': volume['id'], 'name': 't'}})
    transfer = body['transfer']
    assert (status, transfer['name'], transfer['source_project_id']) == (202, 't', DEMO)
    assert callers.demo('GET', '/volumes/' + volume['id'])[1]['volume']['status'] == 'awaiting-transfer'
    path = '/volume-transfers/' + transfer['id']
    assert 'auth_key' not in callers.demo('GET', path)[1]['transfer']
    assert callers.other('GET', path)[0] == 404
    assert callers.demo('GET', '/os-volume-transfer/detail')[1]['transfers'][0]['id'] == transfer['id']
    for key in ('x', 'x' * 255):
        assert callers.other('POST', path + '/accept', {'accept': {'auth_key': key}})[0] == 400
    callers.admin('PUT', '/os-quota-sets/' + 'e' * 32, {'quota_set': {'volumes': 0}})
    accept = {'accept': {'auth_key': transfer['auth_key']}}
    assert callers.other('POST', path + '/accept', accept)[0] == 413
    callers.admin('DELETE', '/os-quota-sets/' + 'e' * 32)
    assert callers.other('POST', path + '/accept', accept)[0] == 202
    assert callers.other('GET', '/volumes/' + volume['id'])[1]['volume']['status'] == 'available'
    assert len(callers.other('GET', '/snapshots')[1]['snapshots']) == 1
    assert callers.demo('GET', '/volumes')[1] == {'volumes': []}
    assert callers.other('POST', path + '/accept', accept)[0] == 404


def test_transfer_that_is_taken_back(callers, create):
    volume = create()
    older = {'OpenStack-API-Version': 'volume 3.54'}
    assert callers.demo('GET', '/volume-transfers', headers=older)[0] == 404
    status, body = callers.demo('POST', '/os-volume-transfer', {'transfer': {'volume_id': volume['id']}}, older)
    assert 'no_snapshots' not in body['transfer']
    assert callers.demo('POST', '/os-volume-transfer', {'transfer': {'volume_id': volume['id']}})[0] == 400
    assert callers.other('DELETE', '/os-volume-transfer/' + body['transfer']['id'])[0] == 404
    assert callers.demo('DELETE', '/os-volume-transfer/' + body['transfer']['id'])[0] == 202
    assert callers.demo('GET', '/volumes/' + volume['id'])[1]['volume']['status'] == 'available'


def test_messages_of_other_projects(callers, create, service):
    callers.admin('PUT', '/os-services/disable', {'host': 'here@files', 'binary': 'cinder-volume'})
    create()
    message, = callers.demo('GET', '/messages')[1]['messages']
    assert message['request_id'].startswith('req-')
    path = '/messages/' + message['id']
    assert callers.demo('GET', path)[1]['message']['links'][0]['href'].endswith(path)
    assert callers.other('GET', path)[0] == callers.other('DELETE', path)[0] == 404
    assert callers.demo('GET', '/messages', headers={'OpenStack-API-Version': 'volume 3.2'})[0] == 404
    assert callers.demo('GET', '/messages?message_level=INFO', headers=conftest.LATEST)[1] == {'messages': []}
