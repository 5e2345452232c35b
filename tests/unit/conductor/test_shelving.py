# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Where a shelved server goes, and when it is taken from its host."""

import datetime
import uuid

import pytest

from nova_lite.conductor import manager
from nova_lite.conductor.tasks import shelving
from nova_lite.conductor.tasks import sweep
from nova_lite.db import instances
from nova_lite.db import operations as operations_db
from nova_lite.db import orders
from nova_lite.objects import operation as operation_obj
from tests.fixtures import records
from tests.unit.conductor import conftest


@pytest.fixture
def offloaded(tools, ctxt):
    """A server that no host has."""
    built = records.active(tools.db, ctxt, 'host3')
    instances.transition(tools.db, built.uuid, 'shelve_requested')
    instances.transition(tools.db, built.uuid, 'shelving_offloading')
    return instances.transition(tools.db, built.uuid, 'shelve_offloaded', {'host': None, 'node': None})


def ask(tools, instance, **arguments):
    asked = records.user_context()
    order = operation_obj.Operation(
        uuid=str(uuid.uuid4()), instance_uuid=instance.uuid, name='unshelve_offloaded', request_id=asked.request_id,
        user_id='user', project_id='project', arguments=arguments)
    instances.request_operation(tools.db, asked, 'unshelve_offloaded_requested', 'unshelve', order)
    return order


@pytest.mark.parametrize('host', [None, 'host2'])
def test_the_scheduler_chooses_its_host(tools, ctxt, offloaded, host):
    order = ask(tools, offloaded, wanted_host=host)
    manager.ComputeTaskManager(tools).run_operation(ctxt, offloaded.uuid, order.uuid)
    assert tools.pool.raised == []
    [spec] = tools.scheduler.specs
    assert (spec.requested_destination or {}).get('host') == host
    given = operations_db.get(tools.db, order.uuid)
    assert given.host == given.data['dest_host'] and given.data['dest_node']
    assert tools.placement.held[offloaded.uuid] == given.host


def test_a_host_that_goes_down_on_the_way_keeps_nothing(tools, ctxt, offloaded, clock, beat):
    order = ask(tools, offloaded)
    manager.ComputeTaskManager(tools).run_operation(ctxt, offloaded.uuid, order.uuid)
    assert offloaded.uuid in tools.placement.held
    clock.forward(100)
    beat(*[host for host in conftest.HOSTS if host != operations_db.get(tools.db, order.uuid).host])
    sweep.run(tools)
    instance = instances.get(tools.db, offloaded.uuid)
    assert (instance.vm_state, instance.task_state, instance.host) == ('shelved_offloaded', None, None)
    assert offloaded.uuid not in tools.placement.held
    assert operations_db.get(tools.db, order.uuid).abandoned


# ---- long enough ---------------------------------------------------------------------------------------------

@pytest.fixture
def shelved(tools, ctxt):
    """shelved(host, seconds) → a server that was shelved so long ago"""
    def make(host, seconds, **values):
        built = records.active(tools.db, ctxt, host)
        then = orders.clock(tools.db) - datetime.timedelta(seconds=seconds)
        instances.transition(tools.db, built.uuid, 'shelve_requested')
        return instances.transition(tools.db, built.uuid, 'shelved', {
            'system_metadata': {'shelved_at': then.isoformat()}, **values})
    return make


def test_what_was_shelved_long_enough_is_offloaded(tools, shelved):
    old = shelved('host1', 100)
    shelved('host1', 10)
    shelved('host2', 100)
    records.active(tools.db, records.user_context(), 'host1')
    for _ in range(2):
        shelving.offload_old(tools, 'host1', 60)
    [order] = operations_db.list_by_instance(tools.db, old.uuid)
    assert tools.compute.casts == [('run_operation', 'host1', order.uuid)]
    assert order.name == 'shelve_offload'
    assert instances.get(tools.db, old.uuid).task_state == 'shelving_offloading'
