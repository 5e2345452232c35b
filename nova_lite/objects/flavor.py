# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""What a server gets: processors, memory and disks."""

import dataclasses

from nova_lite.objects import base


@base.register('1.0')
class Flavor:
    """memory_mb and swap in MiB, root_gb and ephemeral_gb in GiB; `flavorid` is the id that the API shows."""

    flavorid: str
    name: str
    memory_mb: int
    vcpus: int
    root_gb: int
    ephemeral_gb: int = 0
    swap: int = 0
    rxtx_factor: float = 1.0
    vcpu_weight: int = 0
    is_public: bool = True
    disabled: bool = False
    description: str | None = None
    extra_specs: dict = dataclasses.field(default_factory=dict)
    id: int | None = None
