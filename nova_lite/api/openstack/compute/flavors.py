# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Flavors: what users choose from, and what administrators offer."""

import uuid

from oslo_utils import strutils

from nova_lite import exception
from nova_lite.api.openstack import faults
from nova_lite.api.openstack import links
from nova_lite.api.openstack.compute.views import flavors as view
from nova_lite.db import flavors as flavors_db
from nova_lite.objects import flavor as flavor_obj

SEE_SPECS = 'os_compute_api:os-flavor-extra-specs:index'
MAX_DIGITS = 10         # of a number in a filter


class Controller:
    def __init__(self, services):
        self._db = services.db
        self._max_limit = services.conf.api.max_limit

    def index(self, req):
        return self._list(req, '/flavors', lambda flavor: view.basic(req, flavor))

    def detail(self, req):
        specs = req.version >= (2, 61) and req.allows(SEE_SPECS)
        return self._list(req, '/flavors/detail', lambda flavor: view.show(req, flavor, specs))

    def _list(self, req, path, shown):
        limit, marker = links.page(req, self._max_limit)
        flavors = flavors_db.list_(self._db, self._filters(req), sort_key=req.param('sort_key', 'flavorid'),
                                   sort_dir=req.param('sort_dir', 'asc'), limit=limit, marker=marker)
        answer = {'flavors': [shown(flavor) for flavor in flavors]}
        if flavors and len(flavors) == limit:
            answer['flavors_links'] = req.urls.next_page(path, flavors[-1].flavorid)
        return answer

    @staticmethod
    def _filters(req):
        """Filters of the database for the query: a project sees what is public and what it was given access to."""
        filters = {}
        for parameter, name in (('minRam', 'min_memory_mb'), ('minDisk', 'min_root_gb')):
            text = req.param(parameter)
            if text is not None:
                if not text.isascii() or not text.isdigit() or len(text) > MAX_DIGITS:
                    raise faults.HTTPError(400, 'Invalid %s filter [%s]' % (parameter, text[:32]))
                filters[name] = int(text)
        if req.param('name') is not None:
            filters['name'] = req.param('name')
        if req.context.is_admin:
            public = _is_public(req.param('is_public'))
            if public is not None:
                filters['is_public'] = public
        else:
            filters['project_id'] = req.context.project_id
        return filters

    def _get(self, req, flavorid):
        return flavors_db.get_by_flavorid(self._db, flavorid, req.context.project_id, req.context.is_admin)

    def show(self, req, id):
        return {'flavor': view.show(req, self._get(req, id), req.version >= (2, 61) and req.allows(SEE_SPECS))}

    def create(self, req, body):
        values = body['flavor']
        flavorid = values.get('id')
        flavorid = str(uuid.uuid4()) if flavorid is None or flavorid == 'auto' else str(flavorid)
        flavor = flavor_obj.Flavor(
            flavorid=flavorid, name=values['name'].strip(), memory_mb=int(values['ram']), vcpus=int(values['vcpus']),
            root_gb=int(values['disk']), ephemeral_gb=int(values.get('OS-FLV-EXT-DATA:ephemeral', 0)),
            swap=int(values.get('swap', 0)), rxtx_factor=float(values.get('rxtx_factor', 1.0)),
            is_public=strutils.bool_from_string(values.get('os-flavor-access:is_public', True), strict=True),
            description=values.get('description'))
        if flavor.rxtx_factor <= 0:
            raise faults.HTTPError(400, 'Invalid input for field/attribute rxtx_factor: it must be above 0')
        flavor = flavors_db.create(self._db, flavor)
        return {'flavor': view.show(req, flavor, req.version >= (2, 61) and req.allows(SEE_SPECS))}

    def update(self, req, id, body):
        flavor = flavors_db.update(self._db, id, {'description': body['flavor']['description']})
        return {'flavor': view.show(req, flavor, req.version >= (2, 61) and req.allows(SEE_SPECS))}

    def delete(self, req, id):
        flavors_db.delete(self._db, id)

    # ---- who may use a private flavor ------------------------------------------------------------------------

    def access(self, req, flavor_id):
        if self._get(req, flavor_id).is_public:
            raise exception.FlavorNotFound('Access list not available for public flavors.')
        return self._access(flavor_id)

    def _access(self, flavorid):
        return {'flavor_access': [{'flavor_id': flavorid, 'tenant_id': project_id}
                                  for project_id in flavors_db.access(self._db, flavorid)]}

    def add_access(self, req, id, body):
        if self._get(req, id).is_public:
            raise exception.Conflict('Can not add access to a public flavor.')
        flavors_db.add_access(self._db, id, body['addTenantAccess']['tenant'])
        return self._access(id)

    def remove_access(self, req, id, body):
        self._get(req, id)
        flavors_db.remove_access(self._db, id, body['removeTenantAccess']['tenant'])
        return self._access(id)

    # ---- extra specs -----------------------------------------------------------------------------------------

    def specs(self, req, flavor_id):
        return {'extra_specs': self._get(req, flavor_id).extra_specs}

    def spec(self, req, flavor_id, id):
        specs = self._get(req, flavor_id).extra_specs
        if id not in specs:
            raise exception.NotFound('Flavor %s has no extra specs with key %s.' % (flavor_id, id))
        return {id: specs[id]}

    def set_specs(self, req, flavor_id, body):
        specs = {key: str(value) for key, value in body['extra_specs'].items()}
        flavors_db.set_extra_specs(self._db, flavor_id, specs)
        return {'extra_specs': specs}

    def set_spec(self, req, flavor_id, id, body):
        if id not in body:
            raise faults.HTTPError(400, 'Request body and URI mismatch')
        specs = {key: str(value) for key, value in body.items()}
        flavors_db.set_extra_specs(self._db, flavor_id, specs)
        return specs

    def delete_spec(self, req, flavor_id, id):
        flavors_db.delete_extra_spec(self._db, flavor_id, id)


def _is_public(text):
    """True, False or None (both) for the query's is_public. :raises faults.HTTPError: 400"""
    if text is None:
        return True
    if text.lower() == 'none':
        return None
    try:
        return strutils.bool_from_string(text, strict=True)
    except ValueError:
        raise faults.HTTPError(400, 'Invalid is_public filter [%s]' % text[:32]) from None
