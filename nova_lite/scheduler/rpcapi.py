# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""What nova-conductor asks of nova-scheduler. Interface version 1.0, topic `scheduler`."""

from nova_lite import rpc

TOPIC = 'scheduler'
VERSION = '1.0'


class SchedulerAPI:

    def __init__(self, transport):
        self._client = transport.client(TOPIC, VERSION)

    @rpc.translates_errors
    def select_destinations(self, ctxt, request_spec):
        """call → for each of request_spec.instance_uuids, in order, [chosen Selection, alternate…]; the chosen ones
        are claimed in Placement.

        :raises NoValidHost: not all of them fit; nothing is claimed then.
        """
        return self._client.prepare(timeout=rpc.NORMAL, call_monitor_timeout=rpc.HEARTBEAT).call(
            ctxt, 'select_destinations', request_spec=request_spec)
