# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Rescue and rebuild, with the fake driver: from which states, to which, and what a failure leaves."""

import dataclasses

import pytest

from nova_lite import exception
from nova_lite.compute import power_state
from nova_lite.objects import image_meta
from tests.unit.compute import doubles

IMAGE = image_meta.ImageMeta(id='image-2', name='other', disk_format='raw', container_format='bare')
REBUILD = {'password': 'new', 'injected_files': [['/etc/motd', 'aGk=']]}


@pytest.fixture
def uuid(world):
    return world.build(world.order()).uuid


def guest(world, uuid):
    return world.driver._guests.get(uuid)


def refuse(*args, **kwargs):
    raise exception.ImageUnacceptable(image_id='image-2', reason='it is broken')


# ---- rescue --------------------------------------------------------------------------------------------------

def test_there_and_back(world, uuid):
    record = world.operate(uuid, 'rescue', image=IMAGE, password='p')
    assert (record.vm_state, record.task_state, record.power_state) == ('rescued', None, power_state.RUNNING)
    assert record.system_metadata['rescue_image_ref'] == 'image-2' and guest(world, uuid).rescued
    record = world.operate(uuid, 'unrescue')
    assert (record.vm_state, record.task_state) == ('active', None)
    assert 'rescue_image_ref' not in record.system_metadata and not guest(world, uuid).rescued
    assert {('compute_rescue_instance', 'Success'), ('compute_unrescue_instance', 'Success')} <= set(
        world.database.events)
    assert world.leftovers() == []


@pytest.mark.parametrize('before, state', [('active', power_state.RUNNING), ('stopped', power_state.SHUTDOWN)])
def test_a_rescue_that_fails_leaves_the_server_as_it_was(world, uuid, before, state, monkeypatch):
    if before == 'stopped':
        world.operate(uuid, 'stop')
    monkeypatch.setattr(world.driver, 'rescue', refuse)
    record = world.operate(uuid, 'rescue', image=IMAGE, password='p')
    assert (record.vm_state, record.task_state, record.power_state) == (before, None, state)
    assert 'it is broken' in record.fault.message and guest(world, uuid).state == state
    assert world.leftovers() == []


def test_a_crash_in_a_rescue(world, uuid):
    order = world.request(uuid, 'rescue', image=IMAGE, password='p')
    order.step = 'rescue'
    world.restart()
    world.manager.init_host()
    assert world.operated(uuid, order).vm_state == 'rescued'


# ---- rebuild -------------------------------------------------------------------------------------------------

def test_made_anew_from_another_image(world, uuid, monkeypatch):
    made, spawn = [], world.driver.spawn
    monkeypatch.setattr(world.driver, 'spawn', lambda ctxt, request: (made.append(request), spawn(ctxt, request)))
    ports = dict(world.network.ports)
    world.record(uuid).image_meta, world.record(uuid).image_ref = IMAGE, IMAGE.id
    record = world.operate(uuid, 'rebuild', **REBUILD)
    assert (record.vm_state, record.task_state, record.power_state) == ('active', None, power_state.RUNNING)
    [request] = made
    assert (request.image.id, request.admin_password) == ('image-2', 'new')
    assert request.injected_files == [('/etc/motd', b'hi')]
    assert [vif.id for vif in request.network_info] == list(ports) and world.network.ports == ports
    assert world.database.transitions[-4:] == ['rebuild_requested', 'rebuild_block_device_mapping',
                                               'rebuild_spawning', 'rebuilt']
    assert ('compute_rebuild_instance', 'Success') in world.database.events
    assert world.leftovers() == []


def test_what_was_stopped_stays_stopped(world, uuid):
    world.operate(uuid, 'stop')
    record = world.operate(uuid, 'rebuild', **REBUILD, stopped=True)
    assert (record.vm_state, record.power_state) == ('stopped', power_state.SHUTDOWN)


@pytest.mark.parametrize('method', ['prepare_for_spawn', 'destroy', 'spawn'])
def test_a_failure_ends_in_error_and_can_be_repeated(world, uuid, method, monkeypatch):
    with monkeypatch.context() as patch:
        patch.setattr(world.driver, method, refuse)
        record = world.operate(uuid, 'rebuild', **REBUILD)
    assert (record.vm_state, record.task_state) == ('error', None)
    assert 'it is broken' in record.fault.message
    assert world.operate(uuid, 'rebuild', **REBUILD).vm_state == 'active'
    assert world.leftovers() == []


@pytest.mark.parametrize('step, task', [
    ('prepare_for_spawn', 'rebuilding'), ('destroy', 'rebuild_block_device_mapping'), ('spawn', 'rebuild_spawning')])
def test_a_crash_in_a_rebuild(world, uuid, step, task):
    order = world.request(uuid, 'rebuild', **REBUILD)
    order.step, world.record(uuid).task_state = step, task
    if step == 'spawn':
        world.driver.destroy(None, world.record(uuid), [], [])
    world.restart()
    world.manager.init_host()
    assert world.operated(uuid, order).vm_state == 'active'
    assert guest(world, uuid).state == power_state.RUNNING
    assert world.leftovers() == []


def test_the_record_of_the_root_disk_names_the_new_image(world, uuid):
    device = doubles.block_device.BlockDeviceMapping(instance_uuid=uuid, boot_index=0, image_id='image-1')
    swap = dataclasses.replace(device, boot_index=None, source_type='blank', image_id=None)
    world.database.devices[uuid] = [device, swap]
    world.record(uuid).image_ref = 'image-2'
    world.operate(uuid, 'rebuild', **REBUILD)
    assert [item.image_id for item in world.database.devices[uuid]] == ['image-2', None]
