# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Servers with volumes on their host: built, failed and deleted, with the real volume stand-in."""

import copy

import pytest

from nova_lite import context
from nova_lite import exception
from nova_lite.compute import vm_states
from nova_lite.objects import block_device
from nova_lite.virt import abilities_volumes
from nova_lite.virt import block_device as devices
from tests.fixtures import cinder as cinder_fixture
from tests.unit.compute import doubles


@pytest.fixture
def volumes(tmp_path):
    return cinder_fixture.Cinder(tmp_path / 'volumes')


@pytest.fixture
def world(tmp_path, volumes):
    made = doubles.World(tmp_path / 'fake', volume=volumes.api, block_device_retries=3, block_device_interval=0.01)
    made.manager.init_host()
    return made


def order(world, *bdms, **fields):
    """An order for a server that boots from the first of some volumes."""
    request = world.order(image_ref='', **fields)
    request.block_device_mapping = [
        block_device.BlockDeviceMapping(destination_type='volume', instance_uuid=request.instance.uuid,
                                        boot_index=0 if index == 0 else None, **item)
        for index, item in enumerate(bdms)]
    world.database.requests[request.instance.uuid] = copy.deepcopy(request)
    world.database.devices[request.instance.uuid] = copy.deepcopy(request.block_device_mapping)
    return request


def reserved(world, volumes, volume_id, request):
    request.block_device_mapping[0].attachment_id = volumes.api.attachment_create(
        cinder_fixture.admin(), volume_id, request.instance.uuid).id
    return request


def build(world, request):
    world.manager.build_and_run_instance(context.admin_context(), request)
    return world.ended(request.instance.uuid)


def delete(world, uuid):
    world.database._move(uuid, 'delete_requested', {}, None, None)
    world.manager.terminate_instance(context.admin_context(), uuid)
    return world.ended(uuid)


def test_a_server_boots_from_a_volume_and_gives_it_back(world, volumes):
    volume = volumes.volume()
    request = reserved(world, volumes, volume.id, order(world, {'source_type': 'volume', 'volume_id': volume.id}))
    uuid = request.instance.uuid
    assert build(world, request).vm_state == vm_states.ACTIVE
    [item] = volumes.attachments(uuid)
    assert (item['status'], item['attached_host'], item['mountpoint']) == ('attached', doubles.HOST, '/dev/vda')
    assert volumes.status(volume.id) == 'in-use'
    assert world.driver._guests.get(uuid).volumes == {'/dev/vda': volume.id}
    [kept] = world.database.devices[uuid]
    assert (kept.device_name, kept.attachment_id, kept.volume_size) == ('/dev/vda', item['id'], 1)
    assert kept.connection_info['driver_volume_type'] == 'local' and kept.connection_info['serial'] == volume.id
    assert world.record(uuid).root_device_name == '/dev/vda'
    delete(world, uuid)
    assert volumes.status(volume.id) == 'available' and volumes.attachments() == []
    assert world.leftovers() == []


def test_a_volume_that_is_being_made_is_waited_for(world, volumes):
    waiting = volumes.volume()
    document = volumes.service._records.volumes.by_id[waiting.id]
    states = iter(['creating', 'downloading', 'available'])
    plain = volumes.api.get

    def get(ctxt, volume_id):
        document['status'] = next(states, document['status'])
        return plain(ctxt, volume_id)
    volumes.api.get = get
    request = order(world, {'source_type': 'image', 'image_id': 'i', 'volume_id': waiting.id,
                            'delete_on_termination': True})
    assert build(world, request).vm_state == vm_states.ACTIVE
    assert volumes.status(waiting.id) == 'in-use'
    delete(world, request.instance.uuid)
    volumes.service.jobs.wait()
    assert volumes.status(waiting.id) is None


@pytest.mark.parametrize(('status', 'reason'), [('creating', 'its status is creating after'), ('error', 'is error')])
def test_a_volume_that_never_comes_ends_the_build(world, volumes, status, reason):
    volume = volumes.volume()
    volumes.service._records.volumes.by_id[volume.id]['status'] = status
    request = order(world, {'source_type': 'blank', 'volume_id': volume.id})
    build(world, request)
    _, host, fault, retry = world.database.rescheduled[0]
    assert not retry and reason in fault.message and volume.id in fault.message
    assert world.leftovers() == []


def test_a_driver_without_volumes_refuses_them(world, volumes, monkeypatch):
    monkeypatch.setattr(abilities_volumes, 'Volumes', ())
    request = order(world, {'source_type': 'volume', 'volume_id': volumes.volume().id})
    build(world, request)
    assert 'cannot be attached by this hypervisor' in world.database.rescheduled[0][-2].message


def test_a_delete_need_not_wait_for_a_volume(tmp_path, volumes):
    world = doubles.World(tmp_path / 'fake', volume=volumes.api, block_device_interval=60)
    world.manager.init_host()
    volume = volumes.volume()
    volumes.service._records.volumes.by_id[volume.id]['status'] = 'creating'
    request = order(world, {'source_type': 'blank', 'volume_id': volume.id, 'delete_on_termination': True})
    uuid = request.instance.uuid
    world.manager.build_and_run_instance(context.admin_context(), request)
    doubles.wait_for(lambda: world.record(uuid).task_state == 'block_device_mapping')
    delete(world, uuid)
    assert world.record(uuid).task_state == 'deleting'      # the volume cannot go yet: the sweep will ask again
    volumes.service._records.volumes.by_id[volume.id]['status'] = 'available'
    world.manager.terminate_instance(context.admin_context(), uuid)
    world.ended(uuid)
    volumes.service.jobs.wait()
    assert world.record(uuid).vm_state == vm_states.DELETED and volumes.status(volume.id) is None
    assert world.leftovers() == []


def test_an_attachment_that_nobody_recorded_is_found(world, volumes, fault):
    volume = volumes.volume()
    request = order(world, {'source_type': 'blank', 'volume_id': volume.id, 'delete_on_termination': False})
    fault('compute.after_attach', 'raise')
    build(world, request)
    uuid = request.instance.uuid
    assert world.database.rescheduled and len(volumes.attachments(uuid)) == 1
    bdms = order(world, {'source_type': 'blank', 'volume_id': volume.id}).block_device_mapping
    devices.let_go(cinder_fixture.admin(), uuid, bdms, volumes.api, devices.goes_with_server)
    assert volumes.attachments() == [] and volumes.status(volume.id) == 'available'


def test_what_is_kept_on_the_host_has_classes_too():
    names = [type(devices.convert(block_device.BlockDeviceMapping(**fields))).__name__ for fields in (
        {}, {'source_type': 'blank'}, {'source_type': 'blank', 'guest_format': 'swap'},
        *({'source_type': kind, 'destination_type': 'volume'} for kind in ('volume', 'image', 'snapshot', 'blank')))]
    assert names == ['DriverImageBlockDevice', 'DriverEphemeralBlockDevice', 'DriverSwapBlockDevice',
                     'DriverVolumeBlockDevice', 'DriverVolImageBlockDevice', 'DriverVolSnapshotBlockDevice',
                     'DriverVolBlankBlockDevice']


def test_a_volume_service_that_is_away_fails_the_delete_with_a_fault(world, volumes):
    volume = volumes.volume()
    request = reserved(world, volumes, volume.id, order(world, {'source_type': 'volume', 'volume_id': volume.id}))
    uuid = request.instance.uuid
    build(world, request)
    volumes.failures = [exception_of_the_wire()] * 40
    record = delete(world, uuid)
    assert record.vm_state == vm_states.ERROR and record.fault.message.startswith('Connection to cinder host failed')
    volumes.failures = []
    delete(world, uuid)
    assert volumes.status(volume.id) == 'available' and world.leftovers() == []


def exception_of_the_wire():
    return cinder_fixture.requests.ConnectionError('no')


def test_let_go_asks_nothing_for_servers_without_volumes(volumes):
    before = len(volumes.log)
    devices.let_go(None, 'u', [block_device.BlockDeviceMapping()], volumes.api, devices.goes_with_server)
    assert len(volumes.log) == before
    with pytest.raises(exception.VolumeBusy):
        volume = volumes.volume()
        volumes.service._records.volumes.by_id[volume.id]['status'] = 'creating'
        devices.delete_volume(cinder_fixture.admin(), volumes.api, volume.id)
