# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""The door through which nova-api hands work over to nova-conductor."""

import logging

from nova_lite import exception
from nova_lite.conductor import rpcapi

LOG = logging.getLogger(__name__)


class ComputeTaskAPI:
    """Casts that may be lost without harm: what is handed over is in the database already, and the conductor's sweep
    drives whatever did not begin. So a message queue that is away delays a request but does not fail it."""

    def __init__(self, transport):
        self._rpcapi = rpcapi.ComputeTaskAPI(transport)

    def build_instances(self, ctxt, build_requests):
        """Place and build the instances of a list of BuildRequest."""
        self._hand_over(self._rpcapi.build_instances, ctxt, build_requests)

    def delete_instance(self, ctxt, instance_uuid):
        """Delete an instance whose host is unknown or down."""
        self._hand_over(self._rpcapi.delete_instance, ctxt, instance_uuid)

    def run_operation(self, ctxt, instance_uuid, operation_uuid):
        """Choose the hosts of an operation, and have it carried out."""
        self._hand_over(self._rpcapi.run_operation, ctxt, instance_uuid, operation_uuid)

    def _hand_over(self, method, *args):
        try:
            method(*args)
        except exception.MessagingUnavailable:
            LOG.warning('The message queue is away; the sweep of nova-conductor will take this up')
