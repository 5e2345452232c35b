# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""The rules against spoofing: which a port gets, and with which addresses."""

from xml.etree import ElementTree

import pytest

from nova_lite import exception
from nova_lite.virt.libvirt import filters
from nova_lite.virt.libvirt import vif as interfaces
from tests.unit.virt import samples

V6 = {'version': 6, 'cidr': '2001:db8::/64', 'dhcp': False}
MAC, OTHER_MAC = 'fa:16:3e:01:02:03', 'fa:16:3e:ff:ff:ff'


def values(vif):
    found = {}
    for name, value in filters.parameters(vif):
        found.setdefault(name, []).append(str(value))
    return found


def test_an_ipv4_port():
    vif = samples.vif()
    assert filters.filter_name(vif) == 'nova-port-ipv4'
    assert values(vif) == {'IP': ['10.0.0.5'], 'IPMASK': ['32'], 'IPMAC': [MAC]}


def test_a_port_without_addresses_may_only_ask_for_one():
    vif = samples.vif(fixed_ips=[])
    assert filters.filter_name(vif) == 'nova-port'
    assert values(vif) == {}


def test_an_ipv6_port_has_its_link_local_address_too():
    vif = samples.vif(fixed_ips=[samples.fixed_ip('2001:db8::5', **V6)])
    assert filters.filter_name(vif) == 'nova-port-ipv6'
    assert values(vif) == {'IPV6': ['2001:db8::5', 'fe80::f816:3eff:fe01:203'], 'IPV6MASK': ['128', '128'],
                           'IPV6MAC': [MAC, MAC]}


def test_allowed_address_pairs():
    vif = samples.vif(allowed_address_pairs=[{'ip_address': '192.0.2.7/24', 'mac_address': OTHER_MAC},
                                             {'ip_address': '10.0.0.9'}, {'ip_address': '10.0.0.5'}])
    assert values(vif) == {'IP': ['10.0.0.5', '192.0.2.0', '10.0.0.9'], 'IPMASK': ['32', '24', '32'],
                           'IPMAC': [MAC, OTHER_MAC, MAC]}


@pytest.mark.parametrize('name', ['nova-port', 'nova-port-ipv4', 'nova-port-ipv4-ipv6'])
def test_definitions_come_before_what_refers_to_them(name):
    trees = [ElementTree.fromstring(document) for document in filters.definitions(name)]
    assert trees[-1].get('name') == name
    assert [item.get('filter') for item in trees[-1].iter('filterref')] == [tree.get('name') for tree in trees[:-1]]
    uuids = [tree.findtext('uuid') for tree in trees]
    assert len(set(uuids)) == len(uuids)


def test_whatever_is_accepted_from_a_guest_is_checked_for_its_mac_and_the_rest_is_dropped():
    rules = [rule for name in filters.RULES for rule in filters.RULES[name]]
    accepted = [attributes for action, direction, _, _, attributes in rules
                if (action, direction) == ('accept', 'out')]
    assert accepted and all('srcmacaddr' in attributes for attributes in accepted)
    last = max((rule for rule in filters.RULES['nova-base'] if rule[1] == 'out'), key=lambda rule: rule[2])
    assert (last[0], last[3], last[4]) == ('drop', 'mac', {})


def test_what_a_port_must_never_send_is_dropped_before_anything_is_accepted():
    denied = [(protocol, attributes) for rules in filters.RULES.values()
              for action, direction, priority, protocol, attributes in rules
              if (action, direction, priority) == ('drop', 'out', filters.DENY)]
    assert ('ip', {'protocol': 'udp', 'srcportstart': 67, 'srcportend': 67}) in denied
    assert ('ipv6', {'protocol': 'icmpv6', 'type': 134}) in denied


@pytest.mark.parametrize('changes, error', [
    ({'vif_type': 'binding_failed'}, exception.PortBindingFailed),
    ({'vif_type': 'ovs'}, exception.VirtualInterfaceCreateException),
    ({'bridge': None}, exception.VirtualInterfaceCreateException),
    ({'bridge': 'br9'}, exception.VirtualInterfaceCreateException)])
def test_what_cannot_be_plugged_is_refused(tmp_path, changes, error):
    (tmp_path / 'br0' / 'bridge').mkdir(parents=True)
    interfaces.check(samples.vif(), str(tmp_path))
    with pytest.raises(error):
        interfaces.check(samples.vif(**changes), str(tmp_path))
