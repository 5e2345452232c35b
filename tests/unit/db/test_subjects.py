# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""The smaller subjects: actions, block devices, flavors, services, nodes, key pairs, quotas, groups."""

import threading
import uuid

import pytest

from nova_lite import exception
from nova_lite.db import actions
from nova_lite.db import block_devices
from nova_lite.db import compute_nodes
from nova_lite.db import flavors
from nova_lite.db import instance_groups
from nova_lite.db import instances
from nova_lite.db import keypairs
from nova_lite.db import quotas
from nova_lite.db import services
from nova_lite.objects import block_device
from nova_lite.objects import flavor
from nova_lite.objects import instance_group
from nova_lite.objects import keypair
from nova_lite.objects import service
from tests.fixtures import records


def in_parallel(function, count=6):
    errors = []

    def run():
        try:
            function()
        except Exception as exc:
            errors.append(exc)
    threads = [threading.Thread(target=run) for _ in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return errors


# ---- actions -------------------------------------------------------------------------------------------------

def test_events_open_and_close(clocked, clock, ctxt):
    uuid_ = records.created(clocked, ctxt).uuid
    start = clock()
    clock.forward(1)
    instances.update(clocked, uuid_, {}, records.step(ctxt, begin=['a', 'b']))
    clock.forward(1)
    instances.update(clocked, uuid_, {}, records.step(ctxt, end=['a'], begin=['c']))
    clock.forward(1)
    instances.update(clocked, uuid_, {}, records.step(ctxt, end=['b', 'c'], result='Error', details='why',
                                                      traceback='where', action_done=True))
    action = actions.get(clocked, uuid_, ctxt.request_id)
    seen = [(event.event, event.host, event.result, event.details, (event.start_time - start).seconds,
             (event.finish_time - start).seconds) for event in action.events]
    assert seen == [('a', 'host1', 'Success', None, 1, 2), ('b', 'host1', 'Error', 'why', 1, 3),
                    ('c', 'host1', 'Error', 'why', 2, 3)]
    assert (action.message, action.finish_time, action.updated_at) == ('Error', clock(), clock())


def test_the_steps_of_one_request_do_not_close_those_of_another(db, ctxt, instance):
    other = records.user_context()
    instances.request_delete(db, instance.uuid, other)
    instances.update(db, instance.uuid, {}, records.step(ctxt, begin=['a']))
    instances.update(db, instance.uuid, {}, records.step(other, begin=['a']))
    instances.update(db, instance.uuid, {}, records.step(other, end=['a']))
    assert [event.result for event in actions.get(db, instance.uuid, ctxt.request_id).events] == [None]
    assert actions.latest_unfinished(db, instance.uuid).request_id == other.request_id


def test_actions_are_paged_and_found_by_time_of_change(clocked, clock, ctxt):
    uuid_ = records.created(clocked, ctxt).uuid
    requests = [ctxt]
    for _ in range(4):
        clock.forward(10)
        requests.append(records.user_context())
        instances.request_delete(clocked, uuid_, requests[-1])
    ids = [request.request_id for request in requests][::-1]
    assert [action.request_id for action in actions.list_(clocked, uuid_)] == ids
    seen, marker = [], None
    while page := actions.list_(clocked, uuid_, limit=2, marker=marker):
        seen += [action.request_id for action in page]
        marker = seen[-1]
    assert seen == ids
    now = clock()
    assert [item.request_id for item in actions.list_(clocked, uuid_, changes_since=now)] == ids[:1]
    clock.forward(10)
    instances.update(clocked, uuid_, {}, records.step(ctxt, begin=['a']))
    assert [item.request_id for item in actions.list_(clocked, uuid_, changes_since=clock())] == ids[-1:]
    assert [item.request_id for item in actions.list_(clocked, uuid_, changes_before=now)] == ids[:-1]
    with pytest.raises(exception.MarkerNotFound):
        actions.list_(clocked, uuid_, marker='req-unknown')
    with pytest.raises(exception.ActionNotFound):
        actions.get(clocked, uuid_, 'req-unknown')


# ---- block devices -------------------------------------------------------------------------------------------

def test_block_devices_are_replaced(db, instance):
    devices = [block_device.BlockDeviceMapping(boot_index=0, device_name='/dev/vda', connection_info={'a': [1]}),
               block_device.BlockDeviceMapping(source_type='blank', guest_format='swap', volume_size=1)]
    block_devices.save(db, instance.uuid, devices)
    kept = block_devices.get_all(db, instance.uuid)
    assert [(device.device_name, device.guest_format, device.connection_info) for device in kept] == [
        ('/dev/vda', None, {'a': [1]}), (None, 'swap', None)]
    assert all(device.uuid and device.id and device.instance_uuid == instance.uuid for device in kept)
    block_devices.save(db, instance.uuid, kept[:1])
    assert [device.uuid for device in block_devices.get_all(db, instance.uuid)] == [kept[0].uuid]
    block_devices.save(db, instance.uuid, [])
    assert block_devices.get_all(db, instance.uuid) == []


# ---- flavors -------------------------------------------------------------------------------------------------

def private(flavorid='secret', **fields):
    values = {'memory_mb': 64, 'vcpus': 1, 'root_gb': 1, 'is_public': False, **fields}
    return flavor.Flavor(flavorid=flavorid, name=fields.pop('name', flavorid), **{
        key: value for key, value in values.items() if key != 'name'})


def test_private_flavors_are_seen_by_who_has_access(db):
    flavors.create(db, private())
    with pytest.raises(exception.FlavorNotFound):
        flavors.get_by_flavorid(db, 'secret', 'project')
    assert flavors.get_by_flavorid(db, 'secret', 'project', is_admin=True).name == 'secret'
    flavors.add_access(db, 'secret', 'project')
    assert flavors.get_by_flavorid(db, 'secret', 'project').memory_mb == 64
    assert flavors.access(db, 'secret') == ['project']
    assert 'secret' in [item.flavorid for item in flavors.list_(db, {'project_id': 'project'})]
    assert 'secret' not in [item.flavorid for item in flavors.list_(db, {'project_id': 'other'})]
    assert [item.flavorid for item in flavors.list_(db, {'is_public': False})] == ['secret']
    with pytest.raises(exception.Conflict):
        flavors.add_access(db, 'secret', 'project')
    flavors.remove_access(db, 'secret', 'project')
    with pytest.raises(exception.NotFound):
        flavors.remove_access(db, 'secret', 'project')
    with pytest.raises(exception.FlavorNotFound):
        flavors.get_by_flavorid(db, 'secret', 'project')


def test_flavors_are_sorted_filtered_and_paged(db):
    assert [item.flavorid for item in flavors.list_(db, sort_key='memory_mb')] == ['42', '84', '1', '2', '3', '4', '5']
    assert [item.flavorid for item in flavors.list_(db, {'min_memory_mb': 4096, 'min_root_gb': 50})] == ['4', '5']
    assert [item.flavorid for item in flavors.list_(db, {'name': 'm1.tiny'})] == ['1']
    page = flavors.list_(db, sort_key='memory_mb', sort_dir='desc', limit=2, marker='4')
    assert [item.flavorid for item in page] == ['3', '2']
    with pytest.raises(exception.MarkerNotFound):
        flavors.list_(db, marker='nope')
    with pytest.raises(exception.Invalid):
        flavors.list_(db, sort_key='nope')


def test_flavors_change(db):
    kept = flavors.create(db, private(extra_specs={'a': '1'}, description='d'))
    assert (kept.id is not None, kept.extra_specs, kept.description) == (True, {'a': '1'}, 'd')
    for again in (private(name='other'), private('other', name='secret')):
        with pytest.raises(exception.Conflict):
            flavors.create(db, again)
    flavors.set_extra_specs(db, 'secret', {'b': '2'})
    flavors.delete_extra_spec(db, 'secret', 'a')
    assert flavors.update(db, 'secret', {'description': 'new'}).extra_specs == {'b': '2'}
    with pytest.raises(exception.NotFound):
        flavors.delete_extra_spec(db, 'secret', 'a')
    flavors.delete(db, 'secret')
    for gone in (lambda: flavors.delete(db, 'secret'), lambda: flavors.update(db, 'secret', {'description': 'x'}),
                 lambda: flavors.set_extra_specs(db, 'secret', {'c': '3'}),
                 lambda: flavors.get_by_flavorid(db, 'secret', is_admin=True)):
        with pytest.raises(exception.FlavorNotFound):
            gone()


# ---- services and nodes --------------------------------------------------------------------------------------

def test_a_service_is_up_while_its_heart_beats(clocked, clock):
    services.report(clocked, 'host1', 'nova-compute', 'compute')
    clock.forward(60)
    services.report(clocked, 'host2', 'nova-compute', 'compute')
    services.report(clocked, 'host1', 'nova-scheduler', 'scheduler')
    assert services.hosts_up(clocked) == {'host1', 'host2'}
    clock.forward(1)
    assert [(item.host, item.binary, item.up) for item in services.list_(clocked)] == [
        ('host1', 'nova-compute', False), ('host2', 'nova-compute', True), ('host1', 'nova-scheduler', True)]
    services.report(clocked, 'host1', 'nova-compute', 'compute')
    again = services.get(clocked, 'host1', 'nova-compute')
    assert again.up and again.report_count == 2 and again.uuid
    assert [item.host for item in services.list_(clocked, binary='nova-compute', host='host2')] == ['host2']


def test_a_service_can_be_forced_down_and_disabled(clocked):
    services.report(clocked, 'host1', 'nova-compute', 'compute')
    after = services.update(clocked, 'host1', 'nova-compute', {'forced_down': True, 'disabled': True,
                                                               'disabled_reason': 'broken'})
    assert (after.up, after.disabled, after.disabled_reason) == (False, True, 'broken')
    services.report(clocked, 'host1', 'nova-compute', 'compute')
    assert services.hosts_up(clocked) == set()
    assert services.update(clocked, 'host1', 'nova-compute', {'forced_down': False}).up
    with pytest.raises(exception.ServiceNotFound):
        services.update(clocked, 'nope', 'nova-compute', {'disabled': True})


def test_first_heartbeats_may_come_at_once(db):
    assert in_parallel(lambda: services.report(db, 'host1', 'nova-compute', 'compute')) == []
    [only] = services.list_(db)
    assert only.report_count == 6


def node(host='host1', name='node1', **fields):
    return service.ComputeNode(uuid=str(uuid.uuid4()), host=host, hypervisor_hostname=name, vcpus=4, memory_mb=1024,
                               local_gb=10, **fields)


def test_a_node_keeps_its_uuid_from_an_earlier_life(db):
    first = compute_nodes.save(db, node(cpu_info={'arch': 'x86_64'}, traits=['HW_X']))
    again = compute_nodes.save(db, node(vcpus_used=2))
    compute_nodes.save(db, node(name='node2'))
    assert (again.uuid, again.id, again.vcpus_used, again.traits) == (first.uuid, first.id, 2, [])
    assert [item.hypervisor_hostname for item in compute_nodes.list_(db)] == ['node1', 'node2']
    assert in_parallel(lambda: compute_nodes.save(db, node('host2'))) == []
    assert len(compute_nodes.list_(db)) == 3


def test_a_service_that_is_forgotten_takes_its_nodes_along(db):
    services.report(db, 'host1', 'nova-compute', 'compute')
    compute_nodes.save(db, node())
    services.delete(db, 'host1', 'nova-compute')
    assert services.list_(db) == compute_nodes.list_(db) == []
    with pytest.raises(exception.ServiceNotFound):
        services.delete(db, 'host1', 'nova-compute')
    services.report(db, 'host1', 'nova-compute', 'compute')
    assert services.get(db, 'host1', 'nova-compute').up


# ---- key pairs, quotas, groups -------------------------------------------------------------------------------

def test_keypairs(db):
    for user_id, name in (('user', 'b'), ('user', 'a'), ('other', 'a')):
        keypairs.create(db, keypair.KeyPair(name=name, user_id=user_id, fingerprint='f', public_key='k' * 70000))
    assert keypairs.get(db, 'user', 'a').created_at and keypairs.get(db, 'user', 'a').id
    assert [item.name for item in keypairs.list_(db, 'user')] == ['a', 'b']
    assert [item.name for item in keypairs.list_(db, 'user', limit=1, marker='a')] == ['b']
    assert (keypairs.count(db, 'user'), keypairs.count(db, 'nobody')) == (2, 0)
    with pytest.raises(exception.KeyPairExists):
        keypairs.create(db, keypair.KeyPair(name='a', user_id='user', fingerprint='f', public_key='k'))
    keypairs.create(db, keypair.KeyPair(name='A', user_id='user', fingerprint='f', public_key='k'))
    with pytest.raises(exception.MarkerNotFound):
        keypairs.list_(db, 'user', marker='c')
    keypairs.delete(db, 'user', 'a')
    for gone in (keypairs.get, keypairs.delete):
        with pytest.raises(exception.KeypairNotFound):
            gone(db, 'user', 'a')
    assert keypairs.get(db, 'other', 'a').user_id == 'other'


def test_quotas(db):
    assert quotas.get(db, 'p') == {}
    quotas.set_defaults(db, {'cores': 5, 'ram': 9})
    quotas.set_(db, 'p', {'cores': 1, 'instances': -1})
    quotas.set_(db, 'p', {'cores': 2})
    assert quotas.get(db, 'p') == {'cores': 2, 'instances': -1, 'ram': 9}
    assert quotas.get(db, 'q') == quotas.get_defaults(db) == {'cores': 5, 'ram': 9}
    quotas.delete(db, 'p')
    assert quotas.get(db, 'p') == {'cores': 5, 'ram': 9}
    assert in_parallel(lambda: quotas.set_(db, 'r', {'cores': 3})) == []


def group(name='g', project_id='project'):
    return instance_group.InstanceGroup(uuid=str(uuid.uuid4()), name=name, project_id=project_id, user_id='user',
                                        policy='anti-affinity', rules={'max_server_per_host': 2})


def test_groups_know_their_members_and_hosts(db, ctxt):
    made = instance_groups.create(db, group())
    assert (made.rules, made.members, made.id is not None) == ({'max_server_per_host': 2}, [], True)
    first = records.building(db, ctxt, 'host1', group=made)
    second = records.chosen(db, ctxt, 'host2', group=made).instance
    assert (instance_groups.get(db, made.uuid).members, instance_groups.get(db, made.uuid).hosts) == (
        [first.uuid, second.uuid], ['host1', 'host2'])
    assert instance_groups.get_by_instance(db, first.uuid).hosts == ['host2']
    assert instance_groups.get_by_instance(db, records.created(db, ctxt).uuid) is None
    instances.request_delete(db, first.uuid, ctxt)
    instances.transition(db, first.uuid, 'deleted')
    assert instance_groups.get(db, made.uuid).members == [second.uuid]


def test_groups(db):
    made = [instance_groups.create(db, group('a')), instance_groups.create(db, group('b', 'other'))]
    assert [item.name for item in instance_groups.list_(db)] == ['a', 'b']
    assert [item.name for item in instance_groups.list_(db, 'other')] == ['b']
    assert instance_groups.count(db, 'project') == 1
    with pytest.raises(exception.NotFound):
        instance_groups.get(db, made[1].uuid, 'project')
    instance_groups.delete(db, made[1].uuid)
    assert instance_groups.find(db, made[1].uuid) is None
    for gone in (instance_groups.get, instance_groups.delete):
        with pytest.raises(exception.NotFound):
            gone(db, made[1].uuid)
