# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""What every controller that acts on one server begins with."""


class ServerAccess:
    """Base of controllers; `_compute` is the compute.api.API, which they take from their Services."""

    def _get(self, req, uuid):
        """The Instance, once the call's policy rule allows the caller to act on it. :raises InstanceNotFound:"""
        instance = self._compute.get(req.context, uuid)
        req.authorize(instance)
        return instance
