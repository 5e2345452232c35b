# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Consoles: their kinds, and where one leads."""

import dataclasses

VNC, SPICE, SERIAL = 'vnc', 'spice', 'serial'

# The API's console type that a proxy of ours serves, by kind.
TYPES = {VNC: 'novnc', SPICE: 'spice-html5', SERIAL: 'serial'}


@dataclasses.dataclass(frozen=True)
class ConsoleAuth:
    """What a console's token stands for: the console of one type of one instance, at host and port."""

    console_type: str
    instance_uuid: str
    host: str
    port: int
    internal_access_path: str | None = None
