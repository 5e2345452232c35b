# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""What the REST API calls to write on a server's record without anything being done to its guest: locks, states."""

import logging

from nova_lite import exception
from nova_lite.db import instances
from nova_lite.db import operations
from nova_lite.objects import action as action_obj

LOG = logging.getLogger(__name__)

OWNER, ADMIN = 'owner', 'admin'
RESETS = {'active': 'reset_to_active', 'error': 'reset_to_error'}


class Marks:
    """compute: compute.rpcapi.ComputeAPI."""

    def __init__(self, db, compute):
        self._db = db
        self._compute = compute

    def lock(self, ctxt, instance, reason=None):
        """Let only administrators act on a server. A lock that is there already its owner cannot change."""
        locker = _locker(ctxt, instance)

        def change(current):
            if current.locked and locker == OWNER:
                return {}
            kept = _without_lock(current.system_metadata) | {'locked_by': locker}
            return {'locked': True, 'system_metadata': kept | ({'locked_reason': reason} if reason else {})}
        instances.revise(self._db, instance.uuid, change, _action(ctxt, instance, 'lock'))

    def unlock(self, ctxt, instance):
        instances.revise(self._db, instance.uuid, lambda current: {
            'locked': False, 'system_metadata': _without_lock(current.system_metadata)},
            _action(ctxt, instance, 'unlock'))

    @staticmethod
    def is_expected_locked_by(ctxt, instance):
        """Whether the lock is the caller's kind: the owner's own, or an administrator's for who is not the owner."""
        return instance.system_metadata.get('locked_by') in (None, _locker(ctxt, instance))

    def reset_state(self, ctxt, instance, state):
        """state: active or error. What was under way has ended for the user; its host undoes what there is of it."""
        instances.reset(self._db, instance.uuid, RESETS[state])
        for order in operations.list_by_instance(self._db, instance.uuid):
            if order.host:
                self._tell(ctxt, order)

    def _tell(self, ctxt, order):
        try:
            self._compute.run_operation(ctxt, order.host, order.instance_uuid, order.uuid)
        except exception.MessagingUnavailable:
            LOG.warning('The message queue is away: operation %s is undone when its host starts', order.name)


def _locker(ctxt, instance):
    return OWNER if instance.project_id == ctxt.project_id else ADMIN


def _without_lock(system_metadata):
    return {name: value for name, value in system_metadata.items() if name not in ('locked_by', 'locked_reason')}


def _action(ctxt, instance, name):
    return action_obj.InstanceAction(action=name, instance_uuid=instance.uuid, request_id=ctxt.request_id,
                                     user_id=ctxt.user_id, project_id=ctxt.project_id)
