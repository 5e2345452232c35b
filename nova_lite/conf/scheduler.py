# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Choosing hosts: filters, weighers, alternates."""

from oslo_config import cfg

OPTIONS = {
    'scheduler': [
        cfg.IntOpt('max_attempts', default=3, min=1,
                   help='On how many hosts one build is tried before the server ends in ERROR. Raise it in a '
                        'large cloud '
                        'whose hosts fail often.'),
        cfg.IntOpt('max_placement_results', default=1000, min=1,
                   help='How many candidate hosts to ask Placement for. Lower it when scheduling in a very large cloud '
                        'takes too long.'),
    ],
    'filter_scheduler': [
        cfg.ListOpt('enabled_filters',
                    default=['ComputeFilter', 'AvailabilityZoneFilter', 'RamFilter', 'CoreFilter', 'DiskFilter',
                             'ImagePropertiesFilter', 'SameHostFilter', 'DifferentHostFilter',
                             'ServerGroupAntiAffinityFilter', 'ServerGroupAffinityFilter'],
                    help='The filters that a host has to pass, cheapest first. Names are those of the classes in '
                         'scheduler/filters.'),
        cfg.IntOpt('host_subset_size', default=1, min=1,
                   help='Choose at random among this many best hosts. Raise it when many schedulers run at once and '
                        'keep choosing the same host.'),
        cfg.FloatOpt('ram_weight_multiplier', default=1.0,
                     help='How much free memory counts; negative packs servers on few hosts instead of '
                          'spreading them.'),
        cfg.FloatOpt('cpu_weight_multiplier', default=1.0, help='How much free processors count; negative packs.'),
        cfg.FloatOpt('disk_weight_multiplier', default=1.0, help='How much free disk counts; negative packs.'),
        cfg.FloatOpt('soft_affinity_weight_multiplier', default=1.0, min=0,
                     help='How much it counts that members of a soft-affinity group run on a host already.'),
        cfg.FloatOpt('soft_anti_affinity_weight_multiplier', default=1.0, min=0,
                     help='How much it counts that few members of a soft-anti-affinity group run on a host.'),
    ],
}
