# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Server actions that give a server another flavor or another host."""


class Controller:
    def __init__(self, services):
        self._compute = services.compute_api
        self._resizes = services.compute_api.resizes

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

    def _get(self, req, uuid):
        instance = self._compute.get(req.context, uuid)
        req.authorize(instance)
        return instance
