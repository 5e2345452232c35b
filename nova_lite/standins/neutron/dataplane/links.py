# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Makes, checks and removes the bridges, veth pairs, namespaces and addresses of networks.

Every function may be called again: it adds what is missing and leaves what is right. State is read from sysfs,
which costs microseconds; commands run only to change something.
"""

import ipaddress
import json
import os

from nova_lite.standins.neutron.dataplane import commands
from nova_lite.standins.neutron.dataplane import netns

SYSFS = '/sys/class/net'
_SHORTEST_PREFIX = 8


def exists(device):
    return os.path.exists(os.path.join(SYSFS, device))


def is_bridge(device):
    return os.path.exists(os.path.join(SYSFS, device, 'bridge'))


def alias(device):
    """The device's alias, empty when it has none or is gone."""
    return _read(device, 'ifalias')


def owned(prefix):
    """{device: alias} of the host's devices whose alias begins with `prefix`."""
    aliases = {device: alias(device) for device in os.listdir(SYSFS)}
    return {device: text for device, text in aliases.items() if text.startswith(prefix)}


def master(device):
    """Name of the bridge that the device is in, None when it is in none."""
    try:
        return os.path.basename(os.readlink(os.path.join(SYSFS, device, 'master')))
    except OSError:
        return None


def _read(device, attribute):
    try:
        with open(os.path.join(SYSFS, device, attribute), encoding='utf-8') as entry:
            return entry.read().strip()
    except OSError:
        return ''


def ensure_bridge(name, mark, mac, mtu):
    """Make the bridge, up and marked as ours by the alias `mark`. Returns whether it had to be made.

    Raises CommandError when a device of that name belongs to someone else.
    """
    made = not exists(name)
    if made:
        commands.run('ip', 'link', 'add', 'name', name, 'address', mac, 'type', 'bridge')
    elif not is_bridge(name) or alias(name) not in ('', mark):
        raise commands.CommandError('the device %s is there already and is not ours' % name)
    if made or alias(name) != mark or _read(name, 'mtu') != str(mtu) or not _is_up(name):
        commands.run('ip', 'link', 'set', 'dev', name, 'alias', mark)
        commands.run('ip', 'link', 'set', 'dev', name, 'type', 'bridge', 'stp_state', '0',
                     'forward_delay', '0', 'mcast_snooping', '0')
        # No IPv6 on the host's side: a link-local address would open its services to the guests.
        _disable_ipv6(name)
        commands.run('ip', 'link', 'set', 'dev', name, 'mtu', str(mtu), 'up')
    return made


def set_bridge_switch(bridge, name, value):
    """Set an attribute of a bridge in sysfs, unless it has that value or the bridge is gone."""
    if _read(bridge, 'bridge/' + name) not in ('', value):
        with open(os.path.join(SYSFS, bridge, 'bridge', name), 'w', encoding='ascii') as attribute:
            attribute.write(value)


def taps(bridge):
    """Names of the taps that are in the bridge."""
    try:
        return [name for name in os.listdir(os.path.join(SYSFS, bridge, 'brif')) if name.startswith('tap')]
    except FileNotFoundError:
        return []


def _is_up(device):
    flags = _read(device, 'flags')
    return bool(flags) and bool(int(flags, 16) & 1)


def _disable_ipv6(device):
    try:
        with open('/proc/sys/net/ipv6/conf/%s/disable_ipv6' % device, 'w', encoding='ascii') as setting:
            setting.write('1')
    except FileNotFoundError:
        pass  # this kernel has no IPv6


def ensure_namespace(name, forward=False):
    """Make the namespace, its loopback up, forwarding IPv4 or nothing. Returns whether it had to be made."""
    made = netns.identity(name) is None
    if made:
        commands.run('ip', 'netns', 'add', name)
        commands.run('ip', '-n', name, 'link', 'set', 'dev', 'lo', 'up')
        netns.set_value(name, 'ipv4/ip_forward', '1' if forward else '0')
        netns.set_value(name, 'ipv4/conf/all/arp_ignore', '1')  # no answer for an address of another device
    return made


def ensure_veth(tap, device, mac, *, bridge, namespace, mtu, mark):
    """Make the pair `tap` (in the bridge) and `device` (in the namespace), both up."""
    if exists(tap) and not _in_namespace(namespace, device):
        delete(tap)  # its other end went with an earlier namespace
    if not exists(tap):
        commands.run('ip', 'link', 'add', 'name', tap, 'type', 'veth',
                     'peer', 'name', device, 'address', mac, 'netns', namespace)
    if alias(tap) != mark:
        commands.run('ip', 'link', 'set', 'dev', tap, 'alias', mark)
    if master(tap) != bridge or _read(tap, 'mtu') != str(mtu) or not _is_up(tap):
        _disable_ipv6(tap)
        commands.run('ip', 'link', 'set', 'dev', tap, 'master', bridge, 'mtu', str(mtu), 'up')
    commands.run('ip', '-n', namespace, 'link', 'set', 'dev', device, 'address', mac, 'mtu', str(mtu), 'up')


def _in_namespace(namespace, device):
    """Whether the namespace has a device of that name."""
    found = json.loads(commands.run('ip', '-j', '-n', namespace, 'link', 'show') or '[]')
    return any(link.get('ifname') == device for link in found)


def set_addresses(namespace, device, wanted):
    """Give the device exactly the IPv4 addresses `wanted` ('10.0.0.1/24'); `namespace` None: on the host."""
    place = ['-n', namespace] if namespace else []
    shown = json.loads(commands.run('ip', '-j', *place, '-4', 'addr', 'show', 'dev', device) or '[]')
    present = {'%s/%d' % (entry['local'], entry['prefixlen'])
               for link in shown for entry in link.get('addr_info', ())}
    for address in sorted(present - set(wanted)):
        commands.run('ip', *place, 'addr', 'del', address, 'dev', device)
    for address in sorted(set(wanted) - present):
        commands.run('ip', *place, 'addr', 'add', address, 'dev', device)


def set_routes(namespace, wanted):
    """Give the namespace exactly the static IPv4 routes {destination: next hop}."""
    shown = json.loads(commands.run('ip', '-j', '-n', namespace, '-4', 'route', 'show', 'proto', 'static') or '[]')
    present = {entry['dst'].removesuffix('/32'): entry.get('gateway') for entry in shown}
    for destination in present.keys() - {text.removesuffix('/32') for text in wanted}:
        commands.run('ip', '-n', namespace, 'route', 'del', destination, 'proto', 'static')
    for destination, hop in wanted.items():
        if present.get(destination.removesuffix('/32')) != hop:
            commands.run('ip', '-n', namespace, 'route', 'replace', destination, 'via', hop, 'proto', 'static')


def routes(but_for=None):
    """Destinations ('10.0.0.0/24') in the host's main table, but for those through one device.

    The default route is none of them, nor are parts of it that a VPN set (0.0.0.0/1).
    """
    shown = json.loads(commands.run('ip', '-j', '-4', 'route', 'show') or '[]')
    found = [entry['dst'] for entry in shown if entry['dst'] != 'default' and entry.get('dev') != but_for]
    return [text for text in found if ipaddress.ip_network(text).prefixlen >= _SHORTEST_PREFIX]


def adopt(tap, bridge):
    """Put a guest's tap that lost its bridge back into it."""
    if exists(tap) and master(tap) is None:
        commands.run('ip', 'link', 'set', 'dev', tap, 'master', bridge)


def delete(device):
    """Remove a device; one that is gone is as good."""
    if exists(device):
        try:
            commands.run('ip', 'link', 'del', 'dev', device)
        except commands.CommandError:
            if exists(device):
                raise


def delete_namespace(name):
    """Remove a namespace; one that is gone is as good."""
    if netns.identity(name) is not None:
        try:
            commands.run('ip', 'netns', 'del', name)
        except commands.CommandError:
            if netns.identity(name) is not None:
                raise
