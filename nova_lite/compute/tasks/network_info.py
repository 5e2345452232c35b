# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Keeps what is recorded of the instances' ports in line with what the network service says of them."""

from oslo_log import log

from nova_lite import context
from nova_lite.compute import vm_states
from nova_lite.compute.tasks import task

LOG = log.getLogger(__name__)


class Healer:
    """Looks at one instance at a time, at all of them in turn, so that a host of many asks no more than one of few."""

    def __init__(self, tools):
        self._tools = tools
        self._waiting = []      # uuids that are to be looked at in this round

    def heal_next(self, list_instances):
        """Refresh the next instance; list_instances() → [Instance…] of this host, asked at the begin of a round."""
        if not self._waiting:
            self._waiting = [instance.uuid for instance in list_instances() if _at_rest(instance)]
        if self._waiting:
            refresh(self._tools, self._waiting.pop())


def refresh(tools, uuid):
    """Record the ports of an instance as they are now, unless somebody is at work on it. Nothing is raised."""
    if tools.locks.held(uuid) or uuid in tools.builds or any(
            run.instance_uuid == uuid for run in tools.operations.values()):
        return
    door = task.InstanceTask(tools, context.admin_context(), uuid, on_failure=_give_up)
    with door.hold():
        door.step = 'heal_instance_info_cache'
        instance = door.load()
        if instance.host != tools.host or not _at_rest(instance):
            return
        found = tools.network.get_instance_nw_info(door.ctxt, instance)
        if found != instance.network_info:
            LOG.info('What is known of its ports was out of date', instance_uuid=uuid)
            tools.conductor.instance_update(door.ctxt, uuid, {'network_info': found})


def _at_rest(instance):
    return instance.task_state is None and instance.vm_state != vm_states.BUILDING


def _give_up(exc):
    """The next round may do better; what was known stays."""
    LOG.warning('The ports were not looked at: %s', exc)
