# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Shares single resources with single projects: the policies, and what they let a project see."""

from nova_lite.standins import rest
from nova_lite.standins.neutron import access
from nova_lite.standins.neutron import attributes
from nova_lite.standins.neutron import faults
from nova_lite.standins.neutron import resources
from nova_lite.standins.neutron import service_ports

SHARED, EXTERNAL = 'access_as_shared', 'access_as_external'
EVERYBODY = '*'
# type of object: (its kind among the records, the actions there are)
_TYPES = {'network': (SHARED, EXTERNAL), 'security_group': (SHARED,), 'subnetpool': (SHARED,),
          'address_scope': (SHARED,)}


def allows(records, object_id, project_id, action=SHARED):
    """Whether a policy lets the project use the object in this way."""
    return any(policy['action'] == action and policy['target_tenant'] in (EVERYBODY, project_id)
               for policy in records.find('rbac_policy', 'object_id', object_id))


def forget(records, object_id):
    """Remove the policies of an object that goes; inside a change block."""
    for policy in records.find('rbac_policy', 'object_id', object_id):
        records.delete('rbac_policy', policy['id'])


class RbacPolicies(resources.Resource):
    """The calls below /v2.0/rbac-policies. Of a policy only the project can change."""

    kind, plural, path = 'rbac_policy', 'rbac_policies', 'rbac-policies'
    taggable = False
    indexed = ('id', 'object_id', 'project_id')
    attributes = {
        **{name: attribute for name, attribute in attributes.standard().items()
           if name in ('id', 'tenant_id', 'project_id')},
        'object_type': attributes.Attribute(attributes.text(255), attributes.REQUIRED, put=False),
        'object_id': attributes.Attribute(attributes.identifier, attributes.REQUIRED, put=False),
        'action': attributes.Attribute(attributes.text(255), attributes.REQUIRED, put=False),
        'target_tenant': attributes.Attribute(attributes.text(255), attributes.REQUIRED),
    }

    def build(self, identity, record):
        kind, action = record['object_type'], record['action']
        if kind not in _TYPES:
            raise faults.invalid("'%s' is not a valid RBAC object type" % kind)
        if action not in _TYPES[kind]:
            raise rest.Fault(400, "Invalid action '%s' for object type '%s'. Valid actions: %s" % (
                action, kind, _TYPES[kind]), 'InvalidActionForType')
        self._check_target(identity, record, 'create_rbac_policy')
        shared = self.records.get(kind, record['object_id'])
        if shared is None or not access.owns(identity, shared):
            # Whether it is there is nobody else's business.
            raise faults.invalid('Only admins can manipulate policies on objects they do not own')
        self._require_new(record)
        return record

    def revise(self, identity, record, values):
        changed = {**record, **values}
        if changed['target_tenant'] != record['target_tenant']:
            self._check_target(identity, changed, 'update_rbac_policy')
            self._require_new(changed)
            self._require_unused(record)
        return changed

    def remove(self, identity, record):
        self._require_unused(record)

    def _check_target(self, identity, record, rule):
        if record['target_tenant'] == EVERYBODY and not access.privileged(identity):
            raise faults.forbidden(rule + ':target_tenant')

    def _require_new(self, record):
        same = ('action', 'target_tenant')
        if any(all(other[name] == record[name] for name in same)
               for other in self.records.find('rbac_policy', 'object_id', record['object_id'])):
            raise faults.conflict('DuplicateRbacPolicy', 'An RBAC policy already exists with those values.')

    def _require_unused(self, record):
        """Raise a 409 while a project has something that it may only have by this policy."""
        if record['object_type'] == 'network':
            users = self._users_of_network(record)
        elif record['object_type'] == 'security_group':
            users = [port['project_id'] for port in self.records.find(
                'port', 'security_group_id', record['object_id'])]
        elif record['object_type'] == 'subnetpool':
            users = [subnet['project_id'] for subnet in self.records.find(
                'subnet', 'subnetpool_id', record['object_id'])]
        else:
            users = [pool['project_id'] for pool in self.records.all('subnetpool')
                     if pool['address_scope_id'] == record['object_id']]
        owner = self.records.get(record['object_type'], record['object_id'])
        others = set(users) - {owner['project_id'], ''}
        if others and record['target_tenant'] in (EVERYBODY, *others) and not owner.get('shared'):
            raise faults.conflict(
                'RbacPolicyInUse', 'RBAC policy on object %s cannot be removed because other objects depend on it.'
                % record['object_id'])

    def _users_of_network(self, record):
        network = self.records.get('network', record['object_id'])
        ports = self.records.find('port', 'network_id', network['id'])
        if record['action'] == SHARED:
            return [port['project_id'] for port in ports if port['device_owner'] not in service_ports.AUTO_DELETED]
        if network['router:external']:
            return []
        floating = (self.records.get('floatingip', port['device_id']) for port in ports
                    if port['device_owner'] == service_ports.FLOATING_IP)
        routers = (self.records.get('router', port['device_id']) for port in ports
                   if port['device_owner'] == service_ports.ROUTER_GATEWAY)
        return [user['project_id'] for user in (*floating, *routers) if user is not None]
