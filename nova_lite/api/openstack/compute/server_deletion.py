# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Server actions about deleting."""


class Controller:
    def __init__(self, services):
        self._compute = services.compute_api

    def force_delete(self, req, id, body):
        self._compute.delete(req.context, self._get(req, id), at_once=True)

    def restore(self, req, id, body):
        self._compute.restore(req.context, self._get(req, id))

    def _get(self, req, uuid):
        instance = self._compute.get(req.context, uuid)
        req.authorize(instance)
        return instance
