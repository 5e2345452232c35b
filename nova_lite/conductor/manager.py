# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""nova-conductor: drives builds and deletes, sweeps what is late, and is nova-compute's only way to the database."""

import logging
import time

import oslo_messaging

from nova_lite import concurrency
from nova_lite import context
from nova_lite import exception
from nova_lite import rpc
from nova_lite.conductor import rpcapi
from nova_lite.conductor.tasks import build
from nova_lite.conductor.tasks import delete
from nova_lite.conductor.tasks import placing
from nova_lite.conductor.tasks import reclaim
from nova_lite.conductor.tasks import resizing
from nova_lite.conductor.tasks import shelving
from nova_lite.conductor.tasks import sweep
from nova_lite.db import actions
from nova_lite.db import block_devices as block_devices_db
from nova_lite.db import build_requests as build_requests_db
from nova_lite.db import compute_nodes
from nova_lite.db import instance_groups
from nova_lite.db import instances
from nova_lite.db import moves
from nova_lite.db import operations as operations_db
from nova_lite.db import places
from nova_lite.db import services

LOG = logging.getLogger(__name__)

BINARY = 'nova-conductor'
STOP_PATIENCE = 10      # seconds for operations under way to end when the service is told to


class ComputeTaskManager:
    """The operations that the conductor drives; each runs aside from the RPC thread."""

    target = oslo_messaging.Target(namespace='compute_task', version=rpcapi.VERSION)

    def __init__(self, tools):
        self._tools = tools

    def build_instances(self, ctxt, build_requests):
        """Place and build the instances of a list of BuildRequest that share a request spec."""
        self._tools.pool.spawn(build.build_instances, self._tools, ctxt, build_requests)

    def reschedule_instance(self, ctxt, build_request, host, fault, retry):
        """`host` could not build it: try the next alternate if `retry`, else end in ERROR with the InstanceFault."""
        self._tools.pool.spawn(build.reschedule_instance, self._tools, ctxt, build_request, host, fault, retry)

    def delete_instance(self, ctxt, instance_uuid):
        """Delete an instance whose host is unknown or down."""
        self._tools.pool.spawn(delete.delete_instance, self._tools, ctxt, instance_uuid)

    def run_operation(self, ctxt, instance_uuid, operation_uuid):
        """Choose the hosts of an operation that none carries out yet, and hand it to the first of them."""
        self._tools.pool.spawn(placing.run_operation, self._tools, ctxt, operation_uuid)


class ConductorManager:
    """The service and its database methods, which are those of conductor/rpcapi.py. tools: a toolbox.Toolbox."""

    target = oslo_messaging.Target(version=rpcapi.VERSION)
    topic = rpcapi.TOPIC

    def __init__(self, tools, sweep_interval):
        self._tools = tools
        self._db = tools.db
        self._sweep_interval = sweep_interval
        self.endpoints = [self, ComputeTaskManager(tools)]

    # ---- hooks of service.Service --------------------------------------------------------------------------------

    def init_host(self):
        """Nothing to prepare: the database was there before the service."""

    def post_start(self):
        """Take up at once what an earlier run of this conductor left."""
        self._tools.pool.spawn(lambda tools, ctxt: sweep.run(tools), self._tools, context.admin_context())

    def report(self):
        """The heartbeat. One that is lost does no harm: the next is due soon."""
        try:
            services.report(self._db, self._tools.host, BINARY, self.topic)
        except exception.Unavailable as exc:
            LOG.warning('The heartbeat was not recorded: %s', exc)

    def periodic_tasks(self):
        return [('sweep', self._sweep_interval, self._sweep)]

    def _sweep(self):
        try:
            sweep.run(self._tools)
        except exception.Unavailable as exc:
            LOG.warning('The sweep is left to the next round: %s', exc)

    def stop(self):
        """Let what is under way end for a few seconds; the next sweep takes up what did not."""
        deadline = time.monotonic() + STOP_PATIENCE
        while self._tools.pool.running() and time.monotonic() < deadline:
            concurrency.sleep(0.1)

    # ---- RPC: instances ------------------------------------------------------------------------------------------

    @rpc.expected_errors
    def instance_get(self, ctxt, instance_uuid):
        return instances.get(self._db, instance_uuid)

    @rpc.expected_errors
    def instance_get_all_by_host(self, ctxt, host):
        return instances.list_(self._db, {'host': host})

    @rpc.expected_errors
    def instance_transition(self, ctxt, instance_uuid, event, values, step=None, fault=None, token=None):
        return instances.transition(self._db, instance_uuid, event, values, step, fault, token)

    @rpc.expected_errors
    def instance_update(self, ctxt, instance_uuid, values, step=None):
        instances.update(self._db, instance_uuid, values, step)

    @rpc.expected_errors
    def operation_get(self, ctxt, operation_uuid):
        return operations_db.get(self._db, operation_uuid)

    @rpc.expected_errors
    def operations_get_by_host(self, ctxt, host):
        return operations_db.list_by_host(self._db, host)

    @rpc.expected_errors
    def operation_hand_over(self, ctxt, operation, host):
        operations_db.hand_over(self._db, operation, host)
        self._tools.compute.run_operation(ctxt, host, operation.instance_uuid, operation.uuid)

    @rpc.expected_errors
    def operation_finish(self, ctxt, operation_uuid):
        operations_db.finish(self._db, operation_uuid)

    @rpc.expected_errors
    def reclaim_queued_deletes(self, ctxt, host, seconds):
        reclaim.reclaim_queued_deletes(self._tools, host, seconds)

    @rpc.expected_errors
    def offload_old_shelved(self, ctxt, host, seconds):
        shelving.offload_old(self._tools, host, seconds)

    @rpc.expected_errors
    def places_kept_by_host(self, ctxt, host):
        return places.kept(self._db, host)

    @rpc.expected_errors
    def migration_is_under_way(self, ctxt, migration_uuid):
        migration = moves.get(self._db, migration_uuid)
        return migration is not None and not migration.ended

    @rpc.expected_errors
    def confirm_old_resizes(self, ctxt, host, window):
        resizing.confirm_old(self._tools, host, window)

    @rpc.expected_errors
    def unfinished_action_get(self, ctxt, instance_uuid):
        return actions.latest_unfinished(self._db, instance_uuid)

    @rpc.expected_errors
    def build_request_get(self, ctxt, instance_uuid):
        return build_requests_db.get(self._db, instance_uuid)

    @rpc.expected_errors
    def block_devices_get(self, ctxt, instance_uuid):
        return block_devices_db.get_all(self._db, instance_uuid)

    @rpc.expected_errors
    def block_devices_save(self, ctxt, instance_uuid, block_devices):
        block_devices_db.save(self._db, instance_uuid, block_devices)

    @rpc.expected_errors
    def block_device_save(self, ctxt, block_device):
        block_devices_db.update(self._db, block_device)

    @rpc.expected_errors
    def block_device_delete(self, ctxt, block_device_uuid):
        block_devices_db.delete(self._db, block_device_uuid)

    @rpc.expected_errors
    def instance_group_get_by_instance(self, ctxt, instance_uuid):
        return instance_groups.get_by_instance(self._db, instance_uuid)

    # ---- RPC: hosts ----------------------------------------------------------------------------------------------

    @rpc.expected_errors
    def service_report(self, ctxt, host, binary, topic):
        services.report(self._db, host, binary, topic)

    @rpc.expected_errors
    def compute_node_save(self, ctxt, compute_node):
        return compute_nodes.save(self._db, compute_node)
