# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Hosts, as the API knew them before hypervisors and services took their place: the last microversion is 2.42."""

import http.client

from nova_lite import exception
from nova_lite.api.openstack import faults
from nova_lite.db import compute_nodes as nodes_db
from nova_lite.db import instances as instances_db
from nova_lite.db import services as services_db

COMPUTE = 'nova-compute'
API = 'nova-api'        # is no service that this list ever had


class Controller:
    def __init__(self, services):
        self._db = services.db
        self._internal_zone = services.conf.internal_service_availability_zone
        self._default_zone = services.conf.default_availability_zone

    def index(self, req):
        wanted = req.param('zone')
        hosts = [{'host_name': service.host, 'service': service.binary.removeprefix('nova-'),
                  'zone': self._zone(service)} for service in services_db.list_(self._db) if service.binary != API]
        return {'hosts': [host for host in hosts if not wanted or host['zone'] == wanted]}

    def _zone(self, service):
        if service.binary != COMPUTE:
            return self._internal_zone
        return service.availability_zone or self._default_zone

    def show(self, req, id):
        """What the host has, what is in use of it, and what the servers of each project take at most."""
        self._require(id)
        nodes = [node for node in nodes_db.list_(self._db) if node.host == id]
        servers = instances_db.list_(self._db, {'host': id})
        total = _resources(id, '(total)', *(sum(getattr(node, name) for node in nodes)
                                           for name in ('vcpus', 'memory_mb', 'local_gb')))
        now = _resources(id, '(used_now)', *(sum(getattr(node, name) for node in nodes)
                                            for name in ('vcpus_used', 'memory_mb_used', 'local_gb_used')))
        projects = sorted({server.project_id for server in servers})
        most = [_used(id, project, [server for server in servers if server.project_id == project])
                for project in projects]
        return {'host': [total, now, _used(id, '(used_max)', servers), *most]}

    def update(self, req, id, body):
        self._refuse(id)

    def startup(self, req, id):
        self._refuse(id)

    def shutdown(self, req, id):
        self._refuse(id)

    def reboot(self, req, id):
        self._refuse(id)

    def _require(self, host):
        if not services_db.list_(self._db, binary=COMPUTE, host=host):
            raise exception.ComputeHostNotFound(host=host[:64])

    def _refuse(self, host):
        """No driver turns machines on or off; services are taken out of use by `os-services`."""
        self._require(host)
        raise faults.HTTPError(http.client.NOT_IMPLEMENTED, 'Unable to get host information: the driver of this host '
                                                            'does not have this.')


def _used(host, project, servers):
    flavors = [server.flavor for server in servers]
    return _resources(host, project, sum(flavor.vcpus for flavor in flavors),
                      sum(flavor.memory_mb for flavor in flavors),
                      sum(flavor.root_gb + flavor.ephemeral_gb for flavor in flavors))


def _resources(host, project, cpu, memory_mb, disk_gb):
    return {'resource': {'host': host, 'project': project, 'cpu': cpu, 'memory_mb': memory_mb, 'disk_gb': disk_gb}}
