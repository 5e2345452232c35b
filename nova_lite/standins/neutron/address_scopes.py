# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Address scopes: sets of subnet pools whose prefixes do not overlap."""

from nova_lite.standins import rest
from nova_lite.standins.neutron import access
from nova_lite.standins.neutron import attributes
from nova_lite.standins.neutron import faults
from nova_lite.standins.neutron import rbac
from nova_lite.standins.neutron import resources


class AddressScopes(resources.Resource):
    """The calls below /v2.0/address-scopes."""

    kind, plural, path = 'address_scope', 'address_scopes', 'address-scopes'
    taggable = False
    indexed = ('id', 'project_id')
    attributes = {
        **{name: attribute for name, attribute in attributes.standard().items()
           if name in ('id', 'tenant_id', 'project_id')},
        'name': attributes.Attribute(attributes.text(255), ''),
        'ip_version': attributes.Attribute(attributes.one_of(4, 6), attributes.REQUIRED, put=False),
        'shared': attributes.Attribute(attributes.boolean, False, privileged=True),
    }

    def shared(self, identity, record):
        """Whether the scope is shared with the caller's project."""
        return record['shared'] or rbac.allows(self.records, record['id'], identity.project_id)

    def visible(self, identity, record):
        return access.owns(identity, record) or self.shared(identity, record)

    def view(self, identity, record):
        return {**super().view(identity, record), 'shared': self.shared(identity, record)}

    def revise(self, identity, record, values):
        if record['shared'] and values.get('shared') is False:
            raise rest.Fault(400, "Unable to update address scope %s : Shared address scope can't be unshared."
                             % record['id'], 'AddressScopeUpdateError')
        return {**record, **values}

    def remove(self, identity, record):
        if any(pool['address_scope_id'] == record['id'] for pool in self.records.all('subnetpool')):
            raise faults.conflict(
                'AddressScopeInUse', 'Unable to complete operation on address scope %s. There are one or more subnet '
                'pools in use on the address scope.' % record['id'])
        rbac.forget(self.records, record['id'])
