# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Where a resize goes, who confirms what nobody did, and what a delete leaves of moves."""

import uuid

import pytest

from nova_lite import exception
from nova_lite.conductor import manager
from nova_lite.conductor.tasks import resizing
from nova_lite.conductor.tasks import sweep
from nova_lite.db import actions
from nova_lite.db import instances
from nova_lite.db import moves
from nova_lite.db import operations as operations_db
from nova_lite.db import places
from nova_lite.objects import action as action_obj
from nova_lite.objects import flavor
from nova_lite.objects import migration as migration_obj
from nova_lite.objects import operation as operation_obj
from tests.fixtures import records

LARGER = flavor.Flavor(flavorid='3', name='m1.medium', memory_mb=4096, vcpus=2, root_gb=40)


@pytest.fixture
def instance(tools, ctxt):
    made = records.active(tools.db, ctxt, 'host1')
    tools.placement.held[made.uuid] = 'host1'
    return made


def migration_of(instance, **fields):
    values = {'source_compute': 'host1', 'source_node': 'host1', 'status': 'pre-migrating', 'user_id': 'user',
              'project_id': 'project', **fields}
    return migration_obj.Migration(uuid=str(uuid.uuid4()), instance_uuid=instance.uuid, migration_type='resize',
                                   old_flavor=records.FLAVOR, new_flavor=LARGER, **values)


def ask(tools, ctxt, instance, **arguments):
    """Have a resize recorded and its hosts chosen. :returns: the Operation, or None; the Migration"""
    migration = migration_of(instance)
    order = operation_obj.Operation(
        uuid=str(uuid.uuid4()), instance_uuid=instance.uuid, name='resize', request_id=ctxt.request_id, user_id='user',
        project_id='project', arguments={'migration': migration, 'ignore_hosts': ['host1'], **arguments})
    instances.request_operation(tools.db, ctxt, 'resize_requested', 'resize', order)
    manager.ComputeTaskManager(tools).run_operation(ctxt, instance.uuid, order.uuid)
    assert tools.pool.raised == []
    return operations_db.get(tools.db, order.uuid), moves.get(tools.db, migration.uuid)


def test_it_begins_at_the_source_with_all_that_is_to_know(tools, ctxt, instance):
    order, migration = ask(tools, ctxt, instance)
    assert order.host == 'host1' and order.data['dest_host'] == 'host2'
    assert order.data['migration'].dest_compute == 'host2'
    assert (migration.dest_compute, migration.status) == ('host2', 'pre-migrating')
    assert tools.placement.held == {migration.uuid: 'host1', instance.uuid: 'host2'}
    [spec] = tools.scheduler.specs
    assert (spec.flavor.flavorid, spec.ignore_hosts) == ('3', ['host1'])


def test_no_host_leaves_everything_as_it_was(tools, ctxt, instance):
    tools.scheduler.errors = [exception.NoValidHost(reason='There are not enough hosts available.')]
    order, migration = ask(tools, ctxt, instance)
    assert order is None and migration.status == 'error'
    assert tools.placement.held == {instance.uuid: 'host1'}
    now = instances.get(tools.db, instance.uuid)
    assert (now.vm_state, now.task_state, now.host) == ('active', None, 'host1')
    assert now.fault.message.startswith('No valid host was found.')


def test_only_one_host_is_wanted(tools, ctxt, instance):
    ask(tools, ctxt, instance, to_host='host3')
    assert tools.scheduler.specs[0].requested_destination == {'host': 'host3', 'node': None}


def test_places_on_either_host(tools, ctxt, instance):
    _, migration = ask(tools, ctxt, instance)
    [place] = places.kept(tools.db, 'host2')
    assert (place.migration_uuid, place.instance.node, place.instance.flavor.flavorid) == (migration.uuid, 'host2', '3')
    assert places.kept(tools.db, 'host1') == []
    moves.update(tools.db, migration.uuid, status='finished')
    [place] = places.kept(tools.db, 'host1')
    assert (place.instance.node, place.instance.flavor.flavorid) == ('host1', records.FLAVOR.flavorid)
    assert places.kept(tools.db, 'host2') == []
    moves.update(tools.db, migration.uuid, status='confirmed')
    assert places.kept(tools.db, 'host1') == places.kept(tools.db, 'host2') == []


@pytest.mark.parametrize('status, end', [('migrating', 'error'), ('finished', 'confirmed')])
def test_a_delete_leaves_nothing_of_it(tools, ctxt, instance, status, end):
    _, migration = ask(tools, ctxt, instance)
    moves.update(tools.db, migration.uuid, status=status)
    sweep.run(tools)
    assert moves.get(tools.db, migration.uuid).status == status
    instances.request_delete(tools.db, instance.uuid, ctxt)
    instances.transition(tools.db, instance.uuid, 'deleted')
    tools.compute.casts.clear()
    sweep.run(tools)
    assert tools.placement.held == {}
    assert moves.get(tools.db, migration.uuid).status == end
    assert sorted(tools.compute.casts) == [('remove_stray_guest', host, instance.uuid) for host in ('host1', 'host2')]


def test_what_nobody_confirmed(tools, ctxt, instance, clock):
    records.set_columns(tools.db, instance.uuid, vm_state='resized', host='host2')
    migration = moves.ensure(tools.db, migration_of(instance, status='finished', dest_compute='host2'))
    resizing.confirm_old(tools, 'host2', 100)
    clock.forward(101)
    resizing.confirm_old(tools, 'host1', 100)
    assert operations_db.list_by_instance(tools.db, instance.uuid) == [], 'the host that has it now sees to it'
    resizing.confirm_old(tools, 'host2', 100)
    resizing.confirm_old(tools, 'host2', 100)
    [order] = operations_db.list_by_instance(tools.db, instance.uuid)
    assert (order.name, order.host) == ('confirm_resize', 'host1')
    assert order.arguments['migration'].uuid == migration.uuid
    assert tools.compute.casts == [('run_operation', 'host1', order.uuid)]


@pytest.mark.parametrize('down, other', [('host2', 'host1'), ('host1', 'host2')])
def test_the_other_host_undoes_what_one_that_is_down_cannot(tools, ctxt, instance, clock, beat, down, other):
    order, migration = ask(tools, ctxt, instance)
    report = action_obj.StepReport(host='host1', request_id=ctxt.request_id, begin=['compute_prep_resize'],
                                   progress=operation_obj.Progress(operation_uuid=order.uuid, step='prep_resize',
                                                                   data=order.data))
    instances.update(tools.db, instance.uuid, {}, report)
    order = operations_db.get(tools.db, order.uuid)
    if down == 'host2':
        operations_db.hand_over(tools.db, order, 'host2')
    tools.compute.casts.clear()
    clock.forward(70)
    beat(*({'host1', 'host2', 'host3'} - {down}))
    sweep.run(tools)
    assert tools.pool.raised == []
    assert tools.compute.casts == [('run_operation', other, order.uuid)]
    left = operations_db.get(tools.db, order.uuid)
    assert (left.host, left.lost, left.undoing, left.step) == (other, [down], True, 'prep_resize')
    assert 'host went down' in left.fault.message
    assert actions.open_events(tools.db, instance.uuid) == []
    done = operation_obj.Progress(operation_uuid=order.uuid, done=True, left_to=down,
                                  migration={'uuid': migration.uuid, 'status': 'error'})
    instances.transition(tools.db, instance.uuid, 'operation_undone', step=action_obj.StepReport(
        host=other, request_id=ctxt.request_id, progress=done))
    left = operations_db.get(tools.db, order.uuid)
    assert (left.host, left.abandoned) == (down, True)
    assert moves.get(tools.db, migration.uuid).status == 'error'
    tools.compute.casts.clear()
    clock.forward(30)
    beat()
    sweep.run(tools)
    assert tools.compute.casts == [('run_operation', down, order.uuid)], 'it is back and cleans up'
