# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""The host is in the availability zone that was asked for."""

from nova_lite.scheduler.filters import base


class AvailabilityZoneFilter(base.Filter):

    def refuses(self, host, spec):
        if spec.availability_zone in (None, '', host.availability_zone):
            return None
        return 'it is in availability zone %s' % host.availability_zone
