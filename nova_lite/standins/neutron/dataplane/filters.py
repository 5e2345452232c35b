# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""What each guest may send and get, as an nftables ruleset of the bridge family: own addresses, security groups.

A tap has two chains of its own, found by a map; a security group has one for each direction, shared by its ports; a
group that rules name as remote is a set of addresses. So the ruleset grows with the number of ports, and a change
touches little. Rules are stateful by direction: replies pass, and what opened a connection is judged packet by packet,
so that a rule that is taken away ends connections too.
"""

import collections
import functools
import ipaddress

from nova_lite.standins.neutron.dataplane import names
from nova_lite.standins.neutron.dataplane import nftables

_BEFORE, _AFTER = 'type filter hook prerouting priority 10', 'type filter hook postrouting priority 10'
_FAMILY = {4: 'ip', 6: 'ip6'}
_WITH_PORTS = (6, 17, 33, 132, 136)  # TCP, UDP, DCCP, SCTP, UDP-Lite
_ICMP, _ICMPV6 = 1, 58
_HEADERS = (0, 43, 44, 59, 60)  # IPv6 extension headers; nft's l4proto is what comes after them
_NEIGHBOURS = 'nd-neighbor-solicit, nd-neighbor-advert'
_LISTENERS = 'mld-listener-report, mld-listener-done, mld2-listener-report'
_RARP = '0x8035'  # how QEMU tells a network where a guest is after a migration
_COMMON = (
    'ether type arp accept',
    'ether type %s accept' % _RARP,
    'ether type != { ip, ip6 } drop',  # frames with VLAN tags too
)
_FROM_ANY = (
    'udp sport { 67, 547 } drop',  # no guest is a DHCP server
    'icmpv6 type nd-router-advert drop',
    'ether type ip udp sport 68 udp dport 67 accept',
    'ether type ip6 udp sport 546 udp dport 547 accept',
    'icmpv6 type { nd-router-solicit, %s, %s } accept' % (_NEIGHBOURS, _LISTENERS),
    'ip daddr 169.254.169.254 tcp dport 80 accept',
)
_TO_ANY = (
    'ether type ip udp sport 67 udp dport 68 accept',
    'ether type ip6 udp sport 547 udp dport 546 accept',
    'icmpv6 type { nd-router-solicit, nd-router-advert, mld-listener-query, %s, %s } accept' % (
        _NEIGHBOURS, _LISTENERS),
)


def ruleset(security, strangers, tracking, bridges):
    """The `nftables.Ruleset` for a `plan.Security`.

    `strangers` are names of taps in our bridges that no port has: they get nothing. `tracking` is what
    `conntrack.find` gave, `bridges` are `firewall.Bridge`s.
    """
    chains = {
        **tracking.bridge_chains(bridges),
        'from_guests': nftables.Chain(('iifname vmap @from_taps',), _BEFORE),
        'to_guests': nftables.Chain(('oifname vmap @to_taps',), _AFTER),
        'from_any': nftables.Chain((*_COMMON, *_FROM_ANY, *tracking.verdicts)),
        'to_any': nftables.Chain((*_COMMON, *tracking.verdicts, *_TO_ANY)),
    }
    froms = {'"%s" : drop' % tap for tap in strangers}
    tos = set(froms)
    for port in security.ports:
        tap, label = names.tap(port.id), _label(port.id)
        froms.add('"%s" : goto from_%s' % (tap, label))
        tos.add('"%s" : goto to_%s' % (tap, label))
        chains['from_' + label] = nftables.Chain((
            *_own_addresses(port), 'jump from_any', *('jump ' + _chain('egress', group) for group in port.groups),
            'drop'))
        chains['to_' + label] = nftables.Chain((
            'jump to_any', *('jump ' + _chain('ingress', group) for group in port.groups), 'drop'))
    sets = {'from_taps': nftables.Collection('map', 'ifname : verdict', frozenset(froms)),
            'to_taps': nftables.Collection('map', 'ifname : verdict', frozenset(tos))}
    for group_id, rules in security.groups.items():
        for direction in ('ingress', 'egress'):
            chains[_chain(direction, group_id)] = nftables.Chain(tuple(dict.fromkeys(
                _rule(rule) for rule in rules if rule.direction == direction)))
    for group_id, addresses in security.members.items():
        for version, own in _split(addresses).items():
            sets[_members(group_id, version)] = nftables.Collection(
                'set', 'ipv%d_addr; flags interval' % version, frozenset(map(str, own)))
    return nftables.Ruleset(sets, chains)


def covers(ruleset, port_id):
    """Whether a ruleset filters what the guest with this port sends and gets."""
    return 'from_' + _label(port_id) in ruleset.chains


def _label(port_id):
    return names.tap(port_id)[3:].replace('-', '_')


def _chain(direction, group_id):
    return '%s_%s' % (direction, group_id.replace('-', ''))


def _members(group_id, version):
    return 'members%d_%s' % (version, group_id.replace('-', ''))


def _split(addresses):
    """{4: networks, 6: networks} of texts, those left out that another one covers: a set must not overlap."""
    found = {4: set(), 6: set()}
    for text in addresses:
        network = ipaddress.ip_network(text)
        found[network.version].add(network)
    for version, networks in found.items():
        wide = [network for network in networks if network.prefixlen < network.max_prefixlen]
        found[version] = {network for network in networks if not any(
            network != other and network.subnet_of(other) for other in wide)}
    return found


@functools.lru_cache(maxsize=4096)
def _own_addresses(port):
    """Rules that drop what a guest sends as somebody else."""
    own = collections.defaultdict(list)  # version: [(mac, network)]
    for mac, text in port.addresses:
        network = ipaddress.ip_network(text)
        own[network.version].append((mac, network))
    macs = sorted({port.mac, *(mac for mac, _ in port.addresses)})
    own[6] += [(mac, _link_local(mac)) for mac in macs]
    unspecified = [(mac, ipaddress.ip_network('0.0.0.0/32')) for mac in macs]
    return (
        'ether saddr != { %s } drop' % ', '.join(macs),
        # A guest asks for an address, and whether others have it, before it has one.
        'ip saddr 0.0.0.0 ip daddr 255.255.255.255 udp sport 68 udp dport 67 accept',
        'ip6 saddr :: icmpv6 type { nd-router-solicit, nd-neighbor-solicit, mld2-listener-report } accept',
        'arp saddr ether . arp saddr ip != { %s } drop' % _pairs(own[4] + unspecified),
        'ether saddr . ip saddr != { %s } drop' % _pairs(own[4]) if own[4] else 'ether type ip drop',
        'ether saddr . ip6 saddr != { %s } drop' % _pairs(own[6]),
        # The target of an advertisement, in numbers because nft 1.0 has no name for it.
        'icmpv6 type nd-neighbor-advert @th,64,128 != { %s } drop' % ', '.join(_numbers(own[6])),
    )


def _pairs(own):
    """The elements of a set of MAC and address; those that another one covers are left out."""
    kept = [(mac, network) for mac, network in dict.fromkeys(own) if not any(
        mac == other and network != wide and network.subnet_of(wide) for other, wide in own)]
    return ', '.join('%s . %s' % (mac, str(network).removesuffix('/%d' % network.max_prefixlen))
                     for mac, network in kept)


def _numbers(own):
    for network in ipaddress.collapse_addresses(network for _mac, network in own):
        first, last = int(network.network_address), int(network.broadcast_address)
        yield '0x%032x' % first if first == last else '0x%032x-0x%032x' % (first, last)


def _link_local(mac):
    """The address that an interface gives itself by its MAC (modified EUI-64)."""
    octets = bytes.fromhex(mac.replace(':', ''))
    tail = bytes((octets[0] ^ 2,)) + octets[1:3] + b'\xff\xfe' + octets[3:]
    return ipaddress.ip_network((ipaddress.ip_address('fe80::').packed[:8] + tail, 128))


def _rule(rule):
    """The text of one rule of a security group."""
    family = _FAMILY[rule.version]
    words = ['ether type ' + family]
    if rule.version == 6 and rule.protocol in _HEADERS:
        words.append('ip6 nexthdr %d' % rule.protocol)
    elif rule.protocol is not None:
        words.append('meta l4proto %d' % rule.protocol)
    if rule.protocol in _WITH_PORTS and rule.low is not None:
        words.append('th dport %s' % (rule.low if rule.low == rule.high else '%d-%d' % (rule.low, rule.high)))
    elif rule.protocol in (_ICMP, _ICMPV6):
        name = 'icmp' if rule.protocol == _ICMP else 'icmpv6'
        words += ['%s %s %d' % (name, field, value) for field, value in (('type', rule.low), ('code', rule.high))
                  if value is not None]
    side = 'saddr' if rule.direction == 'ingress' else 'daddr'
    if rule.remote_group is not None:
        words.append('%s %s @%s' % (family, side, _members(rule.remote_group, rule.version)))
    elif rule.prefix is not None and not rule.prefix.endswith('/0'):
        words.append('%s %s %s' % (family, side, rule.prefix))
    return ' '.join([*words, 'accept'])
