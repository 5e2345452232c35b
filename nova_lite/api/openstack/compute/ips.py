# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""The addresses of a server, by network."""

from nova_lite import exception
from nova_lite.api.openstack.compute.views import servers as view


class Controller:
    def __init__(self, services):
        self._compute = services.compute_api

    def _addresses(self, req, server_id):
        instance = self._compute.get(req.context, server_id)
        req.authorize(instance)
        return {label: [{'version': item['version'], 'addr': item['addr']} for item in shown]
                for label, shown in view.addresses(instance.network_info).items()}

    def index(self, req, server_id):
        return {'addresses': self._addresses(req, server_id)}

    def show(self, req, server_id, id):
        addresses = self._addresses(req, server_id)
        if id not in addresses:
            raise exception.NotFound('Instance is not a member of specified network')
        return {id: addresses[id]}
