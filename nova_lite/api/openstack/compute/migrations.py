# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Migrations of servers between hosts. No operation that is served makes one, so the lists are empty."""

from nova_lite import exception


class Controller:
    def __init__(self, services):
        self._compute = services.compute_api

    def index(self, req):
        return {'migrations': []}

    def of_server(self, req, server_id):
        self._instance(req, server_id)
        return {'migrations': []}

    def show(self, req, server_id, id):
        self._instance(req, server_id)
        raise exception.NotFound('In-progress live migration %s is not found for server %s.' % (id[:64], server_id))

    def _instance(self, req, server_id):
        req.authorize(self._compute.get(req.context, server_id))
