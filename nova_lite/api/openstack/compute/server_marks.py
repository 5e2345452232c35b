# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Server actions that only write on a server's record, and two of old that no driver needs any more."""

from nova_lite.api import policies
from nova_lite.api.openstack import faults
from nova_lite.api.openstack.compute import server_access
from nova_lite.compute import api_checks


class Controller(server_access.ServerAccess):
    def __init__(self, services):
        self._compute = services.compute_api
        self._marks = services.compute_api.marks

    def lock(self, req, id, body):
        self._marks.lock(req.context, self._get(req, id), (body['lock'] or {}).get('locked_reason')
                         if req.version >= (2, 73) else None)

    def unlock(self, req, id, body):
        instance = self._get(req, id)
        if not self._marks.is_expected_locked_by(req.context, instance):
            req.authorize(instance, policies.LOCK % 'unlock:unlock_override')
        self._marks.unlock(req.context, instance)

    def reset_state(self, req, id, body):
        self._marks.reset_state(req.context, self._get(req, id), body['os-resetState']['state'])

    def inject_network_info(self, req, id, body):
        """Guests learn their network from DHCP, config drive and metadata; there is nothing to put into them."""
        api_checks.check_unlocked(req.context, self._get(req, id))

    def reset_network(self, req, id, body):
        raise faults.HTTPError(410, 'resetNetwork is not served any more: no driver needs it.')
