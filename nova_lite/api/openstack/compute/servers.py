# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Servers: create, list, show, change and delete them."""

from nova_lite import exception
from nova_lite.api.openstack import links
from nova_lite.api.openstack import wsgi
from nova_lite.api.openstack.compute import server_access
from nova_lite.api.openstack.compute import servers_filters
from nova_lite.api.openstack.compute import servers_request
from nova_lite.api.openstack.compute.views import servers as view
from nova_lite.db import block_devices
from nova_lite.db import instance_groups
from nova_lite.db import services as services_db

ALL_PROJECTS = 'os_compute_api:servers:%s:get_all_tenants'


class Controller(server_access.ServerAccess):
    def __init__(self, services):
        self._db = services.db
        self._compute = services.compute_api
        self._max_limit = services.conf.api.max_limit
        self._shows_password = services.conf.api.enable_instance_password
        self._password_length = services.conf.password_length

    # ---- create --------------------------------------------------------------------------------------------------

    def create(self, req, body):
        order = servers_request.order(req, body, self._password_length)
        try:
            instances, reservation_id = self._compute.create(req.context, order)
        except exception.ImageNotFound as exc:
            raise exception.Invalid('Can not find requested image') from exc
        except (exception.NotFound, exception.FixedIpAlreadyInUse) as exc:
            raise exception.Invalid(exc.message) from exc       # what the body names, not what the URL does
        if servers_request.wants_reservation_id(body):
            return {'reservation_id': reservation_id}
        shown = view.created(req, instances[0], order.admin_password if self._shows_password else None)
        return wsgi.Reply({'server': shown}, headers=[('Location', shown['links'][0]['href'])])

    # ---- list ----------------------------------------------------------------------------------------------------

    def index(self, req):
        return self._list(req, '/servers', 'index', lambda _: lambda instance: view.basic(req, instance))

    def detail(self, req):
        host_status = self._host_status(req)
        return self._list(req, '/servers/detail', 'detail', lambda instances: view.Detail(
            req, host_status=host_status, volumes=self._volumes(*instances)).show)

    def _list(self, req, path, name, shower):
        """shower([Instance…]): a function that shows one of them."""
        limit, marker = links.page(req, self._max_limit)
        filters = servers_filters.filters(req, ALL_PROJECTS % name)
        if filters is None or not limit:
            return {'servers': []}
        instances = self._compute.get_all(filters, servers_filters.sort(req), limit, marker)
        answer = {'servers': list(map(shower(instances), instances))}
        if instances and len(instances) == limit:
            answer['servers_links'] = req.urls.next_page(path, instances[-1].uuid)
        return answer

    # ---- one server ----------------------------------------------------------------------------------------------

    def show(self, req, id):
        instance = self._get(req, id)
        return {'server': self._detail(req, instance).show(instance)}

    def update(self, req, id, body):
        instance = self._get(req, id)
        values = servers_request.update_values(instance, body['server'])
        if values:
            instance = self._compute.update_instance(req.context, instance, values)
        return {'server': self._detail(req, instance).updated(instance)}

    def delete(self, req, id):
        self._compute.delete(req.context, self._get(req, id))

    def _detail(self, req, instance):
        groups = None
        if req.version >= (2, 71):
            group = instance_groups.get_by_instance(self._db, instance.uuid)
            groups = {instance.uuid: [group.uuid] if group else []}
        return view.Detail(req, host_status=self._host_status(req), groups=groups, volumes=self._volumes(instance))

    def _volumes(self, *instances):
        return block_devices.get_volumes(self._db, [instance.uuid for instance in instances])

    def _host_status(self, req):
        """{host: status} of the compute hosts as far as the caller may see it; None when that is not at all."""
        if req.version < (2, 16):
            return None
        everything = req.allows(view.SEE_HOST_STATUS)
        if not everything and not req.allows(view.SEE_UNKNOWN_HOST_STATUS):
            return None
        return {service.host: _service_status(service) if everything or not service.up else None
                for service in services_db.list_(self._db, binary='nova-compute')}


def _service_status(service):
    if service.forced_down:
        return 'DOWN'
    if not service.up:
        return 'UNKNOWN'
    return 'MAINTENANCE' if service.disabled else 'UP'
