# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Migrations of servers between hosts and flavors."""

from nova_lite import exception
from nova_lite.api.openstack import faults
from nova_lite.api.openstack import formats
from nova_lite.api.openstack import links
from nova_lite.db import moves
from nova_lite.objects import migration as migration_obj

_TIMES = ('changes-since', 'changes-before')
_FILTERS = ('host', 'instance_uuid', 'migration_type', 'source_compute', 'status', 'user_id', 'project_id')
_BYTES = tuple('%s_%s_bytes' % (what, how) for what in ('memory', 'disk')
               for how in ('total', 'processed', 'remaining'))


class Controller:
    def __init__(self, services):
        self._db = services.db
        self._compute = services.compute_api
        self._max_limit = services.conf.api.max_limit

    def index(self, req):
        filters = {name: req.param(name) for name in _FILTERS if req.param(name) is not None}
        if (req.param('hidden') or '').lower() in ('1', 'true', 'yes', 'on', 't', 'y'):
            return {'migrations': []}       # none is ever hidden
        if req.version < (2, 59):
            return {'migrations': [_view(req, item) for item in moves.list_(self._db, filters)]}
        filters.update({name: formats.to_datetime(req.param(name)) for name in _TIMES})
        since, before = (filters[name] for name in _TIMES)
        if since and before and since > before:
            raise faults.HTTPError(400, 'The value of changes-since must be less than or equal to changes-before.')
        limit, marker = links.page(req, self._max_limit)
        found = moves.list_(self._db, filters, limit, marker)
        answer = {'migrations': [_view(req, item) for item in found]}
        if found and len(found) == limit:
            answer['migrations_links'] = req.urls.next_page('/os-migrations', found[-1].uuid)
        return answer

    def of_server(self, req, server_id):
        instance = self._instance(req, server_id)
        return {'migrations': [_progress(req, item) for item in self._live(instance)]}

    def show(self, req, server_id, id):
        instance = self._instance(req, server_id)
        for migration in self._live(instance):
            if str(migration.id) == id:
                return {'migration': _progress(req, migration)}
        raise exception.NotFound('In-progress live migration %s is not found for server %s.' % (id[:64], server_id))

    def abort(self, req, server_id, id):
        self._compute.moves.abort(req.context, self._instance(req, server_id), id, early=req.version >= (2, 65))

    def force_complete(self, req, server_id, id, body):
        self._compute.moves.force_complete(req.context, self._instance(req, server_id), id)

    def _live(self, instance):
        return [item for item in moves.of_instance(self._db, instance.uuid)
                if item.migration_type == migration_obj.LIVE_MIGRATION]

    def _instance(self, req, server_id):
        instance = self._compute.get(req.context, server_id)
        req.authorize(instance)
        return instance


def _base(req, migration):
    view = {'id': migration.id, 'status': migration.status, 'source_compute': migration.source_compute,
            'source_node': migration.source_node, 'dest_compute': migration.dest_compute,
            'dest_node': migration.dest_node, 'dest_host': migration.dest_host,
            'created_at': formats.iso_micro(migration.created_at),
            'updated_at': formats.iso_micro(migration.updated_at)}
    if req.version >= (2, 59):
        view['uuid'] = migration.uuid
    if req.version >= (2, 80):
        view.update(user_id=migration.user_id, project_id=migration.project_id)
    return view


def _view(req, migration):
    view = {**_base(req, migration), 'instance_uuid': migration.instance_uuid,
            'old_instance_type_id': migration.old_flavor.id, 'new_instance_type_id': migration.new_flavor.id}
    if req.version >= (2, 23):
        view['migration_type'] = migration.migration_type
        if migration.migration_type == migration_obj.LIVE_MIGRATION and not migration.ended:
            view['links'] = req.urls.both('servers/%s/migrations' % migration.instance_uuid, migration.id)
    return view


def _progress(req, migration):
    return {**_base(req, migration), 'server_uuid': migration.instance_uuid,
            **{name: migration.progress.get(name, 0) for name in _BYTES}}
