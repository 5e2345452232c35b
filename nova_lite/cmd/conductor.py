# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""nova-conductor: drives builds and deletes, and is the database for nova-compute."""

from nova_lite import concurrency

concurrency.patch()

from nova_lite import http
from nova_lite import rpc
from nova_lite import service
from nova_lite.cmd import launch
from nova_lite.compute import rpcapi as compute_rpcapi
from nova_lite.conductor import manager
from nova_lite.conductor import toolbox
from nova_lite.db import migration
from nova_lite.network import neutron
from nova_lite.scheduler import rpcapi as scheduler_rpcapi
from nova_lite.scheduler.client import report
from nova_lite.volume import cinder


def start(conf):
    transport = rpc.Transport(conf)
    tools = toolbox.Toolbox(
        host=conf.host, db=migration.open_database(conf), scheduler=scheduler_rpcapi.SchedulerAPI(transport),
        compute=compute_rpcapi.ComputeAPI(transport), placement=report.ReportClient(http.adapter(conf, 'placement')),
        network=neutron.API(http.adapter(conf, 'neutron')), volume=cinder.from_conf(conf),
        deadlines=toolbox.Deadlines(resend=conf.conductor.resend_after, take_over=conf.conductor.take_over_after,
                                    build=conf.instance_build_timeout),
        max_attempts=conf.scheduler.max_attempts)
    conductor = manager.ConductorManager(tools, conf.conductor.sweep_interval)
    return service.serve(conf, service.Service.create(manager.BINARY, conductor, transport, conf),
                         workers=conf.conductor.workers)


def main():
    launch.run('nova-conductor', start)


if __name__ == '__main__':
    main()
