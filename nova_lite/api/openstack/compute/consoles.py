# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Remote consoles: URLs under which a proxy shows a server's screen or serial line, and what a token stands for."""

from nova_lite.api.openstack import faults
from nova_lite.objects import console

ANY_TYPE = (2, 31)      # before it, tokens of one kind that there is none of here were told of only


class Controller:
    def __init__(self, services):
        self._compute = services.compute_api
        self._consoles = services.compute_api.consoles

    def create(self, req, server_id, body):
        """From 2.6 on."""
        asked = body['remote_console']
        url = self._url(req, server_id, asked['protocol'], asked['type'])
        return {'remote_console': {'protocol': asked['protocol'], 'type': asked['type'], 'url': url}}

    def get_vnc(self, req, id, body):
        return self._old(req, id, console.VNC, body['os-getVNCConsole']['type'])

    def get_spice(self, req, id, body):
        return self._old(req, id, console.SPICE, body['os-getSPICEConsole']['type'])

    def get_serial(self, req, id, body):
        return self._old(req, id, console.SERIAL, body['os-getSerialConsole']['type'])

    def _old(self, req, id, kind, console_type):
        """An action of the time before 2.6."""
        return {'console': {'type': console_type, 'url': self._url(req, id, kind, console_type)}}

    def _url(self, req, server_id, kind, console_type):
        instance = self._compute.get(req.context, server_id)
        req.authorize(instance)
        return self._consoles.get_url(req.context, instance, kind, console_type)

    def show_token(self, req, id):
        auth = self._consoles.get_auth(id)
        if req.version < ANY_TYPE:
            raise faults.HTTPError(401, 'The requested console type details are not accessible')
        view = {'instance_uuid': auth.instance_uuid, 'host': auth.host, 'port': auth.port,
                'internal_access_path': auth.internal_access_path}
        return {'console': view | {'tls_port': None} if req.version >= (2, 99) else view}
