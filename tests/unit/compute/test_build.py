# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""A build on one host: the good path, an error, a delete and a duplicate at each step of it."""

import base64
import pathlib
import re

import pytest

from nova_lite import concurrency
from nova_lite import exception
from nova_lite.compute import power_state
from nova_lite.compute import task_states
from nova_lite.compute import vm_states
from nova_lite.compute.tasks import build
from nova_lite.objects import block_device
from nova_lite.objects import instance_group
from nova_lite.objects import network
from nova_lite.virt.fake import driver as fake_driver
from tests.unit.compute import doubles

POINTS = re.findall(r"faultpoints\.hit\('([\w.]+)'", pathlib.Path(build.__file__).read_text())
STEPS = ['build_started', 'networking', 'block_device_mapping', 'spawning', 'build_finished']


def is_active(world, uuid):
    record = world.record(uuid)
    return (record.vm_state, record.task_state, record.power_state) == (vm_states.ACTIVE, None, power_state.RUNNING)


# ---- the good path -------------------------------------------------------------------------------------------

def test_a_build_is_five_calls_to_the_conductor(world):
    request = world.order()
    before = len(world.database.calls)
    record = world.build(request)
    assert is_active(world, record.uuid)
    assert world.database.calls[before:] == ['instance_transition'] * 5
    assert world.database.transitions == STEPS
    assert (record.host, record.node, record.root_device_name) == (doubles.HOST, doubles.HOST, '/dev/vda')
    assert record.launched_at and record.network_info[0].fixed_ips[0].address == '10.0.0.5'
    assert world.driver.list_instance_uuids() == [record.uuid]
    assert world.tracker.used(doubles.HOST) == {'memory_mb': 128, 'vcpus': 1, 'local_gb': 1}
    assert world.leftovers() == [] and not world.database.rescheduled


def test_each_step_is_an_event(world):
    world.build(world.order())
    assert sorted(world.database.events) == sorted((name, 'Success') for name in build.EVENTS)
    assert world.database.open_events == []


def test_there_is_a_point_at_each_step():
    assert len(POINTS) == len(set(POINTS)) == 9


def test_further_devices_get_names_and_records(world):
    request = world.order()
    for guest_format in ('ext4', 'swap'):
        request.block_device_mapping.append(block_device.BlockDeviceMapping(
            source_type='blank', guest_format=guest_format, volume_size=1))
    world.build(request)
    names = [bdm.device_name for bdm in world.database.devices[request.instance.uuid]]
    assert names == ['/dev/vda', '/dev/vdb', '/dev/vdc']


def test_files_reach_the_driver_decoded(world, monkeypatch):
    seen = []
    spawn = world.driver.spawn
    monkeypatch.setattr(world.driver, 'spawn', lambda ctxt, request: (seen.append(request), spawn(ctxt, request)))
    request = world.order()
    request.admin_password = 'pw'
    request.injected_files = [['/etc/motd', base64.b64encode(b'hello').decode()]]
    world.build(request)
    assert seen[0].injected_files == [('/etc/motd', b'hello')] and seen[0].admin_password == 'pw'
    assert [vif.id for vif in seen[0].network_info] == list(world.network.ports)


def test_a_server_without_networks(world):
    request = world.order()
    request.requested_networks = None
    assert is_active(world, world.build(request).uuid)
    assert world.network.ports == {}


def test_no_more_builds_at_once_than_allowed(make_world):
    world = make_world(fake_driver.Behaviour(spawn_delay=0.05), max_concurrent_builds=2)
    requests = [world.order(str(number)) for number in range(5)]
    for request in requests:
        world.manager.build_and_run_instance(doubles.new_context(), request)
    most = 0

    def done():
        nonlocal most
        spawning = [item for item in world.database.instances.values() if item.task_state == task_states.SPAWNING]
        most = max(most, len(spawning))
        return all(is_active(world, request.instance.uuid) for request in requests)
    doubles.wait_for(done)
    assert most == 2


# ---- an error at each step -----------------------------------------------------------------------------------

@pytest.mark.parametrize('point', POINTS)
def test_an_error_at_a_step_undoes_the_others_and_hands_the_order_back(world, fault, point):
    fault(point, 'raise something secret')
    request = world.order()
    record = world.build(request)
    [(uuid, host, reason, retry)] = world.database.rescheduled
    assert (uuid, host, retry) == (record.uuid, doubles.HOST, True)
    assert reason.message == 'RuntimeError' and 'something secret' in reason.details
    assert 'on host %s' % doubles.HOST in reason.details and 'Traceback' in reason.details
    assert world.leftovers() == []
    results = dict(world.database.events)
    assert results['compute__do_build_and_run_instance'] == 'Error'
    assert point == 'compute.before_finish' or list(results.values()).count('Error') >= 2


def test_undo_goes_in_reverse(world, fault, monkeypatch):
    done = []

    def noting(function):
        def noted(*args):
            done.append(function.__name__)
            function(*args)
        return noted
    for owner, name in ((world.driver, 'destroy'), (world.network, 'deallocate_for_instance'), (world.tracker, 'free')):
        monkeypatch.setattr(owner, name, noting(getattr(owner, name)))
    fault('compute.before_finish', 'raise')
    world.build(world.order())
    assert done == ['destroy', 'deallocate_for_instance', 'free']


@pytest.mark.parametrize('error, retry', [
    (exception.NoMoreFixedIps(net='lab'), False),
    (exception.PortBindingFailed(port_id='p'), True),
    (exception.PortInUse(port_id='p'), False),
    (exception.ServiceUnreachable(service='network', reason='x'), True),
    (exception.ImageChecksumMismatch(image_id='i'), False),
    (exception.ImageDownloadFailed(image_id='i', reason='x'), True),
    (exception.ImageUnacceptable(image_id='i', reason='x'), False),
    (exception.FlavorDiskSmallerThanImage(flavor_size=1, image_size=2), False),
    (exception.VirtualInterfaceCreateException(), False),
    (exception.DiskFull(what='the disk'), True),
    (concurrency.Timeout(), True),
])
def test_who_may_try_again(world, error, retry):
    world.network.fail = error
    world.build(world.order())
    [(_, _, fault, again)] = world.database.rescheduled
    assert again is retry
    assert fault.message == (error.message if isinstance(error, exception.NovaException) else 'Timeout')
    assert world.leftovers() == []


def test_an_undo_that_fails_does_not_keep_the_others_from_it(world, fault):
    world.network.unreachable = True
    fault('compute.before_finish', 'raise')
    record = world.build(world.order())
    assert world.driver.list_instance_uuids() == [] and record.uuid not in world.tracker.instance_uuids()
    assert len(world.database.rescheduled) == 1
    assert world.leftovers() == ['port of %s' % record.uuid]


def test_a_bad_file_ends_the_build_for_good(world):
    request = world.order()
    request.injected_files = [['/etc/motd', '***']]
    world.build(request)
    [(_, _, fault, retry)] = world.database.rescheduled
    assert not retry and 'not base64' in fault.message and world.leftovers() == []


def test_a_full_node_sends_it_elsewhere(world):
    request = world.order()
    request.limits = {'memory_mb': 100}
    world.build(request)
    [(_, _, fault, retry)] = world.database.rescheduled
    assert retry and fault.message == (
        'Insufficient compute resources: Free memory 100.00 MB < requested 128 MB.')
    assert world.leftovers() == []


def test_the_users_port_is_only_unbound(world, fault):
    fault('compute.before_spawn', 'raise')
    request = world.order()
    request.requested_networks.append(network.NetworkRequest(port_id='mine'))
    world.build(request)
    assert world.network.ports == {'mine': ''} and world.leftovers() == []


def test_a_driver_that_does_not_find_its_guest_is_no_deleted_server(world, monkeypatch):
    def spawn(ctxt, request):
        raise exception.InstanceNotFound(instance_id=request.instance.uuid)
    monkeypatch.setattr(world.driver, 'spawn', spawn)
    world.build(world.order())
    assert len(world.database.rescheduled) == 1 and world.leftovers() == []


# ---- a delete at each step -----------------------------------------------------------------------------------

@pytest.mark.parametrize('point', POINTS)
def test_a_delete_during_a_step_leaves_nothing(world, fault, point):
    path = fault(point, 'once sleep 0.1')
    request = world.order()
    uuid = request.instance.uuid
    world.manager.build_and_run_instance(doubles.new_context(), request)
    doubles.wait_for(lambda: not path.exists())
    world.delete(uuid)
    record = world.ended(uuid)
    assert record.vm_state == vm_states.DELETED and record.terminated_at
    assert world.leftovers() == [] and not world.database.rescheduled
    assert uuid not in world.placement.allocations
    assert record.fault is None


def test_a_delete_does_not_wait_for_a_long_spawn(make_world):
    world = make_world(fake_driver.Behaviour(spawn_delay=60))
    request = world.order()
    uuid = request.instance.uuid
    world.manager.build_and_run_instance(doubles.new_context(), request)
    doubles.wait_for(lambda: world.record(uuid).task_state == task_states.SPAWNING)
    world.delete(uuid)
    doubles.wait_for(lambda: world.record(uuid).deleted, 2)
    world.ended(uuid)
    assert world.leftovers() == []


def test_a_delete_does_not_wait_for_a_build_that_waits_for_its_turn(make_world):
    world = make_world(fake_driver.Behaviour(spawn_delay=60), max_concurrent_builds=1)
    first, second = world.order('first'), world.order('second')
    for request in (first, second):
        world.manager.build_and_run_instance(doubles.new_context(), request)
    world.record(second.instance.uuid).host = doubles.HOST
    world.delete(second.instance.uuid)
    doubles.wait_for(lambda: world.record(second.instance.uuid).deleted, 2)
    world.delete(first.instance.uuid)
    for request in (first, second):
        world.ended(request.instance.uuid)
    assert world.leftovers() == [] and not world.database.rescheduled


def test_an_order_for_a_deleted_server_ends_quietly(world):
    request = world.order()
    world.database._move(request.instance.uuid, 'delete_requested', {}, None, None)
    world.build(request)
    assert not world.database.rescheduled and world.leftovers() == []
    assert 'build_started' not in world.database.transitions


# ---- messages that come twice, late, or get lost -------------------------------------------------------------

def test_a_duplicate_is_dropped_while_the_build_runs_and_after_it(make_world):
    world = make_world(fake_driver.Behaviour(spawn_delay=0.05))
    request = world.order()
    for _ in range(3):
        world.manager.build_and_run_instance(doubles.new_context(), request)
    world.build(request)
    assert is_active(world, request.instance.uuid)
    world.build(request)
    assert is_active(world, request.instance.uuid)
    assert world.database.transitions == STEPS and not world.database.rescheduled and world.leftovers() == []


@pytest.mark.parametrize('lost', range(5))
def test_a_lost_answer_does_no_harm(world, lost):
    transition, answered = world.database.instance_transition, []

    def lossy(*args):
        result = transition(*args)
        answered.append(args[2])
        if len(answered) == lost + 1:
            raise exception.MessagingUnavailable()
        return result
    lossy.__name__ = 'instance_transition'
    world.database.instance_transition = lossy
    assert is_active(world, world.build(world.order()).uuid)
    assert world.database.transitions == STEPS and len(answered) == 6 and world.leftovers() == []


def test_a_conductor_that_stays_away_ends_the_build(world, fault):
    path = fault('compute.before_bdm', 'once sleep 0.05')
    request = world.order()
    world.manager.build_and_run_instance(doubles.new_context(), request)
    doubles.wait_for(lambda: not path.exists())
    world.database.lose['instance_transition'] = 1000
    world.ended(request.instance.uuid)
    [(_, _, reason, retry)] = world.database.rescheduled
    assert retry and reason.message.startswith('The conductor service does not answer')
    assert world.leftovers() == []


def test_the_last_transition_waits_for_an_answer_as_long_as_it_takes(world, fault):
    path = fault('compute.before_finish', 'once sleep 0.05')
    request = world.order()
    world.manager.build_and_run_instance(doubles.new_context(), request)
    doubles.wait_for(lambda: not path.exists())
    world.database.lose['instance_transition'] = 3      # longer than the patience of the others
    assert is_active(world, world.ended(request.instance.uuid).uuid)
    assert world.driver.list_instance_uuids() == [request.instance.uuid] and world.leftovers() == []


def test_a_build_that_another_host_took_over_frees_no_port(world, fault):
    path = fault('compute.before_spawn', 'once sleep 0.1')
    request = world.order()
    uuid = request.instance.uuid
    world.manager.build_and_run_instance(doubles.new_context(), request)
    doubles.wait_for(lambda: not path.exists())
    record = world.record(uuid)
    record.host, record.task_state, record.vm_state = 'host2', None, vm_states.ACTIVE
    world.ended(uuid)
    assert uuid in world.network.ports.values(), 'the ports are host2\'s now'
    assert world.driver.list_instance_uuids() == [] and not world.tracker.instance_uuids()
    assert not world.database.rescheduled


def test_an_order_that_another_host_carries_out_leaves_its_events_alone(world):
    request = world.order(host='host2', task_state=task_states.SPAWNING)
    world.database.open_events += [build.WHOLE, build.SPAWN]
    world.build(request)
    assert world.database.open_events == [build.WHOLE, build.SPAWN] and not world.database.rescheduled


# ---- the deadline --------------------------------------------------------------------------------------------

def test_a_build_past_its_deadline_is_undone_and_tried_elsewhere(make_world):
    world = make_world(fake_driver.Behaviour(spawn_delay=60))
    request = world.order()
    uuid = request.instance.uuid
    world.manager.build_and_run_instance(doubles.new_context(), request)
    doubles.wait_for(lambda: world.record(uuid).task_state == task_states.SPAWNING)
    world.manager.abort_build(doubles.new_context(), uuid)
    world.ended(uuid)
    [(_, _, fault, retry)] = world.database.rescheduled
    assert retry and 'the last step was spawn' in fault.message and doubles.HOST in fault.details
    assert world.leftovers() == []


def test_the_deadline_of_a_build_that_nobody_works_on(world):
    request = world.order(host=doubles.HOST, task_state=task_states.NETWORKING)
    uuid = request.instance.uuid
    world.network.ports['p'] = uuid
    world.manager.abort_build(doubles.new_context(), uuid)
    doubles.wait_for(lambda: world.database.rescheduled)
    assert world.database.rescheduled[0][3] is True and world.leftovers() == []


# ---- server groups -------------------------------------------------------------------------------------------

def group_of(policy, **rules):
    return instance_group.InstanceGroup(uuid='group', name='g', project_id='p', user_id='u', policy=policy, rules=rules)


def test_of_parallel_builds_with_anti_affinity_one_stays(make_world):
    world = make_world(fake_driver.Behaviour(spawn_delay=0.02))
    group = group_of('anti-affinity')
    requests = [world.order(str(number), group) for number in range(4)]
    for request in requests:
        world.manager.build_and_run_instance(doubles.new_context(), request)
    doubles.wait_for(lambda: not world.tools.builds)
    active = [request for request in requests if is_active(world, request.instance.uuid)]
    assert len(active) == 1 and len(world.database.rescheduled) == 3
    assert all(retry for *_, retry in world.database.rescheduled) and world.leftovers() == []


def test_anti_affinity_counts_as_many_as_its_rule_says(world):
    group = group_of('anti-affinity', max_server_per_host=2)
    requests = [world.order(str(number), group) for number in range(3)]
    states = [is_active(world, world.build(request).uuid) for request in requests]
    assert states == [True, True, False]


def test_affinity_refuses_a_host_that_no_member_is_on(world):
    group = group_of('affinity')
    world.order('other', group, host='host2', vm_state=vm_states.ACTIVE, task_state=None)
    world.build(world.order('late', group))
    [(_, _, fault, retry)] = world.database.rescheduled
    assert retry and 'affinity' in fault.message and world.leftovers() == []


@pytest.mark.parametrize('policy', ['soft-anti-affinity', 'soft-affinity'])
def test_soft_policies_never_refuse(world, policy):
    group = group_of(policy)
    assert all(is_active(world, world.build(world.order(str(number), group)).uuid) for number in range(2))
