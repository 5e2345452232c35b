# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Volumes that a built server gets, loses and exchanges; with a real manager, fake driver and volume stand-in."""

import pytest
from oslo_utils import uuidutils

from nova_lite import context
from nova_lite import exception
from nova_lite.objects import block_device
from tests.fixtures import cinder as cinder_fixture
from tests.unit.compute import doubles

HOST_AWAY = exception.HypervisorError('The hypervisor could not attach a device.')


@pytest.fixture
def volumes(tmp_path):
    return cinder_fixture.Cinder(tmp_path / 'volumes')


@pytest.fixture
def world(tmp_path, volumes, monkeypatch):
    monkeypatch.setattr(doubles, 'new_context', context.admin_context)      # without a token, as RPC brings them
    made = doubles.World(tmp_path / 'fake', volume=volumes.api, block_device_retries=3, block_device_interval=0.01)
    made.manager.init_host()
    return made


@pytest.fixture
def uuid(world):
    return world.build(world.order()).uuid


def recorded(world, volumes, uuid):
    """What nova-api leaves of a request to attach a new volume: (volume id, id of the device)."""
    volume = volumes.volume()
    attachment = volumes.api.attachment_create(cinder_fixture.user(), volume.id, uuid)
    bdm = block_device.BlockDeviceMapping(
        instance_uuid=uuid, uuid=uuidutils.generate_uuid(), source_type='volume', destination_type='volume',
        volume_id=volume.id, attachment_id=attachment.id, device_name='/dev/vdb')
    world.database.devices.setdefault(uuid, []).append(bdm)
    return volume.id, bdm.uuid


def attached(world, volumes, uuid):
    volume_id, bdm_uuid = recorded(world, volumes, uuid)
    world.operate(uuid, 'attach_volume', bdm_uuid=bdm_uuid)
    assert guest(world, uuid) == {'/dev/vdb': volume_id}
    return volume_id, bdm_uuid


def guest(world, uuid):
    return {name: volume for name, volume in world.driver._guests.get(uuid).volumes.items() if name != '/dev/vda'}


def devices(world, uuid):
    return [bdm for bdm in world.database.devices[uuid] if bdm.volume_id]


def test_a_volume_is_attached(world, volumes, uuid):
    volume_id, bdm_uuid = recorded(world, volumes, uuid)
    record = world.operate(uuid, 'attach_volume', bdm_uuid=bdm_uuid)
    assert (record.vm_state, record.task_state, record.fault) == ('active', None, None)
    assert guest(world, uuid) == {'/dev/vdb': volume_id} and volumes.status(volume_id) == 'in-use'
    [bdm] = devices(world, uuid)
    assert bdm.connection_info['serial'] == volume_id and bdm.volume_size == 1
    assert ('compute_attach_volume', 'Success') in world.database.events
    assert world.legacy.sent[-1][1] == 'compute.instance.volume_attach.end'


def test_a_volume_that_the_guest_cannot_have_is_free_again(world, volumes, uuid, monkeypatch):
    volume_id, bdm_uuid = recorded(world, volumes, uuid)

    def broken(*args):
        raise HOST_AWAY
    monkeypatch.setattr(world.driver, 'attach_volume', broken)
    record = world.operate(uuid, 'attach_volume', bdm_uuid=bdm_uuid)
    assert record.vm_state == 'active' and record.fault.message == HOST_AWAY.message
    assert guest(world, uuid) == {} and devices(world, uuid) == []
    assert volumes.status(volume_id) == 'available' and volumes.attachments() == []


def test_a_volume_is_detached(world, volumes, uuid):
    volume_id, bdm_uuid = attached(world, volumes, uuid)
    world.operate(uuid, 'detach_volume', bdm_uuid=bdm_uuid)
    assert guest(world, uuid) == {} and devices(world, uuid) == []
    assert volumes.status(volume_id) == 'available' and volumes.attachments() == []
    record = world.operate(uuid, 'detach_volume', bdm_uuid=bdm_uuid)       # the message came twice
    assert record.fault is None


def test_an_attachment_that_is_gone_already_is_no_hindrance(world, volumes, uuid):
    volume_id, bdm_uuid = attached(world, volumes, uuid)
    volumes.api.attachment_delete(cinder_fixture.admin(), devices(world, uuid)[0].attachment_id)
    record = world.operate(uuid, 'detach_volume', bdm_uuid=bdm_uuid)
    assert record.fault is None and guest(world, uuid) == {} and devices(world, uuid) == []


def test_a_guest_that_keeps_its_volume_has_it_still(world, volumes, uuid, monkeypatch):
    volume_id, bdm_uuid = attached(world, volumes, uuid)

    def stubborn(*args):
        raise exception.DeviceDetachFailed(device='vdb', reason='the guest does not let go of it')
    monkeypatch.setattr(world.driver, 'detach_volume', stubborn)
    record = world.operate(uuid, 'detach_volume', bdm_uuid=bdm_uuid)
    assert 'does not let go' in record.fault.message and record.vm_state == 'active'
    assert volumes.status(volume_id) == 'in-use' and guest(world, uuid) == {'/dev/vdb': volume_id}


def test_a_volume_service_that_is_away_is_not_believed_to_have_it_still(world, volumes, uuid):
    volume_id, bdm_uuid = attached(world, volumes, uuid)
    volumes.failures = [cinder_fixture.requests.ConnectionError('no')] * 20
    record = world.operate(uuid, 'detach_volume', bdm_uuid=bdm_uuid)
    assert record.fault.message.startswith('Connection to cinder host failed')
    assert guest(world, uuid) == {} and len(devices(world, uuid)) == 1
    volumes.failures = []
    world.operate(uuid, 'detach_volume', bdm_uuid=bdm_uuid)
    assert volumes.status(volume_id) == 'available' and devices(world, uuid) == []


def swap_arguments(world, volumes, uuid, bdm_uuid):
    new = volumes.volume()
    attachment = volumes.api.attachment_create(cinder_fixture.user(), new.id, uuid)
    return new.id, {'bdm_uuid': bdm_uuid, 'new_volume_id': new.id, 'new_attachment_id': attachment.id}


def test_a_volume_is_exchanged(world, volumes, uuid):
    old, bdm_uuid = attached(world, volumes, uuid)
    new, arguments = swap_arguments(world, volumes, uuid, bdm_uuid)
    record = world.operate(uuid, 'swap_volume', **arguments)
    assert record.fault is None and guest(world, uuid) == {'/dev/vdb': new}
    assert (volumes.status(old), volumes.status(new)) == ('available', 'in-use')
    [bdm] = devices(world, uuid)
    assert (bdm.volume_id, bdm.attachment_id, bdm.uuid) == (new, arguments['new_attachment_id'], bdm_uuid)


@pytest.mark.parametrize('method', ['swap_volume', 'check_volume'])
def test_an_exchange_that_fails_leaves_the_old_one(world, volumes, uuid, monkeypatch, method):
    old, bdm_uuid = attached(world, volumes, uuid)
    new, arguments = swap_arguments(world, volumes, uuid, bdm_uuid)
    plain, calls = getattr(world.driver, method), []

    def once(*args):
        calls.append(args)
        if len(calls) == 1:
            raise exception.HypervisorError('The hypervisor could not copy the disk.')
        return plain(*args)
    monkeypatch.setattr(world.driver, method, once)
    record = world.operate(uuid, 'swap_volume', **arguments)
    assert 'copy the disk' in record.fault.message and record.vm_state == 'active'
    assert guest(world, uuid) == {'/dev/vdb': old} and devices(world, uuid)[0].volume_id == old
    assert (volumes.status(old), volumes.status(new)) == ('in-use', 'available')


def test_an_exchange_after_which_the_service_is_away_goes_back(world, volumes, uuid, monkeypatch):
    old, bdm_uuid = attached(world, volumes, uuid)
    new, arguments = swap_arguments(world, volumes, uuid, bdm_uuid)

    def away(*args):
        raise exception.CinderConnectionFailed(reason='no')
    monkeypatch.setattr(volumes.api, 'attachment_complete', away)
    world.operate(uuid, 'swap_volume', **arguments)
    assert guest(world, uuid) == {'/dev/vdb': old} and devices(world, uuid)[0].volume_id == old
    assert (volumes.status(old), volumes.status(new)) == ('in-use', 'available')


# ---- shelved servers -----------------------------------------------------------------------------------------

def test_a_shelved_server_keeps_its_volumes_and_no_host_has_them(world, volumes, uuid):
    volume_id, _ = attached(world, volumes, uuid)
    image_id = world.glance.add(status='active')
    assert world.operate(uuid, 'shelve', image_id=image_id).vm_state == 'shelved_offloaded'
    [bdm] = devices(world, uuid)
    [attachment] = volumes.api.attachment_get_all(cinder_fixture.user(), uuid)
    assert bdm.connection_info is None and (attachment.id, attachment.status) == (bdm.attachment_id, 'reserved')
    order = world.request(uuid, 'unshelve_offloaded')
    order.data = {'dest_host': doubles.HOST, 'dest_node': doubles.HOST, 'limits': {}}
    world.manager.run_operation(doubles.new_context(), uuid, order.uuid)
    assert world.operated(uuid, order).vm_state == 'active'
    [bdm] = devices(world, uuid)
    assert bdm.connection_info['serial'] == volume_id and volumes.status(volume_id) == 'in-use'


def test_a_server_that_does_not_come_back_lets_the_host_have_no_volume(world, volumes, uuid, monkeypatch):
    volume_id, _ = attached(world, volumes, uuid)
    world.operate(uuid, 'shelve', image_id=world.glance.add(status='active'))

    def broken(*args):
        raise exception.HypervisorError('No.')
    monkeypatch.setattr(world.driver, 'spawn', broken)
    order = world.request(uuid, 'unshelve_offloaded')
    order.data = {'dest_host': doubles.HOST, 'dest_node': doubles.HOST, 'limits': {}}
    world.manager.run_operation(doubles.new_context(), uuid, order.uuid)
    assert world.operated(uuid, order).vm_state == 'shelved_offloaded'
    [bdm] = devices(world, uuid)
    [attachment] = volumes.api.attachment_get_all(cinder_fixture.user(), uuid)
    assert bdm.connection_info is None and (attachment.id, attachment.status) == (bdm.attachment_id, 'reserved')
    assert volumes.status(volume_id) in ('reserved', 'in-use')


def test_a_volume_that_an_offloaded_server_was_promised_is_there_when_it_is_back(world, volumes, uuid):
    world.operate(uuid, 'shelve', image_id=world.glance.add(status='active'))
    volume_id, _ = recorded(world, volumes, uuid)
    world.database.devices[uuid][-1].device_name = None
    volumes.api.attachment_complete(cinder_fixture.user(), world.database.devices[uuid][-1].attachment_id)
    order = world.request(uuid, 'unshelve_offloaded')
    order.data = {'dest_host': doubles.HOST, 'dest_node': doubles.HOST, 'limits': {}}
    world.manager.run_operation(doubles.new_context(), uuid, order.uuid)
    assert world.operated(uuid, order).vm_state == 'active'
    [bdm] = devices(world, uuid)
    assert bdm.device_name == '/dev/vdb' and bdm.connection_info['serial'] == volume_id
    assert volumes.status(volume_id) == 'in-use'
