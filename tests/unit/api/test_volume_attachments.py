# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Volumes of servers that are built: requests, what they record and reserve, and what is refused."""

import pytest

from nova_lite.db import block_devices
from nova_lite.db import operations as operations_db
from nova_lite.objects import block_device
from tests.fixtures import cinder as cinder_fixture
from tests.unit.api import servers_cloud

ABSENT = '11111111-1111-4111-8111-111111111111'


@pytest.fixture
def volumes(tmp_path):
    return cinder_fixture.Cinder(tmp_path / 'volumes')


@pytest.fixture
def cloud(tmp_path, volumes):
    made = servers_cloud.Cloud(tmp_path, volumes.api)
    made.host('host1')
    return made


@pytest.fixture
def uuid(cloud):
    made = cloud.make()
    cloud.run(made)
    cloud.cast.clear()
    return made


@pytest.fixture
def volume(volumes):
    return new_volume(volumes)


def new_volume(volumes, project='p1', size=1):
    return volumes.volume(cinder_fixture.user('token-' + project), size).id


def attach(cloud, uuid, volume, version='2.1', **fields):
    return cloud.ask('POST', '/servers/%s/os-volume_attachments' % uuid, {
        'volumeAttachment': {'volumeId': volume, **fields}}, version=version)


def detach(cloud, uuid, volume, **caller):
    return cloud.ask('DELETE', '/servers/%s/os-volume_attachments/%s' % (uuid, volume), **caller)


def put(cloud, uuid, volume, version='2.85', admin=False, **fields):
    return cloud.ask('PUT', '/servers/%s/os-volume_attachments/%s' % (uuid, volume), {'volumeAttachment': fields},
                     version=version, admin=admin)


def operations(cloud, uuid):
    return [(order.name, order.arguments) for order in operations_db.list_by_instance(cloud.db, uuid)]


def devices(cloud, uuid):
    return [bdm for bdm in block_devices.get_all(cloud.db, uuid) if bdm.volume_id]


@pytest.fixture
def attached(cloud, uuid, volume):
    assert attach(cloud, uuid, volume).status == 200
    return volume


def test_a_volume_is_reserved_recorded_and_told_to_the_host(cloud, volumes, uuid, volume):
    answer = attach(cloud, uuid, volume, device='/dev/vdq')
    assert answer.status == 200 and answer.body == {'volumeAttachment': {
        'id': volume, 'volumeId': volume, 'serverId': uuid, 'device': '/dev/vdq'}}
    [bdm] = devices(cloud, uuid)
    [attachment] = volumes.attachments(uuid)
    assert bdm.attachment_id == attachment['id'] and volumes.status(volume) == 'reserved'
    assert operations(cloud, uuid) == [('attach_volume', {'bdm_uuid': bdm.uuid})]
    [(name, host, server, _)] = cloud.cast
    assert (name, host, server) == ('run_operation', 'host1', uuid)
    server = cloud.ask('GET', '/servers/' + uuid).body['server']
    assert server['OS-EXT-STS:task_state'] is None


def test_microversions(cloud, volumes, uuid):
    def asked(version, **fields):
        return attach(cloud, uuid, new_volume(volumes), version, **fields)
    assert 'tag' not in asked('2.69').body['volumeAttachment']
    assert asked('2.70', tag='t').body['volumeAttachment']['tag'] == 't'
    assert asked('2.48', tag='t').status == 400 and asked('2.49', tag='t').status == 200
    assert asked('2.78', delete_on_termination=True).status == 400
    assert asked('2.79', delete_on_termination='True').body['volumeAttachment']['delete_on_termination'] is True
    newest = asked('2.89').body['volumeAttachment']
    assert 'id' not in newest and newest['attachment_id'] and newest['bdm_uuid']
    answer = asked('2.101')
    assert (answer.status, answer.body) == (202, None)


@pytest.mark.parametrize(('body', 'text'), [
    ({}, 'volumeId'), ({'volumeId': 'x'}, 'volumeId'), ({'volumeId': ABSENT, 'device': '../etc'}, 'device'),
    ({'volumeId': ABSENT, 'more': 1}, 'more')])
def test_bodies_that_make_no_sense(cloud, uuid, body, text):
    answer = cloud.ask('POST', '/servers/%s/os-volume_attachments' % uuid, {'volumeAttachment': body})
    assert answer.status == 400 and text in answer.message


def test_what_is_refused_leaves_nothing(cloud, volumes, uuid, volume):
    assert attach(cloud, uuid, ABSENT).status == 404
    assert attach(cloud, uuid, new_volume(volumes, project='p2')).status == 404
    volumes.api.attachment_create(cinder_fixture.admin(), volume, ABSENT)
    answer = attach(cloud, uuid, volume)
    assert answer.status == 400 and 'status reserved' in answer.message
    cloud.run(uuid, vm_state='error')
    answer = attach(cloud, uuid, new_volume(volumes))
    assert answer.status == 409 and "Cannot 'attach_volume' instance" in answer.message
    cloud.run(uuid, task_state='rebooting')
    assert attach(cloud, uuid, new_volume(volumes)).status == 409
    assert devices(cloud, uuid) == [] and volumes.attachments(uuid) == [] and operations(cloud, uuid) == []


def test_a_host_that_is_down(cloud, volumes, uuid, attached):
    cloud.run(uuid, host='away')
    assert attach(cloud, uuid, new_volume(volumes)).status == 409
    assert detach(cloud, uuid, attached).status == 409


def test_a_volume_is_attached_once(cloud, volumes, uuid, attached):
    answer = attach(cloud, uuid, attached)
    assert answer.status == 400 and len(volumes.attachments(uuid)) == 1
    # two requests at the same time: the second one is past the check of the volume's status
    with pytest.raises(Exception, match='already attached to this server'):
        block_devices.add(cloud.db, block_device.BlockDeviceMapping(instance_uuid=uuid, volume_id=attached))


def test_detach(cloud, volumes, uuid, attached):
    assert detach(cloud, uuid, ABSENT).status == 404
    assert detach(cloud, uuid, attached).status == 202
    [bdm] = devices(cloud, uuid)
    assert operations(cloud, uuid)[-1] == ('detach_volume', {'bdm_uuid': bdm.uuid})
    cloud.run(uuid, locked=True)
    assert detach(cloud, uuid, attached).status == 409


def test_a_root_volume_stays(cloud, uuid):
    block_devices.save(cloud.db, uuid, [block_device.BlockDeviceMapping(
        source_type='volume', destination_type='volume', boot_index=0, volume_id=ABSENT, attachment_id=ABSENT)])
    answer = detach(cloud, uuid, ABSENT)
    assert answer.status == 400 and answer.message == 'Cannot detach a root device volume'


def test_whether_a_volume_goes_with_its_server(cloud, uuid, attached):
    assert put(cloud, uuid, attached, volumeId=attached, delete_on_termination=True).status == 202
    assert devices(cloud, uuid)[0].delete_on_termination
    assert put(cloud, uuid, attached, volumeId=attached).status == 202
    assert put(cloud, uuid, ABSENT, volumeId=ABSENT, delete_on_termination=True).status == 404
    assert put(cloud, uuid, attached, '2.84', volumeId=attached, delete_on_termination=True).status == 400


@pytest.mark.parametrize('version', ['2.1', '2.85'])
def test_swap(cloud, volumes, uuid, attached, version):
    new = new_volume(volumes)
    assert put(cloud, uuid, attached, version, volumeId=new).status == 403
    assert put(cloud, uuid, attached, version, admin=True, volumeId=new).status == 202
    [bdm] = devices(cloud, uuid)
    name, arguments = operations(cloud, uuid)[-1]
    assert (name, arguments['bdm_uuid'], arguments['new_volume_id']) == ('swap_volume', bdm.uuid, new)
    assert len(volumes.attachments(uuid)) == 2 and volumes.status(new) == 'reserved'


def test_swaps_that_cannot_be(cloud, volumes, uuid):
    large, small = new_volume(volumes, size=2), new_volume(volumes)
    attach(cloud, uuid, large)
    answer = put(cloud, uuid, large, admin=True, volumeId=small)
    assert answer.status == 400 and 'same size or larger' in answer.message
    assert put(cloud, uuid, large, admin=True, volumeId=ABSENT).status == 400
    assert put(cloud, uuid, ABSENT, admin=True, volumeId=small).status == 404
    cloud.run(uuid, vm_state='stopped')
    assert put(cloud, uuid, large, admin=True, volumeId=new_volume(volumes, size=2)).status == 409
    assert len(volumes.attachments(uuid)) == 1


def test_volumes_of_several_servers_need_a_microversion(cloud, volumes, uuid, volume):
    document = volumes.service._records.volumes.by_id[volume]
    document['multiattach'] = True
    answer = attach(cloud, uuid, volume, '2.59')
    assert answer.status == 400 and '2.60' in answer.message
    other = cloud.make()
    cloud.run(other)
    assert attach(cloud, uuid, volume, '2.60').status == 200
    document = volumes.service._records.volumes.by_id[volume]
    document['status'] = 'in-use'
    assert attach(cloud, other, volume, '2.60').status == 200


# ---- of servers that no host has -----------------------------------------------------------------------------

@pytest.fixture
def offloaded(cloud, uuid):
    cloud.run(uuid, vm_state='shelved_offloaded', host=None, node=None)
    return uuid


def test_an_offloaded_server_is_promised_a_volume(cloud, volumes, offloaded, volume):
    answer = attach(cloud, offloaded, volume, device='/dev/vdq')
    assert answer.status == 200 and 'device' not in answer.body['volumeAttachment'], 'its host will name it'
    [bdm] = devices(cloud, offloaded)
    assert (bdm.volume_id, bdm.device_name, bdm.connection_info) == (volume, None, None)
    assert volumes.status(volume) == 'in-use' and cloud.cast == []
    assert operations(cloud, offloaded) == []
    assert attach(cloud, offloaded, volume).status == 400, 'once'


def test_an_offloaded_server_loses_a_volume_at_once(cloud, volumes, offloaded, volume):
    attach(cloud, offloaded, volume)
    assert detach(cloud, offloaded, volume).status == 202
    assert devices(cloud, offloaded) == [] and volumes.status(volume) == 'available'
    assert detach(cloud, offloaded, volume).status == 404


def test_not_while_it_is_brought_back(cloud, volumes, offloaded, volume, monkeypatch):
    real = block_devices.add

    def slow(*args):
        cloud.run(offloaded, vm_state='shelved_offloaded', host=None, node=None, task_state='unshelving')
        return real(*args)
    monkeypatch.setattr(block_devices, 'add', slow)
    for _ in range(2):
        answer = attach(cloud, offloaded, volume)
        assert answer.status == 409 and 'unshelving' in answer.message
    assert devices(cloud, offloaded) == [] and volumes.status(volume) == 'available'
    assert volumes.attachments(offloaded) == []
