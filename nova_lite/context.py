# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Who asks, on behalf of which project, and in which request: the `ctxt` that travels with every call."""

from oslo_context import context


class RequestContext(context.RequestContext):
    """The caller's identity. `roles` are role names; `is_admin` is decided by policy at the API's edge."""

    FROM_DICT_EXTRA_KEYS = ['remote_address', 'timestamp', 'service_catalog']

    def __init__(self, remote_address=None, timestamp=None, service_catalog=None, **kwargs):
        super().__init__(**kwargs)
        self.remote_address = remote_address
        self.timestamp = timestamp
        self.service_catalog = service_catalog or []

    def to_dict(self):
        """What goes over RPC: no token and no catalog, so neither can end in a queue, a log or a dump."""
        values = super().to_dict()
        values.pop('auth_token', None)
        values.update(remote_address=self.remote_address, timestamp=self.timestamp)
        return values


def admin_context(request_id=None):
    """A context for what the services do on their own account (periodic tasks, reconciliation)."""
    return RequestContext(is_admin=True, roles=['admin'], request_id=request_id, overwrite=False)
