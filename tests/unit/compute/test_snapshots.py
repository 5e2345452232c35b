# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Images made of servers: filled by the server's host, or deleted; manager, fake driver and image client are real."""

import pytest

from nova_lite.compute import operations
from nova_lite.compute import transitions
from nova_lite.compute import vm_states
from tests.unit.compute import doubles
from tests.unit.compute_api import doubles as services

COPIED = transitions.get('snapshot_requested').vm_states


@pytest.fixture
def uuid(world):
    return world.build(world.order()).uuid


def new_image(world, **fields):
    """What the API has made before it casts."""
    return world.glance.add(**{'status': 'queued', 'size': None, 'disk_format': None, 'container_format': None,
                               'owner': 'p', 'visibility': 'shared', **fields})


def backup(world, uuid, number=1, kind='daily'):
    return new_image(world, name='backup-%d' % number, image_type='backup', backup_type=kind, instance_uuid=uuid)


def states(record):
    return record.vm_state, record.task_state


def copies(world):
    return [path for path in world.directory.iterdir() if path.suffix == '.snapshot']


@pytest.mark.parametrize('vm_state', COPIED)
def test_the_image_gets_the_bytes_of_the_disk(world, uuid, vm_state):
    world.record(uuid).vm_state = vm_state
    image_id = new_image(world)
    assert states(world.operate(uuid, 'create_image', image_id=image_id)) == (vm_state, None)
    image = world.glance.images[image_id]
    assert (image['status'], image['disk_format'], image['container_format']) == ('active', 'raw', 'bare')
    assert image['size'] == len(world.glance.contents[image_id]) > 0
    assert world.database.transitions[-5:] == [
        'snapshot_requested', 'image_snapshot', 'image_pending_upload', 'image_uploading', 'image_made']
    assert ('compute_snapshot_instance', 'Success') in world.database.events
    assert world.legacy.sent[-1][1] == 'compute.instance.snapshot.end'
    assert copies(world) == [] and world.leftovers() == []


@pytest.mark.parametrize(('method', 'answer', 'message'), [
    ('PATCH', services.Reply(503), 'does not answer'), ('PUT', services.Reply(503), 'does not answer'),
    ('PUT', services.Reply(413), 'Quota exceeded'), ('PUT', services.Reply(409, {'message': 'is saving'}), 'is saving'),
    ('PUT', services.Reply(400, {'message': 'no qcow2'}), 'no qcow2'), ('PUT', RuntimeError('secret'), 'RuntimeError')])
def test_an_image_that_cannot_be_filled_is_deleted(world, uuid, method, answer, message):
    image_id = new_image(world)
    world.glance.fails, world.glance.failures = '^%s' % method, [answer]
    record = world.operate(uuid, 'create_image', image_id=image_id)
    assert states(record) == (vm_states.ACTIVE, None)
    assert message in record.fault.message and 'secret' not in record.fault.message
    assert image_id not in world.glance.images
    assert ('compute_snapshot_instance', 'Error') in world.database.events
    assert copies(world) == [] and world.leftovers() == []
    again = new_image(world)
    world.operate(uuid, 'create_image', image_id=again)
    assert world.glance.images[again]['status'] == 'active', 'the operation can be repeated'


def test_an_image_that_its_owner_deletes_meanwhile_ends_it(world, uuid):
    image_id = new_image(world)
    world.database.before_answer['instance_transition'] = lambda: world.glance.images.pop(image_id)
    assert states(world.operate(uuid, 'create_image', image_id=image_id)) == (vm_states.ACTIVE, None)
    assert world.glance.images == {}
    assert copies(world) == [] and world.leftovers() == []


def test_a_server_that_is_deleted_meanwhile_leaves_no_image(world, uuid):
    image_id = new_image(world)
    order = world.request(uuid, 'create_image', image_id=image_id)
    world.database.before_answer['instance_transition'] = lambda: world.delete(uuid)
    world.manager.run_operation(doubles.new_context(), uuid, order.uuid)
    world.operated(uuid, order)
    world.ended(uuid)
    assert world.glance.images == {}
    assert copies(world) == [] and world.leftovers() == []


@pytest.mark.parametrize('name', ['create_image', 'create_backup'])
def test_after_a_crash_the_image_is_deleted(world, uuid, name):
    image_id = new_image(world, status='active')
    order = world.request(uuid, name, image_id=image_id, backup_type='daily', rotation=1)
    order.step = 'snapshot'
    world.database.open_events.append(
        'compute_snapshot_instance' if name == 'create_image' else 'compute_backup_instance')
    world.restart()
    world.manager.init_host()
    assert states(world.operated(uuid, order)) == (vm_states.ACTIVE, None)
    assert world.glance.images == {}
    assert copies(world) == [] and world.leftovers() == []


# ---- backups -------------------------------------------------------------------------------------------------

def test_the_oldest_backups_of_the_type_are_deleted(world, uuid):
    others = [backup(world, uuid, 0, 'weekly'), backup(world, 'another server', 0), new_image(world)]
    made = []
    for number in range(1, 5):
        made.append(backup(world, uuid, number))
        assert states(world.operate(uuid, 'create_backup', image_id=made[-1], backup_type='daily',
                                    rotation=2)) == (vm_states.ACTIVE, None)
    assert set(world.glance.images) == {*others, *made[2:]}
    assert world.glance.images[made[-1]]['status'] == 'active'
    assert ('compute_backup_instance', 'Success') in world.database.events
    assert world.leftovers() == []


def test_the_new_backup_stays_however_many_there_are_of_its_second(world, uuid):
    new, old = backup(world, uuid, 2), backup(world, uuid, 1)     # the list has the old one first
    world.operate(uuid, 'create_backup', image_id=new, backup_type='daily', rotation=1)
    assert set(world.glance.images) == {new} and old not in world.glance.images


def test_no_backup_is_left_with_rotation_0(world, uuid):
    backup(world, uuid, 1)
    world.operate(uuid, 'create_backup', image_id=backup(world, uuid, 2), backup_type='daily', rotation=0)
    assert world.glance.images == {}
    assert world.glance.count('^PUT') == 0, 'no bytes are copied for nothing'


def test_a_protected_backup_stays(world, uuid):
    old = new_image(world, image_type='backup', backup_type='daily', instance_uuid=uuid, protected=True)
    new = backup(world, uuid)
    assert states(world.operate(uuid, 'create_backup', image_id=new, backup_type='daily', rotation=1)) == (
        vm_states.ACTIVE, None)
    assert set(world.glance.images) == {old, new}


@pytest.mark.parametrize(('rotation', 'left'), [(2, 1), (0, 0)])
def test_a_rotation_that_breaks_keeps_what_is_new(world, uuid, rotation, left):
    image_id = backup(world, uuid)
    world.glance.fails, world.glance.failures = r'^GET /v2/images\?', [services.Reply(503)]
    record = world.operate(uuid, 'create_backup', image_id=image_id, backup_type='daily', rotation=rotation)
    assert states(record) == (vm_states.ACTIVE, None)
    assert len(world.glance.images) == left
    assert world.leftovers() == []


def test_long_deadlines():
    assert operations.SPECS['create_image'].deadline == operations.SLOW
