# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""What libvirt tells of its own accord: guests that change state or let go of devices, and a connection that broke."""

import logging

from nova_lite import concurrency
from nova_lite import exception
from nova_lite.compute import power_state
from nova_lite.virt import driver
from nova_lite.virt.libvirt import connection as libvirt_door

LOG = logging.getLogger(__name__)

STOP_DELAY = 3          # seconds: a guest that is stopped only to be started again is not reported as stopped
RECONNECT_DELAY = 2


class Events:
    """Reads a Connection's mailbox in a green thread. `is_ours(uuid)` says whose events matter."""

    def __init__(self, connection, is_ours):
        self._connection = connection
        self._is_ours = is_ours
        self._listeners = []
        self._device_listeners = []
        self._held = {}         # uuid → timer of a stop that is not reported yet

    def start(self):
        concurrency.spawn(self._run)

    def listen(self, callback):
        """`callback(LifecycleEvent)` for each event from now on."""
        self._listeners.append(callback)

    def listen_for_devices(self, callback):
        """`callback(DeviceEvent)` for each device that a guest let go of, or refused to."""
        self._device_listeners.append(callback)

    def _run(self):
        while True:
            item = self._connection.mailbox.get()
            if item is libvirt_door.CLOSED:
                self._reconnect()
            elif isinstance(item, libvirt_door.DeviceEvent):
                for callback in self._device_listeners:
                    callback(item)
            else:
                self._handle(*item)

    def _reconnect(self):
        LOG.warning('The connection to libvirt broke')
        while True:
            try:
                self._connection.open()
                return
            except exception.HypervisorError as exc:
                LOG.warning('%s; trying again in %d s', exc, RECONNECT_DELAY)
                concurrency.sleep(RECONNECT_DELAY)

    def _handle(self, uuid, state):
        held = self._held.pop(uuid, None)
        if held is not None:
            held.cancel()
        if not self._is_ours(uuid):
            return
        if state == power_state.SHUTDOWN:
            self._held[uuid] = concurrency.spawn_after(STOP_DELAY, self._deliver_stop, uuid)
        else:
            self._deliver(driver.LifecycleEvent(uuid, state))

    def _deliver_stop(self, uuid):
        self._held.pop(uuid, None)
        if self._is_ours(uuid):     # it may have been deleted meanwhile
            self._deliver(driver.LifecycleEvent(uuid, power_state.SHUTDOWN))

    def _deliver(self, event):
        LOG.debug('Guest %s is now %s', event.uuid, power_state.NAMES.get(event.state))
        for callback in self._listeners:
            try:
                callback(event)
            except Exception:       # one bad event must not silence those that follow
                LOG.exception('The report that guest %s changed could not be handled', event.uuid)
