# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""The choice itself: a pure function of a snapshot of hosts and a request spec."""

import dataclasses
import random

from nova_lite import exception
from nova_lite.scheduler.filters import base as filter_base
from nova_lite.scheduler.weights import weighers


@dataclasses.dataclass(frozen=True)
class Policy:
    """How to choose: filters in order, {weigher option: factor}, and among how many best hosts at random."""

    filters: tuple
    multipliers: dict
    subset_size: int = 1


def candidates(hosts, spec, policy, placement_count=None):
    """The hosts that can take one server of `spec`, best first.

    :raises NoValidHost: none can; `details` (for admins) says how many each filter left, and why.
    """
    forced, ignored = spec.requested_destination or {}, set(spec.ignore_hosts)
    eligible = [host for host in hosts if host.host not in ignored
                and forced.get('host') in (None, host.host) and forced.get('node') in (None, host.nodename)]
    passed, report = filter_base.apply(policy.filters, eligible, spec)
    if not passed:
        raise no_valid_host(len(hosts) if placement_count is None else placement_count, len(eligible), report)
    ranked = weighers.rank(passed, spec, policy.multipliers)
    if policy.subset_size > 1:
        best = ranked[:policy.subset_size]
        chosen = random.choice(best)    # noqa: S311 (no secret: it spreads the choices of several schedulers)
        ranked.remove(chosen)
        ranked.insert(0, chosen)
    return ranked


def no_valid_host(placement_count, eligible_count, report):
    """The NoValidHost for a choice that found nothing: a short text for the user, all figures in `details`."""
    parts = ['Placement candidates: %d' % placement_count]
    if eligible_count != placement_count:
        parts.append('not ignored or forced elsewhere: %d' % eligible_count)
    for name, before, after, reason in report:
        parts.append('%s: %d of %d left%s' % (name, after, before, ' (%s)' % reason if reason else ''))
    error = exception.NoValidHost(reason='There are not enough hosts available.')
    error.kwargs['details'] = '; '.join(parts)
    return error
