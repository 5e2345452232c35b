# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""What is asked of the scheduler, what it answers, and the order that a compute host gets to build from it."""

import dataclasses

from nova_lite.objects import base
from nova_lite.objects import block_device
from nova_lite.objects import flavor as flavor_obj
from nova_lite.objects import image_meta
from nova_lite.objects import instance as instance_obj
from nova_lite.objects import instance_group as group_obj
from nova_lite.objects import network


@base.register('1.0')
class RequestSpec:
    """What the scheduler places: one kind of server, `num_instances` times.

    `scheduler_hints` are the user's; nothing internal is ever put there. `ignore_hosts` are hosts that failed already;
    `requested_destination` is a host (and node) that an admin forced.
    """

    flavor: flavor_obj.Flavor
    image: image_meta.ImageMeta
    project_id: str
    user_id: str
    instance_uuids: list[str]
    availability_zone: str | None = None
    num_instances: int = 1
    ignore_hosts: list[str] = dataclasses.field(default_factory=list)
    requested_destination: dict | None = None       # {'host': …, 'node': …}
    scheduler_hints: dict = dataclasses.field(default_factory=dict)
    instance_group: group_obj.InstanceGroup | None = None
    is_bfv: bool = False                            # boot from volume: the root disk takes no local space


@base.register('1.0')
class Selection:
    """A host that the scheduler chose; `allocation_request` is what to PUT to Placement to claim it."""

    service_host: str
    nodename: str
    compute_node_uuid: str
    availability_zone: str | None = None
    limits: dict = dataclasses.field(default_factory=dict)        # resource class → most that may be in use
    allocation_request: dict = dataclasses.field(default_factory=dict)
    allocation_request_version: str = '1.36'


@base.register('1.0')
class BuildRequest:
    """The whole order to build one instance: what `build_and_run_instance` takes, kept by the conductor until it ends.

    `injected_files`: [[path, base64 contents]…]; `host_list`: alternates not tried yet, best first;
    `filter_properties['retry']`: {'num_attempts': n, 'hosts': [[host, node]…]}.
    """

    instance: instance_obj.Instance
    image: image_meta.ImageMeta
    request_spec: RequestSpec
    filter_properties: dict = dataclasses.field(default_factory=dict)
    admin_password: str | None = None
    injected_files: list[list] = dataclasses.field(default_factory=list)
    requested_networks: list[network.NetworkRequest] | None = None      # None: no NIC at all
    security_groups: list[str] = dataclasses.field(default_factory=list)
    block_device_mapping: list[block_device.BlockDeviceMapping] = dataclasses.field(default_factory=list)
    node: str | None = None
    limits: dict = dataclasses.field(default_factory=dict)
    host_list: list[Selection] = dataclasses.field(default_factory=list)
