# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""The metadata of a server: what its users keep with it, and what the guest reads too."""

from nova_lite import exception


class Controller:
    def __init__(self, services):
        self._compute = services.compute_api

    def _instance(self, req, server_id):
        instance = self._compute.get(req.context, server_id)
        req.authorize(instance)
        return instance

    def index(self, req, server_id):
        return {'metadata': self._instance(req, server_id).metadata}

    def show(self, req, server_id, id):
        metadata = self._instance(req, server_id).metadata
        if id not in metadata:
            raise exception.NotFound('Metadata item was not found')
        return {'meta': {id: metadata[id]}}

    def create(self, req, server_id, body):
        return self._change(req, server_id, body['metadata'])

    def update_all(self, req, server_id, body):
        return self._change(req, server_id, body['metadata'], delete=True)

    def update(self, req, server_id, id, body):
        instance = self._instance(req, server_id)
        if id not in body['meta']:
            raise exception.Invalid('Request body and URI mismatch')
        self._compute.update_instance_metadata(req.context, instance, body['meta'])
        return body

    def delete(self, req, server_id, id):
        self._compute.delete_instance_metadata(req.context, self._instance(req, server_id), id)

    def _change(self, req, server_id, metadata, delete=False):
        instance = self._instance(req, server_id)
        return {'metadata': self._compute.update_instance_metadata(req.context, instance, metadata, delete)}
