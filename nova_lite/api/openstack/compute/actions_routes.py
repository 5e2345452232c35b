# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""The rows of `POST /servers/{id}/action`: the one key of the body is the action's name."""

from nova_lite.api import policies
from nova_lite.api.openstack import wsgi
from nova_lite.api.openstack.compute import server_power
from nova_lite.api.openstack.compute import servers_actions
from nova_lite.api.openstack.compute.schemas import server_actions as schema
from nova_lite.api.openstack.compute.schemas import servers as servers_schema

Power = server_power.Controller


def _op(controller, method, policy, body, **details):
    """An action on a server, as most are: accepted, and done aside."""
    return wsgi.op(controller, method, policy, target=wsgi.OBJECT, body=body, **{'success': 202, **details})


ACTIONS = {
    'os-getConsoleOutput': _op(servers_actions.Controller, 'get_console_output', policies.CONSOLE_OUTPUT,
                               servers_schema.GET_CONSOLE_OUTPUT, success=200),
    'os-start': _op(Power, 'start', policies.SERVERS % 'start', schema.START),
    'os-stop': _op(Power, 'stop', policies.SERVERS % 'stop', schema.STOP),
    'reboot': _op(Power, 'reboot', policies.SERVERS % 'reboot', schema.REBOOT),
    'pause': _op(Power, 'pause', policies.PAUSE % 'pause', schema.PAUSE),
    'unpause': _op(Power, 'unpause', policies.PAUSE % 'unpause', schema.UNPAUSE),
    'suspend': _op(Power, 'suspend', policies.SUSPEND % 'suspend', schema.SUSPEND),
    'resume': _op(Power, 'resume', policies.SUSPEND % 'resume', schema.RESUME),
}
