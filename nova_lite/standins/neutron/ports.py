# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Ports: where a network meets a server. They are bound, and active, as soon as a host is named."""

import logging

from nova_lite.standins.neutron import access
from nova_lite.standins.neutron import addresses
from nova_lite.standins.neutron import attributes
from nova_lite.standins.neutron import faults
from nova_lite.standins.neutron import rbac
from nova_lite.standins.neutron import resources
from nova_lite.standins.neutron import service_ports

LOG = logging.getLogger(__name__)

DNS_DOMAIN = 'openstacklocal'
MAX_PAIRS = 10
_VNIC_TYPES = ('normal', 'direct', 'macvtap', 'direct-physical', 'baremetal', 'virtio-forwarder', 'smart-nic',
               'accelerator-direct', 'accelerator-direct-physical', 'remote-managed', 'vdpa')
_fixed_ip = attributes.record({}, {'subnet_id': attributes.identifier, 'ip_address': attributes.address})
_pair = attributes.record({'ip_address': attributes.address_or_cidr}, {'mac_address': attributes.mac})


def _requested_address(value):
    fixed = _fixed_ip(value)
    if not fixed:
        raise ValueError("one of 'subnet_id' and 'ip_address' is needed.")
    return fixed


def _own_name(value):
    """A port's dns_name: a host name, its first label short enough for every guest."""
    name = attributes.host_name(value)
    return name.removesuffix('.')


class Ports(resources.Resource):
    """The calls below /v2.0/ports."""

    kind, plural, path = 'port', 'ports', 'ports'
    indexed = ('id', 'device_id', 'network_id', 'project_id')
    attributes = {
        **attributes.standard(),
        'network_id': attributes.Attribute(attributes.identifier, attributes.REQUIRED, put=False),
        'name': attributes.Attribute(attributes.text(255), ''),
        'admin_state_up': attributes.Attribute(attributes.boolean, True),
        'mac_address': attributes.Attribute(attributes.mac),
        'fixed_ips': attributes.Attribute(attributes.list_of(
            _requested_address, repeated=lambda request: 'ip_address' not in request)),
        'device_id': attributes.Attribute(attributes.text(255), ''),
        'device_owner': attributes.Attribute(attributes.text(255), ''),
        'security_groups': attributes.Attribute(attributes.list_of(attributes.identifier)),
        'allowed_address_pairs': attributes.Attribute(attributes.list_of(_pair), ()),
        'port_security_enabled': attributes.Attribute(attributes.boolean),
        'dns_name': attributes.Attribute(_own_name, ''),
        'tags': attributes.Attribute(attributes.tag_list, (), put=False),
        'binding:host_id': attributes.Attribute(
            attributes.optional(attributes.text(255)), '', privileged=True, hidden=True),
        'binding:profile': attributes.Attribute(attributes.mapping, {}, privileged=True, hidden=True),
        'binding:vnic_type': attributes.Attribute(attributes.one_of(*_VNIC_TYPES), 'normal'),
        'binding:vif_type': attributes.read_only(hidden=True),
        'binding:vif_details': attributes.read_only(hidden=True),
        'dns_assignment': attributes.read_only(), 'status': attributes.read_only(),
    }

    def __init__(self, records, groups, own_ports, plane, bridge_name):
        """`own_ports` are the `ServicePorts`.

        `bridge_name(network_id)` gives the bridge that a network's guests are plugged into.
        """
        super().__init__(records)
        self._groups = groups
        self._service_ports = own_ports
        self._plane = plane
        self._bridge_name = bridge_name

    def render(self, record):
        bound = bool(record['binding:host_id'])
        failed = bound and record['binding_failed']
        view = dict(record)
        view['status'] = 'DOWN' if failed or not (bound and record['admin_state_up']) else 'ACTIVE'
        if record['device_owner'] == service_ports.FLOATING_IP:
            view['status'] = 'N/A'
        view['binding:vif_type'] = 'binding_failed' if failed else 'bridge' if bound else 'unbound'
        view['binding:vif_details'] = {
            'port_filter': True, 'connectivity': 'l2', 'bridge_name': self._bridge_name(record['network_id']),
        } if bound and not failed else {}
        view['dns_assignment'] = [
            {'ip_address': fixed['ip_address'], 'hostname': host_name(record, fixed['ip_address']),
             'fqdn': '%s.%s.' % (host_name(record, fixed['ip_address']), DNS_DOMAIN)}
            for fixed in record['fixed_ips']]
        return view

    def visible(self, identity, record):
        if access.owns(identity, record):
            return True
        network = self.records.get('network', record['network_id'])
        return network is not None and access.owns(identity, network)

    # Creating and changing.

    def before_create(self, project_id):
        self._groups.ensure_default(project_id)

    def build(self, identity, record):
        network = self.records.get('network', record['network_id'])
        owner = network is not None and access.owns(identity, network)
        if network is None or not (owner or network['shared'] or rbac.allows(
                self.records, network['id'], identity.project_id)):
            raise faults.missing('network', record['network_id'])
        self._check_rights(identity, owner, record, 'create_port')
        if 'mac_address' in record:
            addresses.require_free_mac(self.records, network['id'], record['mac_address'])
        else:
            record['mac_address'] = addresses.new_mac(self.records, network['id'])
        chooser = addresses.Chooser(self.records, network, record['mac_address'])
        record['fixed_ips'] = (chooser.wanted(record['fixed_ips']) if 'fixed_ips' in record else chooser.any())
        record.setdefault('port_security_enabled', network['port_security_enabled'])
        if 'security_groups' not in record:
            group = self._groups.ensure_default(record['project_id'])
            secured = record['port_security_enabled'] and not record['device_owner'].startswith('network:')
            record['security_groups'] = [group['id']] if secured and group else []
        record['allowed_address_pairs'] = list(record['allowed_address_pairs'])
        return self._settle(identity, record)

    def revise(self, identity, record, values):
        network = self.records.get('network', record['network_id'])
        self._check_rights(identity, access.owns(identity, network), values, 'update_port')
        if record['device_owner'] in service_ports.MANAGED and any(
                values.get(name, record[name]) != record[name] for name in ('device_id', 'device_owner')):
            raise faults.port_in_use(record)
        mac = values.get('mac_address', record['mac_address'])
        if mac != record['mac_address']:
            if record['binding:host_id'] and values.get('binding:host_id') != '':
                raise faults.conflict('PortBound', 'Unable to complete operation on port %s, port is already bound, '
                                      'port type: bridge, old_mac %s, new_mac %s.'
                                      % (record['id'], record['mac_address'], mac))
            addresses.require_free_mac(self.records, network['id'], mac)
        if 'fixed_ips' in values:
            chooser = addresses.Chooser(self.records, network, mac)
            values['fixed_ips'] = chooser.wanted(values['fixed_ips'], record['fixed_ips'])
            self._let_go(record, values['fixed_ips'])
        return self._settle(identity, {**record, **values}, record)

    def _check_rights(self, identity, owns_network, values, rule):
        """Raise a 403 for what only the network's owner or a privileged caller may set."""
        if access.privileged(identity):
            return
        if values.get('device_owner', '').startswith('network:'):
            raise faults.forbidden(rule + ':device_owner')
        for name in ('mac_address', 'port_security_enabled', 'allowed_address_pairs'):
            if not owns_network and name in values and values[name] not in ((), []):
                raise faults.forbidden('%s:%s' % (rule, name))

    def _settle(self, identity, record, old=None):
        """Check what depends on several attributes, and fill in what follows from others."""
        self._check_security(identity, record, old)
        pairs = [{'mac_address': record['mac_address'], **pair} for pair in record['allowed_address_pairs']]
        return {**record, 'allowed_address_pairs': pairs, 'binding:host_id': record['binding:host_id'] or '',
                'binding_failed': False}

    def _check_security(self, identity, record, old):
        known = old['security_groups'] if old else ()
        for group_id in record['security_groups']:
            group = self.records.get('security_group', group_id)
            if group_id not in known and (group is None or not (
                    access.privileged(identity) or group['project_id'] == record['project_id']
                    or rbac.allows(self.records, group_id, record['project_id']))):
                raise faults.missing('security_group', group_id)
        if len(record['allowed_address_pairs']) > MAX_PAIRS:
            raise faults.bad('Exceeded maximum number of allowed address pairs (%d).' % MAX_PAIRS,
                             'AllowedAddressPairExhausted')
        if any(pair['ip_address'].endswith('/0') for pair in record['allowed_address_pairs']):
            raise faults.invalid('allowed address pairs must not cover every address')
        if not record['port_security_enabled']:
            if record['security_groups']:
                raise faults.conflict('PortSecurityPortHasSecurityGroup', 'Port has security group associated. '
                                      'Cannot disable port security or IP address until security group is removed.')
            if record['allowed_address_pairs']:
                raise faults.conflict('AddressPairAndPortSecurityRequired',
                                      'Port Security must be enabled in order to have allowed address pairs on a '
                                      'port.')

    def changed(self, record):
        self._plane.changed(record['network_id'])
        if not record['binding:host_id'] or self.records.get('port', record['id']) is None:
            return None
        try:
            self._plane.plug(record['network_id'], record['id'] if filtered(record) else None)
        except OSError as error:
            LOG.error('Port %s cannot be bound: %s', record['id'], error)
            with self.records.change():
                if self.records.get('port', record['id']) is not record:
                    return None
                return self.save({**record, 'binding_failed': True})
        return None

    # Deleting.

    def remove(self, identity, record):
        if record['device_owner'] in service_ports.MANAGED:
            raise faults.conflict(
                'ServicePortInUse', 'Port %s cannot be deleted directly via the port API: has device owner %s.'
                % (record['id'], record['device_owner']))
        self._let_go(record, ())

    def delete(self, request, identifier):
        with self.records.change():
            port = self.records.get('port', identifier)
            super().delete(request, identifier)
            if port['device_owner'] == service_ports.DHCP:
                self._service_ports.ensure_dhcp(port['network_id'])

    def _let_go(self, port, fixed_ips):
        """Take floating addresses off those of a port's addresses that it loses; it keeps `fixed_ips`."""
        kept = {fixed['ip_address'] for fixed in fixed_ips}
        for floating in self.records.find('floatingip', 'port_id', port['id']):
            if floating['fixed_ip_address'] not in kept:
                self.records.put('floatingip', resources.revised({
                    **floating, 'port_id': None, 'fixed_ip_address': None, 'router_id': None}))


def filtered(record):
    """Whether the host keeps the port to its own addresses and to its security groups."""
    return record['port_security_enabled'] and not record['device_owner'].startswith('network:')


def host_name(record, address):
    """The name that DHCP and DNS know one address of a port by."""
    return record['dns_name'] or 'host-' + address.replace('.', '-').replace(':', '-')
