# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Brings the records in line with what the hypervisor says of the guests, where nobody is at work on them."""

from oslo_log import log

from nova_lite import concurrency
from nova_lite import context
from nova_lite import exception
from nova_lite.compute import power_state
from nova_lite.compute import vm_states
from nova_lite.compute.tasks import task
from nova_lite.objects import base
from nova_lite.objects import instance as instance_obj

LOG = log.getLogger(__name__)

LOST = 'The hypervisor does not know the guest any more.'
OFF = (power_state.SHUTDOWN, power_state.CRASHED)


def sync_all(tools, instances):
    """Compare every Instance of a list with its guest; only those that differ cost a question to the conductor."""
    for instance in instances:
        try:
            if instance.task_state is None and _difference(instance, _guest_state(tools, instance)) is not None:
                sync(tools, instance.uuid)
        except (Exception, concurrency.Timeout):     # one broken record must not hide the others
            LOG.exception('The power state could not be compared', instance_uuid=instance.uuid)


def sync(tools, uuid):
    """Compare one instance with its guest and save the difference, unless an operation is under way on it."""
    if tools.locks.held(uuid) or uuid in tools.builds:
        return
    door = task.InstanceTask(tools, context.admin_context(), uuid, on_failure=_give_up)
    with door.hold():
        door.step = 'sync_power_state'
        instance = door.load()
        if instance.host != tools.host or instance.task_state is not None:
            return
        state = _guest_state(tools, instance)
        difference = _difference(instance, state)
        if difference == 'guest_lost':
            fault = instance_obj.InstanceFault(code=500, message=LOST, host=tools.host, created_at=base.utcnow())
            door.transition(difference, fault=fault, power_state=power_state.NOSTATE)
        elif difference == 'power_state':
            tools.conductor.instance_update(door.ctxt, uuid, {'power_state': state})
        elif difference is not None:
            door.transition(difference, power_state=state)
        if difference is not None:
            LOG.info('Power state is %s, was %s: %s', power_state.NAMES.get(state, 'unknown'),
                     power_state.NAMES.get(instance.power_state), difference)


def _guest_state(tools, instance):
    """One of power_state.py, or None when there is no such guest."""
    try:
        return tools.driver.get_info(instance).state
    except exception.InstanceNotFound:
        return None


def _difference(instance, state):
    """The event of compute/transitions.py that a guest's state calls for, `power_state` when only that has to be
    saved, or None."""
    if state is None:
        return 'guest_lost' if instance.vm_state in (vm_states.ACTIVE, vm_states.STOPPED) else None
    if instance.vm_state == vm_states.ACTIVE and state in OFF:
        return 'guest_stopped'
    if instance.vm_state == vm_states.STOPPED and state == power_state.RUNNING:
        return 'guest_started'
    return 'power_state' if state != instance.power_state else None


def _give_up(exc):
    """The next comparison may do better; the state is unchanged."""
    LOG.warning('The power state was not saved: %s', exc)
