# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""The basic filter: a guest may speak only as the MAC and IP addresses of its port, and is no DHCP server or router.

libvirt's nwfilter keeps the rules. They are few and the same for every guest; the addresses of a port are parameters
in the guest's XML. A port's filter is put together by what the port has: IPv4 addresses, IPv6 addresses. Lists of
addresses, masks and MACs are walked side by side: `$IP[@1]` and `$IPMASK[@1]` mean one pair.
"""

import ipaddress
import uuid
from xml.etree import ElementTree

from nova_lite.virt.libvirt.domain import elements

NAMESPACE = uuid.UUID('6f0e3c58-6d5c-4f3e-9d53-1c8f35f40d0b')      # the uuid of a filter is made from its name
PORT = 'nova-port'
# Lower comes first.
DENY, ALLOW, DROP = 100, 500, 900
ROUTER_ADVERTISEMENT = 134
UNSPECIFIED_SOURCE_TYPES = (133, 135, 143)      # router and neighbour solicitation, multicast listener report
DHCP_QUESTION = {'srcipaddr': '0.0.0.0', 'dstipaddr': '255.255.255.255', 'protocol': 'udp',
                 'srcportstart': 68, 'srcportend': 68, 'dstportstart': 67, 'dstportend': 67}

# {name: [(action, direction as the guest sees it, priority, protocol, attributes)…]}. Whatever is accepted from a
# guest is checked for the source's MAC as well. All rules are in one chain: libvirt runs a program for each rule and
# for each chain whenever a guest starts.
RULES = {
    'nova-base': [
        ('drop', 'out', DENY, 'ip', {'protocol': 'udp', 'srcportstart': 67, 'srcportend': 67}),
        ('accept', 'out', ALLOW, 'ip', {'srcmacaddr': '$MAC', **DHCP_QUESTION}),
        # the question before an address is taken, whether somebody has it
        ('accept', 'out', ALLOW, 'arp', {'srcmacaddr': '$MAC', 'arpsrcmacaddr': '$MAC', 'arpsrcipaddr': '0.0.0.0'}),
        # how QEMU tells the switches where the guest is after a migration
        ('accept', 'out', ALLOW, 'mac', {'protocolid': 'rarp', 'srcmacaddr': '$MAC'}),
        ('drop', 'out', DROP, 'mac', {}),
    ],
    'nova-allow-ipv4': [
        ('accept', 'out', ALLOW, 'arp', {'srcmacaddr': '$IPMAC[@1]', 'arpsrcmacaddr': '$IPMAC[@1]',
                                         'arpsrcipaddr': '$IP[@1]', 'arpsrcipmask': '$IPMASK[@1]'}),
        ('accept', 'out', ALLOW, 'ip', {'srcmacaddr': '$IPMAC[@1]', 'srcipaddr': '$IP[@1]',
                                        'srcipmask': '$IPMASK[@1]'}),
    ],
    'nova-allow-ipv6': [
        ('drop', 'out', DENY, 'ipv6', {'protocol': 'icmpv6', 'type': ROUTER_ADVERTISEMENT}),
        ('drop', 'out', DENY, 'ipv6', {'protocol': 'udp', 'srcportstart': 547, 'srcportend': 547}),
        *(('accept', 'out', ALLOW, 'ipv6', {'srcmacaddr': '$MAC', 'srcipaddr': '::', 'protocol': 'icmpv6',
                                            'type': kind}) for kind in UNSPECIFIED_SOURCE_TYPES),
        ('accept', 'out', ALLOW, 'ipv6', {'srcmacaddr': '$IPV6MAC[@1]', 'srcipaddr': '$IPV6[@1]',
                                          'srcipmask': '$IPV6MASK[@1]'}),
    ],
}
# What a port has, as a suffix of its filter's name: the rules that it adds, the parameter by which it is known.
FEATURES = {'ipv4': ('nova-allow-ipv4', 'IP'), 'ipv6': ('nova-allow-ipv6', 'IPV6')}


def filter_name(vif):
    """The filter of a vif, as `nova-port-ipv4-ipv6`."""
    names = {name for name, _ in parameters(vif)}
    return '-'.join((PORT, *(feature for feature, (_, mark) in FEATURES.items() if mark in names)))


def parameters(vif):
    """[(name, value)…] of the filter's variables for a vif; a name that comes several times is a list."""
    found = []
    for mac, network in _allowed(vif):
        prefix = 'IP' if network.version == 4 else 'IPV6'
        found += [(prefix, network.network_address), (prefix + 'MASK', network.prefixlen), (prefix + 'MAC', mac)]
    return found


def _allowed(vif):
    """(MAC, network) of all that the guest may speak as, each once."""
    pairs = [(vif.address, ipaddress.ip_network(fixed.address)) for fixed in vif.fixed_ips]
    for pair in vif.allowed_address_pairs:
        pairs.append((pair.get('mac_address') or vif.address, ipaddress.ip_network(pair['ip_address'], strict=False)))
    if any(network.version == 6 for _, network in pairs):
        pairs += [(mac, _link_local(mac)) for mac in {mac: None for mac, network in pairs if network.version == 6}]
    return dict.fromkeys(pairs)


def _link_local(mac):
    """The address that an interface gives itself by its MAC (EUI-64)."""
    octets = bytes.fromhex(mac.replace(':', ''))
    interface = bytes((octets[0] ^ 2,)) + octets[1:3] + b'\xff\xfe' + octets[3:]
    return ipaddress.ip_network((ipaddress.ip_address('fe80::').packed[:8] + interface, 128))


def definitions(name):
    """The XML of a port's filter and of all that it refers to, in the order in which they have to be defined."""
    parts = ['nova-base', *(FEATURES[feature][0] for feature in name.removeprefix(PORT).split('-')[1:])]
    yield from (_rules_xml(part) for part in parts)
    top = _filter(name)
    for part in parts:
        elements.add(top, 'filterref', filter=part)
    yield ElementTree.tostring(top, encoding='unicode')


def _filter(name):
    top = ElementTree.Element('filter', name=name, chain='root')
    elements.add(top, 'uuid', uuid.uuid5(NAMESPACE, name))
    return top


def _rules_xml(name):
    top = _filter(name)
    for action, direction, priority, protocol, attributes in RULES[name]:
        rule = elements.add(top, 'rule', action=action, direction=direction, priority=priority)
        elements.add(rule, protocol, **attributes)
    return ElementTree.tostring(top, encoding='unicode')
