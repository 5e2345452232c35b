# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""nova-scheduler: chooses the host of each server."""

from nova_lite import concurrency

concurrency.patch()

from nova_lite import http
from nova_lite import rpc
from nova_lite import service
from nova_lite.cmd import launch
from nova_lite.db import engine
from nova_lite.scheduler import manager
from nova_lite.scheduler import selection
from nova_lite.scheduler.client import report
from nova_lite.scheduler.filters import registry
from nova_lite.scheduler.weights import weighers


def start(conf):
    settings = conf.filter_scheduler
    policy = selection.Policy(
        filters=tuple(registry.load(settings.enabled_filters)),
        multipliers={name: settings[name] for name in weighers.WEIGHERS}, subset_size=settings.host_subset_size)
    scheduler = manager.SchedulerManager(
        conf.host, engine.from_conf(conf), report.ReportClient(http.adapter(conf, 'placement')), policy,
        max_attempts=conf.scheduler.max_attempts, max_candidates=conf.scheduler.max_placement_results,
        default_zone=conf.default_availability_zone)
    return service.serve(conf, service.Service.create(manager.BINARY, scheduler, rpc.Transport(conf), conf))


def main():
    launch.run('nova-scheduler', start)


if __name__ == '__main__':
    main()
