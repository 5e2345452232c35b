# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""How a host is shown to those who may not know its name."""

import hashlib


def host_id(project_id, host):
    """The API's `hostId`: tells a project which of its servers share a host, and nothing more; '' without a host."""
    return hashlib.sha224((project_id + host).encode()).hexdigest() if host else ''
