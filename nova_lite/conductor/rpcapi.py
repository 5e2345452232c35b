# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""What other processes ask of nova-conductor: one line a method. Interface version 1.0, topic `conductor`."""

from nova_lite import rpc

TOPIC = 'conductor'
VERSION = '1.0'


class ComputeTaskAPI:
    """The namespace `compute_task`: operations that the conductor drives."""

    def __init__(self, transport):
        self._client = transport.client(TOPIC, VERSION).prepare(namespace='compute_task')

    @rpc.translates_errors
    def build_instances(self, ctxt, build_requests):
        """cast: place and build the instances of a list of BuildRequest that share a request spec."""
        self._client.prepare(retry=1).cast(ctxt, 'build_instances', build_requests=build_requests)

    @rpc.translates_errors
    def reschedule_instance(self, ctxt, build_request, host, fault, retry):
        """cast: `host` could not build it (fault: InstanceFault) and is clean again. With `retry` the next alternate
        is tried, else (or when none is left) the instance ends in ERROR with the fault."""
        self._client.cast(ctxt, 'reschedule_instance', build_request=build_request, host=host, fault=fault, retry=retry)

    @rpc.translates_errors
    def delete_instance(self, ctxt, instance_uuid):
        """cast: delete an instance whose host is unknown or down (task_state is `deleting` already)."""
        self._client.prepare(retry=1).cast(ctxt, 'delete_instance', instance_uuid=instance_uuid)

    @rpc.translates_errors
    def run_operation(self, ctxt, instance_uuid, operation_uuid):
        """cast: choose the hosts of an operation that none carries out yet, and hand it to the first of them."""
        self._client.prepare(retry=1).cast(ctxt, 'run_operation', instance_uuid=instance_uuid,
                                           operation_uuid=operation_uuid)


class ConductorAPI:
    """The database as nova-compute sees it."""

    def __init__(self, transport):
        self._client = transport.client(TOPIC, VERSION)

    def _call(self, ctxt, method, **kwargs):
        return self._client.prepare(timeout=rpc.QUICK).call(ctxt, method, **kwargs)

    @rpc.translates_errors
    def instance_get(self, ctxt, instance_uuid):
        """call → Instance. :raises InstanceNotFound: (also when it is deleted)"""
        return self._call(ctxt, 'instance_get', instance_uuid=instance_uuid)

    @rpc.translates_errors
    def instance_get_all_by_host(self, ctxt, host):
        """call → [Instance…] of a host, without deleted ones, in any state."""
        return self._call(ctxt, 'instance_get_all_by_host', host=host)

    @rpc.translates_errors
    def instance_transition(self, ctxt, instance_uuid, event, values=None, step=None, fault=None, token=None):
        """call → Instance: move an instance by an event of compute/transitions.py, and record the step.

        values: {field: value} saved with it; step: StepReport; fault: InstanceFault; token: any unique string — a
        repeated call with the same token answers as the first did, so a lost reply does no harm.
        :raises UnexpectedTaskStateError, UnexpectedDeletingTaskStateError, InstanceNotFound:
        """
        return self._call(ctxt, 'instance_transition', instance_uuid=instance_uuid, event=event, values=values or {},
                          step=step, fault=fault, token=token)

    @rpc.translates_errors
    def instance_update(self, ctxt, instance_uuid, values, step=None):
        """call: save fields that are not state (network_info, power_state, …) and/or record a step."""
        return self._call(ctxt, 'instance_update', instance_uuid=instance_uuid, values=values, step=step)

    @rpc.translates_errors
    def operation_get(self, ctxt, operation_uuid):
        """call → Operation, or None: it has ended."""
        return self._call(ctxt, 'operation_get', operation_uuid=operation_uuid)

    @rpc.translates_errors
    def operations_get_by_host(self, ctxt, host):
        """call → [Operation…] that a host carries out, the oldest first."""
        return self._call(ctxt, 'operations_get_by_host', host=host)

    @rpc.translates_errors
    def operation_hand_over(self, ctxt, operation, host):
        """call: `host` shall carry an Operation on, with the data that it has now. :raises OperationGone:"""
        return self._call(ctxt, 'operation_hand_over', operation=operation, host=host)

    @rpc.translates_errors
    def operation_finish(self, ctxt, operation_uuid):
        """call: forget an operation that was abandoned; its host has cleaned up."""
        return self._call(ctxt, 'operation_finish', operation_uuid=operation_uuid)

    @rpc.translates_errors
    def reclaim_queued_deletes(self, ctxt, host, seconds):
        """call: delete the servers of a host that were soft-deleted `seconds` ago or before."""
        return self._call(ctxt, 'reclaim_queued_deletes', host=host, seconds=seconds)

    @rpc.translates_errors
    def offload_old_shelved(self, ctxt, host, seconds):
        """call: have the servers of a host offloaded that were shelved `seconds` ago or before."""
        return self._call(ctxt, 'offload_old_shelved', host=host, seconds=seconds)

    @rpc.translates_errors
    def places_kept_by_host(self, ctxt, host):
        """call → [Place…] that migrations keep on a host for instances that are not there, or not there any more."""
        return self._call(ctxt, 'places_kept_by_host', host=host)

    @rpc.translates_errors
    def migration_is_under_way(self, ctxt, migration_uuid):
        """call → whether there is a migration of a uuid that has not ended."""
        return self._call(ctxt, 'migration_is_under_way', migration_uuid=migration_uuid)

    @rpc.translates_errors
    def confirm_old_resizes(self, ctxt, host, window):
        """call: confirm the resizes of the instances of a host that nobody confirmed in `window` seconds."""
        return self._call(ctxt, 'confirm_old_resizes', host=host, window=window)

    @rpc.translates_errors
    def unfinished_action_get(self, ctxt, instance_uuid):
        """call → the InstanceAction that is under way on an instance, without its events, or None."""
        return self._call(ctxt, 'unfinished_action_get', instance_uuid=instance_uuid)

    @rpc.translates_errors
    def build_request_get(self, ctxt, instance_uuid):
        """call → BuildRequest or None: the order kept for an instance that is not built yet."""
        return self._call(ctxt, 'build_request_get', instance_uuid=instance_uuid)

    @rpc.translates_errors
    def block_devices_get(self, ctxt, instance_uuid):
        """call → [BlockDeviceMapping…]"""
        return self._call(ctxt, 'block_devices_get', instance_uuid=instance_uuid)

    @rpc.translates_errors
    def block_devices_save(self, ctxt, instance_uuid, block_devices):
        """call: replace the device records of an instance."""
        return self._call(ctxt, 'block_devices_save', instance_uuid=instance_uuid, block_devices=block_devices)

    @rpc.translates_errors
    def block_device_save(self, ctxt, block_device):
        """call: save one device record; one that is gone stays gone."""
        return self._call(ctxt, 'block_device_save', block_device=block_device)

    @rpc.translates_errors
    def block_device_delete(self, ctxt, block_device_uuid):
        """call: forget one device record; one that is gone is fine."""
        return self._call(ctxt, 'block_device_delete', block_device_uuid=block_device_uuid)

    @rpc.translates_errors
    def instance_group_get_by_instance(self, ctxt, instance_uuid):
        """call → InstanceGroup with the hosts of its other members, or None."""
        return self._call(ctxt, 'instance_group_get_by_instance', instance_uuid=instance_uuid)

    @rpc.translates_errors
    def service_report(self, ctxt, host, binary, topic):
        """call: the heartbeat of a service; the first one registers it."""
        return self._call(ctxt, 'service_report', host=host, binary=binary, topic=topic)

    @rpc.translates_errors
    def compute_node_save(self, ctxt, compute_node):
        """call → ComputeNode as kept (uuid of an earlier life of the same host and node)."""
        return self._call(ctxt, 'compute_node_save', compute_node=compute_node)
