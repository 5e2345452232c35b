# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""How security groups of the network service look in the compute API, which knew rules for what comes in only."""

PORTED = {'tcp', 'udp'}
EVERY_PORT = (1, 65535)
NO_PORT = (-1, -1)
EVERYWHERE = {'IPv4': '0.0.0.0/0', 'IPv6': '::/0'}


def group(item, names=None):
    """A security group; `names`: {id: group} of those that its rules may refer to."""
    rules = [rule(one, names or {}) for one in item.get('security_group_rules', ()) if one['direction'] == 'ingress']
    return {'id': item['id'], 'name': item['name'], 'description': item['description'],
            'tenant_id': item.get('project_id') or item.get('tenant_id'), 'rules': rules}


def rule(item, names):
    """A rule: it lets in either the members of a group or a range of addresses."""
    protocol = item['protocol']
    ports = item['port_range_min'], item['port_range_max']
    if protocol and ports == (None, None):
        ports = EVERY_PORT if protocol in PORTED else NO_PORT
    view = {'id': item['id'], 'parent_group_id': item['security_group_id'], 'ip_protocol': protocol,
            'from_port': ports[0], 'to_port': ports[1], 'group': {}, 'ip_range': {}}
    source = names.get(item['remote_group_id'])
    if source is not None:
        view['group'] = {'name': source['name'], 'tenant_id': source.get('project_id') or source.get('tenant_id')}
    elif not item['remote_group_id']:
        view['ip_range'] = {'cidr': item['remote_ip_prefix'] or EVERYWHERE[item['ethertype']]}
    return view
