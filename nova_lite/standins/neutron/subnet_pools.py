# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Subnet pools: prefixes that subnets are cut from, so that nobody has to think of free ranges."""

import ipaddress

from nova_lite.standins import rest
from nova_lite.standins.neutron import access
from nova_lite.standins.neutron import attributes
from nova_lite.standins.neutron import faults
from nova_lite.standins.neutron import rbac
from nova_lite.standins.neutron import resources

_MIN_LENGTHS = {4: 8, 6: 64}
_MAX_LENGTHS = {4: 32, 6: 128}
_QUOTA_UNIT = {4: 32, 6: 64}  # prefix length of what a pool's quota counts
_length = attributes.Attribute(attributes.optional(attributes.integer(0, 2 ** 31 - 1)))
_prefixes = attributes.list_of(attributes.cidr)


class SubnetPools(resources.Resource):
    """The calls below /v2.0/subnetpools."""

    kind, plural, path = 'subnetpool', 'subnetpools', 'subnetpools'
    indexed = ('id', 'project_id')
    attributes = {
        **attributes.standard(),
        'name': attributes.Attribute(attributes.text(255), attributes.REQUIRED),
        'prefixes': attributes.Attribute(_prefixes, attributes.REQUIRED),
        'min_prefixlen': _length, 'max_prefixlen': _length, 'default_prefixlen': _length,
        'default_quota': attributes.Attribute(attributes.optional(attributes.integer(0, 2 ** 31 - 1)), None),
        'address_scope_id': attributes.Attribute(attributes.optional(attributes.identifier), None),
        'shared': attributes.Attribute(attributes.boolean, False, put=False, privileged=True),
        'is_default': attributes.Attribute(attributes.boolean, False, privileged=True),
        'ip_version': attributes.read_only(), 'tags': attributes.read_only(),
    }

    def __init__(self, records, scopes):
        """`scopes` are the `AddressScopes`."""
        super().__init__(records)
        self._scopes = scopes

    def routes(self):
        one = '/v2.0/subnetpools/{identifier}'
        return [*super().routes(), rest.Route('PUT', one + '/add_prefixes', self.add_prefixes),
                rest.Route('PUT', one + '/remove_prefixes', self.remove_prefixes)]

    def shared(self, identity, record):
        """Whether the pool is shared with the caller's project."""
        return record['shared'] or rbac.allows(self.records, record['id'], identity.project_id)

    def visible(self, identity, record):
        return access.owns(identity, record) or self.shared(identity, record)

    def view(self, identity, record):
        return {**super().view(identity, record), 'shared': self.shared(identity, record)}

    def build(self, identity, record):
        if not record['prefixes']:
            raise faults.bad('Empty subnet pool prefix list.', 'EmptySubnetPoolPrefixList')
        version = _version(record['prefixes'])
        least, most = record.get('min_prefixlen'), record.get('max_prefixlen')
        least = _MIN_LENGTHS[version] if least is None else least
        default = record.get('default_prefixlen')
        record = {**record, 'ip_version': version, 'prefixes': _compact(record['prefixes']), 'min_prefixlen': least,
                  'max_prefixlen': _MAX_LENGTHS[version] if most is None else most,
                  'default_prefixlen': least if default is None else default}
        self._check(identity, record, None)
        return record

    def revise(self, identity, record, values):
        if 'prefixes' in values:
            values['prefixes'] = _compact(values['prefixes'])
            if values['prefixes'] and _version(values['prefixes']) != record['ip_version']:
                raise faults.bad('Cannot mix IPv4 and IPv6 prefixes in a subnet pool.', 'PrefixVersionMismatch')
            wanted = _networks(values['prefixes'])
            if not all(any(old.subnet_of(new) for new in wanted) for old in _networks(record['prefixes'])):
                raise _illegal_update('Existing prefixes must be a subset of the new prefixes.')
        changed = {**record, **{name: value for name, value in values.items()
                                if value is not None or not name.endswith('_prefixlen')}}
        self._check(identity, changed, record)
        return changed

    def remove(self, identity, record):
        if self.records.count('subnet', 'subnetpool_id', record['id']):
            raise faults.bad('Unable to delete subnet pool: Subnet pool has existing allocations.',
                             'SubnetPoolDeleteError')
        rbac.forget(self.records, record['id'])

    # Prefixes.

    def add_prefixes(self, request, identifier):
        return self._change_prefixes(request, identifier, lambda old, named: old + named)

    def remove_prefixes(self, request, identifier):
        return self._change_prefixes(request, identifier, _without)

    def _change_prefixes(self, request, identifier, change):
        values = attributes.parse({'prefixes': attributes.Attribute(_prefixes, attributes.REQUIRED)}, request.json())
        with self.records.change():
            record = self.find_own(request.identity, identifier, 'update_subnetpool')
            if values['prefixes'] and _version(values['prefixes']) != record['ip_version']:
                raise faults.bad('Cannot mix IPv4 and IPv6 prefixes in a subnet pool.', 'PrefixVersionMismatch')
            prefixes = _compact(change(record['prefixes'], values['prefixes']))
            left = _networks(prefixes)
            if not all(any(used.subnet_of(network) for network in left) for used in self._used(record)):
                raise _illegal_update('One or more of the prefixes to be removed is in use by a subnet.')
            changed = {**record, 'prefixes': prefixes}
            self._check(request.identity, changed, record)
            self.save(changed)
        return {'prefixes': prefixes}

    # Checks.

    def _check(self, identity, record, old):
        least, default, most = (record[name] for name in ('min_prefixlen', 'default_prefixlen', 'max_prefixlen'))
        longest = _MAX_LENGTHS[record['ip_version']]
        for wrong, shown in (
                (least > most, 'min_prefixlen=%d, max_prefixlen=%d' % (least, most)),
                (most > longest, 'max_prefixlen=%d, ip_version_max=%d' % (most, longest)),
                (default < least, 'default_prefixlen=%d, min_prefixlen=%d' % (default, least)),
                (default > most, 'default_prefixlen=%d, max_prefixlen=%d' % (default, most))):
            if wrong:
                raise faults.bad('Illegal prefix bounds: %s.' % shown, 'IllegalSubnetPoolPrefixBounds')
        if record['is_default'] and any(
                pool['is_default'] and pool['ip_version'] == record['ip_version'] and pool['id'] != record['id']
                for pool in self.records.all('subnetpool')):
            raise faults.invalid('A default subnetpool for this IP family has already been set. Only one default may '
                                 'exist per IP family')
        if record['address_scope_id'] is not None:
            self._check_scope(identity, record, old)

    def _check_scope(self, identity, record, old):
        scope_id = record['address_scope_id']
        if old is None or old['address_scope_id'] != scope_id:
            scope = self._scopes.find(identity, scope_id)
            if not access.owns(identity, scope):
                raise faults.bad('Illegal subnetpool association: subnetpool %s cannot be associated with address '
                                 'scope %s.' % (record['id'], scope_id), 'IllegalSubnetPoolAssociationToAddressScope')
            if scope['ip_version'] != record['ip_version']:
                raise faults.bad(
                    'Illegal subnetpool association: subnetpool %s cannot associate with address scope %s because '
                    'subnetpool ip_version is not %d.' % (record['id'], scope_id, scope['ip_version']),
                    'IllegalSubnetPoolIpVersionAssociationToAddressScope')
        own = _networks(record['prefixes'])
        for pool in self.records.all('subnetpool'):
            if pool['address_scope_id'] == scope_id and pool['id'] != record['id'] and any(
                    mine.overlaps(theirs) for mine in own for theirs in _networks(pool['prefixes'])):
                raise faults.conflict('AddressScopePrefixConflict', 'Failed to associate address scope: subnetpools '
                                      'within an address scope must have unique prefixes.')

    # Allocation.

    def default(self, version):
        """The default pool of an IP version; 400 when there is none."""
        for pool in self.records.all('subnetpool'):
            if pool['is_default'] and pool['ip_version'] == version:
                return pool
        raise faults.malformed('subnets', 'No default subnetpool found for IPv%d' % version)

    def allocate(self, pool, project_id, length, cidr):
        """The range for a new subnet of the pool: `cidr`, or a free one of `length` (None: the pool's default)."""
        length = ipaddress.ip_network(cidr).prefixlen if cidr else (
            pool['default_prefixlen'] if length is None else length)
        for kind, wrong, bound in (('Min', length < pool['min_prefixlen'], pool['min_prefixlen']),
                                   ('Max', length > pool['max_prefixlen'], pool['max_prefixlen'])):
            if wrong:
                raise faults.bad(
                    'Unable to allocate subnet with prefix length %d, %simum allowed prefix is %d.'
                    % (length, kind.lower(), bound), kind + 'PrefixSubnetAllocationError')
        used = self._used(pool)
        self._check_quota(pool, project_id, length)
        if cidr:
            network = ipaddress.ip_network(cidr)
            if any(network.overlaps(other) for other in used) or not any(
                    network.version == prefix.version and network.subnet_of(prefix)
                    for prefix in _networks(pool['prefixes'])):
                raise _no_space('Cannot allocate requested subnet from the available set of prefixes.')
            return cidr
        found = first_free(_networks(pool['prefixes']), used, length)
        if found is None:
            raise _no_space('Insufficient prefix space to allocate subnet size /%d.' % length)
        return str(found)

    def _used(self, pool):
        return [ipaddress.ip_network(subnet['cidr'])
                for subnet in self.records.find('subnet', 'subnetpool_id', pool['id'])]

    def _check_quota(self, pool, project_id, length):
        if pool['default_quota'] is None:
            return
        unit = _QUOTA_UNIT[pool['ip_version']]
        lengths = [ipaddress.ip_network(subnet['cidr']).prefixlen
                   for subnet in self.records.find('subnet', 'subnetpool_id', pool['id'])
                   if subnet['project_id'] == project_id]
        if sum(2 ** max(0, unit - each) for each in (*lengths, length)) > pool['default_quota']:
            raise faults.conflict('SubnetPoolQuotaExceeded', 'Per-project subnet pool prefix quota exceeded.')


def first_free(prefixes, used, length):
    """The first network of the prefix length within `prefixes` that overlaps none of `used`; None if there is none."""
    for prefix in sorted(prefixes):
        if prefix.prefixlen > length:
            continue
        size = 1 << (prefix.max_prefixlen - length)
        start, end = int(prefix.network_address), int(prefix.broadcast_address)
        for other in sorted(other for other in used if other.overlaps(prefix)):
            if start + size <= int(other.network_address):
                break
            start = max(start, -(-(int(other.broadcast_address) + 1) // size) * size)
        if start + size - 1 <= end:
            return type(prefix)((start, length))
    return None


def _networks(prefixes):
    return [ipaddress.ip_network(prefix) for prefix in prefixes]


def _version(prefixes):
    versions = {network.version for network in _networks(prefixes)}
    if len(versions) > 1:
        raise faults.bad('Cannot mix IPv4 and IPv6 prefixes in a subnet pool.', 'PrefixVersionMismatch')
    return versions.pop()


def _compact(prefixes):
    return [str(network) for network in ipaddress.collapse_addresses(_networks(prefixes))] if prefixes else []


def _without(prefixes, gone):
    """What is left of prefixes when others are cut out of them."""
    left = _networks(prefixes)
    for cut in _networks(gone):
        rest_of = []
        for network in left:
            if cut.subnet_of(network):
                rest_of += network.address_exclude(cut)
            elif not network.subnet_of(cut):
                rest_of.append(network)
        left = rest_of
    return [str(network) for network in left]


def _illegal_update(reason):
    return faults.bad('Illegal update to prefixes: %s' % reason, 'IllegalSubnetPoolPrefixUpdate')


def _no_space(reason):
    return faults.conflict('SubnetAllocationError', 'Failed to allocate subnet: %s' % reason)
