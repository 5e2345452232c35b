# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""What a server's hypervisor knows of it: counters, and how it lies on the host's processors and memory."""

from nova_lite.api.openstack.compute import server_access


class Controller(server_access.ServerAccess):
    def __init__(self, services):
        self._compute = services.compute_api

    def diagnostics(self, req, server_id):
        versioned = req.version >= (2, 48)
        return self._compute.get_diagnostics(req.context, self._get(req, server_id), versioned)

    def topology(self, req, server_id):
        """No guest is tied to a part of its host: the answer for a server without a NUMA topology."""
        self._get(req, server_id)
        return {'nodes': [], 'pagesize_kb': None}
