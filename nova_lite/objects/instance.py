# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""An instance (the API calls it a server) and the fault that says why it failed."""

import dataclasses
import datetime

from nova_lite.objects import base
from nova_lite.objects import flavor as flavor_obj
from nova_lite.objects import image_meta
from nova_lite.objects import network


@base.register('1.0')
class InstanceFault:
    """`message` is for the owner, `details` for admins; `code` is an HTTP status."""

    code: int
    message: str
    details: str | None = None
    host: str | None = None
    created_at: datetime.datetime | None = None


@base.register('1.0')
class Instance:
    """The record of an instance as every process sees it. It is never saved whole: changes go through the conductor
    as an event of `compute/transitions.py` with the values that the event changes."""

    uuid: str
    project_id: str
    user_id: str
    display_name: str
    flavor: flavor_obj.Flavor
    image_meta: image_meta.ImageMeta
    vm_state: str
    task_state: str | None = None
    power_state: int = 0
    id: int | None = None
    image_ref: str = ''
    kernel_id: str | None = None
    ramdisk_id: str | None = None
    display_description: str | None = None
    hostname: str | None = None
    host: str | None = None
    node: str | None = None
    availability_zone: str | None = None
    reservation_id: str | None = None
    launch_index: int = 0
    key_name: str | None = None
    key_data: str | None = None
    user_data: str | None = None        # base64, as the API took it
    config_drive: bool = False
    root_device_name: str | None = None
    auto_disk_config: bool = True       # the API's OS-DCF:diskConfig: AUTO or MANUAL
    access_ip_v4: str | None = None
    access_ip_v6: str | None = None
    progress: int = 0
    locked: bool = False
    metadata: dict = dataclasses.field(default_factory=dict)
    system_metadata: dict = dataclasses.field(default_factory=dict)
    tags: list[str] = dataclasses.field(default_factory=list)
    security_groups: list[str] = dataclasses.field(default_factory=list)      # as the user named them
    network_info: list[network.VIF] = dataclasses.field(default_factory=list)
    fault: InstanceFault | None = None
    created_at: datetime.datetime | None = None
    updated_at: datetime.datetime | None = None
    launched_at: datetime.datetime | None = None
    terminated_at: datetime.datetime | None = None
    deleted_at: datetime.datetime | None = None
    deleted: bool = False

    name_template = 'instance-%08x'     # of all instances; a command sets it by instance_name_template

    @property
    def name(self):
        """What the hypervisor calls it (the API's OS-EXT-SRV-ATTR:instance_name)."""
        return self.name_template % self.id
