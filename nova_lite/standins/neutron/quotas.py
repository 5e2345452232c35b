# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""How many resources a project may have: Neutron's defaults unless an administrator set others."""

from nova_lite.standins import rest
from nova_lite.standins.neutron import access
from nova_lite.standins.neutron import attributes
from nova_lite.standins.neutron import faults

DEFAULTS = {'network': 100, 'subnet': 100, 'subnetpool': -1, 'port': 500, 'router_route': 30, 'router': 10,
            'floatingip': 50, 'rbac_policy': 10, 'security_group': 10, 'security_group_rule': 100}
_LIMIT = attributes.Attribute(attributes.integer(-1, 2 ** 31 - 1))
_ATTRIBUTES = dict.fromkeys(DEFAULTS, _LIMIT)
_CHECK = {'check_limit': attributes.Attribute(attributes.boolean)}      # refuse limits below what is used


def limits(records, project_id):
    """{kind: limit} of a project; -1 means none."""
    own = records.get('quota', project_id) or {}
    return {name: own.get(name, default) for name, default in DEFAULTS.items()}


def require(records, kind, project_id):
    """Raise a 409 when the project has no place for one more resource of the kind."""
    limit = limits(records, project_id).get(kind, -1)
    if 0 <= limit <= records.count(kind, 'project_id', project_id):
        raise faults.over_quota(kind)


class Quotas:
    """The calls below /v2.0/quotas."""

    def __init__(self, records):
        self._records = records

    def routes(self):
        one = '/v2.0/quotas/{project_id}'
        return [
            rest.Route('GET', '/v2.0/quotas', self.list), rest.Route('GET', '/v2.0/quotas/tenant', self.whose),
            rest.Route('GET', '/v2.0/quotas/project', self.whose), rest.Route('GET', one, self.show),
            rest.Route('PUT', one, self.update), rest.Route('DELETE', one, self.delete),
            rest.Route('GET', one + '/default', self.default), rest.Route('GET', one + '/details', self.details),
            rest.Route('GET', one + '/details.json', self.details)]

    def list(self, request):
        """The projects whose quotas were set."""
        if not access.privileged(request.identity):
            raise faults.forbidden('get_quota')
        return {'quotas': [
            {**limits(self._records, own['id']), 'tenant_id': own['id'], 'project_id': own['id']}
            for own in self._records.all('quota')]}

    def whose(self, request):
        project_id = request.identity.project_id or ''
        return {'tenant': {'tenant_id': project_id}, 'project': {'project_id': project_id}}

    def show(self, request, project_id):
        self._require_view(request, project_id)
        return {'quota': limits(self._records, project_id)}

    def default(self, request, project_id):
        self._require_view(request, project_id)
        return {'quota': DEFAULTS}

    def details(self, request, project_id):
        self._require_view(request, project_id)
        return {'quota': {
            kind: {'limit': limit, 'used': self._used(kind, project_id), 'reserved': 0}
            for kind, limit in limits(self._records, project_id).items()}}

    def _used(self, kind, project_id):
        if kind == 'router_route':  # a limit for each router
            return sum(len(router['routes']) for router in self._records.find('router', 'project_id', project_id))
        return self._records.count(kind, 'project_id', project_id)

    def update(self, request, project_id):
        self._require_admin(request, 'update_quota')
        body = request.json()
        if not isinstance(body, dict) or set(body) != {'quota'}:
            raise faults.bad("Unable to find 'quota' in request body")
        document = body['quota']
        if isinstance(document, dict):
            document = {name: value for name, value in document.items() if name not in ('tenant_id', 'project_id')}
        values = attributes.parse(_ATTRIBUTES | _CHECK, document, update=True)
        checked = values.pop('check_limit', False)
        if len(project_id) > 255:
            raise faults.bad('The project id is too long')
        with self._records.change():
            low = [kind for kind, limit in values.items() if 0 <= limit < self._used(kind, project_id)]
            if checked and low:
                raise faults.conflict('InvalidQuotaValue', 'Less than what is used of these: %s' % ', '.join(low))
            own = self._records.get('quota', project_id) or {}
            self._records.put('quota', {**own, **values, 'id': project_id})
        return {'quota': limits(self._records, project_id)}

    def delete(self, request, project_id):
        self._require_admin(request, 'delete_quota')
        with self._records.change():
            if self._records.get('quota', project_id) is None:
                raise rest.Fault(404, 'Quota for tenant %s could not be found.' % project_id[:255],
                                 'TenantQuotaNotFound')
            self._records.delete('quota', project_id)

    def _require_view(self, request, project_id):
        identity = request.identity
        if not access.privileged(identity) and identity.project_id != project_id:
            raise faults.forbidden('get_quota')

    def _require_admin(self, request, rule):
        if not access.privileged(request.identity):
            raise faults.forbidden(rule)
