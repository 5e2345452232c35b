# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Security groups by way of the compute API, as up to microversion 2.35: passed on to the network service."""

import contextlib
import ipaddress
import uuid

from oslo_utils import strutils
from oslo_utils import uuidutils

from nova_lite import exception
from nova_lite.api.openstack import faults
from nova_lite.api.openstack.compute.views import security_groups as view

PROTOCOLS = ('tcp', 'udp', 'icmp')
ANYWHERE = '0.0.0.0/0'


class Controller:
    def __init__(self, services):
        self._groups = services.network.groups

    # ---- groups --------------------------------------------------------------------------------------------------

    def index(self, req):
        everywhere = strutils.bool_from_string(req.param('all_tenants', False)) and req.context.is_admin
        found = self._groups.list(req.context, None if everywhere else req.context.project_id)
        names = {group['id']: group for group in found}
        offset, limit = int(req.param('offset', 0)), int(req.param('limit', len(found)))
        return {'security_groups': [view.group(group, names) for group in found[offset:offset + limit]]}

    def show(self, req, id):
        group = self._groups.get(req.context, _id(id))
        names = {other['id']: other for other in self._groups.list(req.context)}
        return {'security_group': view.group(group, names)}

    def create(self, req, body):
        return {'security_group': view.group(self._groups.create(req.context, _values(body)))}

    def update(self, req, id, body):
        with _conflicts_are_bad_requests():
            return {'security_group': view.group(self._groups.update(req.context, _id(id), _values(body)))}

    def delete(self, req, id):
        with _conflicts_are_bad_requests():
            self._groups.delete(req.context, _id(id))

    # ---- rules ---------------------------------------------------------------------------------------------------

    def create_rule(self, req, body):
        wanted = body['security_group_rule']
        values = {'security_group_id': _id(wanted['parent_group_id']), 'direction': 'ingress', **_ports(wanted)}
        names = {}
        if wanted.get('group_id'):
            source = self._groups.get(req.context, _id(wanted['group_id']))
            names[source['id']] = source
            values |= {'remote_group_id': source['id'], 'ethertype': 'IPv4'}
        else:
            cidr = _cidr(wanted.get('cidr') or ANYWHERE)
            values |= {'remote_ip_prefix': str(cidr), 'ethertype': 'IPv%d' % cidr.version}
        with _conflicts_are_bad_requests():
            return {'security_group_rule': view.rule(self._groups.create_rule(req.context, values), names)}

    def delete_rule(self, req, id):
        self._groups.delete_rule(req.context, _id(id))


@contextlib.contextmanager
def _conflicts_are_bad_requests():
    """These calls have always told so of a group that is in use or the default one, and of a rule that is there."""
    try:
        yield
    except exception.Conflict as exc:
        raise exception.Invalid(exc.message) from exc


def _id(text):
    if not uuidutils.is_uuid_like(text):
        raise faults.HTTPError(400, 'Security group id should be uuid')
    return str(uuid.UUID(text))


def _values(body):
    group = body['security_group']
    return {'name': group['name'], 'description': group['description']}


def _ports(wanted):
    """Protocol and ports of a rule. :raises Invalid: they make no sense together"""
    protocol = (wanted.get('ip_protocol') or '').lower() or None
    first, last = (None if wanted.get(name) is None else int(wanted[name]) for name in ('from_port', 'to_port'))
    if protocol is None:
        if (first, last) != (None, None) or not wanted.get('group_id'):
            raise exception.Invalid('A rule needs ip_protocol, from_port and to_port, or a group_id alone.')
        return {'protocol': None}
    if protocol not in PROTOCOLS:
        raise exception.Invalid('Invalid IP protocol %s' % protocol)
    if first is None or last is None:
        raise exception.Invalid('A rule with a protocol needs from_port and to_port.')
    if protocol != 'icmp' and (first < 1 or first > last):
        raise exception.Invalid('Invalid port range %d:%d. Former value cannot be greater than the later.'
                                % (first, last) if first > last else 'Valid TCP and UDP ports are from 1 to 65535.')
    if protocol == 'icmp' and max(first, last) > 255:
        raise exception.Invalid('Type and code of ICMP are from -1 to 255.')
    return {'protocol': protocol, 'port_range_min': None if first < 0 else first,
            'port_range_max': None if last < 0 else last}


def _cidr(text):
    try:
        return ipaddress.ip_interface(text)
    except ValueError:
        raise exception.Invalid('Invalid cidr %s.' % text) from None
