# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Server actions shelve, shelveOffload and unshelve."""

from nova_lite.api import policies
from nova_lite.api.openstack.compute import server_access
from nova_lite.compute import api_shelving


class Controller(server_access.ServerAccess):
    def __init__(self, services):
        self._compute = services.compute_api
        self._shelving = services.compute_api.shelving

    def shelve(self, req, id, body):
        self._shelving.shelve(req.context, self._get(req, id))

    def shelve_offload(self, req, id, body):
        self._shelving.shelve_offload(req.context, self._get(req, id))

    def unshelve(self, req, id, body):
        instance = self._get(req, id)
        wanted = body['unshelve'] if req.version >= (2, 77) and body['unshelve'] else {}
        host = wanted.get('host')
        if host is not None:
            req.authorize(instance, policies.SHELVE % 'unshelve_to_host')
        self._shelving.unshelve(req.context, instance, wanted.get('availability_zone', api_shelving.SAME), host)
