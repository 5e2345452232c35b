# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""nova-api: the REST API for users and the metadata API for guests."""

from nova_lite import concurrency

concurrency.patch()

from nova_lite import exception
from nova_lite import http
from nova_lite import rpc
from nova_lite import service
from nova_lite import wsgi
from nova_lite.api import deploy
from nova_lite.api import enforcer as policy
from nova_lite.api import service as api_service
from nova_lite.cmd import launch
from nova_lite.compute import api as compute_api
from nova_lite.compute import api_clients
from nova_lite.compute import rpcapi as compute_rpcapi
from nova_lite.conductor import api as conductor_api
from nova_lite.db import engine
from nova_lite.image import glance
from nova_lite.network import neutron
from nova_lite.volume import cinder


def build_services(conf):
    """What the controllers work with."""
    db = engine.from_conf(conf)
    enforcer = policy.Enforcer(conf)
    transport = rpc.Transport(conf)
    network = neutron.API(http.adapter(conf, 'neutron'))
    compute = compute_api.API(
        conf, db, enforcer,
        api_clients.Clients(image=glance.API(http.adapter(conf, 'glance')), network=network,
                            volume=cinder.from_conf(conf)),
        conductor=conductor_api.ComputeTaskAPI(transport),
        compute=compute_rpcapi.ComputeAPI(transport))
    return deploy.Services(conf=conf, db=db, enforcer=enforcer, compute_api=compute, network=network)


def listeners(conf, services):
    """A wsgi.Server for each of `enabled_apis`."""
    addresses = {'osapi_compute': (conf.osapi_compute_listen, conf.osapi_compute_listen_port),
                 'metadata': (conf.metadata_listen, conf.metadata_listen_port)}
    servers = []
    for name in conf.enabled_apis:
        host, port = addresses[name]
        try:
            app = deploy.load(conf.wsgi.api_paste_config, name, services)
            servers.append(wsgi.Server(name, app, host, port))
        except LookupError as exc:
            raise exception.NovaException('%s: %s' % (conf.wsgi.api_paste_config, exc)) from exc
        except OSError as exc:
            raise exception.NovaException('%s cannot listen on %s:%d: %s' % (name, host, port, exc)
                                          if exc.filename is None else str(exc)) from exc
    return servers


def start(conf):
    services = build_services(conf)
    nova_api = api_service.APIService(listeners(conf, services), services.db, conf.host, conf.report_interval)
    return service.serve(conf, nova_api, workers=conf.osapi_compute_workers)


def main():
    launch.run('nova-api', start)


if __name__ == '__main__':
    main()
