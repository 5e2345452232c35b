# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""The installation's nftables table: what guests may reach, and the masquerade for what leaves the host.

Guests of a network with a gateway reach the world, but of the host itself only ICMP. A network without one gets
nothing through the host.
"""

import dataclasses
import os

from nova_lite.standins.neutron.dataplane import nftables

NOTE = 'ip_forward.before'  # file that says that forwarding was off
FORWARD_SWITCH = '/proc/sys/net/ipv4/ip_forward'


@dataclasses.dataclass(frozen=True, slots=True)
class Bridge:
    """A bridge of ours.

    `cidrs` are its subnets that the host routes, none for an isolated network. `zone` keeps its connections apart
    from others with the same addresses; 0, the host's own, where the host routes.
    """

    name: str
    cidrs: tuple = ()
    zone: int = 0


def ruleset(bridges, tracking):
    """The `nftables.Ruleset` of the inet family for the bridges. `tracking` is what `conntrack.find` gave."""
    inputs, forwards, masquerades = [], [], []
    names = ', '.join('"%s"' % bridge.name for bridge in bridges)
    routed = ', '.join(cidr for bridge in bridges for cidr in bridge.cidrs)
    if bridges:
        inputs.append('iifname { %s } jump from_guests' % names)
    if routed:
        # Not what goes to a bridge of ours: with br_netfilter that may be a frame that the host does not route.
        masquerades.append('ip saddr { %s } oifname != { %s } masquerade' % (routed, names))
    for bridge in bridges:
        # Frames between guests pass here too where the kernel's br_netfilter is on.
        forwards.append('iifname "%s" oifname "%s" accept' % (bridge.name, bridge.name))
        if not bridge.cidrs:
            forwards.append('iifname "%s" drop' % bridge.name)
            forwards.append('oifname "%s" drop' % bridge.name)
            continue
        cidrs = ', '.join(bridge.cidrs)
        forwards.append('iifname "%s" meta nfproto ipv6 drop' % bridge.name)
        forwards.append('iifname "%s" ip saddr != { %s } drop' % (bridge.name, cidrs))
        # Otherwise a guest would read, by the host's identity, the metadata of the cloud that the host is in.
        forwards.append('iifname "%s" ip daddr 169.254.0.0/16 reject' % bridge.name)
    return nftables.Ruleset(chains={
        'from_guests': nftables.Chain((
            'ct state established,related accept', 'ip protocol icmp accept', 'reject')),
        'input': nftables.Chain(tuple(inputs), 'type filter hook input priority -5'),
        'forward': nftables.Chain(tuple(forwards), 'type filter hook forward priority -5'),
        'postrouting': nftables.Chain(tuple(masquerades), 'type nat hook postrouting priority 100'),
        **tracking.inet_chains(bridges)})


def forward(note):
    """Let the kernel forward IPv4, and write down in the file `note` if it did not before."""
    with open(FORWARD_SWITCH, encoding='ascii') as switch:
        if switch.read().strip() == '1':
            return
    with open(note, 'w', encoding='ascii') as record:
        record.write('0\n')
    _set_forward('1')


def restore_forward(note, bridges_left):
    """Undo `forward`, unless other bridges on the host, which may rely on it by now, are left."""
    if os.path.exists(note) and not bridges_left:
        _set_forward('0')


def _set_forward(text):
    with open(FORWARD_SWITCH, 'w', encoding='ascii') as switch:
        switch.write(text)
