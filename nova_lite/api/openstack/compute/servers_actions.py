# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""What can be done to a server through `POST /servers/{id}/action`: one method an action."""

from nova_lite import exception
from nova_lite.api.openstack.compute import server_access


class Controller(server_access.ServerAccess):
    def __init__(self, services):
        self._compute = services.compute_api

    def get_console_output(self, req, id, body):
        instance = self._get(req, id)
        length = body['os-getConsoleOutput'].get('length')
        length = None if length is None else int(length)
        if length is not None and length < -1:
            raise exception.Invalid('length must be -1 or more')
        output = self._compute.get_console_output(req.context, instance, None if length == -1 else length)
        return {'output': output}
