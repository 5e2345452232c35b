# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Removes one instance from this host with all that it holds. Every step is fine with what is gone already."""

import time

from oslo_log import log

from nova_lite import exception
from nova_lite import faultpoints
from nova_lite.compute import faults
from nova_lite.compute import notifications
from nova_lite.compute import task_states
from nova_lite.compute.tasks import steps
from nova_lite.compute.tasks import task
from nova_lite.objects import base
from nova_lite.virt import block_device

LOG = log.getLogger(__name__)

TERMINATE = 'compute_terminate_instance'


class Delete:
    """One removal; the instance's task_state is `deleting` already."""

    def __init__(self, tools, ctxt, instance_uuid):
        self.tools = tools
        self.ctxt = ctxt
        self.uuid = instance_uuid
        self.task = task.InstanceTask(tools, ctxt, instance_uuid, self._failed)
        self._block_devices = []

    def run(self):
        """The whole removal, under the instance's lock (so after a build that notices it); nothing is raised."""
        with self.task.hold(), self.tools.delete_turns:
            try:
                self._do_terminate_instance()
            except task.TakenAway as exc:
                if exc.deleting:        # somebody else has finished it
                    self.tools.tracker.free(self.uuid)
                raise

    def _do_terminate_instance(self):
        self.task.step = 'terminate_instance'
        instance = self.task.load()
        if instance.task_state != task_states.DELETING:
            LOG.info('Not terminated: its task_state is %s', instance.task_state)
            return
        if instance.host not in (None, self.tools.host):
            LOG.info('Not terminated: it is on host %s', instance.host)
            return
        LOG.info('Terminating instance')
        self._notify(notifications.START)
        self._block_devices = self.tools.conductor.block_devices_get(self.ctxt, self.uuid)
        steps.run(self.task, [
            steps.Step('_shutdown_instance', self._destroy, action=TERMINATE),
            steps.Step('_cleanup_volumes', self._cleanup_volumes),
            steps.Step('_deallocate_network', self._deallocate_network),
            steps.Step('delete_allocation_for_instance', self._delete_allocation),
            steps.Step('deleted', self._finish),
        ])
        self._notify(notifications.END)

    def _destroy(self):
        faultpoints.hit('compute.before_destroy', self.tools.host)
        started = time.monotonic()
        instance = self.task.instance
        self.tools.driver.destroy(self.ctxt, instance, instance.network_info, self._block_devices)
        LOG.info('Took %0.2f seconds to destroy the instance on the hypervisor.', time.monotonic() - started)
        faultpoints.hit('compute.after_destroy', self.tools.host)

    def _cleanup_volumes(self):
        block_device.let_go(self.ctxt, self.uuid, self._block_devices, self.tools.volume,
                            block_device.goes_with_server)

    def _deallocate_network(self):
        """Delete or unbind the ports; which of them are the user's, a build that never ended knows by its order."""
        started = time.monotonic()
        instance, requested = self.task.instance, None
        if not instance.network_info:
            request = self.tools.conductor.build_request_get(self.ctxt, self.uuid)
            requested = request.requested_networks if request is not None else None
        self.tools.network.deallocate_for_instance(self.ctxt, self.uuid, instance.network_info, requested)
        LOG.info('Took %0.2f seconds to deallocate network for instance.', time.monotonic() - started)

    def _delete_allocation(self):
        """Give back what Placement holds; should it be away, the next recount finds the allocation and deletes it."""
        try:
            self.tools.placement.delete_allocation_for_instance(self.ctxt, self.uuid)
        except exception.Unavailable as exc:
            LOG.warning('The allocation is left for the next recount: %s', exc)

    def _finish(self):
        faultpoints.hit('compute.before_deleted', self.tools.host)
        self.task.final_transition('deleted', terminated_at=base.utcnow())
        self.tools.tracker.free(self.uuid)

    def _failed(self, exc):
        if isinstance(exc, exception.VolumeBusy):
            LOG.info('The sweep of nova-conductor will go on with the delete: %s', exc)
            self.task.report_failure(exc)
            return
        fault = faults.from_exception(exc, self.tools.host, self.task.step)
        self._notify(notifications.ERROR, exc)
        self.task.transition('delete_failed', fault=fault, result='Error', done=True)

    def _notify(self, phase, exc=None):
        if self.task.instance is not None:
            self.tools.notifier.notify(self.ctxt, self.task.instance, notifications.DELETE, phase,
                                       block_devices=self._block_devices, exc=exc)
