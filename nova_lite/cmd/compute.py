# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""nova-compute: runs the guests of this host (with the fake driver, of as many hosts as `[fake] hosts` says)."""

from nova_lite import concurrency

concurrency.patch()

from nova_lite import http
from nova_lite import rpc
from nova_lite import service
from nova_lite.cmd import launch
from nova_lite.compute import conductor_client
from nova_lite.compute import manager
from nova_lite.compute import notifications
from nova_lite.compute import settings
from nova_lite.compute import toolbox
from nova_lite.conductor import rpcapi
from nova_lite.image import glance
from nova_lite.network import neutron
from nova_lite.scheduler.client import report
from nova_lite.virt import loader
from nova_lite.volume import cinder


def start(conf):
    transport = rpc.Transport(conf)
    conductor = conductor_client.Conductor(rpcapi.ConductorAPI(transport), rpcapi.ComputeTaskAPI(transport))
    image = glance.API(http.adapter(conf, 'glance'))
    clients = toolbox.Clients(
        network=neutron.API(http.adapter(conf, 'neutron')), volume=cinder.from_conf(conf), image=image,
        placement=report.ReportClient(http.adapter(conf, 'placement')))
    options = settings.from_conf(conf)
    services = []
    for host in settings.host_names(conf):
        compute = manager.ComputeManager(
            host, options, loader.load(conf.compute_driver, conf, image), clients, conductor,
            notifications.from_conf(conf, transport, host))
        services.append(service.Service.create(manager.BINARY, compute, transport, conf, host=host))
    return service.serve(conf, *services)


def main():
    launch.run('nova-compute', start)


if __name__ == '__main__':
    main()
