# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""The hypervisor nodes, their capacity and what is in use of it, for administrators."""

import json

from oslo_utils import strutils
from oslo_utils import uuidutils

from nova_lite import exception
from nova_lite.api.openstack import faults
from nova_lite.api.openstack import links
from nova_lite.db import compute_nodes as nodes_db
from nova_lite.db import instances as instances_db
from nova_lite.db import services as services_db
from nova_lite.objects import service as service_obj

BY_UUID = (2, 53)       # from here on nodes are named by uuid
SUMS = ('vcpus', 'memory_mb', 'local_gb', 'vcpus_used', 'memory_mb_used', 'local_gb_used', 'running_vms')


class Controller:
    def __init__(self, services):
        self._db = services.db
        self._max_limit = services.conf.api.max_limit

    def index(self, req):
        return self._list(req, '/os-hypervisors', self._basic)

    def detail(self, req):
        return self._list(req, '/os-hypervisors/detail', self._whole)

    def _list(self, req, path, shown):
        services = self._services()
        nodes = self._nodes(services)
        pattern = req.param('hypervisor_hostname_pattern')
        if pattern is not None:
            if 'limit' in req.query or 'marker' in req.query:
                raise faults.HTTPError(400, 'Paging over hypervisors with the hypervisor_hostname_pattern query '
                                            'parameter is not supported.')
            nodes = self._matching(nodes, pattern)
        limit, marker = links.page(req, self._max_limit)
        if req.version < (2, 33):
            limit = len(nodes)
        page = self._after(req, nodes, marker)[:limit]
        answer = {'hypervisors': [shown(req, node, services[node.host]) for node in page]}
        if page and req.version >= (2, 33) and len(page) == limit:
            answer['hypervisors_links'] = req.urls.next_page(path, _id(req, page[-1]))
        return answer

    def _services(self):
        """{host: its compute service}."""
        return {service.host: service for service in services_db.list_(self._db, binary='nova-compute')}

    def _nodes(self, services):
        """All nodes whose service is known, in the order of their making."""
        return sorted((node for node in nodes_db.list_(self._db) if node.host in services), key=lambda node: node.id)

    @staticmethod
    def _matching(nodes, pattern):
        found = [node for node in nodes if pattern in node.hypervisor_hostname]
        if not found:
            raise exception.NotFound("No hypervisor matching '%s' could be found." % pattern)
        return found

    @staticmethod
    def _after(req, nodes, marker):
        if marker is None:
            return nodes
        for index, node in enumerate(nodes):
            if str(_id(req, node)) == marker:
                return nodes[index + 1:]
        raise faults.HTTPError(400, 'marker [%s] not found' % marker[:64])

    def show(self, req, id):
        node, service = self._get(req, id)
        return {'hypervisor': self._whole(req, node, service)}

    def _get(self, req, id_):
        if req.version >= BY_UUID and not uuidutils.is_uuid_like(id_):
            raise faults.HTTPError(400, 'Invalid uuid %s' % id_[:64])
        services = self._services()
        for node in self._nodes(services):
            if str(_id(req, node)) == id_:
                return node, services[node.host]
        raise exception.NotFound("Hypervisor with ID '%s' could not be found." % id_[:64])

    def _basic(self, req, node, service):
        view = {'id': _id(req, node), 'hypervisor_hostname': node.hypervisor_hostname,
                'state': 'up' if service.up else 'down', 'status': 'disabled' if service.disabled else 'enabled'}
        if req.version >= BY_UUID and strutils.bool_from_string(req.param('with_servers', False)):
            servers = self._servers_of(node)
            if servers or req.version >= (2, 75):
                view['servers'] = servers
        return view

    def _servers_of(self, node):
        return [{'name': instance.name, 'uuid': instance.uuid}
                for instance in instances_db.list_(self._db, {'host': node.host}) if instance.node in (
                    None, node.hypervisor_hostname)]

    def _whole(self, req, node, service):
        view = self._basic(req, node, service) | {
            'hypervisor_type': node.hypervisor_type, 'hypervisor_version': node.hypervisor_version,
            'host_ip': node.host_ip,
            'service': {'host': service.host, 'disabled_reason': service.disabled_reason,
                        'id': service.uuid if req.version >= BY_UUID else service.id}}
        if req.version >= (2, 88):
            return view | {'uptime': None}      # what a host's own clock says is not asked over RPC
        view |= {name: getattr(node, name) for name in SUMS}
        return view | {
            'free_ram_mb': node.memory_mb - node.memory_mb_used, 'free_disk_gb': node.local_gb - node.local_gb_used,
            'current_workload': 0, 'disk_available_least': None,
            'cpu_info': node.cpu_info if req.version >= (2, 28) else json.dumps(node.cpu_info)}

    def statistics(self, req):
        services = self._services()
        nodes = [node for node in self._nodes(services) if not services[node.host].disabled]
        sums = {name: sum(getattr(node, name) for node in nodes) for name in SUMS}
        return {'hypervisor_statistics': sums | {
            'count': len(nodes), 'current_workload': 0, 'disk_available_least': None,
            'free_ram_mb': sums['memory_mb'] - sums['memory_mb_used'],
            'free_disk_gb': sums['local_gb'] - sums['local_gb_used']}}

    def uptime(self, req, id):
        node, service = self._get(req, id)
        return {'hypervisor': self._basic(req, node, service) | {'uptime': None}}

    def search(self, req, id):
        services = self._services()
        return {'hypervisors': [self._basic(req, node, services[node.host])
                                for node in self._matching(self._nodes(services), id)]}

    def servers(self, req, id):
        services = self._services()
        answer = []
        for node in self._matching(self._nodes(services), id):
            servers = self._servers_of(node)
            answer.append(self._basic(req, node, services[node.host]) | ({'servers': servers} if servers else {}))
        return {'hypervisors': answer}


def _id(req, node: service_obj.ComputeNode):
    return node.uuid if req.version >= BY_UUID else node.id
