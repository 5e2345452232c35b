# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""A user's SSH key or X.509 certificate."""

import datetime

from nova_lite.objects import base


@base.register('1.0')
class KeyPair:
    name: str
    user_id: str
    fingerprint: str
    public_key: str
    type: str = 'ssh'
    id: int | None = None
    created_at: datetime.datetime | None = None
