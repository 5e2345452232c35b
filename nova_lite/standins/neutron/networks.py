# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Networks: a flat network is bridged to the host and routed by it, a local one connects its own guests only."""

from nova_lite.standins import rest
from nova_lite.standins.neutron import access
from nova_lite.standins.neutron import attributes
from nova_lite.standins.neutron import faults
from nova_lite.standins.neutron import resources

AUTO_DELETED = ('network:dhcp',)  # owners of ports that go with their network or subnet
DEFAULT_MTU = 1500


class Networks(resources.Resource):
    """The calls below /v2.0/networks."""

    kind, plural, path = 'network', 'networks', 'networks'
    indexed = ('id', 'project_id')
    attributes = {
        **attributes.standard(),
        'name': attributes.Attribute(attributes.text(255), ''),
        'admin_state_up': attributes.Attribute(attributes.boolean, True),
        'shared': attributes.Attribute(attributes.boolean, False, privileged=True),
        'router:external': attributes.Attribute(attributes.boolean, False, privileged=True),
        'port_security_enabled': attributes.Attribute(attributes.boolean, True),
        'mtu': attributes.Attribute(attributes.integer(68, 65535), DEFAULT_MTU),
        'dns_domain': attributes.Attribute(attributes.host_name, ''),
        'availability_zone_hints': attributes.Attribute(
            attributes.list_of(attributes.text(255)), (), put=False),
        'provider:network_type': attributes.Attribute(
            attributes.optional(attributes.one_of('flat', 'local')), None, put=False, privileged=True, hidden=True),
        'provider:physical_network': attributes.Attribute(
            attributes.optional(attributes.text(128)), None, put=False, privileged=True, hidden=True),
        'provider:segmentation_id': attributes.Attribute(
            attributes.optional(attributes.integer(1, 2 ** 32 - 1)), None, put=False, privileged=True, hidden=True),
        'status': attributes.read_only(), 'subnets': attributes.read_only(), 'tags': attributes.read_only(),
        'availability_zones': attributes.read_only(), 'ipv4_address_scope': attributes.read_only(),
        'ipv6_address_scope': attributes.read_only(),
    }

    def __init__(self, records, groups, plane):
        super().__init__(records)
        self._groups = groups
        self._plane = plane

    def visible(self, identity, record):
        return access.owns(identity, record) or record['shared'] or record['router:external']

    def render(self, record):
        zones = ['nova'] if self._plane.enabled else []
        return {**record, 'status': 'ACTIVE', 'availability_zones': zones,
                'subnets': [subnet['id'] for subnet in self.records.find('subnet', 'network_id', record['id'])],
                'ipv4_address_scope': None, 'ipv6_address_scope': None}

    def before_create(self, project_id):
        self._groups.ensure_default(project_id)

    def build(self, identity, record):
        kind, physical = record['provider:network_type'] or 'local', record['provider:physical_network']
        if record['provider:segmentation_id'] is not None:
            raise faults.invalid('segmentation_id is prohibited for %s provider network' % kind)
        if kind == 'flat' and not physical:
            raise faults.invalid('physical_network required for flat provider network')
        if kind == 'local' and physical:
            raise faults.invalid('provider:physical_network specified for local network')
        if kind == 'flat' and any(other['provider:physical_network'] == physical
                                  for other in self.records.all('network')):
            raise faults.conflict('FlatNetworkInUse', 'Unable to create the flat network. Physical network %s is '
                                  'in use.' % physical)
        if record['availability_zone_hints'] and record['availability_zone_hints'] != ['nova']:
            raise rest.Fault(404, 'AvailabilityZone %s could not be found.'
                             % ', '.join(record['availability_zone_hints'])[:255], 'AvailabilityZoneNotFound')
        return {**record, 'provider:network_type': kind,
                'availability_zone_hints': list(record['availability_zone_hints'])}

    def revise(self, identity, record, values):
        if values.get('shared') is False and record['shared']:
            self._require_unshared(record)
        return {**record, **values}

    def _require_unshared(self, record):
        for port in self.records.find('port', 'network_id', record['id']):
            if port['project_id'] != record['project_id'] and port['device_owner'] not in AUTO_DELETED:
                raise faults.conflict(
                    'InvalidSharedSetting', 'Unable to reconfigure sharing settings for network %s. Multiple '
                    'tenants are using it.' % record['id'])

    def remove(self, identity, record):
        ports = self.records.find('port', 'network_id', record['id'])
        if any(port['device_owner'] not in AUTO_DELETED for port in ports):
            raise faults.conflict(
                'NetworkInUse', 'Unable to complete operation on network %s. There are one or more ports still in '
                'use on the network.' % record['id'])
        for port in ports:
            self.records.delete('port', port['id'])
        for subnet in self.records.find('subnet', 'network_id', record['id']):
            self.records.delete('subnet', subnet['id'])

    def changed(self, record):
        self._plane.changed(record['id'])
