# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Asks a guest from within and from below: a new password by its agent, a dump by an interrupt."""

import logging

from nova_lite import exception
from nova_lite.virt.libvirt import connection as libvirt_door

LOG = logging.getLogger(__name__)

OFF, DONE, UNSUPPORTED, SILENT = 'off', 'done', 'unsupported', 'silent'
ANSWER_SECONDS = 30     # what has not answered by then holds nobody up any longer
NO_ANSWER = 'the guest agent does not answer.'
NOT_DONE = 'the guest agent could not change it.'


def set_password(connection, instance, user, password):
    """:raises InstanceNotRunning, InstancePasswordSetFailed:"""
    try:
        told = connection.call('set a password', _set_password, instance.uuid, user, password,
                               instance_id=instance.uuid)
    except exception.HypervisorError as exc:
        raise exception.InstancePasswordSetFailed(instance=instance.uuid, reason=NOT_DONE) from exc
    _need_running(told, instance)
    if told == SILENT:
        raise exception.InstancePasswordSetFailed(instance=instance.uuid, reason=NO_ANSWER)


def interrupt(connection, instance):
    """:raises InstanceNotRunning, CrashDumpNotSupported:"""
    told = connection.call('interrupt the guest', _interrupt, instance.uuid, instance_id=instance.uuid)
    _need_running(told, instance)
    if told == UNSUPPORTED:
        raise exception.CrashDumpNotSupported()


def _need_running(told, instance):
    if told == OFF:
        raise exception.InstanceNotRunning(instance_id=instance.uuid)


# ---- in a real thread ----------------------------------------------------------------------------------------

def limit(domain):
    """Have the next question to a guest's agent end in time, where libvirt can see to that."""
    try:
        domain.agentSetResponseTimeout(ANSWER_SECONDS)
    except libvirt_door.Error as exc:
        if exc.get_error_code() not in libvirt_door.NO_SUCH_FEATURE:
            raise


def _set_password(connection, uuid, user, password):
    domain = connection.lookupByUUIDString(uuid)
    if not domain.isActive():
        return OFF
    try:
        limit(domain)
        domain.setUserPassword(user, password)
    except libvirt_door.Error as exc:
        if exc.get_error_code() == libvirt_door.AGENT_SILENT:
            return SILENT
        raise
    return DONE


def _interrupt(connection, uuid):
    domain = connection.lookupByUUIDString(uuid)
    if not domain.isActive():
        return OFF
    try:
        domain.injectNMI()
    except libvirt_door.Error as exc:
        if exc.get_error_code() in libvirt_door.NO_SUCH_FEATURE:
            return UNSUPPORTED
        raise
    return DONE
