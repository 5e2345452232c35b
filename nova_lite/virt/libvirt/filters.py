# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""The basic filter: a guest may speak only as the MAC and IP addresses of its port, and is no DHCP server or router.

libvirt's nwfilter keeps the rules. They are few and the same for every guest; the addresses of a port are parameters
in the guest's XML. A port's filter is put together by what the port has: IPv4 addresses, IPv6 addresses, a known DHCP
server. Lists of addresses, masks and MACs are walked side by side: `$IP[@1]` and `$IPMASK[@1]` mean one pair.
"""

import ipaddress
import uuid
from xml.etree import ElementTree

from nova_lite.virt.libvirt.domain import elements

NAMESPACE = uuid.UUID('6f0e3c58-6d5c-4f3e-9d53-1c8f35f40d0b')      # the uuid of a filter is made from its name
PORT = 'nova-port'
MAC_CHAIN, ARP_CHAIN, IPV4_CHAIN, IPV6_CHAIN, ROOT_CHAIN = 'mac', 'arp', 'ipv4', 'ipv6', 'root'
# Lower comes first.
EARLY, ALLOW, DROP = 100, 500, 900
ROUTER_ADVERTISEMENT = 134
UNSPECIFIED_SOURCE_TYPES = (133, 135, 143)      # router and neighbour solicitation, multicast listener report

# {name: (chain, [(action, direction, priority, protocol, attributes)…])}
RULES = {
    'nova-no-mac-spoofing': (MAC_CHAIN, [
        ('return', 'out', ALLOW, 'mac', {'srcmacaddr': '$OWNMAC'}),
        ('drop', 'out', DROP, 'mac', {}),
    ]),
    'nova-no-arp-spoofing': (ARP_CHAIN, [
        # the question before an address is taken, whether somebody has it
        ('accept', 'out', EARLY, 'arp', {'arpsrcmacaddr': '$MAC', 'arpsrcipaddr': '0.0.0.0'}),
        ('drop', 'out', DROP, 'arp', {}),
    ]),
    'nova-no-ip-spoofing': (IPV4_CHAIN, [
        ('drop', 'out', EARLY, 'ip', {'protocol': 'udp', 'srcportstart': 67, 'srcportend': 67}),
        ('accept', 'out', EARLY + 1, 'ip', {
            'srcmacaddr': '$MAC', 'srcipaddr': '0.0.0.0', 'dstipaddr': '255.255.255.255', 'protocol': 'udp',
            'srcportstart': 68, 'srcportend': 68, 'dstportstart': 67, 'dstportend': 67}),
        ('drop', 'out', DROP, 'ip', {}),
    ]),
    'nova-no-ipv6-spoofing': (IPV6_CHAIN, [
        ('drop', 'out', DROP, 'ipv6', {}),
    ]),
    'nova-no-other-traffic': (ROOT_CHAIN, [
        # how QEMU tells the switches where the guest is after a migration
        ('accept', 'out', ALLOW, 'mac', {'protocolid': 'rarp', 'srcmacaddr': '$MAC'}),
        ('drop', 'out', DROP, 'mac', {}),
    ]),
    'nova-allow-arp': (ARP_CHAIN, [
        ('accept', 'out', ALLOW, 'arp', {
            'arpsrcmacaddr': '$IPMAC[@1]', 'arpsrcipaddr': '$IP[@1]', 'arpsrcipmask': '$IPMASK[@1]'}),
    ]),
    'nova-allow-ipv4': (IPV4_CHAIN, [
        ('accept', 'out', ALLOW, 'ip', {'srcmacaddr': '$IPMAC[@1]', 'srcipaddr': '$IP[@1]',
                                        'srcipmask': '$IPMASK[@1]'}),
    ]),
    'nova-allow-ipv6': (IPV6_CHAIN, [
        ('drop', 'out', EARLY, 'ipv6', {'protocol': 'icmpv6', 'type': ROUTER_ADVERTISEMENT}),
        ('drop', 'out', EARLY, 'ipv6', {'protocol': 'udp', 'srcportstart': 547, 'srcportend': 547}),
        *(('accept', 'out', EARLY + 1, 'ipv6', {'srcmacaddr': '$MAC', 'srcipaddr': '::', 'protocol': 'icmpv6',
                                                'type': kind}) for kind in UNSPECIFIED_SOURCE_TYPES),
        ('accept', 'out', ALLOW, 'ipv6', {'srcmacaddr': '$IPV6MAC[@1]', 'srcipaddr': '$IPV6[@1]',
                                          'srcipmask': '$IPV6MASK[@1]'}),
    ]),
    'nova-dhcp-server': (IPV4_CHAIN, [
        ('accept', 'in', EARLY, 'ip', {
            'srcipaddr': '$DHCPSERVER', 'protocol': 'udp', 'srcportstart': 67, 'srcportend': 67,
            'dstportstart': 68, 'dstportend': 68}),
        ('drop', 'in', EARLY + 1, 'ip', {'protocol': 'udp', 'srcportstart': 67, 'srcportend': 67, 'dstportstart': 68,
                                         'dstportend': 68}),
    ]),
}
CHAIN_PRIORITIES = {MAC_CHAIN: -810, IPV4_CHAIN: -700, IPV6_CHAIN: -600, ARP_CHAIN: -500, ROOT_CHAIN: None}
BASE = ('nova-no-mac-spoofing', 'nova-no-arp-spoofing', 'nova-no-ip-spoofing', 'nova-no-ipv6-spoofing',
        'nova-no-other-traffic')
# What a port has, as a suffix of its filter's name, and the rules that it adds.
FEATURES = {'ipv4': ('nova-allow-arp', 'nova-allow-ipv4'), 'ipv6': ('nova-allow-ipv6',), 'dhcp': ('nova-dhcp-server',)}


def filter_name(vif):
    """The filter of a vif, as `nova-port-ipv4-dhcp`."""
    names = {name for name, _ in parameters(vif)}
    marks = {'ipv4': 'IP', 'ipv6': 'IPV6', 'dhcp': 'DHCPSERVER'}
    return '-'.join((PORT, *(feature for feature, mark in marks.items() if mark in names)))


def parameters(vif):
    """[(name, value)…] of the filter's variables for a vif; a name that comes several times is a list."""
    allowed = list(_allowed(vif))
    found = [('OWNMAC', mac) for mac in dict.fromkeys([vif.address, *(mac for mac, _ in allowed)])]
    for mac, network in allowed:
        prefix = 'IP' if network.version == 4 else 'IPV6'
        found += [(prefix, network.network_address), (prefix + 'MASK', network.prefixlen), (prefix + 'MAC', mac)]
    servers = (fixed.dhcp_server for fixed in vif.fixed_ips if fixed.version == 4)
    found += [('DHCPSERVER', server) for server in dict.fromkeys(servers) if server]
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
    features = name.removeprefix(PORT).split('-')[1:]
    parts = [part for feature in features for part in FEATURES[feature]]
    yield from (_rules_xml(part) for part in (*BASE, *parts))
    top = _filter(name, ROOT_CHAIN)
    for part in (*BASE, *parts):
        elements.add(top, 'filterref', filter=part)
    yield ElementTree.tostring(top, encoding='unicode')


def _filter(name, chain):
    top = ElementTree.Element('filter', name=name, chain=chain)
    if CHAIN_PRIORITIES[chain] is not None:
        top.set('priority', str(CHAIN_PRIORITIES[chain]))
    elements.add(top, 'uuid', uuid.uuid5(NAMESPACE, name))
    return top


def _rules_xml(name):
    chain, rules = RULES[name]
    top = _filter(name, chain)
    for action, direction, priority, protocol, attributes in rules:
        rule = elements.add(top, 'rule', action=action, direction=direction, priority=priority)
        elements.add(rule, protocol, **attributes)
    return ElementTree.tostring(top, encoding='unicode')
