# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Server actions about deleting."""

from nova_lite.api.openstack.compute import server_access


class Controller(server_access.ServerAccess):
    def __init__(self, services):
        self._compute = services.compute_api

    def force_delete(self, req, id, body):
        self._compute.delete(req.context, self._get(req, id), at_once=True)

    def restore(self, req, id, body):
        self._compute.restore(req.context, self._get(req, id))
