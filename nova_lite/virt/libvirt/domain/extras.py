# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Small devices of a guest: random numbers, memory balloon, watchdog."""

from oslo_utils import strutils

from nova_lite.virt.libvirt.domain import elements


def configure(domain, spec):
    devices = elements.devices(domain)
    if strutils.bool_from_string(spec.instance.flavor.extra_specs.get('hw_rng:allowed', True)):
        rng = elements.add(devices, 'rng', model=spec.properties.rng_model)
        elements.add(rng, 'backend', spec.settings.rng_dev_path, model='random')
    balloon = elements.add(devices, 'memballoon', model='virtio')
    if spec.settings.mem_stats_period:
        elements.add(balloon, 'stats', period=spec.settings.mem_stats_period)
    if spec.properties.watchdog_action != 'disabled':
        elements.add(devices, 'watchdog', model='i6300esb', action=spec.properties.watchdog_action)
