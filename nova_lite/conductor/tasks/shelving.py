# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""The conductor's part of shelving: where a server goes that no host has, and which ones have been kept long enough."""

import datetime
import logging
import uuid

from nova_lite import context
from nova_lite import exception
from nova_lite.compute import operations
from nova_lite.compute import vm_states
from nova_lite.conductor.tasks import stage
from nova_lite.db import instances
from nova_lite.db import orders
from nova_lite.objects import operation as operation_obj

LOG = logging.getLogger(__name__)

OFFLOAD = 'shelve_offload'


class Unshelve(stage.Stage):
    """arguments: wanted_host: the only one wanted, or None."""

    event = 'conductor_unshelve_instance'

    def place(self):
        chosen = self.select(host=self.operation.arguments.get('wanted_host'))
        self.keep(chosen)
        return chosen.service_host


def offload_old(tools, host, seconds):
    """Have the servers of a host offloaded that were shelved `seconds` ago or before."""
    before = orders.clock(tools.db) - datetime.timedelta(seconds=seconds)
    for instance in instances.list_(tools.db, {'host': host, 'vm_state': vm_states.SHELVED}):
        shelved_at = instance.system_metadata.get('shelved_at')
        if instance.task_state is None and shelved_at and datetime.datetime.fromisoformat(shelved_at) <= before:
            _offload(tools, instance)


def _offload(tools, instance):
    ctxt = context.RequestContext(project_id=instance.project_id, is_admin=True, overwrite=False)
    spec = operations.SPECS[OFFLOAD]
    order = operation_obj.Operation(
        uuid=str(uuid.uuid4()), instance_uuid=instance.uuid, name=OFFLOAD, request_id=ctxt.request_id,
        project_id=instance.project_id, host=instance.host)
    try:
        instances.request_operation(tools.db, ctxt, spec.requested, spec.action, order)
        LOG.info('Instance %s has been shelved long enough to be offloaded', instance.uuid)
        tools.compute.run_operation(ctxt, order.host, instance.uuid, order.uuid)
    except (exception.UnexpectedTaskStateError, exception.InstanceNotFound) as exc:
        LOG.info('Not offloaded: %s', exc.message)
    except exception.MessagingUnavailable:
        LOG.warning('The message queue is away; the sweep will send it')
