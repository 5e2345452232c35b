# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Quotas of projects (`os-quota-sets`) and those of all projects without their own (`os-quota-class-sets`)."""

from oslo_utils import strutils

from nova_lite.api import enforcer
from nova_lite.api.openstack import faults
from nova_lite.api.openstack.compute.schemas import quotas as schema
from nova_lite.compute import api_quota
from nova_lite.db import instance_groups as groups_db
from nova_lite.db import keypairs as keypairs_db
from nova_lite.db import quotas as quotas_db

STORED = {'injected_file_path_bytes': 'injected_file_path_length'}      # name in the API → name of the quota
DEFAULT_CLASS = 'default'


class _Base:
    def __init__(self, services):
        self._db = services.db
        self._quotas = api_quota.Quotas(services.db, services.conf.quota)


def _view(names, limits):
    """{name: limit}; what Nova no longer counts is without limit unless somebody has set one."""
    return {name: limits.get(STORED.get(name, name), -1) for name in names}


def _new_limits(values):
    return {STORED.get(name, name): int(value) for name, value in values.items() if name != 'force'}


class Projects(_Base):

    def show(self, req, id):
        req.authorize(enforcer.Owner(project_id=id))
        return {'quota_set': {'id': id} | _view(schema.RESOURCES.at(req.version), self._quotas.limits(id))}

    def detail(self, req, id):
        req.authorize(enforcer.Owner(project_id=id))
        used = self._usage(req, id)
        limits = _view(schema.RESOURCES.at(req.version), self._quotas.limits(id))
        return {'quota_set': {'id': id} | {
            name: {'limit': limit, 'in_use': used.get(name, 0), 'reserved': 0} for name, limit in limits.items()}}

    def _usage(self, req, project_id):
        user_id = req.param('user_id') or req.context.user_id
        return self._quotas.usage(project_id) | {'server_groups': groups_db.count(self._db, project_id),
                                                 'key_pairs': keypairs_db.count(self._db, user_id)}

    def defaults(self, req, id):
        return {'quota_set': {'id': id} | _view(schema.RESOURCES.at(req.version), self._quotas.defaults())}

    def update(self, req, id, body):
        if req.param('user_id'):
            raise faults.HTTPError(400, 'Quotas of single users are not supported.')
        values = body['quota_set']
        limits = _new_limits(values)
        if not strutils.bool_from_string(values.get('force', False)):
            used = self._quotas.usage(id)
            for name, limit in limits.items():
                if 0 <= limit < used.get(name, 0):
                    raise faults.HTTPError(400, 'Quota limit %d for %s must be greater than or equal to already used '
                                                'and reserved %d.' % (limit, name, used[name]))
        quotas_db.set_(self._db, id, limits)
        return {'quota_set': _view(schema.RESOURCES.at(req.version), self._quotas.limits(id))}

    def delete(self, req, id):
        if req.param('user_id'):
            raise faults.HTTPError(400, 'Quotas of single users are not supported.')
        quotas_db.delete(self._db, id)


class Classes(_Base):
    """There is one class that counts, `default`; others show its limits and cannot be changed."""

    def show(self, req, id):
        return {'quota_class_set': {'id': id} | _view(schema.CLASS_RESOURCES.at(req.version),
                                                      self._quotas.defaults())}

    def update(self, req, id, body):
        if id != DEFAULT_CLASS:
            raise faults.HTTPError(400, 'The only quota class is %s.' % DEFAULT_CLASS)
        quotas_db.set_defaults(self._db, _new_limits(body['quota_class_set']))
        return {'quota_class_set': _view(schema.CLASS_RESOURCES.at(req.version), self._quotas.defaults())}
