# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""The services of the cloud and the hypervisor nodes that the compute ones report."""

import dataclasses
import datetime

from nova_lite.objects import base


@base.register('1.0')
class Service:
    """One process of a kind on a host. `seconds_since_report` is judged by the database's clock, not the sender's."""

    host: str
    binary: str
    topic: str | None = None
    uuid: str | None = None
    id: int | None = None
    disabled: bool = False
    disabled_reason: str | None = None
    forced_down: bool = False
    report_count: int = 0
    availability_zone: str | None = None
    last_seen_up: datetime.datetime | None = None
    created_at: datetime.datetime | None = None
    updated_at: datetime.datetime | None = None
    up: bool = False


@base.register('1.0')
class ComputeNode:
    """A hypervisor with its inventory and what is claimed of it. Memory in MiB, disk in GiB.

    `supported_instances`: [[architecture, hypervisor type, vm mode]…]; `traits`: the driver's capabilities.
    """

    uuid: str
    host: str
    hypervisor_hostname: str
    vcpus: int
    memory_mb: int
    local_gb: int
    vcpus_used: int = 0
    memory_mb_used: int = 0
    local_gb_used: int = 0
    running_vms: int = 0
    cpu_allocation_ratio: float = 1.0
    ram_allocation_ratio: float = 1.0
    disk_allocation_ratio: float = 1.0
    reserved_memory_mb: int = 0
    reserved_disk_gb: int = 0
    reserved_vcpus: int = 0
    hypervisor_type: str = ''
    hypervisor_version: int = 0
    cpu_info: dict = dataclasses.field(default_factory=dict)
    supported_instances: list[list] = dataclasses.field(default_factory=list)
    traits: list[str] = dataclasses.field(default_factory=list)
    host_ip: str | None = None
    id: int | None = None
    created_at: datetime.datetime | None = None
    updated_at: datetime.datetime | None = None
