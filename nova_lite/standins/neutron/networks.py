# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Networks: a flat network is bridged to the host and routed by it, a local one connects its own guests only."""

from nova_lite.standins import rest
from nova_lite.standins.neutron import access
from nova_lite.standins.neutron import attributes
from nova_lite.standins.neutron import faults
from nova_lite.standins.neutron import rbac
from nova_lite.standins.neutron import resources
from nova_lite.standins.neutron import service_ports

DEFAULT_MTU = 1500
zone_hints = attributes.list_of(attributes.text(255))


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
        'is_default': attributes.Attribute(attributes.boolean, False, privileged=True),
        'port_security_enabled': attributes.Attribute(attributes.boolean, True),
        'mtu': attributes.Attribute(attributes.integer(68, 65535), DEFAULT_MTU),
        'dns_domain': attributes.Attribute(attributes.host_name, ''),
        'availability_zone_hints': attributes.Attribute(zone_hints, (), put=False),
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
        return access.owns(identity, record) or self.shared(identity, record) or self.external(identity, record)

    def shared(self, identity, record):
        """Whether the network is shared with the caller's project."""
        return record['shared'] or rbac.allows(self.records, record['id'], identity.project_id)

    def external(self, identity, record):
        """Whether the caller's project may use the network as an external one."""
        return record['router:external'] or rbac.allows(self.records, record['id'], identity.project_id, rbac.EXTERNAL)

    def view(self, identity, record):
        return {**super().view(identity, record), 'shared': self.shared(identity, record),
                'router:external': self.external(identity, record)}

    def render(self, record):
        zones = ['nova'] if self._plane.enabled else []
        subnets = self.records.find('subnet', 'network_id', record['id'])
        return {**record, 'status': 'ACTIVE', 'availability_zones': zones,
                'subnets': [subnet['id'] for subnet in subnets],
                'ipv4_address_scope': self._scope(subnets, 4), 'ipv6_address_scope': self._scope(subnets, 6)}

    def _scope(self, subnets, version):
        """Id of the address scope that the subnets of one IP version are in, by their pool."""
        for subnet in subnets:
            pool = self.records.get('subnetpool', subnet['subnetpool_id'])
            if pool is not None and subnet['ip_version'] == version:
                return pool['address_scope_id']
        return None

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
        require_zones(record)
        self._check_default(record)
        return {**record, 'provider:network_type': kind,
                'availability_zone_hints': list(record['availability_zone_hints'])}

    def revise(self, identity, record, values):
        if values.get('shared') is False and record['shared']:
            self._require_unshared(record)
        if values.get('router:external') is False and record['router:external']:
            self._require_unused(record)
        changed = {**record, **values}
        self._check_default(changed)
        return changed

    def _check_default(self, record):
        if record.get('is_default') and any(
                other.get('is_default') and other['id'] != record['id'] for other in self.records.all('network')):
            raise faults.conflict('DefaultExternalNetworkExists', 'A default external network already exists.')

    def _require_unused(self, record):
        if any(port['device_owner'] in (service_ports.ROUTER_GATEWAY, service_ports.FLOATING_IP)
               for port in self.records.find('port', 'network_id', record['id'])):
            raise faults.conflict(
                'ExternalNetworkInUse', 'External network %s cannot be updated to be made non-external, since it has '
                'existing gateway ports.' % record['id'])

    def _require_unshared(self, record):
        for port in self.records.find('port', 'network_id', record['id']):
            if port['project_id'] != record['project_id'] and port['device_owner'] not in service_ports.AUTO_DELETED:
                raise faults.conflict(
                    'InvalidSharedSetting', 'Unable to reconfigure sharing settings for network %s. Multiple '
                    'tenants are using it.' % record['id'])

    def remove(self, identity, record):
        ports = self.records.find('port', 'network_id', record['id'])
        floating = [each for each in self.records.find('floatingip', 'floating_network_id', record['id'])
                    if each['port_id'] is None]
        spared = {each['id'] for each in floating}
        used = [port['id'] for port in ports if port['device_owner'] not in service_ports.AUTO_DELETED
                and port['device_id'] not in spared]
        if used:
            raise faults.conflict(
                'NetworkInUse', 'Unable to complete operation on network %s. There are one or more ports still in '
                'use on the network, id for these ports is: %s.' % (record['id'], ','.join(used)))
        rbac.forget(self.records, record['id'])
        for each in floating:
            self.records.delete('floatingip', each['id'])
        for port in ports:
            self.records.delete('port', port['id'])
        for subnet in self.records.find('subnet', 'network_id', record['id']):
            self.records.delete('subnet', subnet['id'])

    def changed(self, record):
        self._plane.changed(record['id'])


def require_zones(record):
    """Raise a 404 unless the availability zones that a new record hints at are there."""
    if record['availability_zone_hints'] not in ([], (), ['nova']):
        raise rest.Fault(404, 'AvailabilityZone %s could not be found.'
                         % ', '.join(record['availability_zone_hints'])[:255], 'AvailabilityZoneNotFound')
