# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Server groups: policies for where servers may run in relation to each other."""

from oslo_utils import uuidutils

from nova_lite import exception
from nova_lite.api import policies
from nova_lite.api.openstack import faults
from nova_lite.compute import api_quota
from nova_lite.db import instance_groups as groups_db
from nova_lite.objects import instance_group


class Controller:
    def __init__(self, services):
        self._db = services.db
        self._quotas = api_quota.Quotas(services.db, services.conf.quota)
        self._max_limit = services.conf.api.max_limit

    def index(self, req):
        everywhere = 'all_projects' in req.query and req.context.is_admin
        if everywhere:
            req.authorize(rule=policies.SERVER_GROUPS % 'index:all_projects')
        limit = min(int(req.param('limit', self._max_limit)), self._max_limit)
        offset = int(req.param('offset', 0))
        found = groups_db.list_(self._db, None if everywhere else req.context.project_id)
        return {'server_groups': [_view(req, group) for group in found[offset:offset + limit]]}

    def show(self, req, id):
        return {'server_group': _view(req, self._get(req, id))}

    def _get(self, req, id_):
        group = groups_db.get(self._db, id_, None if req.context.is_admin else req.context.project_id)
        req.authorize(group)
        return group

    def create(self, req, body):
        values = body['server_group']
        policy = values.get('policy') or values['policies'][0]
        rules = {key: int(value) for key, value in values.get('rules', {}).items()}
        if rules and policy != 'anti-affinity':
            raise faults.HTTPError(400, 'Only anti-affinity policy supports rules.')
        ctxt = req.context
        limit = self._quotas.limits(ctxt.project_id)['server_groups']
        if 0 <= limit <= groups_db.count(self._db, ctxt.project_id):
            raise exception.Forbidden('Quota exceeded, too many server groups.')
        group = groups_db.create(self._db, instance_group.InstanceGroup(
            uuid=uuidutils.generate_uuid(), name=values['name'].strip(), project_id=ctxt.project_id,
            user_id=ctxt.user_id, policy=policy, rules=rules))
        return {'server_group': _view(req, group)}

    def delete(self, req, id):
        groups_db.delete(self._db, self._get(req, id).uuid)


def _view(req, group):
    view = {'id': group.uuid, 'name': group.name, 'members': group.members}
    if req.version >= (2, 64):
        view |= {'policy': group.policy, 'rules': group.rules}
    else:
        view |= {'policies': [group.policy], 'metadata': {}}
    if req.version >= (2, 13):
        view |= {'project_id': group.project_id, 'user_id': group.user_id}
    return view
