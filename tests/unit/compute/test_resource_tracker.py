# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Claims never promise twice what is there once, and the recount never loses one."""

import random

import pytest

from nova_lite import concurrency
from nova_lite import context
from nova_lite import exception
from nova_lite.compute import resources
from nova_lite.compute import vm_states
from nova_lite.virt.fake import driver as fake_driver
from tests.unit.compute import doubles

SMALL = fake_driver.Behaviour(vcpus=4, memory_mb=1536, local_gb=20)     # 1024 MB beside what is reserved


def recount(world):
    world.tracker.update_available_resource(context.admin_context())


def test_a_claim_takes_and_gives_back(make_world):
    tracker = make_world(SMALL).tracker
    instance = doubles.new_instance(memory_mb=512, vcpus=2, root_gb=5)
    with pytest.raises(RuntimeError), tracker.instance_claim(instance, doubles.HOST, {}):
        assert tracker.used(doubles.HOST) == {'memory_mb': 512, 'vcpus': 2, 'local_gb': 5}
        raise RuntimeError()
    assert set(tracker.used(doubles.HOST).values()) == {0} and not tracker.instance_uuids()


def test_what_does_not_fit_is_named(make_world):
    tracker = make_world(SMALL).tracker
    instance = doubles.new_instance(memory_mb=2048, root_gb=50)
    with pytest.raises(exception.ComputeResourcesUnavailable) as caught:
        tracker.instance_claim(instance, doubles.HOST, {})
    assert caught.value.message == ('Insufficient compute resources: Free memory 1024.00 MB < requested 2048 MB; '
                                    'Free disk 20.00 GB < requested 50 GB.')
    with pytest.raises(exception.ComputeResourcesUnavailable):
        tracker.instance_claim(instance, 'no-such-node', {})
    assert not tracker.instance_uuids()


def test_ratios_and_limits(make_world):
    tracker = make_world(SMALL, cpu_allocation_ratio=2.0).tracker
    tracker.instance_claim(doubles.new_instance(vcpus=8), doubles.HOST, {})
    with pytest.raises(exception.ComputeResourcesUnavailable):
        tracker.instance_claim(doubles.new_instance(vcpus=1), doubles.HOST, {})
    tracker.instance_claim(doubles.new_instance(vcpus=1), doubles.HOST, {'vcpus': 9})


def test_a_server_that_boots_from_a_volume_takes_no_root_disk(make_world):
    instance = doubles.new_instance(root_gb=500, image_ref='')
    instance.flavor.ephemeral_gb, instance.flavor.swap = 2, 1025
    assert resources.usage(instance)['local_gb'] == 4


def test_claiming_twice_counts_once(make_world):
    tracker = make_world(SMALL).tracker
    instance = doubles.new_instance(memory_mb=1024)
    tracker.instance_claim(instance, doubles.HOST, {})
    tracker.instance_claim(instance, doubles.HOST, {})
    assert tracker.used(doubles.HOST)['memory_mb'] == 1024


def test_a_further_resource_is_claimed_and_reported(make_world):
    resources.register(resources.Resource(
        'tokens', 'CUSTOM_TOKEN', 'tokens', '', lambda instance: int(instance.flavor.extra_specs.get('tokens', 0)),
        lambda node: resources.Capacity(3)))
    try:
        world = make_world(SMALL)
        [(_, inventories, _)] = world.placement.providers.values()
        assert inventories['CUSTOM_TOKEN']['total'] == 3
        instance = doubles.new_instance()
        instance.flavor.extra_specs = {'tokens': '2'}
        world.tracker.instance_claim(instance, doubles.HOST, {})
        other = doubles.new_instance()
        other.flavor.extra_specs = {'tokens': '2'}
        with pytest.raises(exception.ComputeResourcesUnavailable):
            world.tracker.instance_claim(other, doubles.HOST, {})
    finally:
        resources.unregister('tokens')


def test_one_place_and_many_who_want_it(make_world):
    world = make_world(fake_driver.Behaviour(vcpus=4, memory_mb=1536, local_gb=20, spawn_delay=0.02))
    requests = [world.order(str(number), memory_mb=600) for number in range(20)]
    for request in requests:
        world.manager.build_and_run_instance(doubles.new_context(), request)
        concurrency.spawn(recount, world)
    doubles.wait_for(lambda: not world.tools.builds)
    assert len(world.driver.list_instance_uuids()) == 1
    assert world.tracker.used(doubles.HOST)['memory_mb'] == 600
    assert all('Free memory' in fault.message and retry for _, _, fault, retry in world.database.rescheduled)
    assert world.leftovers() == []


def test_builds_deletes_and_recounts_at_random_never_over_commit(make_world):
    world = make_world(fake_driver.Behaviour(vcpus=8, memory_mb=512 + 1024, local_gb=100, spawn_delay=0.003))
    chance, uuids = random.Random(7), []

    def check():
        used = world.tracker.used(doubles.HOST)
        assert used['memory_mb'] <= 1024
        taken = sum(world.record(uuid).flavor.memory_mb for uuid in world.tracker.instance_uuids())
        assert used['memory_mb'] == taken
        guests = sum(world.record(uuid).flavor.memory_mb for uuid in world.driver.list_instance_uuids())
        assert guests <= used['memory_mb']
    for number in range(150):
        action = chance.choice(['build', 'build', 'delete', 'recount'])
        if action == 'build':
            request = world.order(str(number), memory_mb=chance.choice([128, 256, 512]))
            uuids.append(request.instance.uuid)
            world.manager.build_and_run_instance(doubles.new_context(), request)
        elif action == 'delete' and uuids:
            uuid = uuids.pop(chance.randrange(len(uuids)))
            if world.record(uuid).host:
                world.delete(uuid)
        else:
            concurrency.spawn(recount, world)
        concurrency.sleep(chance.choice([0, 0.001, 0.005]))
        check()
    doubles.wait_for(lambda: not world.tools.builds and not world.manager._deletes)
    recount(world)
    check()
    assert world.leftovers() == []


def test_a_claim_made_while_the_recount_asks_is_kept(make_world):
    world = make_world(SMALL)
    instance = doubles.new_instance()
    world.database.before_answer['instance_get_all_by_host'] = (
        lambda: world.tracker.instance_claim(instance, doubles.HOST, {}))
    recount(world)
    assert world.tracker.instance_uuids() == {instance.uuid}
    recount(world)
    assert world.tracker.instance_uuids() == {instance.uuid}, 'still in flight'


def test_what_is_freed_while_the_recount_asks_stays_free(make_world):
    world = make_world(SMALL)
    uuid = world.build(world.order()).uuid
    world.database.before_answer['instance_get_all_by_host'] = lambda: world.tracker.free(uuid)
    recount(world)
    assert not world.tracker.instance_uuids()


def test_the_recount_follows_the_records(make_world):
    world = make_world(SMALL)
    world.order(host=doubles.HOST, node=doubles.HOST, vm_state=vm_states.ACTIVE, task_state=None, memory_mb=256)
    world.order(host=doubles.HOST, node=doubles.HOST, vm_state=vm_states.BUILDING, task_state=None)
    recount(world)
    assert world.tracker.used(doubles.HOST)['memory_mb'] == 256
    assert world.database.nodes[doubles.HOST].memory_mb_used == 256
    assert world.database.nodes[doubles.HOST].running_vms == 1
    world.database.instances.clear()
    recount(world)
    assert world.tracker.used(doubles.HOST)['memory_mb'] == 0


def test_only_what_changed_is_reported(make_world):
    world = make_world(SMALL)
    world.database.calls.clear()
    for _ in range(9):
        recount(world)
    assert world.database.calls.count('compute_node_save') == 0 and world.placement.updates == 1
    recount(world)
    assert world.database.calls.count('compute_node_save') == 1 and world.placement.updates == 2
    world.build(world.order())
    recount(world)
    assert world.database.calls.count('compute_node_save') == 2 and world.placement.updates == 2


def test_what_is_reported(make_world):
    world = make_world(SMALL)
    node = world.database.nodes[doubles.HOST]
    assert (node.host, node.vcpus, node.memory_mb, node.local_gb) == (doubles.HOST, 4, 1536, 20)
    name, inventories, traits = world.placement.providers[node.uuid]
    assert name == doubles.HOST and 'COMPUTE_NODE' in traits
    assert inventories == {
        'VCPU': {'total': 4, 'reserved': 0, 'min_unit': 1, 'max_unit': 4, 'step_size': 1, 'allocation_ratio': 4.0},
        'MEMORY_MB': {'total': 1536, 'reserved': 512, 'min_unit': 1, 'max_unit': 1536, 'step_size': 1,
                      'allocation_ratio': 1.0},
        'DISK_GB': {'total': 20, 'reserved': 0, 'min_unit': 1, 'max_unit': 20, 'step_size': 1, 'allocation_ratio': 1.0}}


def test_the_node_keeps_its_uuid_through_a_new_life(make_world):
    world = make_world(SMALL)
    uuid = world.database.nodes[doubles.HOST].uuid
    world.restart()
    world.manager.init_host()
    assert world.database.nodes[doubles.HOST].uuid == uuid and list(world.placement.providers) == [uuid]


def test_allocations_of_what_is_gone_are_deleted(make_world):
    world = make_world(SMALL)
    active = world.build(world.order()).uuid
    scheduled = world.order().instance.uuid
    world.placement.allocations['11111111-2222-4333-8444-555555555555'] = {'VCPU': 1}
    recount(world)
    assert set(world.placement.allocations) == {active, scheduled}


def test_a_placement_that_refuses_a_smaller_inventory_stops_nothing(make_world, monkeypatch):
    world = make_world(SMALL)

    asked = []

    def refuse(*args):
        asked.append(args)
        raise exception.AllocationConflict(host=doubles.HOST)
    monkeypatch.setattr(world.placement, 'update_provider', refuse)
    for _ in range(11):
        recount(world)
    assert asked, 'it was tried, and refused'


def test_a_recount_that_fails_changes_nothing_and_the_next_works(make_world):
    world = make_world(SMALL)
    uuid = world.build(world.order()).uuid
    world.database.lose['instance_get_all_by_host'] = 100
    with pytest.raises(exception.ServiceUnreachable):
        recount(world)
    assert world.tracker.instance_uuids() == {uuid}
    world.database.lose.clear()
    recount(world)
    assert world.tracker.instance_uuids() == {uuid}
