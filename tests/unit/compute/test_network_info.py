# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""The record of an instance's ports follows the network service, one instance after the other."""

import dataclasses

import pytest

from nova_lite import exception
from nova_lite.compute import task_states


@pytest.fixture
def asked(world, monkeypatch):
    """[uuid…] of the instances whose ports were asked for; each answer has another MTU than before."""
    found = []

    def get(ctxt, instance):
        found.append(instance.uuid)
        return [dataclasses.replace(vif, mtu=1400 + len(found)) for vif in instance.network_info]
    monkeypatch.setattr(world.network, 'get_instance_nw_info', get, raising=False)
    return found


def test_reliability_53_one_after_the_other_and_then_again(world, asked):
    uuids = {world.build(world.order()).uuid for _ in range(3)}
    for _ in range(3):
        world.manager._heal_instance_info_cache()
    assert len(asked) == 3 and set(asked) == uuids
    assert {world.record(uuid).network_info[0].mtu for uuid in uuids} == {1401, 1402, 1403}
    world.manager._heal_instance_info_cache()
    assert len(asked) == 4 and asked[3] in uuids


def test_what_is_as_it_was_is_not_saved(world, monkeypatch):
    world.build(world.order())
    monkeypatch.setattr(world.network, 'get_instance_nw_info', lambda ctxt, instance: instance.network_info,
                        raising=False)
    before = world.database.calls.count('instance_update')
    world.manager._heal_instance_info_cache()
    assert world.database.calls.count('instance_update') == before


def test_not_while_something_is_under_way(world, asked):
    uuid = world.build(world.order()).uuid
    world.record(uuid).task_state = task_states.DELETING
    world.manager._heal_instance_info_cache()
    world.record(uuid).task_state = None
    with world.tools.locks.hold(uuid):
        world.manager._heal_instance_info_cache()
    assert asked == []


def test_a_network_service_that_is_away_changes_nothing(world, monkeypatch):
    uuid = world.build(world.order()).uuid
    known = world.record(uuid).network_info

    def away(ctxt, instance):
        raise exception.ServiceUnreachable(service='network', reason='ConnectFailure')
    monkeypatch.setattr(world.network, 'get_instance_nw_info', away, raising=False)
    world.manager._heal_instance_info_cache()
    assert world.record(uuid).network_info == known and world.record(uuid).task_state is None


def test_no_servers_no_questions(world, asked):
    world.manager._heal_instance_info_cache()
    assert asked == []
