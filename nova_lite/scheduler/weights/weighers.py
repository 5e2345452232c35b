# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Weighers: which of the hosts that passed the filters is best.

Each gives a raw number per host; the numbers of one weigher are stretched to 0…1 over the hosts and multiplied by its
option, so that no unit outweighs another by its size. The sum decides.
"""


def _ram(host, spec):
    return host.free('memory_mb')


def _cpu(host, spec):
    return host.free('vcpus')


def _disk(host, spec):
    return host.free('local_gb')


def _members_there(host, spec):
    return len(host.instance_uuids.intersection(spec.instance_group.members))


def _soft_affinity(host, spec):
    if spec.instance_group is None or spec.instance_group.policy != 'soft-affinity':
        return 0
    return _members_there(host, spec)


def _soft_anti_affinity(host, spec):
    if spec.instance_group is None or spec.instance_group.policy != 'soft-anti-affinity':
        return 0
    return -_members_there(host, spec)


WEIGHERS = {
    'ram_weight_multiplier': _ram,
    'cpu_weight_multiplier': _cpu,
    'disk_weight_multiplier': _disk,
    'soft_affinity_weight_multiplier': _soft_affinity,
    'soft_anti_affinity_weight_multiplier': _soft_anti_affinity,
}


def rank(hosts, spec, multipliers):
    """The hosts, best first; equal ones keep their order. multipliers: {option name: factor}."""
    if len(hosts) < 2:
        return list(hosts)
    totals = [0.0] * len(hosts)
    for option, weigh in WEIGHERS.items():
        factor = multipliers.get(option, 0)
        if not factor:
            continue
        raw = [weigh(host, spec) for host in hosts]
        low, high = min(raw), max(raw)
        if high > low:
            for index, value in enumerate(raw):
                totals[index] += factor * (value - low) / (high - low)
    order = sorted(range(len(hosts)), key=lambda index: -totals[index])
    return [hosts[index] for index in order]
