# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""The password that a guest has made for itself, encrypted for its owner's key: shown, and forgotten."""

from nova_lite import server_password
from nova_lite.api.openstack.compute import server_access


class Controller(server_access.ServerAccess):
    def __init__(self, services):
        self._db = services.db
        self._compute = services.compute_api

    def show(self, req, server_id):
        return {'password': server_password.read(self._get(req, server_id))}

    def clear(self, req, server_id):
        server_password.save(self._db, self._get(req, server_id).uuid, '')
