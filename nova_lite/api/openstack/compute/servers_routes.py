# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""The part of the API's route table that is about servers; actions_routes.py has the server actions."""

from nova_lite.api import policies
from nova_lite.api.openstack import wsgi
from nova_lite.api.openstack.compute import actions_routes
from nova_lite.api.openstack.compute import consoles
from nova_lite.api.openstack.compute import external_events
from nova_lite.api.openstack.compute import ips
from nova_lite.api.openstack.compute import server_connections
from nova_lite.api.openstack.compute import server_insight
from nova_lite.api.openstack.compute import server_metadata
from nova_lite.api.openstack.compute import server_password
from nova_lite.api.openstack.compute import server_tags
from nova_lite.api.openstack.compute import servers
from nova_lite.api.openstack.compute import volume_attachments
from nova_lite.api.openstack.compute.schemas import consoles as consoles_schema
from nova_lite.api.openstack.compute.schemas import external_events as events_schema
from nova_lite.api.openstack.compute.schemas import interfaces as interfaces_schema
from nova_lite.api.openstack.compute.schemas import server_labels as labels_schema
from nova_lite.api.openstack.compute.schemas import servers as schema
from nova_lite.api.openstack.compute.schemas import types
from nova_lite.api.openstack.compute.schemas import volume_attachments as volumes_schema

op = wsgi.op
OBJECT = wsgi.OBJECT
Connections = server_connections.Controller
Volumes = volume_attachments.Controller

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
    '/servers/{id}/action': {'POST': actions_routes.ACTIONS},
    '/servers/{server_id}/remote-consoles': {
        'POST': op(consoles.Controller, 'create', policies.REMOTE_CONSOLES, target=OBJECT, min='2.6',
                   body=consoles_schema.CREATE),
    },
    '/os-console-auth-tokens/{id}': {
        'GET': op(consoles.Controller, 'show_token', policies.CONSOLE_TOKENS, query=types.NO_QUERY),
    },
    '/servers/{server_id}/metadata': {
        'GET': op(server_metadata.Controller, 'index', policies.METADATA % 'index', target=OBJECT,
                  query=types.NO_QUERY),
        'POST': op(server_metadata.Controller, 'create', policies.METADATA % 'create', target=OBJECT,
                   body=labels_schema.METADATA),
        'PUT': op(server_metadata.Controller, 'update_all', policies.METADATA % 'update_all', target=OBJECT,
                  body=labels_schema.METADATA),
    },
    '/servers/{server_id}/metadata/{id}': {
        'GET': op(server_metadata.Controller, 'show', policies.METADATA % 'show', target=OBJECT, query=types.NO_QUERY),
        'PUT': op(server_metadata.Controller, 'update', policies.METADATA % 'update', target=OBJECT,
                  body=labels_schema.META),
        'DELETE': op(server_metadata.Controller, 'delete', policies.METADATA % 'delete', target=OBJECT, success=204),
    },
    '/servers/{server_id}/tags': {
        'GET': op(server_tags.Controller, 'index', policies.TAGS % 'index', target=OBJECT, min='2.26',
                  query=types.NO_QUERY),
        'PUT': op(server_tags.Controller, 'update_all', policies.TAGS % 'update_all', target=OBJECT, min='2.26',
                  body=labels_schema.TAGS),
        'DELETE': op(server_tags.Controller, 'delete_all', policies.TAGS % 'delete_all', target=OBJECT, min='2.26',
                     success=204),
    },
    '/servers/{server_id}/tags/{id}': {
        'GET': op(server_tags.Controller, 'show', policies.TAGS % 'show', target=OBJECT, min='2.26',
                  query=types.NO_QUERY, success=204),
        'PUT': op(server_tags.Controller, 'update', policies.TAGS % 'update', target=OBJECT, min='2.26', success=204),
        'DELETE': op(server_tags.Controller, 'delete', policies.TAGS % 'delete', target=OBJECT, min='2.26',
                     success=204),
    },
    '/servers/{server_id}/ips': {
        'GET': op(ips.Controller, 'index', policies.ADDRESSES % 'index', target=OBJECT, query=types.NO_QUERY),
    },
    '/servers/{server_id}/ips/{id}': {
        'GET': op(ips.Controller, 'show', policies.ADDRESSES % 'show', target=OBJECT, query=types.NO_QUERY),
    },
    '/servers/{server_id}/os-interface': {
        'GET': op(Connections, 'interfaces', policies.INTERFACES % 'list', target=OBJECT, query=types.NO_QUERY),
        'POST': op(Connections, 'attach_interface', policies.INTERFACES % 'create', target=OBJECT,
                   body=interfaces_schema.ATTACH),
    },
    '/servers/{server_id}/os-interface/{id}': {
        'GET': op(Connections, 'interface', policies.INTERFACES % 'show', target=OBJECT, query=types.NO_QUERY),
        'DELETE': op(Connections, 'detach_interface', policies.INTERFACES % 'delete', target=OBJECT, success=202),
    },
    '/servers/{server_id}/os-security-groups': {
        'GET': op(Connections, 'security_groups', policies.GROUPS_OF_SERVER, target=OBJECT, query=types.NO_QUERY),
    },
    '/servers/{server_id}/os-server-password': {
        'GET': op(server_password.Controller, 'show', policies.SERVER_PASSWORD % 'show', target=OBJECT,
                  query=types.NO_QUERY),
        'DELETE': op(server_password.Controller, 'clear', policies.SERVER_PASSWORD % 'clear', target=OBJECT,
                     success=204),
    },
    '/servers/{server_id}/diagnostics': {
        'GET': op(server_insight.Controller, 'diagnostics', policies.DIAGNOSTICS, target=OBJECT, query=types.NO_QUERY),
    },
    '/servers/{server_id}/topology': {
        'GET': op(server_insight.Controller, 'topology', policies.TOPOLOGY % 'index', target=OBJECT, min='2.78',
                  query=types.NO_QUERY),
    },
    '/os-server-external-events': {
        'POST': op(external_events.Controller, 'create', policies.EXTERNAL_EVENTS, body=events_schema.CREATE),
    },
    '/servers/{server_id}/os-volume_attachments': {
        'GET': op(Volumes, 'index', policies.ATTACHMENTS % 'index', target=OBJECT, query=volumes_schema.QUERY),
        'POST': op(Volumes, 'create', policies.ATTACHMENTS % 'create', target=OBJECT, body=volumes_schema.CREATE),
    },
    '/servers/{server_id}/os-volume_attachments/{id}': {
        'GET': op(Volumes, 'show', policies.ATTACHMENTS % 'show', target=OBJECT, query=types.NO_QUERY),
        'PUT': [op(Volumes, 'swap', policies.ATTACHMENTS % 'swap', target=OBJECT, max='2.84', success=202,
                   body=volumes_schema.SWAP),
                op(Volumes, 'update', policies.ATTACHMENTS % 'update', target=OBJECT, min='2.85', success=202,
                   body=volumes_schema.UPDATE)],
        'DELETE': op(Volumes, 'delete', policies.ATTACHMENTS % 'delete', target=OBJECT, success=202),
    },
}
