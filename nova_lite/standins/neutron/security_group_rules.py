# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Security group rules, brought to one form when they are made: protocols in lower case, prefixes with their length."""

import ipaddress
import re

from nova_lite.standins.neutron import attributes
from nova_lite.standins.neutron import faults
from nova_lite.standins.neutron import resources

PROTOCOLS = {
    'ah': 51, 'dccp': 33, 'egp': 8, 'esp': 50, 'gre': 47, 'icmp': 1, 'igmp': 2, 'ipip': 4, 'ipv6-encap': 41,
    'ipv6-frag': 44, 'ipv6-icmp': 58, 'ipv6-nonxt': 59, 'ipv6-opts': 60, 'ipv6-route': 43, 'ospf': 89, 'pgm': 113,
    'rsvp': 46, 'sctp': 132, 'tcp': 6, 'udp': 17, 'udplite': 136, 'vrrp': 112}
_NAMES = {number: name for name, number in PROTOCOLS.items()}
_WITH_PORTS = ('tcp', 'udp', 'udplite', 'sctp', 'dccp')
_ICMP = ('icmp', 'ipv6-icmp')
_IPV6_ONLY = ('ipv6-encap', 'ipv6-frag', 'ipv6-icmp', 'ipv6-nonxt', 'ipv6-opts', 'ipv6-route')
_SIX = {'icmp': 'ipv6-icmp', '1': '58'}  # what IPv6 has in place of ICMP
_SAME = ('direction', 'ethertype', 'port_range_min', 'port_range_max', 'normalized_cidr',
         'remote_group_id')


def _protocol(value):
    """A protocol's name, or its number as text where it is given as one; None means any."""
    text = str(value).lower()
    if value is None or text in ('', 'any', '-1'):
        return None
    if text == 'icmpv6':
        return 'ipv6-icmp'
    if text in PROTOCOLS:
        return text
    if re.fullmatch('[0-9]{1,3}', text) and not isinstance(value, bool) and int(text) <= 255:
        return str(int(text))
    raise ValueError('Security group rule protocol %r not supported. Only protocol values %s and integer '
                     'representations [0 to 255] are supported.' % (value, [None, *PROTOCOLS]))


def _ethertype(value):
    for choice in ('IPv4', 'IPv6'):
        if isinstance(value, str) and value.lower() == choice.lower():
            return choice
    raise ValueError("Security group rule for ethertype '%s' not supported. Allowed values are ['IPv4', 'IPv6']."
                     % str(value)[:64])


class SecurityGroupRules(resources.Resource):
    """The calls below /v2.0/security-group-rules. A rule cannot be changed but for its description."""

    kind, plural, path = 'security_group_rule', 'security_group_rules', 'security-group-rules'
    taggable = False
    indexed = ('id', 'security_group_id', 'remote_group_id', 'project_id')
    attributes = {
        **attributes.standard(),
        'security_group_id': attributes.Attribute(attributes.identifier, attributes.REQUIRED, put=False),
        'direction': attributes.Attribute(
            attributes.one_of('ingress', 'egress'), attributes.REQUIRED, put=False),
        'ethertype': attributes.Attribute(_ethertype, 'IPv4', put=False),
        'protocol': attributes.Attribute(_protocol, None, put=False),
        'port_range_min': attributes.Attribute(
            attributes.optional(attributes.integer(-2 ** 31, 2 ** 31)), None, put=False),
        'port_range_max': attributes.Attribute(
            attributes.optional(attributes.integer(-2 ** 31, 2 ** 31)), None, put=False),
        'remote_ip_prefix': attributes.Attribute(
            attributes.optional(attributes.interface), None, put=False),
        'remote_group_id': attributes.Attribute(attributes.optional(attributes.text(255)), None, put=False),
        'normalized_cidr': attributes.read_only(),
    }

    def __init__(self, records, groups, plane):
        super().__init__(records)
        self._groups = groups
        self._plane = plane

    def build(self, identity, record):
        group = self._groups.find_own(identity, record['security_group_id'], 'create_security_group_rule')
        if record['remote_group_id'] is not None:
            if record['remote_ip_prefix'] is not None:
                raise faults.bad('Only remote_ip_prefix or remote_group_id may be provided.',
                                 'SecurityGroupRemoteGroupAndRemoteIpPrefix')
            self._groups.find(identity, record['remote_group_id'])
        if record['ethertype'] == 'IPv6':
            record['protocol'] = _SIX.get(record['protocol'], record['protocol'])
        _check_addresses(record)
        _check_ports(record)
        record.update(tenant_id=group['project_id'], project_id=group['project_id'],
                      normalized_cidr=record['remote_ip_prefix'] and _network(record['remote_ip_prefix']))
        for other in self.records.find('security_group_rule', 'security_group_id', group['id']):
            if _name(other) == _name(record) and all(other[name] == record[name] for name in _SAME):
                raise faults.conflict('SecurityGroupRuleExists', 'Security group rule already exists. Rule id is %s.'
                                      % other['id'])
        self._touch(group['id'])
        return record

    def remove(self, identity, record):
        self._touch(record['security_group_id'])

    def changed(self, record):
        self._plane.refresh()

    def _touch(self, group_id):
        """A group's revision follows its rules."""
        group = self.records.get('security_group', group_id)
        if group is not None:
            self._groups.save(group)


def _name(record):
    """A rule's protocol by its name, if it has one."""
    protocol = record['protocol']
    return _NAMES.get(int(protocol), protocol) if protocol and protocol.isdigit() else protocol


def _network(prefix):
    return str(ipaddress.ip_network(prefix, strict=False))


def _check_addresses(record):
    prefix = record['remote_ip_prefix']
    version = 4 if record['ethertype'] == 'IPv4' else 6
    if prefix is not None and ipaddress.ip_interface(prefix).version != version:
        raise faults.bad('Conflicting value ethertype %s for CIDR %s' % (record['ethertype'], prefix),
                         'SecurityGroupRuleParameterConflict')
    if version == 4 and _name(record) in _IPV6_ONLY:
        raise faults.bad('Invalid ethertype %s for protocol %s.' % (record['ethertype'], record['protocol']),
                         'SecurityGroupEthertypeConflictWithProtocol')


def _check_ports(record):
    low, high, protocol = record['port_range_min'], record['port_range_max'], _name(record)
    if protocol in _WITH_PORTS and (low, high) == (-1, -1):
        record['port_range_min'] = record['port_range_max'] = low = high = None
    if low is None and high is None:
        return
    if protocol is None:
        raise faults.bad('Must also specify protocol if port range is given.',
                         'SecurityGroupProtocolRequiredWithPorts')
    if protocol in _WITH_PORTS:
        for value in (low, high):
            if value is not None and not 1 <= value <= 65535:
                raise faults.bad('Invalid value for port %d' % value, 'SecurityGroupInvalidPortValue')
        if low is None or high is None or low > high:
            raise faults.bad('For TCP/UDP protocols, port_range_min must be <= port_range_max',
                             'SecurityGroupInvalidPortRange')
    elif protocol in _ICMP:
        for name, value in (('type', low), ('code', high)):
            if value is not None and not 0 <= value <= 255:
                raise faults.bad('Invalid value for ICMP %s (%s) %d. It must be 0 to 255.' % (
                    name, 'port_range_min' if name == 'type' else 'port_range_max', value),
                    'SecurityGroupInvalidIcmpValue')
        if low is None:
            raise faults.bad('ICMP code (port-range-max) %d is provided but ICMP type (port-range-min) is missing.'
                             % high, 'SecurityGroupMissingIcmpType')
    else:
        raise faults.bad('Invalid protocol %s for port range, only supported for TCP, UDP, UDPLITE, SCTP and DCCP.'
                         % protocol, 'SecurityGroupInvalidProtocolForPort')
