# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""What the REST API calls to have something done to a server that is built.

A request is checked, then recorded in one transaction: the state that others see, the action, the operation. The cast
that follows may get lost without harm: the conductor's sweep finds what was recorded.
"""

import logging

from oslo_utils import uuidutils

from nova_lite import exception
from nova_lite import faultpoints
from nova_lite.compute import api_checks
from nova_lite.compute import operations
from nova_lite.compute import transitions
from nova_lite.db import instances
from nova_lite.objects import operation as operation_obj

LOG = logging.getLogger(__name__)


class Operations:
    """compute: compute.rpcapi.ComputeAPI; conductor: conductor.api.ComputeTaskAPI; lookups: api_lookups.Lookups.

    Methods take the context and the Instance, and raise Conflict when it is locked, in another state, or its host down.
    """

    def __init__(self, db, compute, conductor, lookups):
        self._db = db
        self._compute = compute
        self._conductor = conductor
        self._lookups = lookups

    def begin(self, ctxt, instance, name, *, method=None, values=None, **arguments):
        """Have the operation `name` of compute/operations.py done; `method`: what an error calls it.

        values: {field: value} of the instance, saved at once; arguments: for the operation, plain JSON or objects.
        :returns: the Instance
        """
        self.check_ready(ctxt, instance, name, method)
        return self.record(ctxt, instance, name, method=method, values=values, **arguments)

    def check_ready(self, ctxt, instance, name, method=None):
        """:raises Conflict: as check(), and when the instance's host is down"""
        self.check(ctxt, instance, name, method)
        self._lookups.check_host_up(instance)

    def check(self, ctxt, instance, name, method=None):
        """:raises Conflict: the instance is locked; InstanceInvalidState: in a state that forbids the operation"""
        spec = operations.SPECS[name]
        api_checks.check_unlocked(ctxt, instance)
        api_checks.check_state(instance, method or spec.action, transitions.get(spec.requested).vm_states)

    def record(self, ctxt, instance, name, *, method=None, values=None, host=None, **arguments):
        """Record an operation that was checked, and tell who begins it: `host`, by default the instance's; or the
        conductor, where that chooses the hosts first. :raises InstanceInvalidState: somebody was faster"""
        instance, order = self._recorded(ctxt, instance, name, method, values, host, arguments)
        self._send(ctxt, instance, order)
        return instance

    def run(self, ctxt, instance, name, *, method=None, **arguments):
        """As begin(), and wait for the end. :returns: what the operation says then :raises: what it failed with;
        MessagingUnavailable: nobody knows yet"""
        self.check_ready(ctxt, instance, name, method)
        instance, order = self._recorded(ctxt, instance, name, method, None, None, arguments)
        return self._compute.finish_operation(ctxt, order.host, instance.uuid, order.uuid)

    def _recorded(self, ctxt, instance, name, method, values, host, arguments):     # noqa: PLR0913 (of the two above)
        spec = operations.SPECS[name]
        order = operation_obj.Operation(
            uuid=uuidutils.generate_uuid(), instance_uuid=instance.uuid, name=name, request_id=ctxt.request_id,
            user_id=ctxt.user_id, project_id=ctxt.project_id, arguments=arguments,
            host=None if spec.placed else host or instance.host)
        try:
            instance = instances.request_operation(self._db, ctxt, spec.requested, spec.action, order, values)
        except exception.UnexpectedTaskStateError as exc:
            now = instances.get(self._db, instance.uuid)
            self.check(ctxt, now, name, method)
            raise exception.Conflict(exc.message) from exc      # it was in the way for a moment only
        faultpoints.hit('api.before_cast')
        return instance, order

    def _send(self, ctxt, instance, order):
        if order.host is None:
            self._conductor.run_operation(ctxt, instance.uuid, order.uuid)
            return
        try:
            self._compute.run_operation(ctxt, order.host, instance.uuid, order.uuid)
        except exception.MessagingUnavailable:
            LOG.warning('The message queue is away; the sweep of nova-conductor will send %s', order.name)

    # ---- power ---------------------------------------------------------------------------------------------------

    def start(self, ctxt, instance):
        self.begin(ctxt, instance, 'start')

    def stop(self, ctxt, instance):
        self.begin(ctxt, instance, 'stop')

    def reboot(self, ctxt, instance, reboot_type):
        """reboot_type: SOFT or HARD."""
        self.begin(ctxt, instance, 'hard_reboot' if reboot_type == 'HARD' else 'soft_reboot')

    def pause(self, ctxt, instance):
        self.begin(ctxt, instance, 'pause')

    def unpause(self, ctxt, instance):
        self.begin(ctxt, instance, 'unpause')

    def suspend(self, ctxt, instance):
        self.begin(ctxt, instance, 'suspend')

    def resume(self, ctxt, instance):
        self.begin(ctxt, instance, 'resume')

    # ---- inside the guest ----------------------------------------------------------------------------------------

    def trigger_crash_dump(self, ctxt, instance):
        self.begin(ctxt, instance, 'trigger_crash_dump')

    def set_admin_password(self, ctxt, instance, password):
        self.begin(ctxt, instance, 'set_admin_password', method='set_admin_password', password=password)
