# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""A guest whose server is deleted for the time being is off, and runs again when that is taken back."""

import pytest

from nova_lite.compute import power_state
from nova_lite.compute import vm_states


def states(record):
    return record.vm_state, record.task_state, record.power_state


def test_soft_delete_and_restore(world):
    uuid = world.build(world.order()).uuid
    record = world.operate(uuid, 'soft_delete')
    assert states(record) == (vm_states.SOFT_DELETED, None, power_state.SHUTDOWN)
    assert record.system_metadata['soft_deleted_at'] and uuid in world.driver.list_instance_uuids()
    assert uuid in world.placement.allocations and world.network.ports
    record = world.operate(uuid, 'restore')
    assert states(record) == (vm_states.ACTIVE, None, power_state.RUNNING)
    assert 'soft_deleted_at' not in record.system_metadata
    assert ('compute_soft_delete_instance', 'Success') in world.database.events
    assert ('compute_restore_instance', 'Success') in world.database.events


@pytest.mark.parametrize('vm_state', [vm_states.ERROR, vm_states.ACTIVE])
def test_a_guest_that_is_lost_is_off(world, vm_state):
    uuid = world.build(world.order()).uuid
    world.record(uuid).vm_state = vm_state
    world.driver.destroy(None, world.record(uuid), [], [])
    record = world.operate(uuid, 'soft_delete')
    assert (record.vm_state, record.task_state) == (vm_states.SOFT_DELETED, None)


def test_the_host_asks_for_what_is_due(make_world, monkeypatch):
    world = make_world(reclaim_instance_interval=60)
    asked = []
    monkeypatch.setattr(world.database, 'reclaim_queued_deletes', lambda ctxt, host, seconds: asked.append(
        (host, seconds)), raising=False)
    [task] = [item for item in world.manager.periodic_tasks() if item[0] == '_reclaim_queued_deletes']
    assert task[1] == 60
    task[2]()
    assert asked == [('host1', 60)]
