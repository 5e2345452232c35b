# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Requests about flavors, their access lists and extra specs."""

from nova_lite.api.openstack import microversions
from nova_lite.api.openstack import validation
from nova_lite.api.openstack.compute.schemas import types

SORT_KEYS = ['created_at', 'description', 'disabled', 'ephemeral_gb', 'flavorid', 'id', 'is_public', 'memory_mb',
             'name', 'root_gb', 'rxtx_factor', 'swap', 'updated_at', 'vcpu_weight', 'vcpus']

_LIST = types.PAGE | {'is_public': types.STRING, 'minRam': types.STRING, 'minDisk': types.STRING,
                      'sort_key': {'enum': SORT_KEYS}, 'sort_dir': {'enum': ['asc', 'desc']}}

LIST_QUERY = microversions.Since({
    '2.1': validation.Query(_LIST),
    '2.75': validation.Query(_LIST, strict=True),
    '2.102': validation.Query(
        _LIST | {'name': types.STRING, 'sort_key': {'enum': [key for key in SORT_KEYS if key != 'rxtx_factor']}},
        strict=True),
})

_FLAVOR = {
    'id': {'type': ['string', 'number', 'null'], 'minLength': 1, 'maxLength': 255,
           'pattern': '^(?! )[a-zA-Z0-9. _-]+(?<! )$'},
    'name': types.NAME,
    'ram': types.integer(1), 'vcpus': types.integer(1), 'disk': types.integer(), 'swap': types.integer(),
    'OS-FLV-EXT-DATA:ephemeral': types.integer(),
    'rxtx_factor': {'type': ['number', 'string'], 'pattern': r'^[0-9]+(\.[0-9]+)?$', 'minimum': 0,
                    'exclusiveMinimum': 0, 'maximum': 3.40282e+38},
    'os-flavor-access:is_public': types.BOOLEAN,
}
_REQUIRED = ['name', 'ram', 'vcpus', 'disk']
_DESCRIBED = _FLAVOR | {'description': types.TEXT}

CREATE = microversions.Since({
    '2.1': types.only('flavor', types.closed(_REQUIRED, **_FLAVOR)),
    '2.55': types.only('flavor', types.closed(_REQUIRED, **_DESCRIBED)),
    '2.102': types.only('flavor', types.closed(
        _REQUIRED, **{key: value for key, value in _DESCRIBED.items() if key != 'rxtx_factor'})),
})

UPDATE = types.only('flavor', types.closed(['description'], description=types.TEXT))

ADD_ACCESS = types.only('addTenantAccess', types.closed(['tenant'], tenant=types.PROJECT_ID))
REMOVE_ACCESS = types.only('removeTenantAccess', types.closed(['tenant'], tenant=types.PROJECT_ID))

_SPEC_KEY = r'^[a-zA-Z0-9\-_:. ]{1,255}$'
_SPEC_VALUE = {'anyOf': [{'type': 'string', 'maxLength': 255}, {'type': 'number'}, {'type': 'boolean'}]}
_SPECS = {'type': 'object', 'patternProperties': {_SPEC_KEY: _SPEC_VALUE}, 'additionalProperties': False}
EXTRA_SPECS = types.only('extra_specs', _SPECS)
ONE_SPEC = _SPECS | {'minProperties': 1, 'maxProperties': 1}
