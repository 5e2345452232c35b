# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""A claim: resources of a node that are taken for one instance, and given back when what they were for fails."""

from oslo_log import log

from nova_lite import exception
from nova_lite.compute import resources

LOG = log.getLogger(__name__)


def check(node, used, wanted, limits):
    """Whether `wanted` fits beside `used` (both {resource name: amount}) on a ComputeNode.

    limits: {resource name: most that may be in use} as the scheduler gave it; the node's own limit where it is silent.
    :raises ComputeResourcesUnavailable: with what is missing
    """
    short = []
    for resource in resources.registered():
        amount = wanted.get(resource.name, 0)
        limit = limits.get(resource.name)
        if limit is None:
            limit = resource.capacity(node).limit
        free = limit - used.get(resource.name, 0)
        if amount > free:
            short.append('Free %s %.2f %s < requested %d %s' % (
                resource.label, free, resource.unit, amount, resource.unit))
    if short:
        raise exception.ComputeResourcesUnavailable(reason='; '.join(short))


class Claim:
    """Context manager: leaving it normally keeps the resources, leaving it by an error gives them back."""

    def __init__(self, tracker, instance_uuid):
        self._tracker = tracker
        self._instance_uuid = instance_uuid

    def __enter__(self):
        return self

    def __exit__(self, exc_type, exc, traceback):
        if exc_type is None:
            self._tracker.claim_kept(self._instance_uuid)
        else:
            self.abort()

    def abort(self):
        """Give the resources back."""
        LOG.debug('Aborting claim', instance_uuid=self._instance_uuid)
        self._tracker.free(self._instance_uuid)
