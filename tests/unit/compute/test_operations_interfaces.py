# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Interfaces that come and go on built servers: ports, devices and the record, also when something fails."""

import pytest

from nova_lite import exception
from nova_lite.compute import power_state
from nova_lite.objects import network
from tests.unit.compute import doubles

USERS_PORT = 'port-of-the-user'
A_NETWORK = network.NetworkRequest(network_id=doubles.PORT_NETWORK)
A_PORT = network.NetworkRequest(port_id=USERS_PORT, tag='backend')


@pytest.fixture
def uuid(world):
    made = world.build(world.order()).uuid
    world.network.ports[USERS_PORT] = ''
    return made


def macs(world, uuid):
    return world.driver._guests.get(uuid).mac_addresses


def ports(world, uuid):
    return {port_id for port_id, owner in world.network.ports.items() if owner == uuid}


def recorded(world, uuid):
    return {vif.id for vif in world.record(uuid).network_info}


@pytest.mark.parametrize('request_', [A_NETWORK, A_PORT], ids=['network', 'port'])
def test_an_interface_more(world, uuid, request_):
    record = world.operate(uuid, 'attach_interface', request=request_)
    assert (record.vm_state, record.task_state, record.power_state) == ('active', None, power_state.RUNNING)
    assert len(record.network_info) == 2 and recorded(world, uuid) == ports(world, uuid)
    assert record.network_info[1].preserve_on_delete is (request_ is A_PORT)
    assert ('compute_attach_interface', 'Success') in world.database.events
    assert world.leftovers() == []


def test_the_caller_is_told_the_port(world, uuid):
    order = world.request(uuid, 'attach_interface', request=A_PORT)
    assert world.manager.finish_operation(doubles.new_context(), uuid, order.uuid) == USERS_PORT
    assert world.manager.finish_operation(doubles.new_context(), uuid, order.uuid) is None, 'it has ended already'


@pytest.mark.parametrize('request_', [A_NETWORK, A_PORT], ids=['network', 'port'])
def test_a_guest_that_refuses_it(world, uuid, request_, monkeypatch):
    before = recorded(world, uuid), macs(world, uuid)

    def refuse(*args):
        raise exception.HypervisorError(operation='attach a device', reason='no slot')
    monkeypatch.setattr(world.driver, 'attach_interface', refuse)
    order = world.request(uuid, 'attach_interface', request=request_)
    with pytest.raises(Exception) as caught:        # as oslo.messaging hands an expected error on
        world.manager.finish_operation(doubles.new_context(), uuid, order.uuid)
    assert isinstance(caught.value.exc_info[1], exception.HypervisorError)
    assert (recorded(world, uuid), macs(world, uuid)) == before
    assert ports(world, uuid) == before[0] and world.network.ports[USERS_PORT] == ''
    assert world.leftovers() == []


def test_what_a_crash_left_is_taken_up(world, uuid):
    order = world.request(uuid, 'attach_interface', request=A_NETWORK)
    order.step = 'allocate_port_for_instance'
    world.network.ports['made-before-the-crash'] = uuid
    world.restart()
    world.manager.init_host()
    record = world.operated(uuid, order)
    assert len(record.network_info) == 2 and recorded(world, uuid) == ports(world, uuid)
    assert 'made-before-the-crash' not in world.network.ports


def test_a_port_twice(world, uuid):
    world.operate(uuid, 'attach_interface', request=A_PORT)
    world.operate(uuid, 'attach_interface', request=A_PORT)
    assert world.network.ports[USERS_PORT] == uuid and len(world.record(uuid).network_info) == 2


@pytest.mark.parametrize('request_', [A_NETWORK, A_PORT], ids=['network', 'port'])
def test_an_interface_less(world, uuid, request_):
    world.operate(uuid, 'attach_interface', request=request_)
    vif = world.record(uuid).network_info[1]
    record = world.operate(uuid, 'detach_interface', vif=vif)
    assert len(record.network_info) == 1 and recorded(world, uuid) == ports(world, uuid)
    assert world.network.ports.get(vif.id) == ('' if request_ is A_PORT else None)
    assert ('compute_detach_interface', 'Success') in world.database.events
    world.operate(uuid, 'detach_interface', vif=vif)
    assert world.leftovers() == []


def test_a_guest_that_does_not_let_go(world, uuid, monkeypatch):
    def keep(*args):
        raise exception.DeviceDetachFailed(device='tap0', reason='the guest does not let go of it')
    monkeypatch.setattr(world.driver, 'detach_interface', keep)
    before = recorded(world, uuid)
    record = world.operate(uuid, 'detach_interface', vif=world.record(uuid).network_info[0])
    assert recorded(world, uuid) == ports(world, uuid) == before
    assert 'does not let go' in record.fault.message


def test_without_the_network_service_the_guest_gets_it_back(world, uuid):
    world.network.unreachable = True
    before = macs(world, uuid)
    world.operate(uuid, 'detach_interface', vif=world.record(uuid).network_info[0])
    assert macs(world, uuid) == before and len(world.record(uuid).network_info) == 1
    world.network.unreachable = False


def test_another_operation_may_wait_meanwhile(world, uuid):
    order = world.request(uuid, 'attach_interface', request=A_NETWORK)
    world.database._move(uuid, 'stop_requested', {}, None, None)
    world.manager.run_operation(doubles.new_context(), uuid, order.uuid)
    record = world.operated(uuid, order)
    assert (record.vm_state, record.task_state) == ('active', 'powering-off') and len(record.network_info) == 2
