# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Finds and removes guests, and directories of guests, that belong to no instance of this host."""

from oslo_log import log

from nova_lite import concurrency
from nova_lite import context
from nova_lite import exception
from nova_lite.compute import vm_states
from nova_lite.objects import flavor
from nova_lite.objects import image_meta
from nova_lite.objects import instance as instance_obj

LOG = log.getLogger(__name__)

REAP, NOTHING = 'reap', 'noop'


def find_and_reap(tools, expected):
    """Look at all guests but those of `expected` (uuids of instances that belong here)."""
    if tools.settings.running_deleted_instance_action != NOTHING:
        for uuid in set(tools.driver.list_instance_uuids()) - set(expected):
            look_at(tools, uuid)


def look_at(tools, uuid, action=None):
    """Remove the guest of one uuid unless an instance of this host, or a build under way, owns it.

    action: what to do instead of the setting's running_deleted_instance_action.
    """
    reap = (action or tools.settings.running_deleted_instance_action) == REAP
    if tools.locks.held(uuid) or uuid in tools.builds or any(
            run.instance_uuid == uuid for run in tools.operations.values()):
        return
    ctxt = context.admin_context()
    with tools.locks.hold(uuid):
        try:
            owner = _owner(tools, ctxt, uuid)
            if uuid in tools.builds or (owner is not None and owner.host == tools.host):
                return
            if uuid not in tools.driver.list_instance_uuids() or (owner is not None and _kept(tools, ctxt, uuid)):
                return
            LOG.warning('A guest that belongs to no server of this host is here%s',
                        ': removing it' if reap else '', instance_uuid=uuid)
            if reap:
                tools.driver.destroy(ctxt, owner or _stranger(uuid), owner.network_info if owner else [], [])
        except (Exception, concurrency.Timeout):     # one that cannot be looked at must not keep us from the others
            LOG.exception('What is left of an instance could not be removed', instance_uuid=uuid)


def _kept(tools, ctxt, uuid):
    """Whether a move of the instance, which is elsewhere, could still come back here, or is on its way here."""
    return any(place.instance.uuid == uuid for place in tools.conductor.places_kept_by_host(ctxt, tools.host))


def is_gone(tools, ctxt, uuid):
    """Whether an instance is deleted."""
    return _owner(tools, ctxt, uuid) is None


def _owner(tools, ctxt, uuid):
    try:
        return tools.conductor.instance_get(ctxt, uuid)
    except exception.InstanceNotFound:
        return None


def _stranger(uuid):
    """As much of an Instance as there is of a guest whose record is gone."""
    return instance_obj.Instance(
        uuid=uuid, id=0, project_id='', user_id='', display_name='', vm_state=vm_states.DELETED,
        flavor=flavor.Flavor(flavorid='', name='', memory_mb=0, vcpus=0, root_gb=0),
        image_meta=image_meta.ImageMeta(id=None))
