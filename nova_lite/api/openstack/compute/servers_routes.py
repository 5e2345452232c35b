# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""The part of the API's route table that is about servers; a server action is one row of `ACTIONS`."""

from nova_lite.api import policies
from nova_lite.api.openstack import wsgi
from nova_lite.api.openstack.compute import servers
from nova_lite.api.openstack.compute import servers_actions
from nova_lite.api.openstack.compute.schemas import servers as schema
from nova_lite.api.openstack.compute.schemas import types

op = wsgi.op
OBJECT = wsgi.OBJECT

ACTIONS = {
    'os-getConsoleOutput': op(servers_actions.Controller, 'get_console_output', policies.CONSOLE_OUTPUT, target=OBJECT,
                              body=schema.GET_CONSOLE_OUTPUT),
}

TABLE = {
    '/servers': {
        'GET': op(servers.Controller, 'index', policies.SERVERS % 'index', query=schema.LIST_QUERY),
        'POST': op(servers.Controller, 'create', policies.SERVERS % 'create', body=schema.CREATE, success=202),
    },
    '/servers/detail': {
        'GET': op(servers.Controller, 'detail', policies.SERVERS % 'detail', query=schema.LIST_QUERY),
    },
    '/servers/{id}': {
        'GET': op(servers.Controller, 'show', policies.SERVERS % 'show', target=OBJECT, query=types.NO_QUERY),
        'PUT': op(servers.Controller, 'update', policies.SERVERS % 'update', target=OBJECT, body=schema.UPDATE),
        'DELETE': op(servers.Controller, 'delete', policies.SERVERS % 'delete', target=OBJECT, success=204),
    },
    '/servers/{id}/action': {'POST': ACTIONS},
}
