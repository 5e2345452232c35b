# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""How flavors look in answers."""


def basic(req, flavor):
    """An entry of the short list."""
    view = {'id': flavor.flavorid, 'name': flavor.name, 'links': req.urls.both('flavors', flavor.flavorid)}
    if req.version >= (2, 55):
        view['description'] = flavor.description
    return view


def show(req, flavor, with_specs):
    """The whole flavor; `with_specs`: the caller may see its extra specs (shown from 2.61 on)."""
    view = {
        'id': flavor.flavorid, 'name': flavor.name, 'ram': flavor.memory_mb, 'disk': flavor.root_gb,
        'vcpus': flavor.vcpus, 'swap': flavor.swap if flavor.swap or req.version >= (2, 75) else '',
        'OS-FLV-EXT-DATA:ephemeral': flavor.ephemeral_gb, 'os-flavor-access:is_public': flavor.is_public,
        'links': req.urls.both('flavors', flavor.flavorid),
    }
    if req.version < (2, 102):
        view |= {'OS-FLV-DISABLED:disabled': flavor.disabled, 'rxtx_factor': flavor.rxtx_factor}
    if req.version >= (2, 55):
        view['description'] = flavor.description
    if with_specs and req.version >= (2, 61):
        view['extra_specs'] = flavor.extra_specs
    return view
