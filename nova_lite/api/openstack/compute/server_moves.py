# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Server actions that give a server another flavor or another host."""

from oslo_utils import strutils

from nova_lite import exception
from nova_lite.api.openstack.compute import server_access
from nova_lite.api.openstack.compute import servers_request


class Controller(server_access.ServerAccess):
    def __init__(self, services):
        self._compute = services.compute_api
        self._resizes = services.compute_api.resizes
        self._moves = services.compute_api.moves
        self._password_length = services.conf.password_length

    def resize(self, req, id, body):
        wanted = body['resize']
        disk_config = wanted.get('OS-DCF:diskConfig')
        self._resizes.resize(req.context, self._get(req, id), str(wanted['flavorRef']),
                             None if disk_config is None else disk_config == 'AUTO')

    def confirm_resize(self, req, id, body):
        self._resizes.confirm(req.context, self._get(req, id))

    def revert_resize(self, req, id, body):
        self._resizes.revert(req.context, self._get(req, id))

    def migrate(self, req, id, body):
        host = (body['migrate'] or {}).get('host') if req.version >= (2, 56) else None
        self._resizes.migrate(req.context, self._get(req, id), host)

    def migrate_live(self, req, id, body):
        """Which disks to copy, and whether a host that is asked for is checked, needs no asking here: all are."""
        self._moves.live_migrate(req.context, self._get(req, id), body['os-migrateLive']['host'])

    def evacuate(self, req, id, body):
        wanted = body['evacuate']
        if strutils.bool_from_string(wanted.get('onSharedStorage', False)):
            raise exception.Invalid('The disks of servers are not on shared storage.')
        self._moves.evacuate(req.context, self._get(req, id), wanted.get('host'), stay_off=req.version >= (2, 95))
        if req.version < (2, 14):
            return {'adminPass': wanted.get('adminPass') or servers_request.generate_password(
                self._password_length)}
