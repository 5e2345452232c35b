# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Security groups: every project has one called default, which ports get unless they name others."""

from nova_lite.standins.neutron import access
from nova_lite.standins.neutron import attributes
from nova_lite.standins.neutron import faults
from nova_lite.standins.neutron import rbac
from nova_lite.standins.neutron import resources


class SecurityGroups(resources.Resource):
    """The calls below /v2.0/security-groups."""

    kind, plural, path = 'security_group', 'security_groups', 'security-groups'
    indexed = ('id', 'project_id')
    attributes = {
        **attributes.standard(),
        'name': attributes.Attribute(attributes.text(255), ''),
        'security_group_rules': attributes.read_only(), 'tags': attributes.read_only(),
        'shared': attributes.read_only(),
    }

    def __init__(self, records, plane):
        super().__init__(records)
        self._plane = plane

    def visible(self, identity, record):
        return access.owns(identity, record) or rbac.allows(self.records, record['id'], identity.project_id)

    def view(self, identity, record):
        return {**super().view(identity, record),
                'shared': rbac.allows(self.records, record['id'], identity.project_id)}

    def render(self, record):
        rules = self.records.find('security_group_rule', 'security_group_id', record['id'])
        return {**record, 'security_group_rules': rules}

    def list(self, request):
        if request.identity.project_id:
            with self.records.change():
                self.ensure_default(request.identity.project_id)
        return super().list(request)

    def ensure_default(self, project_id):
        """The project's default group, made when it is not there; None without a project. In a change block."""
        if not project_id:
            return None
        for group in self.records.find('security_group', 'project_id', project_id):
            if group['name'] == 'default':
                return group
        group = {'name': 'default', 'description': 'Default security group', 'tags': [],
                 **resources.standard(project_id)}
        self.records.put('security_group', group)
        self.built(group)
        for ethertype in ('IPv4', 'IPv6'):
            self._put_rule(group, 'ingress', ethertype, group['id'])
        return group

    def _put_rule(self, group, direction, ethertype, remote_group_id=None):
        self.records.put('security_group_rule', {
            **resources.standard(group['project_id']), 'security_group_id': group['id'], 'direction': direction,
            'ethertype': ethertype, 'protocol': None, 'port_range_min': None, 'port_range_max': None,
            'remote_ip_prefix': None, 'remote_group_id': remote_group_id, 'normalized_cidr': None,
            'description': ''})

    def before_create(self, project_id):
        self.ensure_default(project_id)

    def build(self, identity, record):
        if record['name'] == 'default':
            raise faults.conflict('SecurityGroupDefaultAlreadyExists', 'Default security group already exists.')
        return record

    def built(self, record):
        for ethertype in ('IPv4', 'IPv6'):
            self._put_rule(record, 'egress', ethertype)

    def revise(self, identity, record, values):
        if record['name'] == 'default' and values.get('name', 'default') != 'default':
            raise faults.conflict('SecurityGroupCannotUpdateDefault',
                                  'Updating default security group not allowed.')
        if values.get('name') == 'default' and record['name'] != 'default':
            raise faults.conflict('SecurityGroupDefaultAlreadyExists', 'Default security group already exists.')
        return {**record, **values}

    def remove(self, identity, record):
        if self.records.count('port', 'security_group_id', record['id']):
            raise faults.conflict('SecurityGroupInUse', 'Security Group %s in use.' % record['id'])
        if record['name'] == 'default' and not access.privileged(identity):
            raise faults.conflict('SecurityGroupCannotRemoveDefault',
                                  'Insufficient rights for removing default security group.')
        if self.records.count('rbac_policy', 'object_id', record['id']):
            raise faults.conflict('SecurityGroupInUse', 'Security Group %s in use.' % record['id'])
        rules = {rule['id'] for column in ('security_group_id', 'remote_group_id')     # others may let its members in
                 for rule in self.records.find('security_group_rule', column, record['id'])}
        for rule_id in rules:
            self.records.delete('security_group_rule', rule_id)

    def changed(self, record):
        self._plane.refresh()
