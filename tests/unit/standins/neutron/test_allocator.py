# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Free addresses in memory, and what happens to records when the database fails."""

import pytest

from nova_lite.standins import rest
from nova_lite.standins.neutron import allocator
from nova_lite.standins.neutron import records


def pools(*ranges, version=4):
    return {'ip_version': version, 'allocation_pools': [{'start': start, 'end': end} for start, end in ranges]}


def take(free):
    address = free.find()
    if address is not None:
        free.add(address)
    return address


def test_every_address_once_then_none():
    free = allocator.Allocator(pools(('10.0.0.2', '10.0.0.3'), ('10.0.0.9', '10.0.0.9')))
    assert [take(free) for _ in range(4)] == ['10.0.0.2', '10.0.0.3', '10.0.0.9', None]
    free.discard('10.0.0.3')
    assert [take(free), take(free)] == ['10.0.0.3', None]


def test_addresses_are_given_out_in_turn():
    free = allocator.Allocator(pools(('10.0.0.2', '10.0.0.5')))
    assert take(free) == '10.0.0.2'
    free.discard('10.0.0.2')
    assert [take(free) for _ in range(4)] == ['10.0.0.3', '10.0.0.4', '10.0.0.5', '10.0.0.2']


def test_what_somebody_has_in_mind_is_left_out():
    free = allocator.Allocator(pools(('10.0.0.2', '10.0.0.3')))
    assert free.find(['10.0.0.2']) == '10.0.0.3'
    assert free.find(['10.0.0.2', '10.0.0.3']) is None


def test_an_address_of_two_ports_is_free_after_both():
    free = allocator.Allocator(pools(('10.0.0.2', '10.0.0.2')))
    free.add('10.0.0.2')
    free.add('10.0.0.2')
    free.discard('10.0.0.2')
    assert free.uses('10.0.0.2')
    free.discard('10.0.0.2')
    assert not free.uses('10.0.0.2')


def test_ipv6_and_no_pools():
    assert allocator.Allocator(pools(('fd00::2', 'fd00::ffff'), version=6)).find() == 'fd00::2'
    assert allocator.Allocator(pools()).find() is None


SUBNET = {'id': 's', 'network_id': 'n', 'project_id': 'p', 'subnetpool_id': None, **pools(('10.0.0.2', '10.0.0.9'))}


def port(name, *addresses):
    return {'id': name, 'project_id': 'p', 'network_id': 'n', 'device_id': 'd', 'mac_address': 'm',
            'security_groups': [], 'fixed_ips': [{'subnet_id': 's', 'ip_address': address} for address in addresses]}


@pytest.fixture
def kept(store):
    kept = records.Records(store)
    with kept.change():
        kept.put('subnet', SUBNET)
        kept.put('port', port('a', '10.0.0.2'))
    return kept


def test_a_failed_change_leaves_nothing(kept):
    with pytest.raises(KeyError), kept.change():
        kept.put('port', port('a', '10.0.0.5'))
        kept.put('port', port('b', '10.0.0.6'))
        kept.delete('subnet', 's')
        raise KeyError
    assert kept.all('port') == [port('a', '10.0.0.2')]
    assert kept.get('subnet', 's') == SUBNET
    assert kept.find('port', 'address', ('s', '10.0.0.5')) == []
    assert kept.find('port', 'device_id', 'd') == [port('a', '10.0.0.2')]


def test_memory_is_what_the_database_took(kept, store):
    store.execute(records._TABLE.delete().where(records._TABLE.c.kind == 'none'))
    store.execute(records._TABLE.insert().values(kind='port', id='b', position=99, data='{}'))
    with pytest.raises(Exception, match='UNIQUE|IntegrityError'), kept.change():
        kept.put('port', port('b', '10.0.0.6'))
    assert kept.get('port', 'b') is None
    assert not kept.allocators['s'].uses('10.0.0.6')


def test_changes_need_a_block(kept):
    with pytest.raises(RuntimeError):
        kept.put('port', port('b'))


def test_an_unreachable_database_is_a_503(kept, store, monkeypatch):
    def begin():
        raise rest.Fault(503, 'The database is not available')
    monkeypatch.setattr(store, 'begin', begin)
    with pytest.raises(rest.Fault), kept.change():
        kept.delete('port', 'a')
    assert kept.get('port', 'a') is not None and kept.allocators['s'].uses('10.0.0.2')
