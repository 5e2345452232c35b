# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""The policy rules of what is served, with Nova's names, scopes and defaults."""

from oslo_policy import policy

ADMIN = 'rule:context_is_admin'
MEMBER_OR_ADMIN = 'rule:project_member_or_admin'
READER_OR_ADMIN = 'rule:project_reader_or_admin'
MANAGER_OR_ADMIN = 'rule:project_manager_or_admin'
ANYBODY = '@'
SCOPE = ['project']

BASE = (
    ('context_is_admin', 'role:admin', 'Administrators: they act on every project.'),
    ('project_member_api', 'role:member and project_id:%(project_id)s', 'Members of the project that owns it.'),
    ('project_reader_api', 'role:reader and project_id:%(project_id)s', 'Readers of the project that owns it.'),
    ('project_manager_api', 'role:manager and project_id:%(project_id)s', 'Managers of the project that owns it.'),
    ('project_member_or_admin', 'rule:project_member_api or rule:context_is_admin', 'Members and administrators.'),
    ('project_reader_or_admin', 'rule:project_reader_api or rule:context_is_admin', 'Readers and administrators.'),
    ('project_manager_or_admin', 'rule:project_manager_api or rule:context_is_admin', 'Managers and administrators.'),
)

FLAVOR_MANAGE = 'os_compute_api:os-flavor-manage:%s'
FLAVOR_ACCESS = 'os_compute_api:os-flavor-access'
FLAVOR_SPECS = 'os_compute_api:os-flavor-extra-specs:%s'

FLAVORS = (
    (FLAVOR_MANAGE % 'create', ADMIN, 'Create a flavor', 'POST', '/flavors'),
    (FLAVOR_MANAGE % 'update', ADMIN, 'Change a flavor\'s description', 'PUT', '/flavors/{flavor_id}'),
    (FLAVOR_MANAGE % 'delete', ADMIN, 'Delete a flavor', 'DELETE', '/flavors/{flavor_id}'),
    (FLAVOR_ACCESS, ADMIN, 'List who may use a private flavor', 'GET',
     '/flavors/{flavor_id}/os-flavor-access'),
    (FLAVOR_ACCESS + ':add_tenant_access', ADMIN, 'Let a project use a private flavor', 'POST',
     '/flavors/{flavor_id}/action (addTenantAccess)'),
    (FLAVOR_ACCESS + ':remove_tenant_access', ADMIN, 'Take a private flavor from a project', 'POST',
     '/flavors/{flavor_id}/action (removeTenantAccess)'),
    (FLAVOR_SPECS % 'index', READER_OR_ADMIN, 'List a flavor\'s extra specs', 'GET',
     '/flavors/{flavor_id}/os-extra_specs'),
    (FLAVOR_SPECS % 'show', READER_OR_ADMIN, 'Show one extra spec', 'GET',
     '/flavors/{flavor_id}/os-extra_specs/{id}'),
    (FLAVOR_SPECS % 'create', ADMIN, 'Set extra specs', 'POST',
     '/flavors/{flavor_id}/os-extra_specs'),
    (FLAVOR_SPECS % 'update', ADMIN, 'Set one extra spec', 'PUT',
     '/flavors/{flavor_id}/os-extra_specs/{id}'),
    (FLAVOR_SPECS % 'delete', ADMIN, 'Delete one extra spec', 'DELETE',
     '/flavors/{flavor_id}/os-extra_specs/{id}'),
)

OPERATIONS = FLAVORS


def list_rules():
    """Every rule, for the enforcer and for oslopolicy-sample-generator."""
    rules = [policy.RuleDefault(name, check, description) for name, check, description in BASE]
    rules += [policy.DocumentedRuleDefault(name, check, description, [{'method': method, 'path': path}],
                                           scope_types=SCOPE)
              for name, check, description, method, path in OPERATIONS]
    return rules
