# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""How nova-compute talks to nova-conductor: calls whose answer was lost are repeated, for a bounded time.

A transition carries the same token each time, so the conductor answers a repeated one as it answered the first.
"""

import logging
import time
import uuid

from nova_lite import concurrency
from nova_lite import exception

LOG = logging.getLogger(__name__)

PATIENCE = 60                   # seconds that a call is repeated for
FIRST_PAUSE, LONGEST_PAUSE = 0.2, 5
FOR_EVER = float('inf')


class Conductor:
    """`database`: a conductor.rpcapi.ConductorAPI; `tasks`: a conductor.rpcapi.ComputeTaskAPI.

    Every method raises ServiceUnreachable when the conductor did not answer in `patience` seconds.
    """

    def __init__(self, database, tasks, patience=PATIENCE):
        self._database = database
        self._tasks = tasks
        self._patience = patience

    def _repeat(self, function, *args, patience=None):
        started, pause = time.monotonic(), FIRST_PAUSE
        while True:
            try:
                return function(*args)
            except exception.Unavailable as exc:
                waited = time.monotonic() - started
                if waited + pause > (self._patience if patience is None else patience):
                    raise exception.ServiceUnreachable(
                        service='conductor', reason='no answer to %s for %d seconds' % (
                            function.__name__, waited)) from exc
                LOG.warning('nova-conductor did not answer %s, trying again in %.1f seconds', function.__name__, pause)
            concurrency.sleep(pause)
            pause = min(2 * pause, LONGEST_PAUSE)

    # ---- instances -----------------------------------------------------------------------------------------------

    def instance_get(self, ctxt, instance_uuid):
        """Instance. :raises InstanceNotFound: (also when it is deleted)"""
        return self._repeat(self._database.instance_get, ctxt, instance_uuid)

    def instance_get_all_by_host(self, ctxt, host):
        """[Instance…], without deleted ones, in any state."""
        return self._repeat(self._database.instance_get_all_by_host, ctxt, host)

    def instance_transition(self, ctxt, instance_uuid, event, values, step=None, fault=None, *, patience=None):
        """Instance after the event. `patience` in seconds, FOR_EVER when only a definite answer will do.

        :raises UnexpectedTaskStateError, UnexpectedDeletingTaskStateError, InstanceNotFound:
        """
        token = uuid.uuid4().hex
        return self._repeat(self._database.instance_transition, ctxt, instance_uuid, event, values, step, fault, token,
                            patience=patience)

    def instance_update(self, ctxt, instance_uuid, values, step=None, *, patience=None):
        """Save fields that are not state and/or record a step; patience 0: try once. :raises InstanceNotFound:"""
        return self._repeat(self._database.instance_update, ctxt, instance_uuid, values, step, patience=patience)

    # ---- operations ----------------------------------------------------------------------------------------------

    def operation_get(self, ctxt, operation_uuid):
        """Operation, or None: it has ended."""
        return self._repeat(self._database.operation_get, ctxt, operation_uuid)

    def operations_get_by_host(self, ctxt, host):
        """[Operation…] that a host carries out."""
        return self._repeat(self._database.operations_get_by_host, ctxt, host)

    def operation_hand_over(self, ctxt, operation, host):
        """Have another host carry an Operation on from where it is. :raises OperationGone:"""
        return self._repeat(self._database.operation_hand_over, ctxt, operation, host)

    def operation_finish(self, ctxt, operation_uuid):
        """Forget an abandoned operation."""
        return self._repeat(self._database.operation_finish, ctxt, operation_uuid)

    def reclaim_queued_deletes(self, ctxt, host, seconds):
        """Have the servers of a host deleted that were soft-deleted long enough ago; never repeated: the next asks."""
        self._database.reclaim_queued_deletes(ctxt, host, seconds)

    def offload_old_shelved(self, ctxt, host, seconds):
        """Have offloaded what was shelved `seconds` ago or before; never repeated: the next round does the same."""
        self._database.offload_old_shelved(ctxt, host, seconds)

    def places_kept_by_host(self, ctxt, host):
        """[Place…] that migrations keep on a host."""
        return self._repeat(self._database.places_kept_by_host, ctxt, host)

    def migration_is_under_way(self, ctxt, migration_uuid):
        """Whether there is a migration of a uuid that has not ended."""
        return self._repeat(self._database.migration_is_under_way, ctxt, migration_uuid)

    def confirm_old_resizes(self, ctxt, host, window):
        """Have confirmed what nobody confirmed in `window` seconds; never repeated: the next round does the same."""
        self._database.confirm_old_resizes(ctxt, host, window)

    # ---- what belongs to an instance -----------------------------------------------------------------------------

    def unfinished_action_get(self, ctxt, instance_uuid):
        """The InstanceAction that is under way on an instance, or None."""
        return self._repeat(self._database.unfinished_action_get, ctxt, instance_uuid)

    def build_request_get(self, ctxt, instance_uuid):
        """BuildRequest or None."""
        return self._repeat(self._database.build_request_get, ctxt, instance_uuid)

    def block_devices_get(self, ctxt, instance_uuid):
        """[BlockDeviceMapping…]"""
        return self._repeat(self._database.block_devices_get, ctxt, instance_uuid)

    def block_devices_save(self, ctxt, instance_uuid, block_devices):
        """Replace the device records of an instance."""
        return self._repeat(self._database.block_devices_save, ctxt, instance_uuid, block_devices)

    def block_device_save(self, ctxt, block_device):
        """Save one device record; one that is gone stays gone."""
        return self._repeat(self._database.block_device_save, ctxt, block_device)

    def block_device_delete(self, ctxt, block_device_uuid):
        """Forget one device record; one that is gone is fine."""
        return self._repeat(self._database.block_device_delete, ctxt, block_device_uuid)

    def instance_group_get_by_instance(self, ctxt, instance_uuid):
        """InstanceGroup with the hosts of its other members, or None."""
        return self._repeat(self._database.instance_group_get_by_instance, ctxt, instance_uuid)

    # ---- the host ------------------------------------------------------------------------------------------------

    def service_report(self, ctxt, host, binary, topic):
        """The heartbeat; never repeated: the next one says the same."""
        return self._database.service_report(ctxt, host, binary, topic)

    def compute_node_save(self, ctxt, compute_node):
        """ComputeNode as kept."""
        return self._repeat(self._database.compute_node_save, ctxt, compute_node)

    # ---- work handed back ----------------------------------------------------------------------------------------

    def reschedule_instance(self, ctxt, build_request, host, fault, *, retry):
        """cast: `host` could not build it and is clean again; with `retry` another may try."""
        return self._repeat(self._tasks.reschedule_instance, ctxt, build_request, host, fault, retry)
