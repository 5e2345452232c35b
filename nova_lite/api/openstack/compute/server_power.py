# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Server actions that act on the guest as it stands, and those that only change its record."""

from nova_lite.api.openstack.compute import server_access


class Controller(server_access.ServerAccess):
    def __init__(self, services):
        self._compute = services.compute_api
        self._operations = services.compute_api.operations

    def start(self, req, id, body):
        self._operations.start(req.context, self._get(req, id))

    def stop(self, req, id, body):
        self._operations.stop(req.context, self._get(req, id))

    def reboot(self, req, id, body):
        self._operations.reboot(req.context, self._get(req, id), body['reboot']['type'].upper())

    def pause(self, req, id, body):
        self._operations.pause(req.context, self._get(req, id))

    def unpause(self, req, id, body):
        self._operations.unpause(req.context, self._get(req, id))

    def suspend(self, req, id, body):
        self._operations.suspend(req.context, self._get(req, id))

    def resume(self, req, id, body):
        self._operations.resume(req.context, self._get(req, id))

    def trigger_crash_dump(self, req, id, body):
        self._operations.trigger_crash_dump(req.context, self._get(req, id))

    def change_password(self, req, id, body):
        self._operations.set_admin_password(req.context, self._get(req, id), body['changePassword']['adminPass'])
