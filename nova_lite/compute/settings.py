# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""What an operator may set of nova-compute, read once from the configuration and passed in."""

import dataclasses

from nova_lite.objects import console

MIB_PER_GIB = 1024
FAKE = 'fake.FakeDriver'


@dataclasses.dataclass(frozen=True)
class Settings:
    """Intervals in seconds (0 or less: never), memory in MiB, disk in GiB. See conf/compute.py for each."""

    max_concurrent_builds: int = 10
    update_resources_interval: int = 60
    sync_power_state_interval: int = 600
    running_deleted_instance_action: str = 'reap'
    running_deleted_instance_poll_interval: int = 300
    image_cache_interval: int = 2400
    heal_instance_info_cache_interval: int = 60
    reclaim_instance_interval: int = 0
    handle_lifecycle_events: bool = True
    cpu_allocation_ratio: float = 4.0
    ram_allocation_ratio: float = 1.0
    disk_allocation_ratio: float = 1.0
    reserved_memory_mb: int = 512
    reserved_disk_gb: int = 0
    reserved_vcpus: int = 0
    host_ip: str | None = None
    console_urls: dict = dataclasses.field(default_factory=dict)    # kind of console → base URL of its proxy
    shelved_offload_time: int = 0
    shelved_poll_interval: int = 3600
    resize_confirm_window: int = 0
    shutdown_timeout: int = 60
    block_device_retries: int = 60
    block_device_interval: float = 3
    shutdown_retry_interval: int = 10


def from_conf(conf):
    """The Settings of a process."""
    return Settings(
        max_concurrent_builds=conf.max_concurrent_builds,
        update_resources_interval=conf.update_resources_interval,
        sync_power_state_interval=conf.sync_power_state_interval,
        running_deleted_instance_action=conf.running_deleted_instance_action,
        running_deleted_instance_poll_interval=conf.running_deleted_instance_poll_interval,
        image_cache_interval=conf.image_cache.manager_interval,
        reclaim_instance_interval=conf.reclaim_instance_interval,
        heal_instance_info_cache_interval=conf.heal_instance_info_cache_interval,
        handle_lifecycle_events=conf.workarounds.handle_virt_lifecycle_events,
        cpu_allocation_ratio=conf.cpu_allocation_ratio,
        ram_allocation_ratio=conf.ram_allocation_ratio,
        disk_allocation_ratio=conf.disk_allocation_ratio,
        reserved_memory_mb=conf.reserved_host_memory_mb,
        reserved_disk_gb=-(-conf.reserved_host_disk_mb // MIB_PER_GIB),
        reserved_vcpus=conf.reserved_host_cpus,
        console_urls=_console_urls(conf),
        host_ip=conf.my_ip,
        shelved_offload_time=conf.shelved_offload_time,
        shelved_poll_interval=conf.shelved_poll_interval,
        shutdown_timeout=conf.shutdown_timeout,
        block_device_retries=conf.block_device_allocate_retries,
        block_device_interval=conf.block_device_allocate_retries_interval,
        resize_confirm_window=conf.resize_confirm_window)


def _console_urls(conf):
    offered = {console.VNC: (conf.vnc.enabled, conf.vnc.novncproxy_base_url),
               console.SPICE: (conf.spice.enabled, conf.spice.html5proxy_base_url),
               console.SERIAL: (conf.serial_console.enabled, conf.serial_console.base_url)}
    return {kind: url for kind, (enabled, url) in offered.items() if enabled}


def host_names(conf):
    """The hosts that this process answers for."""
    count = conf.fake.hosts if conf.compute_driver == FAKE else 1
    return [conf.host] if count == 1 else ['%s-%d' % (conf.host, number) for number in range(1, count + 1)]
