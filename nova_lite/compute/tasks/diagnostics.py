# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Counters of a guest that runs, in the form of the API before microversion 2.48 or since."""

from nova_lite import exception
from nova_lite.compute import power_state
from nova_lite.virt import abilities

METHODS = {False: 'get_diagnostics', True: 'get_instance_diagnostics'}


def get_diagnostics(tools, instance, versioned):
    """:raises InstanceInvalidState: it does not run; DiagnosticsNotSupported: the driver keeps no counters"""
    if not isinstance(tools.driver, abilities.Diagnostics):
        raise exception.DiagnosticsNotSupported()
    try:
        state = tools.driver.get_info(instance).state
        if state == power_state.RUNNING:
            return getattr(tools.driver, METHODS[versioned])(instance)
    except (exception.InstanceNotFound, exception.InstanceNotRunning):
        state = power_state.NOSTATE
    raise exception.InstanceInvalidState(method=METHODS[versioned], instance_uuid=instance.uuid, attr='power state',
                                         state=power_state.NAMES.get(state, state))
