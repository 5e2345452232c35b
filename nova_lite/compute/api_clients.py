# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""The services around Nova that the compute API asks with the caller's token."""

import dataclasses

from nova_lite.image import glance
from nova_lite.network import neutron
from nova_lite.volume import cinder


@dataclasses.dataclass(frozen=True)
class Clients:
    image: glance.API
    network: neutron.API
    volume: cinder.API
