# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""How filters on bridges learn whether a frame is a reply: from the bridge's own connection tracking, or from IP's.

Kernels since 5.3 may have tracking for bridges (nf_conntrack_bridge). Where they don't, br_netfilter shows the frames
of our bridges to the IP layer, and marks on the packets carry what it found back to the bridge.
"""

import os

from nova_lite.standins.neutron.dataplane import commands
from nova_lite.standins.neutron.dataplane import links
from nova_lite.standins.neutron.dataplane import nftables

_SWITCHES = '/proc/sys/net/bridge'
_MODULE = 'br_netfilter'
_REPLY, _INVALID = 0x20000000, 0x40000000  # bits of a packet's mark
_RAW = 'type filter hook prerouting priority -300'  # before connection tracking
_STATES = (('ct state established ct direction reply', _REPLY), ('ct state related', _REPLY),
           ('ct state invalid', _INVALID))
_PROBE = ('add table bridge nova_lite_probe\n'
          'add chain bridge nova_lite_probe c { type filter hook prerouting priority -300; }\n'
          'add rule bridge nova_lite_probe c ct zone set meta ibrname map { "none" : 1 }\n'
          'add rule bridge nova_lite_probe c ct state established ct direction reply accept\n')


class OwnTracking:
    """The bridge family has connection tracking itself."""

    verdicts = ('ct state established ct direction reply accept', 'ct state related accept', 'ct state invalid drop')

    def prepare(self, bridge):
        """Nothing has to be set for a bridge."""

    def bridge_chains(self, bridges):
        """Chains of the bridge family: each isolated network has a zone, so that equal addresses are no matter."""
        return _zones(bridges, 'meta ibrname')

    def inet_chains(self, bridges):
        """Chains of the inet family: none."""
        return {}


class BorrowedTracking:
    """The IP layer sees the frames of our bridges, tracks connections and marks the packets."""

    verdicts = ('meta mark & 0x%x == 0x%x accept' % (_REPLY, _REPLY),
                'meta mark & 0x%x == 0x%x drop' % (_INVALID, _INVALID))

    def prepare(self, bridge):
        """Let the IP layer see the frames of one bridge. Raises OSError."""
        for switch in ('nf_call_iptables', 'nf_call_ip6tables'):
            links.set_bridge_switch(bridge, switch, '1')

    def bridge_chains(self, bridges):
        """Chains of the bridge family: none."""
        return {}

    def inet_chains(self, bridges):
        """Chains of the inet family: zones, and the marks for what goes through and for what the host sends."""
        names = ', '.join('"%s"' % bridge.name for bridge in bridges)
        if not names:
            return {}
        marks = [(side, ['%s { %s } %s meta mark set meta mark | 0x%x' % (side, names, state, bit)
                         for state, bit in _STATES]) for side in ('iifname', 'oifname')]
        return {
            **_zones(bridges, 'iifname'),
            'marks_in': nftables.Chain(tuple(marks[0][1]), 'type filter hook prerouting priority -10'),
            'marks_out': nftables.Chain(tuple(marks[1][1]), 'type filter hook postrouting priority -10')}


def _zones(bridges, selector):
    zones = ', '.join('"%s" : %d' % (bridge.name, bridge.zone) for bridge in bridges if bridge.zone)
    return {'zones': nftables.Chain(('ct zone set %s map { %s }' % (selector, zones),), _RAW)} if zones else {}


def find():
    """What this kernel has. Raises CommandError when it has neither."""
    try:
        commands.run('nft', '--check', '-f', '-', stdin=_PROBE)
    except commands.CommandError:
        _require_module()
        return BorrowedTracking()
    return OwnTracking()


def _require_module():
    """Have br_netfilter there; if that takes loading it, for our bridges only."""
    if os.path.isdir(_SWITCHES):
        return
    try:
        commands.run('modprobe', _MODULE)
    except commands.CommandError as error:
        raise commands.CommandError(
            'security groups cannot be enforced: this kernel has neither nf_conntrack_bridge nor br_netfilter (%s)'
            % error) from None
    for switch in ('bridge-nf-call-iptables', 'bridge-nf-call-ip6tables', 'bridge-nf-call-arptables'):
        with open(os.path.join(_SWITCHES, switch), 'w', encoding='ascii') as setting:
            setting.write('0')
