# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Deletes the servers whose owners had time enough to take their deleting back."""

import datetime
import logging

from nova_lite import context
from nova_lite import exception
from nova_lite.compute import vm_states
from nova_lite.db import instances
from nova_lite.db import orders

LOG = logging.getLogger(__name__)

SINCE = 'soft_deleted_at'


def reclaim_queued_deletes(tools, host, seconds):
    """Delete the servers of a host that were soft-deleted `seconds` ago or before."""
    before = orders.clock(tools.db) - datetime.timedelta(seconds=seconds)
    for instance in instances.list_(tools.db, {'host': host, 'vm_state': vm_states.SOFT_DELETED}):
        since = instance.system_metadata.get(SINCE)
        if instance.task_state is None and since and datetime.datetime.fromisoformat(since) <= before:
            _delete(tools, instance)


def _delete(tools, instance):
    ctxt = context.RequestContext(project_id=instance.project_id, is_admin=True, overwrite=False)
    LOG.info('Instance %s was soft-deleted long enough ago', instance.uuid)
    try:
        instances.request_delete(tools.db, instance.uuid, ctxt)
        tools.compute.terminate_instance(ctxt, instance.host, instance.uuid)
    except exception.InstanceNotFound:
        LOG.info('Instance %s is deleted already', instance.uuid)
    except exception.MessagingUnavailable:
        LOG.warning('The message queue is away; the sweep will delete %s', instance.uuid)
