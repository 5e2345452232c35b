# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""The one door to libvirt: a connection that comes back, calls in real threads, its errors as ours, its events.

No other module imports libvirt. What they hand to :meth:`Connection.call` gets libvirt's own objects and runs in a
real thread, where it must neither log nor wait for a green thread.
"""

import dataclasses
import logging

import libvirt

from nova_lite import concurrency
from nova_lite import exception
from nova_lite.compute import power_state

LOG = logging.getLogger(__name__)

KEEPALIVE_SECONDS, KEEPALIVE_COUNT = 10, 6      # a libvirtd that is silent for their product counts as gone

Error = libvirt.libvirtError
NO_DOMAIN = libvirt.VIR_ERR_NO_DOMAIN
NO_NWFILTER = libvirt.VIR_ERR_NO_NWFILTER
NOT_RUNNING = libvirt.VIR_ERR_OPERATION_INVALID
UNSUPPORTED_FLAGS = libvirt.VIR_ERR_INVALID_ARG
NO_SUCH_FEATURE = (libvirt.VIR_ERR_NO_SUPPORT, libvirt.VIR_ERR_OPERATION_UNSUPPORTED,
                   libvirt.VIR_ERR_CONFIG_UNSUPPORTED)
PAUSED = libvirt.VIR_DOMAIN_PAUSED
AGENT_SILENT = libvirt.VIR_ERR_AGENT_UNRESPONSIVE
BACKUP_INTO_FILE = libvirt.VIR_DOMAIN_BACKUP_BEGIN_REUSE_EXTERNAL
FINISHED_JOB = libvirt.VIR_DOMAIN_JOB_STATS_COMPLETED
NO_JOB, JOB_DONE = libvirt.VIR_DOMAIN_JOB_NONE, libvirt.VIR_DOMAIN_JOB_COMPLETED
STATISTICS = (libvirt.VIR_DOMAIN_STATS_STATE | libvirt.VIR_DOMAIN_STATS_CPU_TOTAL | libvirt.VIR_DOMAIN_STATS_VCPU
              | libvirt.VIR_DOMAIN_STATS_BALLOON | libvirt.VIR_DOMAIN_STATS_INTERFACE
              | libvirt.VIR_DOMAIN_STATS_BLOCK)
DEVICE_MISSING = libvirt.VIR_ERR_DEVICE_MISSING

# What a change of a guest's devices is about: the running guest, or what it will be started from.
LIVE, CONFIG = libvirt.VIR_DOMAIN_AFFECT_LIVE, libvirt.VIR_DOMAIN_AFFECT_CONFIG
XML_INACTIVE = libvirt.VIR_DOMAIN_XML_INACTIVE
COPY_FLAGS = libvirt.VIR_DOMAIN_BLOCK_COPY_REUSE_EXT | libvirt.VIR_DOMAIN_BLOCK_COPY_TRANSIENT_JOB
PIVOT = libvirt.VIR_DOMAIN_BLOCK_JOB_ABORT_PIVOT
RESIZE_BYTES = libvirt.VIR_DOMAIN_BLOCK_RESIZE_BYTES

POWER_STATES = {
    libvirt.VIR_DOMAIN_NOSTATE: power_state.NOSTATE,
    libvirt.VIR_DOMAIN_RUNNING: power_state.RUNNING,
    libvirt.VIR_DOMAIN_BLOCKED: power_state.RUNNING,
    libvirt.VIR_DOMAIN_PAUSED: power_state.PAUSED,
    libvirt.VIR_DOMAIN_SHUTDOWN: power_state.SHUTDOWN,
    libvirt.VIR_DOMAIN_SHUTOFF: power_state.SHUTDOWN,
    libvirt.VIR_DOMAIN_CRASHED: power_state.CRASHED,
    libvirt.VIR_DOMAIN_PMSUSPENDED: power_state.SUSPENDED,
}
EVENT_STATES = {
    libvirt.VIR_DOMAIN_EVENT_STARTED: power_state.RUNNING,
    libvirt.VIR_DOMAIN_EVENT_RESUMED: power_state.RUNNING,
    libvirt.VIR_DOMAIN_EVENT_SUSPENDED: power_state.PAUSED,
    libvirt.VIR_DOMAIN_EVENT_STOPPED: power_state.SHUTDOWN,
    libvirt.VIR_DOMAIN_EVENT_PMSUSPENDED: power_state.SUSPENDED,
    libvirt.VIR_DOMAIN_EVENT_CRASHED: power_state.CRASHED,
}
UNDEFINE_FLAGS = (libvirt.VIR_DOMAIN_UNDEFINE_MANAGED_SAVE | libvirt.VIR_DOMAIN_UNDEFINE_SNAPSHOTS_METADATA
                  | libvirt.VIR_DOMAIN_UNDEFINE_NVRAM | libvirt.VIR_DOMAIN_UNDEFINE_CHECKPOINTS_METADATA)
CLOSED = object()       # what the mailbox brings when libvirt closed the connection

_loop_runs = False


@dataclasses.dataclass(frozen=True)
class DeviceEvent:
    """A guest let go of a device (`removed`), or refused to. `alias`: libvirt's name of the device."""

    uuid: str
    alias: str
    removed: bool


def _run_event_loop():
    """libvirt's own loop: timers, keepalives and events of every connection of the process."""
    global _loop_runs
    if _loop_runs:
        return
    _loop_runs = True
    libvirt.registerErrorHandler(_no_print, None)       # libvirt would write every error to stderr besides
    libvirt.virEventRegisterDefaultImpl()

    def loop():
        while True:
            libvirt.virEventRunDefaultImpl()

    # The loop has nothing to wait for, and would spin, until something is registered with it.
    libvirt.virEventAddTimeout(60000, _no_print, None)
    concurrency.spawn_native(loop)


def _no_print(*_):
    pass


class Connection:
    """A connection to the libvirtd at `uri`, opened at the first call and again after libvirtd was restarted.

    `mailbox` gets (uuid, power state) for each lifecycle event, DeviceEvents, and CLOSED when the connection broke.
    """

    def __init__(self, uri):
        self.uri = uri
        self.mailbox = concurrency.Mailbox()
        self._connection = None
        self._opening = concurrency.Semaphore()

    def open(self):
        """Connect if there is no connection. :raises HypervisorError: libvirt does not answer; the text says why."""
        with self._opening:
            if self._connection is not None and self._connection.isAlive():
                return self._connection
            _run_event_loop()
            try:
                self._connection = concurrency.run_native(self._open)
            except libvirt.libvirtError as exc:
                raise exception.HypervisorError('libvirt does not answer at %s: %s' % (self.uri, exc)) from exc
            LOG.info('Connected to libvirt at %s', self.uri)
            return self._connection

    def call(self, operation, function, *args, instance_id=None):
        """The result of `function(virConnect, *args)`, run in a real thread.

        :raises InstanceNotFound: libvirt knows no such domain and `instance_id` is given; HypervisorError: whatever
            else libvirt refused. Its message names the `operation` only, libvirt's own text is in the log.
        """
        connection = self.open()
        try:
            return concurrency.run_native(function, connection, *args)
        except libvirt.libvirtError as exc:
            if instance_id and exc.get_error_code() == NO_DOMAIN:
                raise exception.InstanceNotFound(instance_id=instance_id) from exc
            LOG.error('libvirt could not %s: %s', operation, exc)
            raise exception.HypervisorError('The hypervisor could not %s.' % operation) from exc

    def _open(self):
        connection = libvirt.open(self.uri)
        connection.domainEventRegisterAny(None, libvirt.VIR_DOMAIN_EVENT_ID_LIFECYCLE, self._on_event, None)
        for event, removed in ((libvirt.VIR_DOMAIN_EVENT_ID_DEVICE_REMOVED, True),
                               (libvirt.VIR_DOMAIN_EVENT_ID_DEVICE_REMOVAL_FAILED, False)):
            connection.domainEventRegisterAny(None, event, self._on_device, removed)
        for register in (lambda: connection.registerCloseCallback(self._on_close, None),
                         lambda: connection.setKeepAlive(KEEPALIVE_SECONDS, KEEPALIVE_COUNT)):
            try:
                register()
            except libvirt.libvirtError as exc:
                # A driver within this process (test:///) has no connection that could break.
                if exc.get_error_code() != libvirt.VIR_ERR_NO_SUPPORT:
                    raise
        return connection

    def _on_event(self, _connection, domain, event, _detail, _opaque):
        if event in EVENT_STATES:
            self.mailbox.put((domain.UUIDString(), EVENT_STATES[event]))

    def _on_device(self, _connection, domain, alias, removed):
        self.mailbox.put(DeviceEvent(domain.UUIDString(), alias, removed))

    def _on_close(self, _connection, _reason, _opaque):
        self.mailbox.put(CLOSED)
