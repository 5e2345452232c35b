# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""What was done to a server, by whom, and how each step of it went."""

from nova_lite.api import policies
from nova_lite.api.openstack import faults
from nova_lite.api.openstack import formats
from nova_lite.api.openstack import links
from nova_lite.api.openstack.compute.views import hosts
from nova_lite.db import actions as actions_db
from nova_lite.db import instances as instances_db


class Controller:
    def __init__(self, services):
        self._db = services.db
        self._max_limit = services.conf.api.max_limit

    def _instance(self, req, server_id):
        """The instance; from 2.21 on also one that is deleted."""
        instance = instances_db.get(self._db, server_id, None if req.context.is_admin else req.context.project_id,
                                    read_deleted=req.version >= (2, 21))
        req.authorize(instance)
        return instance

    def index(self, req, server_id):
        instance = self._instance(req, server_id)
        if req.version < (2, 58):
            found = actions_db.list_(self._db, instance.uuid)
            return {'instanceActions': [_action(req, action) for action in found]}
        limit, marker = links.page(req, self._max_limit)
        since, before = (formats.to_datetime(req.param(name)) for name in ('changes-since', 'changes-before'))
        if since and before and since > before:
            raise faults.HTTPError(400, 'The value of changes-since must be less than or equal to changes-before.')
        found = actions_db.list_(self._db, instance.uuid, limit=limit, marker=marker,
                                 changes_since=since, changes_before=before)
        answer = {'instanceActions': [_action(req, action) for action in found]}
        if found and len(found) == limit:
            answer['links'] = req.urls.next_page('/servers/%s/os-instance-actions' % server_id, found[-1].request_id)
        return answer

    def show(self, req, server_id, id):
        instance = self._instance(req, server_id)
        action = actions_db.get(self._db, instance.uuid, id)
        view = _action(req, action)
        for_admin = req.allows(policies.INSTANCE_ACTIONS % 'events', instance)
        if for_admin or req.version >= (2, 51):
            details = req.version >= (2, 84) and req.allows(policies.INSTANCE_ACTIONS % 'events:details', instance)
            view['events'] = [_event(req, event, instance.project_id, for_admin, details) for event in action.events]
        return {'instanceAction': view}


def _action(req, action):
    view = {'action': action.action, 'instance_uuid': action.instance_uuid, 'request_id': action.request_id,
            'user_id': action.user_id, 'project_id': action.project_id, 'message': action.message,
            'start_time': formats.iso_micro(action.start_time)}
    if req.version >= (2, 58):
        view['updated_at'] = formats.iso_micro(action.updated_at)
    return view


def _event(req, event, project_id, for_admin, details):
    view = {'event': event.event, 'start_time': formats.iso_micro(event.start_time),
            'finish_time': formats.iso_micro(event.finish_time), 'result': event.result}
    if for_admin:
        view['traceback'] = event.traceback
    if req.version >= (2, 62):
        view['hostId'] = hosts.host_id(project_id, event.host)
        if for_admin:
            view['host'] = event.host or ''
    if details:
        view['details'] = event.details
    return view
