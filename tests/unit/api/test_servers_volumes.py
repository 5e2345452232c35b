# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Creating servers with volumes: what is refused, what is made and reserved, and that nothing stays of a refusal."""

import re

import pytest
from keystoneauth1 import exceptions as ks_exc

from nova_lite.compute import api_volumes
from nova_lite.db import block_devices
from nova_lite.db import instances
from tests.fixtures import cinder as cinder_fixture
from tests.unit.api import servers_cloud

ABSENT = '11111111-1111-4111-8111-111111111111'


@pytest.fixture
def volumes(tmp_path):
    return cinder_fixture.Cinder(tmp_path / 'volumes')


@pytest.fixture
def cloud(tmp_path, volumes, monkeypatch):
    monkeypatch.setattr(api_volumes, 'PAUSE', 0.01)
    found = servers_cloud.Cloud(tmp_path, volumes.api)
    volumes.image(found.image, hw_disk_bus='scsi')
    return found


def new_volume(volumes, bootable=False, project='p1', size=1, **fields):
    volume = volumes.volume(cinder_fixture.user('token-' + project), size, **fields)
    if bootable:
        document = volumes.service._records.volumes.by_id[volume.id]
        with volumes.service._records.change() as change:
            change.update(volumes.service._records.volumes, {**document, 'bootable': True, 'image_metadata': {
                'hw_disk_bus': 'scsi', 'min_ram': '64', 'image_name': 'cirros', 'image_id': ABSENT}})
    return volume.id


def bdm(source, identifier=None, **fields):
    return {'source_type': source, 'destination_type': 'volume', **({'uuid': identifier} if identifier else {}),
            **fields}


def test_a_server_boots_from_a_volume(cloud, volumes):
    volume = new_volume(volumes, bootable=True)
    uuid = cloud.make(imageRef='', block_device_mapping_v2=[bdm('volume', volume, boot_index=0)])
    order = cloud.last_order_of(uuid)
    [device] = order.block_device_mapping
    assert (device.volume_id, device.volume_size, device.delete_on_termination) == (volume, 1, False)
    [attachment] = volumes.attachments(uuid)
    assert device.attachment_id == attachment['id'] and volumes.status(volume) == 'reserved'
    assert order.request_spec.is_bfv and order.instance.image_ref == ''
    assert order.image.properties == {'hw_disk_bus': 'scsi'} and order.image.min_ram == 64
    assert block_devices.get_all(cloud.db, uuid)[0].attachment_id == attachment['id']
    server = cloud.ask('GET', '/servers/' + uuid).body['server']
    assert server['image'] == '' and server['os-extended-volumes:volumes_attached'] == [{'id': volume}]


def test_volumes_that_are_made_with_a_server(cloud, volumes):
    uuid = cloud.make('2.67', imageRef='', block_device_mapping_v2=[
        bdm('image', cloud.image, boot_index=0, volume_size=2, delete_on_termination=True, volume_type='__DEFAULT__'),
        bdm('blank', volume_size=1)])
    volumes.service.jobs.wait()
    root, blank = cloud.last_order_of(uuid).block_device_mapping
    made = {item['id']: item for item in volumes.service._records.volumes}
    assert set(made) == {root.volume_id, blank.volume_id} and root.attachment_id is None
    assert [(made[item.volume_id]['size'], made[item.volume_id]['project_id'], made[item.volume_id]['name'])
            for item in (root, blank)] == [(2, 'p1', ''), (1, 'p1', uuid + '-blank-vol')]
    assert made[root.volume_id]['bootable'] and root.delete_on_termination and not blank.delete_on_termination
    assert volumes.attachments() == []      # they are reserved when they are whole


def test_each_of_several_servers_gets_volumes_of_its_own(cloud, volumes):
    cloud.make(imageRef='', max_count=3, min_count=3, block_device_mapping_v2=[
        bdm('image', cloud.image, boot_index=0, volume_size=1)])
    orders = cloud.cast[-1][1]
    assert len({order.block_device_mapping[0].volume_id for order in orders}) == 3


def test_a_flavor_without_a_disk_is_for_servers_that_boot_from_volumes(cloud, volumes):
    cloud.flavor('0', root_gb=0)
    devices = [bdm('image', cloud.image, boot_index=0, volume_size=1)]
    assert cloud.create(flavorRef='0', imageRef='', block_device_mapping_v2=devices).status == 202
    answer = cloud.create(flavorRef='0')
    assert answer.status == 403 and 'volume-backed' in answer.message


@pytest.mark.parametrize(('make', 'status', 'text'), [
    (lambda cloud, volumes: bdm('volume', ABSENT), 400, 'could not be found'),
    (lambda cloud, volumes: bdm('volume', new_volume(volumes, project='p2', bootable=True)), 400, 'could not be found'),
    (lambda cloud, volumes: bdm('volume', new_volume(volumes)), 400, 'is not bootable'),
    (lambda cloud, volumes: bdm('volume', in_use(volumes)), 400, 'status reserved'),
    (lambda cloud, volumes: bdm('snapshot', ABSENT), 400, 'Snapshot .* could not be found'),
    (lambda cloud, volumes: bdm('image', ABSENT, volume_size=1), 400, 'image'),
    (lambda cloud, volumes: bdm('image', cloud.glance.add(min_disk=4), volume_size=3), 400, 'smaller than image'),
    (lambda cloud, volumes: bdm('image', cloud.image, volume_size=1, volume_type='no such'), 400, 'no such'),
    (lambda cloud, volumes: bdm('image', cloud.image, volume_size=5000), 403, 'volume service refuses'),
    (lambda cloud, volumes: bdm('image', cloud.image, volume_size=0), 400, 'volume_size'),
    (lambda cloud, volumes: bdm('image', cloud.image), 400, 'non-zero size'),
])
def test_refusals_leave_nothing(cloud, volumes, make, status, text):
    device = make(cloud, volumes)
    before = {item['id']: item['status'] for item in volumes.service._records.volumes}, len(volumes.attachments())
    other = bdm('blank', volume_size=1)     # made before the others are
    answer = cloud.create('2.67', imageRef='', block_device_mapping_v2=[other, {**device, 'boot_index': 0}])
    assert answer.status == status, answer.body
    assert re.search(text, answer.message), answer.message
    volumes.service.jobs.wait()
    assert cloud.count_servers() == 0 and cloud.cast == []
    assert ({item['id']: item['status'] for item in volumes.service._records.volumes},
            len(volumes.attachments())) == before


def in_use(volumes):
    volume = new_volume(volumes, bootable=True)
    volumes.api.attachment_create(cinder_fixture.admin(), volume, ABSENT)
    return volume


def test_one_volume_is_not_for_several_servers(cloud, volumes):
    answer = cloud.create(max_count=2, imageRef='', block_device_mapping_v2=[
        bdm('volume', new_volume(volumes, bootable=True), boot_index=0)])
    assert answer.status == 400 and 'multiple instances' in answer.message


def test_a_volume_service_that_is_away(cloud, volumes):
    volumes.failures = [ks_exc.ConnectFailure('no')]
    answer = cloud.create(imageRef='', block_device_mapping_v2=[bdm('volume', ABSENT, boot_index=0)])
    assert answer.status == 503 and answer.message.startswith('Connection to cinder host failed')


def test_a_server_that_cannot_be_recorded_gives_its_volumes_back(cloud, volumes, monkeypatch):
    volume = new_volume(volumes, bootable=True)

    def broken(*args):
        raise RuntimeError('disk full')
    monkeypatch.setattr(instances, 'create', broken)
    answer = cloud.create(imageRef='', block_device_mapping_v2=[
        bdm('volume', volume, boot_index=0), bdm('blank', volume_size=1)])
    assert answer.status == 500
    volumes.service.jobs.wait()
    assert volumes.status(volume) == 'available' and volumes.attachments() == []
    assert len(list(volumes.service._records.volumes)) == 1


def test_zones(cloud, volumes):
    cloud.host()
    volumes.api.cross_az_attach = False
    volume = new_volume(volumes, bootable=True)
    devices = [bdm('volume', volume, boot_index=0)]
    volumes.service._records.volumes.by_id[volume]['availability_zone'] = 'other'
    answer = cloud.create(imageRef='', availability_zone='nova', block_device_mapping_v2=devices)
    assert answer.status == 400 and 'availability zone other' in answer.message


def test_the_first_syntax(cloud, volumes):
    volume = new_volume(volumes, bootable=True)
    uuid = cloud.make(imageRef=None, block_device_mapping=[{'device_name': 'vda', 'volume_id': volume}])
    assert cloud.last_order_of(uuid).block_device_mapping[0].boot_index == 0
    assert cloud.create(imageRef=None, block_device_mapping=[{'device_name': 'vdb', 'volume_id': volume}]).status == 400
