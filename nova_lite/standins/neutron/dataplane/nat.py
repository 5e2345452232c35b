# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""The address translation of one router, as an nftables ruleset for its namespace.

A floating address stands for its guest in both directions. Other guests share the router's own address, if the router
does that at all. A connection whose translation is not valid any more ends.
"""

from nova_lite.standins.neutron.dataplane import names
from nova_lite.standins.neutron.dataplane import nftables

_AROUND = 0x1  # mark of what comes from a guest and goes by a floating address back to a guest
_FORWARD = 'type filter hook forward priority 0'
_INSIDE = names.router_device('*')


def ruleset(router):
    """The `nftables.Ruleset` of a `plan.Router`."""
    forward = ['ip daddr 169.254.0.0/16 drop']
    if router.gateway is None:
        return nftables.Ruleset(chains={'forward': nftables.Chain(tuple(forward), _FORWARD)})
    outside = names.gateway_device(router.gateway.port_id)
    own = [address.partition('/')[0] for address in router.gateway.addresses]
    spared = ' ct reply ip daddr != { %s }' % ', '.join(own) if own else ''
    forward += [
        'ct status dnat ct original ip daddr . ct reply ip saddr != @floating drop',
        'ct status snat ct reply ip daddr . ct original ip saddr != @floating%s drop' % spared,
        # Its reply has to come back here too, so both ends are translated.
        'iifname "%s" oifname "%s" ct status dnat meta mark set 0x%x' % (_INSIDE, _INSIDE, _AROUND)]
    ways = ('oifname "%s"' % outside, 'meta mark 0x%x' % _AROUND)
    sources = ['%s snat to ip saddr map @floating_out' % way for way in ways]
    if router.snat and own:
        sources += ['%s snat to %s' % (way, own[0]) for way in ways]
    return nftables.Ruleset(
        {'floating_in': nftables.Collection('map', 'ipv4_addr : ipv4_addr', frozenset(
            '%s : %s' % pair for pair in router.floating)),
         'floating_out': nftables.Collection('map', 'ipv4_addr : ipv4_addr', frozenset(
             '%s : %s' % (fixed, floating) for floating, fixed in router.floating)),
         'floating': nftables.Collection('set', 'ipv4_addr . ipv4_addr', frozenset(
             '%s . %s' % pair for pair in router.floating))},
        {'forward': nftables.Chain(tuple(forward), _FORWARD),
         'prerouting': nftables.Chain(('dnat to ip daddr map @floating_in',), 'type nat hook prerouting priority -100'),
         'postrouting': nftables.Chain(tuple(sources), 'type nat hook postrouting priority 100')})
