# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""The API at a glance: each URL, its methods, and for each the controller's method, policy rule and request schemas.

`doc/adding-an-api-call.md` goes through a row. The rows about servers are in `servers_routes.py`.
"""

from nova_lite.api import policies
from nova_lite.api.openstack import wsgi
from nova_lite.api.openstack.compute import flavors
from nova_lite.api.openstack.compute.schemas import flavors as flavors_schema
from nova_lite.api.openstack.compute.schemas import types

op = wsgi.op
ANYBODY = wsgi.ANYBODY

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

TABLE = {**_FLAVORS}
