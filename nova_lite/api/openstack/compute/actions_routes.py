# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""The rows of `POST /servers/{id}/action`: the one key of the body is the action's name."""

from nova_lite.api import policies
from nova_lite.api.openstack import wsgi
from nova_lite.api.openstack.compute import consoles
from nova_lite.api.openstack.compute import server_deletion
from nova_lite.api.openstack.compute import server_images
from nova_lite.api.openstack.compute import server_marks
from nova_lite.api.openstack.compute import server_moves
from nova_lite.api.openstack.compute import server_network
from nova_lite.api.openstack.compute import server_power
from nova_lite.api.openstack.compute import server_remaking
from nova_lite.api.openstack.compute import server_shelving
from nova_lite.api.openstack.compute import servers_actions
from nova_lite.api.openstack.compute.schemas import consoles as consoles_schema
from nova_lite.api.openstack.compute.schemas import server_actions as schema
from nova_lite.api.openstack.compute.schemas import server_images as images_schema
from nova_lite.api.openstack.compute.schemas import server_moves as moves_schema
from nova_lite.api.openstack.compute.schemas import server_remaking as remaking_schema
from nova_lite.api.openstack.compute.schemas import server_shelving as shelving_schema
from nova_lite.api.openstack.compute.schemas import servers as servers_schema

Deletion = server_deletion.Controller
Marks = server_marks.Controller
Network = server_network.Controller
Power = server_power.Controller
Remaking = server_remaking.Controller
Images = server_images.Controller
OLD_CONSOLES = '2.5'    # last microversion before remote-consoles
Shelving = server_shelving.Controller
Moves = server_moves.Controller


def _op(controller, method, policy, body, **details):
    """An action on a server, as most are: accepted, and done aside."""
    return wsgi.op(controller, method, policy, target=wsgi.OBJECT, body=body, **{'success': 202, **details})


ACTIONS = {
    'os-getConsoleOutput': _op(servers_actions.Controller, 'get_console_output', policies.CONSOLE_OUTPUT,
                               servers_schema.GET_CONSOLE_OUTPUT, success=200),
    'os-getVNCConsole': _op(consoles.Controller, 'get_vnc', policies.REMOTE_CONSOLES, consoles_schema.GET_VNC,
                            success=200, max=OLD_CONSOLES),
    'os-getSPICEConsole': _op(consoles.Controller, 'get_spice', policies.REMOTE_CONSOLES, consoles_schema.GET_SPICE,
                              success=200, max=OLD_CONSOLES),
    'os-getSerialConsole': _op(consoles.Controller, 'get_serial', policies.REMOTE_CONSOLES, consoles_schema.GET_SERIAL,
                               success=200, max=OLD_CONSOLES),
    'os-start': _op(Power, 'start', policies.SERVERS % 'start', schema.START),
    'os-stop': _op(Power, 'stop', policies.SERVERS % 'stop', schema.STOP),
    'reboot': _op(Power, 'reboot', policies.SERVERS % 'reboot', schema.REBOOT),
    'pause': _op(Power, 'pause', policies.PAUSE % 'pause', schema.PAUSE),
    'unpause': _op(Power, 'unpause', policies.PAUSE % 'unpause', schema.UNPAUSE),
    'suspend': _op(Power, 'suspend', policies.SUSPEND % 'suspend', schema.SUSPEND),
    'shelve': _op(Shelving, 'shelve', policies.SHELVE % 'shelve', shelving_schema.SHELVE),
    'shelveOffload': _op(Shelving, 'shelve_offload', policies.SHELVE % 'shelve_offload',
                         shelving_schema.SHELVE_OFFLOAD),
    'unshelve': _op(Shelving, 'unshelve', policies.SHELVE % 'unshelve', shelving_schema.UNSHELVE),
    'createImage': _op(Images, 'create_image', policies.SERVERS % 'create_image', images_schema.CREATE_IMAGE),
    'createBackup': _op(Images, 'create_backup', policies.CREATE_BACKUP, images_schema.CREATE_BACKUP),
    'resume': _op(Power, 'resume', policies.SUSPEND % 'resume', schema.RESUME),
    'trigger_crash_dump': _op(Power, 'trigger_crash_dump', policies.SERVERS % 'trigger_crash_dump', schema.CRASH_DUMP,
                              min='2.17'),
    'changePassword': _op(Power, 'change_password', policies.ADMIN_PASSWORD, schema.CHANGE_PASSWORD),
    'rescue': _op(Remaking, 'rescue', policies.RESCUE, remaking_schema.RESCUE, success=200),
    'unrescue': _op(Remaking, 'unrescue', policies.UNRESCUE, remaking_schema.UNRESCUE),
    'rebuild': _op(Remaking, 'rebuild', policies.SERVERS % 'rebuild', remaking_schema.REBUILD),
    'lock': _op(Marks, 'lock', policies.LOCK % 'lock', schema.LOCK),
    'unlock': _op(Marks, 'unlock', policies.LOCK % 'unlock', schema.UNLOCK),
    'os-resetState': _op(Marks, 'reset_state', policies.ADMIN_ACTIONS % 'reset_state', schema.RESET_STATE),
    'injectNetworkInfo': _op(Marks, 'inject_network_info', policies.ADMIN_ACTIONS % 'inject_network_info',
                             schema.INJECT_NETWORK_INFO),
    'resetNetwork': wsgi.op(Marks, 'reset_network', wsgi.ANYBODY, body=schema.RESET_NETWORK, success=202),
    'addSecurityGroup': _op(Network, 'add_security_group', policies.GROUPS % 'add', schema.ADD_SECURITY_GROUP),
    'removeSecurityGroup': _op(Network, 'remove_security_group', policies.GROUPS % 'remove',
                               schema.REMOVE_SECURITY_GROUP),
    'addFixedIp': _op(Network, 'add_fixed_ip', policies.MULTINIC % 'add', schema.ADD_FIXED_IP, max='2.43'),
    'removeFixedIp': _op(Network, 'remove_fixed_ip', policies.MULTINIC % 'remove', schema.REMOVE_FIXED_IP, max='2.43'),
    'addFloatingIp': _op(Network, 'add_floating_ip', policies.FLOATING_IPS % 'add', schema.ADD_FLOATING_IP,
                         max='2.43'),
    'removeFloatingIp': _op(Network, 'remove_floating_ip', policies.FLOATING_IPS % 'remove', schema.REMOVE_FLOATING_IP,
                            max='2.43'),
    'restore': _op(Deletion, 'restore', policies.DEFERRED_DELETE % 'restore', schema.RESTORE),
    'forceDelete': _op(Deletion, 'force_delete', policies.DEFERRED_DELETE % 'force', schema.FORCE_DELETE),
    'resize': _op(Moves, 'resize', policies.SERVERS % 'resize', moves_schema.RESIZE),
    'confirmResize': _op(Moves, 'confirm_resize', policies.SERVERS % 'confirm_resize', moves_schema.CONFIRM_RESIZE,
                         success=204),
    'revertResize': _op(Moves, 'revert_resize', policies.SERVERS % 'revert_resize', moves_schema.REVERT_RESIZE),
    'migrate': _op(Moves, 'migrate', policies.MIGRATE % 'migrate', moves_schema.MIGRATE),
    'os-migrateLive': _op(Moves, 'migrate_live', policies.MIGRATE % 'migrate_live', moves_schema.MIGRATE_LIVE),
    'evacuate': _op(Moves, 'evacuate', policies.EVACUATE, moves_schema.EVACUATE, success=200),
}
