# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""What a caller orders: the parameters of a create request in the API's own terms, before anything is looked up."""

import dataclasses

from nova_lite.objects import block_device
from nova_lite.objects import network


@dataclasses.dataclass(kw_only=True)
class ServerOrder:
    """One kind of server, `min_count` to `max_count` times.

    networks: [NetworkRequest…], empty for the project's one network, None for no NIC; `image_id` None: boot from a
    volume; `block_devices`: as asked for, without what follows from image and flavor; `injected_files`:
    [[path, base64 contents]…]; `user_data` base64; `availability_zone` as given, with `:host:node` where an admin
    forces them; `host` and `node`: where the scheduler has to put it; `hints`: {name: value}.
    """

    name: str
    flavor_id: str
    image_id: str | None = None
    min_count: int = 1
    max_count: int = 1
    networks: list[network.NetworkRequest] | None = dataclasses.field(default_factory=list)
    security_groups: list[str] = dataclasses.field(default_factory=list)
    block_devices: list[block_device.BlockDeviceMapping] = dataclasses.field(default_factory=list)
    admin_password: str | None = None
    description: str | None = None
    hostname: str | None = None
    key_name: str | None = None
    user_data: str | None = None
    config_drive: bool = False
    metadata: dict = dataclasses.field(default_factory=dict)
    tags: list[str] = dataclasses.field(default_factory=list)
    multiattach: bool = False       # the caller knows of volumes that several servers have
    injected_files: list[list[str]] = dataclasses.field(default_factory=list)
    availability_zone: str | None = None
    host: str | None = None
    node: str | None = None
    hints: dict = dataclasses.field(default_factory=dict)
    auto_disk_config: bool | None = None
    access_ip_v4: str | None = None
    access_ip_v6: str | None = None
    trusted_certificates: list[str] | None = None


@dataclasses.dataclass(kw_only=True)
class RebuildOrder:
    """What a server is to be anew. values: {field of the instance: value} that change; injected_files as above."""

    image_id: str
    admin_password: str
    values: dict = dataclasses.field(default_factory=dict)
    injected_files: list[list[str]] = dataclasses.field(default_factory=list)
    changes_key: bool = False
    key_name: str | None = None
    changes_certificates: bool = False
    trusted_certificates: list[str] | None = None
    preserve_ephemeral: bool = False
