# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Deletes an instance that has no host, or whose host is down; that host removes its guest when it comes back."""

import logging

from nova_lite import exception
from nova_lite.compute import task_states
from nova_lite.conductor.tasks import faults
from nova_lite.db import actions
from nova_lite.db import block_devices
from nova_lite.db import build_requests
from nova_lite.db import instances
from nova_lite.db import services
from nova_lite.virt import block_device

LOG = logging.getLogger(__name__)

LOCAL_DELETE = 'conductor_delete_instance'      # event of the server's action `delete`


def delete_instance(tools, ctxt, uuid):
    """Delete an instance whose task_state is `deleting`; by its host, should that be up by now."""
    try:
        instance = instances.get(tools.db, uuid)
    except exception.InstanceNotFound:
        LOG.info('Instance %s is deleted already', uuid)
        return
    if instance.task_state != task_states.DELETING:
        LOG.info('Instance %s is not to be deleted: its task_state is %s', uuid, instance.task_state)
    elif instance.host in services.hosts_up(tools.db):
        tools.compute.terminate_instance(ctxt, instance.host, uuid)
    else:
        _local_delete(tools, ctxt, instance)


def _local_delete(tools, ctxt, instance):
    LOG.info('Deleting instance %s without its host', instance.uuid)
    instances.update(tools.db, instance.uuid, {}, tools.step(ctxt, begin=[LOCAL_DELETE]))
    try:
        request = build_requests.get(tools.db, instance.uuid)
        tools.network.deallocate_for_instance(ctxt, instance.uuid, instance.network_info,
                                              request.requested_networks if request else None)
        block_device.let_go(ctxt, instance.uuid, block_devices.get_all(tools.db, instance.uuid), tools.volume,
                            block_device.goes_with_server)
        tools.placement.delete_allocation_for_instance(ctxt, instance.uuid)
        instances.transition(tools.db, instance.uuid, 'deleted',
                             step=tools.step(ctxt, end=[LOCAL_DELETE], action_done=True))
        _tell_the_host(tools, ctxt, instance)
    except exception.InstanceNotFound:
        LOG.info('Instance %s was deleted by somebody else', instance.uuid)
    except exception.Unavailable as exc:
        LOG.warning('Deleting instance %s is left to the sweep: %s', instance.uuid, exc)
        instances.update(tools.db, instance.uuid, {}, tools.step(
            ctxt, end=[LOCAL_DELETE], result=actions.ERROR, details=exc.message))
    except Exception as exc:
        LOG.exception('Deleting instance %s failed', instance.uuid)
        fault = faults.from_exception(exc, tools.host)
        instances.transition(tools.db, instance.uuid, 'delete_failed', fault=fault, step=tools.step(
            ctxt, end=[LOCAL_DELETE], result=actions.ERROR, details=fault.message, traceback=fault.details,
            action_done=True))


def _tell_the_host(tools, ctxt, instance):
    """A host that was only not heard of for a while still runs the guest; told of it, it finds that it has to go."""
    if instance.host is None:
        return
    try:
        tools.compute.terminate_instance(ctxt, instance.host, instance.uuid)
    except exception.MessagingUnavailable:
        LOG.info('Host %s will find the guest of instance %s by itself', instance.host, instance.uuid)
