# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Enough memory, processors and disk are free, allocation ratios included.

Placement counts the same, and more exactly; these keep a host out whose own figures (say, after an operator lowered a
ratio) are tighter, and set the `limits` that the host checks its claim against.
"""

from nova_lite.scheduler import host_state
from nova_lite.scheduler.filters import base


class _ResourceFilter(base.Filter):

    run_once = False
    resource = unit = None

    def wanted(self, spec):
        raise NotImplementedError    # see the subclasses below

    def refuses(self, host, spec):
        wanted, free = self.wanted(spec), host.free(self.resource)
        return None if wanted <= free else '%g %s wanted, %g free' % (wanted, self.unit, free)


class RamFilter(_ResourceFilter):

    resource, unit = 'memory_mb', 'MB of memory'

    def wanted(self, spec):
        return spec.flavor.memory_mb


class CoreFilter(_ResourceFilter):

    resource, unit = 'vcpus', 'vCPUs'

    def wanted(self, spec):
        return spec.flavor.vcpus

    def refuses(self, host, spec):
        if spec.flavor.vcpus > host.vcpus:      # one guest never gets more processors than the host has
            return '%d vCPUs wanted, the host has %d' % (spec.flavor.vcpus, host.vcpus)
        return super().refuses(host, spec)


class DiskFilter(_ResourceFilter):

    resource, unit = 'local_gb', 'GB of disk'

    def wanted(self, spec):
        return host_state.disk_gb(spec)
