# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""The installation's nftables table: what guests may reach, and the masquerade for what leaves the host.

Guests of a network with a gateway reach the world, but of the host itself only ICMP. A network without one gets
nothing through the host. Nothing but this table is ever changed, and it is always replaced as a whole.
"""

import dataclasses
import os

from nova_lite.standins.neutron.dataplane import commands

NOTE = 'ip_forward.before'  # file that says that forwarding was off
FORWARD_SWITCH = '/proc/sys/net/ipv4/ip_forward'


@dataclasses.dataclass(frozen=True, slots=True)
class Bridge:
    """A bridge of ours; `cidrs` are its subnets that the host routes, none for an isolated network."""

    name: str
    cidrs: tuple = ()


def apply(table, bridges):
    """Replace the table by the rules for `bridges`, in one transaction."""
    commands.run('nft', '-f', '-', stdin=ruleset(table, bridges))


def present(table):
    """Whether the kernel has the table."""
    return ('table inet %s' % table) in commands.run('nft', 'list', 'tables').splitlines()


def remove(table):
    """Remove the table; one that is gone is as good."""
    if present(table):
        commands.run('nft', 'delete', 'table', 'inet', table)


def ruleset(table, bridges):
    """The text for `nft -f` that replaces the table."""
    names = ', '.join('"%s"' % bridge.name for bridge in bridges)
    inputs, forwards, masquerades = [], [], []
    if bridges:
        inputs.append('iifname { %s } jump from_guests' % names)
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
        masquerades.append('ip saddr { %s } oifname != "%s" ip daddr != { %s } masquerade'
                           % (cidrs, bridge.name, cidrs))
    return '\n'.join([
        'table inet %s {}' % table,  # so that the next line finds one to delete
        'delete table inet %s' % table,
        'table inet %s {' % table,
        _chain('from_guests', [
            'ct state established,related accept', 'ip protocol icmp accept', 'reject']),
        _chain('input', ['type filter hook input priority -5; policy accept;', *inputs]),
        _chain('forward', ['type filter hook forward priority -5; policy accept;', *forwards]),
        _chain('postrouting', ['type nat hook postrouting priority 100; policy accept;', *masquerades]),
        '}', ''])


def _chain(name, lines):
    return '\n'.join(['  chain %s {' % name, *('    ' + line for line in lines), '  }'])


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
