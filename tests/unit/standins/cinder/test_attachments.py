# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Attachments: reserved, connected, complete and let go; who may do that; and the older actions for the same."""

import threading
import uuid

import pytest

from tests.unit.standins.cinder import conftest

SERVER, OTHER_SERVER = str(uuid.UUID(int=1)), str(uuid.UUID(int=2))
CONNECTOR = {'host': 'here', 'ip': '192.0.2.1', 'initiator': 'iqn.x', 'multipath': False}
MULTIATTACH = {'multiattach': '<is> True'}


@pytest.fixture
def reserve(callers):
    """Makes an attachment of a volume; (status, the attachment or the fault)."""
    def make_one(volume, server=SERVER, headers=conftest.LATEST, **fields):
        status, body = callers.demo('POST', '/attachments', {'attachment': {
            'volume_uuid': volume['id'], 'instance_uuid': server, **fields}}, headers)
        return status, next(iter(body.values()))
    return make_one


@pytest.fixture
def shared(callers, create):
    """A volume that several servers may have."""
    callers.admin('POST', '/types', {'volume_type': {'name': 'shared', 'extra_specs': MULTIATTACH}})
    return create(volume_type='shared')


def show(callers, volume):
    return callers.demo('GET', '/volumes/' + volume['id'])[1]['volume']


def act(call, volume, action, headers=conftest.LATEST, **content):
    return call('POST', '/volumes/%s/action' % volume['id'], {action: content}, headers)


def test_life_of_an_attachment(callers, create, reserve, service):
    volume = create()
    status, item = reserve(volume)
    assert (status, item['status'], item['instance'], item['attach_mode'], item['connection_info']) == (
        200, 'reserved', SERVER, 'null', {})
    assert show(callers, volume)['status'] == 'reserved'
    path = '/attachments/' + item['id']
    status, body = callers.demo('PUT', path, {'attachment': {'connector': {**CONNECTOR, 'mountpoint': '/dev/vdb'}}})
    item = body['attachment']
    assert (status, item['status'], item['attach_mode']) == (200, 'attaching', 'rw')
    assert item['connection_info'] == {
        'driver_volume_type': 'local', 'device_path': service.files.path('volume', volume['id']), 'format': 'raw',
        'discard': True, 'access_mode': 'rw', 'encrypted': False, 'qos_specs': None, 'cacheable': False,
        'attachment_id': item['id']}
    assert show(callers, volume)['status'] == 'attaching'
    assert show(callers, volume)['attachments'] == []
    assert callers.demo('POST', path + '/action', {'os-complete': {}}) == (204, b'')
    shown = show(callers, volume)
    entry, = shown['attachments']
    assert (shown['status'], entry['server_id'], entry['attachment_id'], entry['device'], entry['host_name']) == (
        'in-use', SERVER, item['id'], '/dev/vdb', None)
    assert callers.admin('GET', '/volumes/' + volume['id'])[1]['volume']['attachments'][0]['host_name'] == 'here'
    assert callers.demo('DELETE', '/volumes/' + volume['id'])[0] == 400
    assert callers.demo('DELETE', path, headers=conftest.BY_NOVA) == (200, {'attachments': []})
    assert show(callers, volume)['status'] == 'available'
    assert callers.demo('GET', path)[0] == 404


@pytest.mark.parametrize('fields, status', [
    ({}, 400), ({'volume_uuid': 'x'}, 400), ({'volume_uuid': str(uuid.uuid4())}, 404),
    ({'mode': 'x'}, 400), ({'connector': {'ip': '1'}}, 400), ({'connector': 'x'}, 400), ({'instance_uuid': 'x'}, 400),
    ({'colour': 'x'}, 400)])
def test_what_is_no_attachment(callers, create, fields, status):
    volume = create()
    body = {'volume_uuid': volume['id'], **fields} if fields else {}
    assert callers.demo('POST', '/attachments', {'attachment': body})[0] == status
    assert show(callers, volume)['status'] == 'available'
    assert callers.demo('GET', '/attachments')[1] == {'attachments': []}


@pytest.mark.parametrize('body', [{}, {'connector': {}}, {'connector': {'ip': 'x'}}, {'connector': {'host': ''}},
                                  {'connector': None}, {'connector': CONNECTOR, 'x': 1}])
def test_what_is_no_connector(callers, create, reserve, body):
    _, item = reserve(create())
    assert callers.demo('PUT', '/attachments/' + item['id'], {'attachment': body})[0] == 400


def test_a_volume_is_one_servers(create, reserve, callers):
    volume = create()
    assert reserve(volume)[0] == 200
    status, fault = reserve(volume, OTHER_SERVER)
    assert (status, fault['message']) == (400, 'Invalid volume: Volume %s status must be available or downloading to '
                                               'reserve, but the current status is reserved.' % volume['id'])
    assert reserve(volume)[0] == 200  # the same server, which is moving to another host
    assert reserve(volume, None)[0] == 400


def test_five_at_once(create, reserve, callers):
    volume = create()
    statuses = []
    threads = [threading.Thread(target=lambda server: statuses.append(reserve(volume, server)[0]),
                                args=(str(uuid.uuid4()),)) for _ in range(5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(statuses) == [200, 400, 400, 400, 400]
    assert len(callers.demo('GET', '/attachments')[1]['attachments']) == 1


def test_a_shared_volume_is_many_servers(shared, reserve, callers):
    items = []
    for server in (SERVER, OTHER_SERVER):
        status, item = reserve(shared, server, connector=CONNECTOR)
        assert status == 200
        callers.demo('POST', '/attachments/%s/action' % item['id'], {'os-complete': {}})
        items.append(item)
    shown = show(callers, shared)
    assert (shown['status'], shown['multiattach'], len(shown['attachments'])) == ('in-use', True, 2)
    for item, status in zip(items, ('in-use', 'available'), strict=True):
        callers.demo('DELETE', '/attachments/' + item['id'], headers=conftest.BY_NOVA)
        assert show(callers, shared)['status'] == status


def test_an_attachment_in_use_goes_by_a_service_only(create, reserve, callers):
    """Deleted past the compute service, what is at that place next would be open to the guest."""
    volume = create()
    _, item = reserve(volume, connector=CONNECTOR)
    callers.demo('POST', '/attachments/%s/action' % item['id'], {'os-complete': {}})
    wanted = {'conflictingRequest': {'code': 409, 'message': 'ConflictNovaUsingAttachment: Detach volume from '
                                                             'instance %s using the Compute API' % SERVER}}
    without_role = {**conftest.LATEST, 'X-Service-Token': 'other'}
    for call in (callers.demo, callers.admin):
        for headers in (conftest.LATEST, without_role):
            assert call('DELETE', '/attachments/' + item['id'], headers=headers) == (409, wanted)
            for action, content in (('os-detach', {}), ('os-detach', {'attachment_id': item['id']}),
                                    ('os-terminate_connection', {'connector': CONNECTOR})):
                assert act(call, volume, action, headers, **content) == (409, wanted), action
    assert act(callers.admin, volume, 'os-force_detach') == (409, wanted)
    forged = {**conftest.LATEST, 'X-Service-Token': 'forged'}
    assert callers.demo('DELETE', '/attachments/' + item['id'], headers=forged)[0] == 401
    assert show(callers, volume)['status'] == 'in-use'
    assert callers.demo('DELETE', '/attachments/' + item['id'], headers=conftest.BY_NOVA)[0] == 200
    _, item = reserve(volume, connector=CONNECTOR)
    assert callers.cinder('DELETE', '/attachments/' + item['id'])[0] == 200  # an administrator who is a service


def test_a_reservation_of_a_service_goes_by_a_service_only(create, reserve, callers):
    volume = create()
    _, users = reserve(volume)
    assert callers.demo('DELETE', '/attachments/' + users['id'])[0] == 200
    _, services = reserve(volume, headers=conftest.BY_NOVA)
    assert callers.demo('DELETE', '/attachments/' + services['id'])[0] == 409
    assert callers.demo('DELETE', '/attachments/' + services['id'], headers=conftest.BY_NOVA)[0] == 200
    _, nobodys = reserve(volume, None, connector=CONNECTOR)
    assert callers.demo('DELETE', '/attachments/' + nobodys['id'])[0] == 200


def test_other_projects(create, reserve, callers):
    _, item = reserve(create())
    for method, body in (('GET', None), ('PUT', {'attachment': {'connector': CONNECTOR}}), ('DELETE', None)):
        status, answer = callers.other(method, '/attachments/' + item['id'], body)
        assert (status, answer['itemNotFound']['message']) == (
            404, 'Volume attachment could not be found with filter: attachment_id = %s.' % item['id'])
    assert callers.other('GET', '/attachments?all_tenants=1')[1] == {'attachments': []}
    assert len(callers.admin('GET', '/attachments/detail?all_tenants=1')[1]['attachments']) == 1


def test_list(create, reserve, callers):
    first, second = create(), create()
    _, one = reserve(first)
    _, two = reserve(second, OTHER_SERVER)
    for query, wanted in (('instance_id=' + SERVER, [one]), ('volume_id=' + second['id'], [two]),
                          ('attach_status=reserved', [two, one]), ('status=attached', []),
                          ('limit=1', [two]), ('sort=created_at:asc', [one, two])):
        status, body = callers.demo('GET', '/attachments?' + query)
        assert (status, [item['id'] for item in body['attachments']]) == (200, [item['id'] for item in wanted]), query
    assert callers.demo('GET', '/attachments?colour=x')[0] == 400


def test_readonly(create, reserve, callers):
    volume = create()
    assert act(callers.demo, volume, 'os-update_readonly_flag', readonly=True)[0] == 202
    assert show(callers, volume)['metadata'] == {'readonly': 'True'}
    status, fault = reserve(volume, mode='rw')
    assert (status, fault['message']) == (400, "Invalid attaching mode 'rw' for volume %s." % volume['id'])
    assert show(callers, volume)['status'] == 'available'
    _, item = reserve(volume, connector=CONNECTOR)
    assert (item['attach_mode'], item['connection_info']['access_mode']) == ('ro', 'ro')
    assert act(callers.demo, volume, 'os-update_readonly_flag', readonly=False)[0] == 400


def test_older_microversions(create, reserve, callers):
    volume = create()
    headers = {'OpenStack-API-Version': 'volume 3.26'}
    assert callers.demo('GET', '/attachments', headers=headers)[0] == 404
    assert callers.demo('GET', '/attachments', headers={'OpenStack-API-Version': 'volume 3.27'})[0] == 200
    _, item = reserve(volume, connector=CONNECTOR)
    assert callers.demo('POST', '/attachments/%s/action' % item['id'], {'os-complete': {}}, {
        'OpenStack-API-Version': 'volume 3.43'})[0] == 404


def test_a_volume_with_an_error_is_not_connected(create, reserve, callers):
    volume = create()
    _, item = reserve(volume)
    act(callers.admin, volume, 'os-reset_status', status='error')
    assert callers.demo('PUT', '/attachments/' + item['id'], {'attachment': {'connector': CONNECTOR}})[0] == 400
    callers.demo('DELETE', '/attachments/' + item['id'])
    assert show(callers, volume)['status'] == 'error'


def test_older_actions(create, callers, service):
    volume = create()
    assert act(callers.demo, volume, 'os-reserve')[0] == 202
    assert act(callers.demo, volume, 'os-reserve')[0] == 400
    assert show(callers, volume)['status'] == 'attaching'
    status, body = act(callers.demo, volume, 'os-initialize_connection', connector=CONNECTOR)
    assert (status, body['connection_info']['driver_volume_type'], body['connection_info']['data']['device_path']) == (
        200, 'local', service.files.path('volume', volume['id']))
    assert act(callers.demo, volume, 'os-attach', instance_uuid=SERVER, mountpoint='/dev/vdb', mode='rw')[0] == 202
    shown = show(callers, volume)
    assert (shown['status'], shown['attachments'][0]['device'], shown['metadata']) == (
        'in-use', '/dev/vdb', {'readonly': 'False'})
    assert act(callers.demo, volume, 'os-attach', instance_uuid=OTHER_SERVER, mountpoint='x')[0] == 400
    assert act(callers.demo, volume, 'os-begin_detaching')[0] == 202
    assert act(callers.demo, volume, 'os-begin_detaching')[0] == 400
    assert act(callers.demo, volume, 'os-roll_detaching')[0] == 202
    assert act(callers.demo, volume, 'os-begin_detaching')[0] == 202
    assert act(callers.demo, volume, 'os-terminate_connection', conftest.BY_NOVA, connector=CONNECTOR)[0] == 202
    assert act(callers.demo, volume, 'os-detach', conftest.BY_NOVA)[0] == 202
    assert show(callers, volume)['status'] == 'available'
    assert callers.demo('DELETE', '/volumes/' + volume['id'])[0] == 202


def test_unreserve_and_what_is_not_attached(create, callers):
    volume = create()
    for action, status in (('os-unreserve', 202), ('os-roll_detaching', 202), ('os-detach', 202),
                           ('os-begin_detaching', 400)):
        assert act(callers.demo, volume, action)[0] == status
        assert show(callers, volume)['status'] == 'available'
    act(callers.demo, volume, 'os-reserve')
    act(callers.demo, volume, 'os-unreserve')
    assert show(callers, volume)['status'] == 'available'
    assert act(callers.demo, volume, 'os-detach', attachment_id=str(uuid.uuid4()))[0] == 404


def test_a_plain_attach_is_undone_by_its_user(create, callers):
    """No host was ever connected and no service spoke: nobody's guest is harmed."""
    volume = create()
    assert act(callers.demo, volume, 'os-attach', instance_uuid=SERVER, mountpoint='/dev/vdb')[0] == 202
    assert act(callers.demo, volume, 'os-detach')[0] == 202
    assert show(callers, volume)['status'] == 'available'


def test_detach_of_one_of_several(shared, callers):
    for server in (SERVER, OTHER_SERVER):
        act(callers.demo, shared, 'os-attach', instance_uuid=server, mountpoint='x')
    assert act(callers.demo, shared, 'os-detach')[0] == 400
    entry = show(callers, shared)['attachments'][0]
    assert act(callers.demo, shared, 'os-detach', attachment_id=entry['attachment_id'])[0] == 202
    assert show(callers, shared)['status'] == 'in-use'


def test_force_detach(create, callers):
    volume = create()
    act(callers.demo, volume, 'os-attach', host_name='h', mountpoint='x')
    act(callers.admin, volume, 'os-reset_status', status='error')
    assert act(callers.demo, volume, 'os-force_detach')[0] == 403
    assert act(callers.admin, volume, 'os-force_detach', connector=None)[0] == 202
    assert show(callers, volume)['status'] == 'available'


@pytest.mark.parametrize('content', [{}, {'mountpoint': 'x'}, {'instance_uuid': SERVER}, {'host_name': '',
                                                                                         'mountpoint': 'x'},
                                     {'instance_uuid': 'x', 'mountpoint': 'x'},
                                     {'instance_uuid': SERVER, 'mountpoint': 'x', 'mode': 'x'}])
def test_what_is_no_attach(create, callers, content):
    volume = create()
    assert act(callers.demo, volume, 'os-attach', **content)[0] == 400
    assert show(callers, volume)['status'] == 'available'
