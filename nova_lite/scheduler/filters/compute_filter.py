# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""The host's nova-compute is up and enabled."""

from nova_lite.scheduler.filters import base


class ComputeFilter(base.Filter):

    def refuses(self, host, spec):
        if host.disabled:
            return 'disabled: %s' % (host.disabled_reason or 'no reason given')
        if host.forced_down:
            return 'forced down'
        return None if host.up else 'its nova-compute does not report'
