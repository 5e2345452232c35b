# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""What projects have used in a span of time: hours of servers, and what each of them had."""

import datetime

from nova_lite.api import enforcer
from nova_lite.api.openstack import faults
from nova_lite.api.openstack import formats
from nova_lite.api.openstack import links
from nova_lite.db import instances as instances_db
from nova_lite.objects import base

DAYS = 28       # the span that is meant when a request names no start
HOUR = 3600


class Controller:
    def __init__(self, services):
        self._db = services.db
        self._max_limit = services.conf.api.max_limit

    def index(self, req):
        start, stop = _span(req)
        detailed = req.param('detailed', '0') == '1'
        page, following = self._page(req, None, start, stop)
        usages = {}
        for instance in page:
            usages.setdefault(instance.project_id, []).append(_server(instance, start, stop))
        answer = {'tenant_usages': [_project(project_id, servers, start, stop, detailed)
                                    for project_id, servers in usages.items()]}
        if following:
            answer['tenant_usages_links'] = req.urls.next_page('/os-simple-tenant-usage', following)
        return answer

    def show(self, req, id):
        req.authorize(enforcer.Owner(project_id=id))
        start, stop = _span(req)
        page, following = self._page(req, id, start, stop)
        answer = {'tenant_usage': _project(id, [_server(instance, start, stop) for instance in page], start, stop, True)
                  if page else {}}
        if following:
            answer['tenant_usage_links'] = req.urls.next_page('/os-simple-tenant-usage/%s' % id, following)
        return answer

    def _page(self, req, project_id, start, stop):
        """(instances that ran in the span, marker of the next page or None); all of them before 2.40."""
        limit, marker = None, None
        if req.version >= (2, 40):
            limit, marker = links.page(req, self._max_limit)
        page = instances_db.list_(self._db, {'ran_between': (start, stop)}, sort=[('uuid', 'asc')], limit=limit,
                                  marker=marker, project_id=project_id)
        return page, page[-1].uuid if limit and len(page) == limit else None


def _span(req):
    """(start, stop) of the query, naive in UTC. :raises faults.HTTPError: 400"""
    now = base.utcnow()
    start = _time(req.param('start'), now - datetime.timedelta(days=DAYS))
    stop = _time(req.param('end'), now)
    if start >= stop:
        raise faults.HTTPError(400, 'Invalid start time. The start time cannot occur after the end time.')
    return start, stop


def _time(text, default):
    if not text:
        return default
    try:
        return formats.to_datetime(text)
    except ValueError:
        raise faults.HTTPError(400, 'Invalid datetime format: %s' % text[:64]) from None


def _server(instance, start, stop):
    began, ended = instance.launched_at, instance.terminated_at or instance.deleted_at
    seconds = (min(ended or stop, stop) - max(began, start)).total_seconds()
    flavor = instance.flavor
    return {'instance_id': instance.uuid, 'name': instance.display_name, 'tenant_id': instance.project_id,
            'hours': max(seconds, 0) / HOUR, 'flavor': flavor.name, 'vcpus': flavor.vcpus,
            'memory_mb': flavor.memory_mb, 'local_gb': flavor.root_gb + flavor.ephemeral_gb,
            'started_at': formats.iso_micro(began), 'ended_at': formats.iso_micro(ended),
            'state': 'terminated' if ended else instance.vm_state,
            'uptime': int(((ended or base.utcnow()) - began).total_seconds())}


def _project(project_id, servers, start, stop, detailed):
    usage = {'tenant_id': project_id, 'start': formats.iso_micro(start), 'stop': formats.iso_micro(stop),
             'total_hours': sum(server['hours'] for server in servers),
             'total_vcpus_usage': sum(server['hours'] * server['vcpus'] for server in servers),
             'total_memory_mb_usage': sum(server['hours'] * server['memory_mb'] for server in servers),
             'total_local_gb_usage': sum(server['hours'] * server['local_gb'] for server in servers)}
    if detailed:
        usage['server_usages'] = servers
    return usage
