# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""What a filter is: an object with `refuses(host, spec)`, which returns why a host cannot take a server, or None."""

import logging

LOG = logging.getLogger(__name__)


class Filter:
    """Reads a HostState and a RequestSpec, changes neither, asks nobody.

    `run_once`: the answer is the same for every server of one request (it does not depend on what was just placed).
    """

    run_once = True

    def refuses(self, host, spec):
        raise NotImplementedError    # every subclass in this package overrides it; tests see to that


def apply(filters, hosts, spec):
    """The hosts that pass all filters, and for each filter how many it refused and why.

    :returns: ([HostState…], [(filter name, hosts before, hosts after, one reason or None)…])
    A filter that crashes refuses that host only.
    """
    report = []
    for item in filters:
        name, before, reason, passed = type(item).__name__, len(hosts), None, []
        for host in hosts:
            try:
                why = item.refuses(host, spec)
            except Exception as exc:
                LOG.exception('Filter %s failed on host %s', name, host.host)
                why = 'the filter failed (%s)' % type(exc).__name__
            if why is None:
                passed.append(host)
            else:
                reason = why
                LOG.debug('Filter %s refuses host %s: %s', name, host.host, why)
        hosts = passed
        report.append((name, before, len(hosts), reason))
        if not hosts:
            break
    return hosts, report
