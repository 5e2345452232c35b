# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""What nova-compute does first: finish or undo what an earlier life of it left on this host."""

from oslo_log import log

from nova_lite import concurrency
from nova_lite import context
from nova_lite import exception
from nova_lite.compute import faults
from nova_lite.compute import task_states
from nova_lite.compute import vm_states
from nova_lite.compute.tasks import build
from nova_lite.compute.tasks import delete
from nova_lite.compute.tasks import orphans
from nova_lite.compute.tasks import power
from nova_lite.compute.tasks import steps
from nova_lite.compute.tasks import task
from nova_lite.compute.tasks.operations import engine
from nova_lite.objects import action as action_obj

LOG = log.getLogger(__name__)

AT_ONCE = 10        # instances that are seen to at the same time
STARTED = '_do_build_and_run_instance'
FIRST_STEP = {None: STARTED, task_states.NETWORKING: '_build_networks_for_instance',
              task_states.BLOCK_DEVICE_MAPPING: '_prep_block_device', task_states.SPAWNING: 'spawn'}


def reconcile(tools):
    """See to every instance of this host, then to guests without one; operations that were cut short go on aside.

    :raises ServiceUnreachable: the conductor did not say which instances there are
    """
    instances = tools.conductor.instance_get_all_by_host(context.admin_context(), tools.host)
    operations = tools.conductor.operations_get_by_host(context.admin_context(), tools.host)
    busy = {operation.instance_uuid for operation in operations}
    pool = concurrency.GreenPool(AT_ONCE)
    for instance in instances:
        pool.spawn_n(_see_to, tools, instance, instance.uuid in busy)
    pool.waitall()
    orphans.find_and_reap(tools, busy.union(instance.uuid for instance in instances))
    for operation in operations:
        engine.start(tools, context.admin_context(), operation.instance_uuid, operation.uuid)


def _see_to(tools, instance, busy):
    try:
        if instance.task_state == task_states.DELETING:
            LOG.info('Finishing a delete', instance_uuid=instance.uuid)
            delete.Delete(tools, _context(tools, instance.uuid), instance.uuid).run()
        elif instance.vm_state == vm_states.BUILDING:
            step = FIRST_STEP.get(instance.task_state, STARTED)
            reason = exception.RescheduledException(
                instance_uuid=instance.uuid, reason='nova-compute was restarted during step %s' % step)
            AbandonedBuild(tools, _context(tools, instance.uuid), instance.uuid, reason).run()
        elif not busy:
            power.sync_all(tools, [instance])
    except (Exception, concurrency.Timeout):     # one broken instance must not stop the service
        LOG.exception('An instance could not be seen to at start', instance_uuid=instance.uuid)


def _context(tools, uuid):
    """The context of the request that is under way on an instance: what is done about it belongs to that action."""
    ctxt = context.admin_context()
    action = tools.conductor.unfinished_action_get(ctxt, uuid)
    if action is not None:
        ctxt.request_id, ctxt.user_id, ctxt.project_id = action.request_id, action.user_id, action.project_id
    return ctxt


class AbandonedBuild:
    """A build that nobody on this host works on any more: remove what there is of it and hand the order back."""

    def __init__(self, tools, ctxt, instance_uuid, reason):
        self.tools = tools
        self.ctxt = ctxt
        self.uuid = instance_uuid
        self.reason = reason        # an exception: what the fault will say
        self.task = task.InstanceTask(tools, ctxt, instance_uuid, self._failed)

    def run(self):
        """All of it, under the instance's lock; nothing is raised."""
        with self.task.hold():
            instance = self.task.load()
            if (instance.vm_state != vm_states.BUILDING or instance.host != self.tools.host
                    or instance.task_state == task_states.DELETING or self.uuid in self.tools.builds):
                return
            self.task.step = FIRST_STEP.get(instance.task_state, STARTED)
            LOG.info('Undoing an abandoned build: %s', self.reason)
            request = self.tools.conductor.build_request_get(self.ctxt, self.uuid)
            self._undo(instance, request)
            self._hand_back(request)

    def _undo(self, instance, request):
        requested = request.requested_networks if request is not None else None
        devices = request.block_device_mapping if request is not None else []
        network_info = instance.network_info
        steps.undo([
            steps.Step('_deallocate_network', None, lambda exc: self.tools.network.deallocate_for_instance(
                self.ctxt, self.uuid, network_info, requested)),
            steps.Step('spawn', None, lambda exc: self.tools.driver.destroy(
                self.ctxt, instance, network_info, devices)),
        ], self.reason)
        self.tools.tracker.free(self.uuid)

    def _hand_back(self, request):
        conductor, host = self.tools.conductor, self.tools.host
        fault = faults.from_exception(self.reason, host, self.task.step)
        report = action_obj.StepReport(host=host, request_id=self.ctxt.request_id, end=list(build.EVENTS),
                                       result='Error', details=fault.message, traceback=fault.details)
        conductor.instance_update(self.ctxt, self.uuid, {}, report)
        if request is None:
            self.task.transition('build_failed', fault=fault, result='Error', done=True)
        else:
            conductor.reschedule_instance(self.ctxt, request, host, fault, retry=True)

    def _failed(self, exc):
        LOG.error('An abandoned build is left to the sweep of nova-conductor: %s', exc)
