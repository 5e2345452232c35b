# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""A host aggregate: hosts that have something in common, said by its metadata."""

import dataclasses
import datetime

from nova_lite.objects import base

ZONE = 'availability_zone'      # the key of the metadata that makes the hosts a zone


@base.register('1.0')
class Aggregate:
    name: str
    uuid: str
    metadata: dict = dataclasses.field(default_factory=dict)
    hosts: list[str] = dataclasses.field(default_factory=list)
    id: int | None = None
    created_at: datetime.datetime | None = None
    updated_at: datetime.datetime | None = None

    @property
    def availability_zone(self):
        """The zone that its hosts are in, or None."""
        return self.metadata.get(ZONE)
