# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Deleting without a host."""

import uuid

import pytest

from nova_lite import exception
from nova_lite.conductor.tasks import delete
from nova_lite.db import actions
from nova_lite.db import instances
from tests.fixtures import records


def deleting(tools, make, **kwargs):
    """(Instance, context of its delete); it holds a port and an allocation."""
    instance, ctxt = make(tools.db, records.user_context(), **kwargs), records.user_context()
    tools.placement.held[instance.uuid] = 'somewhere'
    tools.network.ports[instance.uuid] = {'port'}
    return instances.request_delete(tools.db, instance.uuid, ctxt), ctxt


def is_gone(tools, instance):
    return instances.get(tools.db, instance.uuid, read_deleted=True).deleted


@pytest.mark.parametrize('make', [records.created, records.building, records.active])
def test_all_that_it_holds_is_given_back(tools, make):
    instance, ctxt = deleting(tools, make)
    records.set_columns(tools.db, instance.uuid, host=None)
    delete.delete_instance(tools, ctxt, instance.uuid)
    assert is_gone(tools, instance) and tools.placement.held == tools.network.ports == {}
    action = actions.get(tools.db, instance.uuid, ctxt.request_id)
    assert [(event.event, event.result) for event in action.events] == [(delete.LOCAL_DELETE, 'Success')]
    assert action.finish_time and action.message is None


def test_a_host_that_is_up_does_it_itself(tools):
    instance, ctxt = deleting(tools, records.active)
    delete.delete_instance(tools, ctxt, instance.uuid)
    assert tools.compute.casts == [('terminate', 'host1', instance.uuid)] and not is_gone(tools, instance)


def test_for_a_host_that_is_down_it_is_done(tools, clock, beat):
    instance, ctxt = deleting(tools, records.active)
    clock.forward(100)
    beat('host2')
    delete.delete_instance(tools, ctxt, instance.uuid)
    assert is_gone(tools, instance)
    assert tools.compute.casts == [('terminate', 'host1', instance.uuid)], 'should it only have been slow, it cleans up'


def test_the_message_to_such_a_host_may_get_lost(tools, clock, beat):
    instance, ctxt = deleting(tools, records.active)
    clock.forward(100)
    beat('host2')
    tools.compute.errors.append(exception.MessagingUnavailable())
    delete.delete_instance(tools, ctxt, instance.uuid)
    assert is_gone(tools, instance)
    assert actions.get(tools.db, instance.uuid, ctxt.request_id).message is None


@pytest.mark.parametrize('away', ['placement', 'network'])
def test_it_waits_for_placement_and_neutron(tools, away):
    instance, ctxt = deleting(tools, records.created)
    getattr(tools, away).away = True
    delete.delete_instance(tools, ctxt, instance.uuid)
    assert instances.get(tools.db, instance.uuid).task_state == 'deleting'
    getattr(tools, away).away = False
    delete.delete_instance(tools, ctxt, instance.uuid)
    assert is_gone(tools, instance) and tools.placement.held == tools.network.ports == {}
    action = actions.get(tools.db, instance.uuid, ctxt.request_id)
    assert [event.result for event in action.events] == ['Error', 'Success']


def test_an_unexpected_error_ends_in_error_and_can_be_repeated(tools, monkeypatch):
    instance, ctxt = deleting(tools, records.created)

    def explode(*args):
        raise RuntimeError('secret')
    with monkeypatch.context() as patch:
        patch.setattr(tools.network, 'deallocate_for_instance', explode)
        delete.delete_instance(tools, ctxt, instance.uuid)
    after = instances.get(tools.db, instance.uuid)
    assert (after.vm_state, after.task_state, after.fault.message) == ('error', None, 'RuntimeError')
    instances.request_delete(tools.db, instance.uuid, ctxt)
    delete.delete_instance(tools, ctxt, instance.uuid)
    assert is_gone(tools, instance)


def test_messages_that_come_twice_late_or_for_nothing(tools):
    instance, ctxt = deleting(tools, records.created)
    running = records.active(tools.db, ctxt)
    for uuid_ in (instance.uuid, instance.uuid, str(uuid.uuid4()), running.uuid):
        delete.delete_instance(tools, ctxt, uuid_)
    assert instances.get(tools.db, running.uuid).vm_state == 'active'
    with pytest.raises(exception.InstanceNotFound):
        instances.get(tools.db, instance.uuid)


def test_the_users_port_is_kept(tools):
    vif = records.vif('10.0.0.1', preserve_on_delete=True)
    instance, ctxt = deleting(tools, records.created, network_info=[vif])
    tools.network.ports[instance.uuid] = {vif.id, 'ours'}
    delete.delete_instance(tools, ctxt, instance.uuid)
    assert tools.network.unbound == {vif.id}
