# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""The API at a glance: each URL, its methods, and for each the controller's method, policy rule and request schemas.

`doc/adding-an-api-call.md` goes through a row. The rows about servers are in `servers_routes.py`.
"""

from nova_lite.api import policies
from nova_lite.api.openstack import microversions
from nova_lite.api.openstack import wsgi
from nova_lite.api.openstack.compute import aggregates
from nova_lite.api.openstack.compute import availability_zones
from nova_lite.api.openstack.compute import extensions
from nova_lite.api.openstack.compute import flavors
from nova_lite.api.openstack.compute import hosts
from nova_lite.api.openstack.compute import hypervisors
from nova_lite.api.openstack.compute import images
from nova_lite.api.openstack.compute import instance_actions
from nova_lite.api.openstack.compute import keypairs
from nova_lite.api.openstack.compute import limits
from nova_lite.api.openstack.compute import migrations
from nova_lite.api.openstack.compute import networks
from nova_lite.api.openstack.compute import quota_sets
from nova_lite.api.openstack.compute import security_groups
from nova_lite.api.openstack.compute import server_groups
from nova_lite.api.openstack.compute import servers_routes
from nova_lite.api.openstack.compute import services
from nova_lite.api.openstack.compute import simple_tenant_usage
from nova_lite.api.openstack.compute import usage_audit_log
from nova_lite.api.openstack.compute.schemas import aggregates as aggregates_schema
from nova_lite.api.openstack.compute.schemas import flavors as flavors_schema
from nova_lite.api.openstack.compute.schemas import hosts as hosts_schema
from nova_lite.api.openstack.compute.schemas import images as images_schema
from nova_lite.api.openstack.compute.schemas import instance_actions as actions_schema
from nova_lite.api.openstack.compute.schemas import keypairs as keypairs_schema
from nova_lite.api.openstack.compute.schemas import quotas as quotas_schema
from nova_lite.api.openstack.compute.schemas import security_groups as security_groups_schema
from nova_lite.api.openstack.compute.schemas import server_groups as server_groups_schema
from nova_lite.api.openstack.compute.schemas import server_moves as moves_schema
from nova_lite.api.openstack.compute.schemas import services as services_schema
from nova_lite.api.openstack.compute.schemas import types
from nova_lite.api.openstack.compute.schemas import usage as usage_schema

op = wsgi.op
ANYBODY, OBJECT = wsgi.ANYBODY, wsgi.OBJECT
Since = microversions.Since

_FLAVORS = {
    '/flavors': {
        'GET': op(flavors.Controller, 'index', ANYBODY, query=flavors_schema.LIST_QUERY),
        'POST': op(flavors.Controller, 'create', policies.FLAVOR_MANAGE % 'create', body=flavors_schema.CREATE),
    },
    '/flavors/detail': {
        'GET': op(flavors.Controller, 'detail', ANYBODY, query=flavors_schema.LIST_QUERY),
    },
    '/flavors/{id}': {
        'GET': op(flavors.Controller, 'show', ANYBODY, query=types.NO_QUERY),
        'PUT': op(flavors.Controller, 'update', policies.FLAVOR_MANAGE % 'update', min='2.55',
                  body=flavors_schema.UPDATE),
        'DELETE': op(flavors.Controller, 'delete', policies.FLAVOR_MANAGE % 'delete', success=202),
    },
    '/flavors/{id}/action': {
        'POST': {
            'addTenantAccess': op(flavors.Controller, 'add_access', policies.FLAVOR_ACCESS + ':add_tenant_access',
                                  body=flavors_schema.ADD_ACCESS),
            'removeTenantAccess': op(flavors.Controller, 'remove_access',
                                     policies.FLAVOR_ACCESS + ':remove_tenant_access',
                                     body=flavors_schema.REMOVE_ACCESS),
        },
    },
    '/flavors/{flavor_id}/os-flavor-access': {
        'GET': op(flavors.Controller, 'access', policies.FLAVOR_ACCESS, query=types.NO_QUERY),
    },
    '/flavors/{flavor_id}/os-extra_specs': {
        'GET': op(flavors.Controller, 'specs', policies.FLAVOR_SPECS % 'index', query=types.NO_QUERY),
        'POST': op(flavors.Controller, 'set_specs', policies.FLAVOR_SPECS % 'create', body=flavors_schema.EXTRA_SPECS),
    },
    '/flavors/{flavor_id}/os-extra_specs/{id}': {
        'GET': op(flavors.Controller, 'spec', policies.FLAVOR_SPECS % 'show', query=types.NO_QUERY),
        'PUT': op(flavors.Controller, 'set_spec', policies.FLAVOR_SPECS % 'update', body=flavors_schema.ONE_SPEC),
        'DELETE': op(flavors.Controller, 'delete_spec', policies.FLAVOR_SPECS % 'delete'),
    },
}

_PROJECT = {
    '/limits': {'GET': op(limits.Controller, 'index', policies.LIMITS, query=quotas_schema.LIMITS_QUERY)},
    '/os-keypairs': {
        'GET': op(keypairs.Controller, 'index', policies.KEYPAIRS % 'index', target=OBJECT,
                  query=keypairs_schema.LIST_QUERY),
        'POST': op(keypairs.Controller, 'create', policies.KEYPAIRS % 'create', target=OBJECT,
                   body=keypairs_schema.CREATE, success=Since({'2.1': 200, '2.2': 201})),
    },
    '/os-keypairs/{id}': {
        'GET': op(keypairs.Controller, 'show', policies.KEYPAIRS % 'show', target=OBJECT, query=keypairs_schema.QUERY),
        'DELETE': op(keypairs.Controller, 'delete', policies.KEYPAIRS % 'delete', target=OBJECT,
                     query=keypairs_schema.QUERY, success=Since({'2.1': 202, '2.2': 204})),
    },
    '/os-server-groups': {
        'GET': op(server_groups.Controller, 'index', policies.SERVER_GROUPS % 'index',
                  query=server_groups_schema.LIST_QUERY),
        'POST': op(server_groups.Controller, 'create', policies.SERVER_GROUPS % 'create',
                   body=server_groups_schema.CREATE),
    },
    '/os-server-groups/{id}': {
        'GET': op(server_groups.Controller, 'show', policies.SERVER_GROUPS % 'show', target=OBJECT,
                  query=types.NO_QUERY),
        'DELETE': op(server_groups.Controller, 'delete', policies.SERVER_GROUPS % 'delete', target=OBJECT,
                     success=204),
    },
    '/os-quota-sets/{id}': {
        'GET': op(quota_sets.Projects, 'show', policies.QUOTA_SETS % 'show', target=OBJECT,
                  query=quotas_schema.USER_QUERY),
        'PUT': op(quota_sets.Projects, 'update', policies.QUOTA_SETS % 'update', query=quotas_schema.USER_QUERY,
                  body=quotas_schema.UPDATE),
        'DELETE': op(quota_sets.Projects, 'delete', policies.QUOTA_SETS % 'delete', query=quotas_schema.USER_QUERY,
                     success=202),
    },
    '/os-quota-sets/{id}/detail': {
        'GET': op(quota_sets.Projects, 'detail', policies.QUOTA_SETS % 'detail', target=OBJECT,
                  query=quotas_schema.USER_QUERY),
    },
    '/os-quota-sets/{id}/defaults': {
        'GET': op(quota_sets.Projects, 'defaults', policies.QUOTA_SETS % 'defaults'),
    },
    '/os-simple-tenant-usage': {
        'GET': op(simple_tenant_usage.Controller, 'index', policies.TENANT_USAGE % 'list',
                  query=usage_schema.LIST_QUERY),
    },
    '/os-simple-tenant-usage/{id}': {
        'GET': op(simple_tenant_usage.Controller, 'show', policies.TENANT_USAGE % 'show', target=OBJECT,
                  query=usage_schema.SHOW_QUERY),
    },
    '/os-availability-zone': {
        'GET': op(availability_zones.Controller, 'index', policies.AVAILABILITY_ZONE % 'list', query=types.NO_QUERY),
    },
    '/extensions': {'GET': op(extensions.Controller, 'index', policies.EXTENSIONS, query=types.NO_QUERY)},
    '/extensions/{id}': {'GET': op(extensions.Controller, 'show', policies.EXTENSIONS, query=types.NO_QUERY)},
    '/servers/{server_id}/os-instance-actions': {
        'GET': op(instance_actions.Controller, 'index', policies.INSTANCE_ACTIONS % 'list', target=OBJECT,
                  query=actions_schema.LIST_QUERY),
    },
    '/servers/{server_id}/os-instance-actions/{id}': {
        'GET': op(instance_actions.Controller, 'show', policies.INSTANCE_ACTIONS % 'show', target=OBJECT,
                  query=types.NO_QUERY),
    },
}

_CLOUD = {
    '/os-aggregates': {
        'GET': op(aggregates.Controller, 'index', policies.AGGREGATES % 'index', query=types.NO_QUERY),
        'POST': op(aggregates.Controller, 'create', policies.AGGREGATES % 'create', body=aggregates_schema.CREATE),
    },
    '/os-aggregates/{id}': {
        'GET': op(aggregates.Controller, 'show', policies.AGGREGATES % 'show', query=types.NO_QUERY),
        'PUT': op(aggregates.Controller, 'update', policies.AGGREGATES % 'update', body=aggregates_schema.UPDATE),
        'DELETE': op(aggregates.Controller, 'delete', policies.AGGREGATES % 'delete'),
    },
    '/os-aggregates/{id}/action': {
        'POST': {
            'add_host': op(aggregates.Controller, 'add_host', policies.AGGREGATES % 'add_host',
                           body=aggregates_schema.ADD_HOST),
            'remove_host': op(aggregates.Controller, 'remove_host', policies.AGGREGATES % 'remove_host',
                              body=aggregates_schema.REMOVE_HOST),
            'set_metadata': op(aggregates.Controller, 'set_metadata', policies.AGGREGATES % 'set_metadata',
                               body=aggregates_schema.SET_METADATA),
        },
    },
    '/os-availability-zone/detail': {
        'GET': op(availability_zones.Controller, 'detail', policies.AVAILABILITY_ZONE % 'detail',
                  query=types.NO_QUERY),
    },
    '/os-quota-class-sets/{id}': {
        'GET': op(quota_sets.Classes, 'show', policies.QUOTA_CLASSES % 'show', query=types.NO_QUERY),
        'PUT': op(quota_sets.Classes, 'update', policies.QUOTA_CLASSES % 'update', body=quotas_schema.UPDATE_CLASS),
    },
    '/os-services': {
        'GET': op(services.Controller, 'index', policies.SERVICES % 'list', query=services_schema.LIST_QUERY),
    },
    '/os-services/{id}': {
        'PUT': [op(services.Controller, 'act', policies.SERVICES % 'update', max='2.52', body=services_schema.UPDATE),
                op(services.Controller, 'update', policies.SERVICES % 'update', min='2.53',
                   body=services_schema.UPDATE)],
        'DELETE': op(services.Controller, 'delete', policies.SERVICES % 'delete', success=204),
    },
    '/os-hypervisors': {
        'GET': op(hypervisors.Controller, 'index', policies.HYPERVISORS % 'list',
                  query=services_schema.HYPERVISORS_QUERY),
    },
    '/os-hypervisors/detail': {
        'GET': op(hypervisors.Controller, 'detail', policies.HYPERVISORS % 'list-detail',
                  query=services_schema.HYPERVISORS_QUERY),
    },
    '/os-hypervisors/statistics': {
        'GET': op(hypervisors.Controller, 'statistics', policies.HYPERVISORS % 'statistics', max='2.87'),
    },
    '/os-hypervisors/{id}': {
        'GET': op(hypervisors.Controller, 'show', policies.HYPERVISORS % 'show',
                  query=services_schema.HYPERVISOR_QUERY),
    },
    '/os-hypervisors/{id}/uptime': {
        'GET': op(hypervisors.Controller, 'uptime', policies.HYPERVISORS % 'uptime', max='2.87'),
    },
    '/os-hypervisors/{id}/search': {
        'GET': op(hypervisors.Controller, 'search', policies.HYPERVISORS % 'search', max='2.52'),
    },
    '/os-hypervisors/{id}/servers': {
        'GET': op(hypervisors.Controller, 'servers', policies.HYPERVISORS % 'servers', max='2.52'),
    },
}

LAST = '2.42'       # microversion with os-hosts

_HOSTS = {
    '/os-hosts': {
        'GET': op(hosts.Controller, 'index', policies.HOSTS % 'list', max=LAST, query=hosts_schema.LIST_QUERY),
    },
    '/os-hosts/{id}': {
        'GET': op(hosts.Controller, 'show', policies.HOSTS % 'show', max=LAST, query=types.NO_QUERY),
        'PUT': op(hosts.Controller, 'update', policies.HOSTS % 'update', max=LAST, body=hosts_schema.UPDATE),
    },
    '/os-hosts/{id}/startup': {'GET': op(hosts.Controller, 'startup', policies.HOSTS % 'start', max=LAST)},
    '/os-hosts/{id}/shutdown': {'GET': op(hosts.Controller, 'shutdown', policies.HOSTS % 'shutdown', max=LAST)},
    '/os-hosts/{id}/reboot': {'GET': op(hosts.Controller, 'reboot', policies.HOSTS % 'reboot', max=LAST)},
    '/os-instance_usage_audit_log': {
        'GET': op(usage_audit_log.Controller, 'index', policies.AUDIT_LOG % 'list', query=types.NO_QUERY),
    },
    '/os-instance_usage_audit_log/{id}': {
        'GET': op(usage_audit_log.Controller, 'show', policies.AUDIT_LOG % 'show', query=types.NO_QUERY),
    },
    '/os-migrations': {
        'GET': op(migrations.Controller, 'index', policies.MIGRATIONS, query=hosts_schema.MIGRATIONS_QUERY),
    },
    '/servers/{server_id}/migrations': {
        'GET': op(migrations.Controller, 'of_server', policies.SERVER_MIGRATIONS % 'index', target=OBJECT, min='2.23',
                  query=types.NO_QUERY),
    },
    '/servers/{server_id}/migrations/{id}': {
        'GET': op(migrations.Controller, 'show', policies.SERVER_MIGRATIONS % 'show', target=OBJECT, min='2.23',
                  query=types.NO_QUERY),
        'DELETE': op(migrations.Controller, 'abort', policies.SERVER_MIGRATIONS % 'delete', target=OBJECT, min='2.24',
                     success=202),
    },
    '/servers/{server_id}/migrations/{id}/action': {
        'POST': {'force_complete': op(migrations.Controller, 'force_complete',
                                      policies.SERVER_MIGRATIONS % 'force_complete', target=OBJECT, min='2.22',
                                      body=moves_schema.FORCE_COMPLETE, success=202)},
    },
}

PROXIED = '2.35'    # last microversion of what clients now ask the network service itself

IMAGE_METADATA = '2.38'      # the last microversion that knows it

_PROXIES = {
    '/images': {
        'GET': op(images.Controller, 'index', ANYBODY, max=PROXIED, query=images_schema.LIST_QUERY),
    },
    '/images/detail': {
        'GET': op(images.Controller, 'detail', ANYBODY, max=PROXIED, query=images_schema.LIST_QUERY),
    },
    '/images/{id}': {
        'GET': op(images.Controller, 'show', ANYBODY, max=PROXIED, query=types.NO_QUERY),
        'DELETE': op(images.Controller, 'delete', ANYBODY, max=PROXIED, success=204),
    },
    '/images/{image_id}/metadata': {
        'GET': op(images.Metadata, 'index', ANYBODY, max=IMAGE_METADATA, query=types.NO_QUERY),
        'POST': op(images.Metadata, 'create', ANYBODY, max=IMAGE_METADATA, body=images_schema.METADATA),
        'PUT': op(images.Metadata, 'update_all', ANYBODY, max=IMAGE_METADATA, body=images_schema.METADATA),
    },
    '/images/{image_id}/metadata/{id}': {
        'GET': op(images.Metadata, 'show', ANYBODY, max=IMAGE_METADATA, query=types.NO_QUERY),
        'PUT': op(images.Metadata, 'update', ANYBODY, max=IMAGE_METADATA, body=images_schema.META),
        'DELETE': op(images.Metadata, 'delete', ANYBODY, max=IMAGE_METADATA, success=204),
    },
    '/os-networks': {
        'GET': op(networks.Controller, 'index', policies.NETWORKS % 'list', max=PROXIED, query=types.NO_QUERY),
    },
    '/os-networks/{id}': {
        'GET': op(networks.Controller, 'show', policies.NETWORKS % 'show', max=PROXIED, query=types.NO_QUERY),
    },
    '/os-tenant-networks': {
        'GET': op(networks.Controller, 'tenant_index', policies.TENANT_NETWORKS % 'list', max=PROXIED,
                  query=types.NO_QUERY),
    },
    '/os-tenant-networks/{id}': {
        'GET': op(networks.Controller, 'tenant_show', policies.TENANT_NETWORKS % 'show', max=PROXIED,
                  query=types.NO_QUERY),
    },
    '/os-security-groups': {
        'GET': op(security_groups.Controller, 'index', policies.GROUPS % 'get', max=PROXIED,
                  query=security_groups_schema.LIST_QUERY),
        'POST': op(security_groups.Controller, 'create', policies.GROUPS % 'create', max=PROXIED,
                   body=security_groups_schema.GROUP),
    },
    '/os-security-groups/{id}': {
        'GET': op(security_groups.Controller, 'show', policies.GROUPS % 'show', max=PROXIED, query=types.NO_QUERY),
        'PUT': op(security_groups.Controller, 'update', policies.GROUPS % 'update', max=PROXIED,
                  body=security_groups_schema.GROUP),
        'DELETE': op(security_groups.Controller, 'delete', policies.GROUPS % 'delete', max=PROXIED, success=202),
    },
    '/os-security-group-rules': {
        'POST': op(security_groups.Controller, 'create_rule', policies.GROUPS % 'rule:create', max=PROXIED,
                   body=security_groups_schema.RULE),
    },
    '/os-security-group-rules/{id}': {
        'DELETE': op(security_groups.Controller, 'delete_rule', policies.GROUPS % 'rule:delete', max=PROXIED,
                     success=202),
    },
}

TABLE = {**_FLAVORS, **servers_routes.TABLE, **_PROJECT, **_CLOUD, **_HOSTS, **_PROXIES}
