# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""A process that answers RPC: its server, heartbeat and periodic tasks, run by oslo.service's launchers.

A manager is any object with RPC methods and these attributes and hooks:

* `topic`: the queue; `endpoints`: objects whose methods answer RPC; `version` in each endpoint's `target`;
* `init_host()`: before the server starts; `post_start()`: right after it;
* `report()`: the heartbeat; `periodic_tasks()`: [(name, seconds, function)…]; `stop()`.
"""

import logging

from oslo_service import loopingcall
from oslo_service import service

from nova_lite import concurrency

LOG = logging.getLogger(__name__)

HEARTBEAT_START_DELAY = 0.1


class Service(service.Service):
    """One host's worth of a service: several may share a process (the fake driver's many hosts)."""

    def __init__(self, binary, host, manager, transport, report_interval):
        super().__init__()
        self.binary = binary
        self.host = host
        self.manager = manager
        self._transport = transport
        self._report_interval = report_interval
        self._server = None
        self._timers = []

    @classmethod
    def create(cls, binary, manager, transport, conf, host=None):
        """The Service of a manager by the process's configuration."""
        return cls(binary, host or conf.host, manager, transport, conf.report_interval)

    def start(self):
        LOG.info('Starting %s on host %s', self.binary, self.host)
        self.manager.init_host()
        self._server = self._transport.server(self.manager.topic, self.host, self.manager.endpoints)
        self._server.start()
        self.manager.post_start()
        self._every('report_state', self._report_interval, self.manager.report, HEARTBEAT_START_DELAY)
        for name, seconds, function in self.manager.periodic_tasks():
            if seconds > 0:
                self._every(name, seconds, function, seconds)

    def _every(self, name, seconds, function, initial_delay):
        def guarded():
            try:
                function()
            except (Exception, concurrency.Timeout):    # whatever it was, the next round may do better
                LOG.exception('Periodic task %s failed', name)
        timer = loopingcall.FixedIntervalLoopingCall(guarded)
        timer.start(interval=seconds, initial_delay=initial_delay, stop_on_exception=False)
        self._timers.append(timer)

    def stop(self, graceful=True):
        for timer in self._timers:
            timer.stop()
        if self._server is not None:
            self._server.stop()
            self._server.wait()
            self._server = None
        self.manager.stop()
        super().stop(graceful)

    def reset(self):
        """SIGHUP: the launcher has re-read the configuration; nothing here keeps a copy of what may change."""


class Group(service.Service):
    """Many services as one: a launcher has room for ten, and would stop one after the other."""

    def __init__(self, members):
        super().__init__()
        self._members = members

    def start(self):
        _for_each(self._members, lambda member: member.start())

    def stop(self, graceful=True):
        _for_each(self._members, lambda member: member.stop())
        super().stop(graceful)


def _for_each(members, function):
    """Call a function with each at the same time and wait for all. Raises what the first of them that failed raised."""
    for thread in [concurrency.spawn(function, member) for member in members]:
        thread.wait()


def serve(conf, *services, workers=1):
    """Run services until the process is told to end; `workers` > 1 forks that many processes of the first.

    :returns: the launcher, to `wait()` on.
    """
    if workers > 1:
        launcher = service.ProcessLauncher(conf, restart_method='mutate')
        launcher.launch_service(services[0], workers=workers)
        return launcher
    launcher = service.ServiceLauncher(conf, restart_method='mutate')
    launcher.launch_service(services[0] if len(services) == 1 else Group(services))
    return launcher
