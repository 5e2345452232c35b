# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""The filters by name, as `[filter_scheduler] enabled_filters` lists them."""

from nova_lite import exception
from nova_lite.scheduler.filters import affinity_filters
from nova_lite.scheduler.filters import availability_zone_filter
from nova_lite.scheduler.filters import base
from nova_lite.scheduler.filters import compute_filter
from nova_lite.scheduler.filters import image_properties_filter
from nova_lite.scheduler.filters import resource_filters

MODULES = (affinity_filters, availability_zone_filter, compute_filter, image_properties_filter, resource_filters)

FILTERS = {name: item for module in MODULES for name, item in vars(module).items()
           if isinstance(item, type) and issubclass(item, base.Filter) and not name.startswith('_')}


def load(names):
    """Filter objects in the order of their names. :raises Invalid: there is no such filter."""
    unknown = sorted(set(names) - set(FILTERS))
    if unknown:
        raise exception.Invalid('Unknown filters in [filter_scheduler] enabled_filters: %s' % ', '.join(unknown))
    return [FILTERS[name]() for name in names]
