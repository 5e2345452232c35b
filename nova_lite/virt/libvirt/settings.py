# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""What the configuration says of the libvirt driver, as plain values."""

import dataclasses
import os

from nova_lite.objects import console


@dataclasses.dataclass(frozen=True)
class Settings:
    """`images_type` is qcow2 or raw; `machine_types`: {architecture: machine}; sizes and ages in the options' units."""

    instances_path: str
    connection_uri: str = 'qemu:///system'
    virt_type: str = 'qemu'
    images_type: str = 'qcow2'
    default_ephemeral_format: str = 'ext4'
    cpu_mode: str | None = None
    cpu_models: tuple = ()
    machine_types: dict = dataclasses.field(default_factory=dict)
    rng_dev_path: str = '/dev/urandom'
    mem_stats_period: int = 10
    vnc_listen: str | None = None       # None: no VNC
    spice_listen: str | None = None     # None: no SPICE
    spice_agent: bool = True
    serial_listen: str | None = None    # None: the serial line is not reachable by TCP
    serial_ports: tuple = (10000, 20000)
    console_addresses: dict = dataclasses.field(default_factory=dict)   # kind of console → where proxies reach it
    soft_reboot_seconds: int = 120
    my_ip: str | None = None
    cache_directory: str = '_base'
    cache_minimum_age: int = 86400
    cache_ages: bool = True
    device_detach_attempts: int = 8
    device_detach_timeout: int = 20

    @classmethod
    def from_conf(cls, conf):
        """The Settings of an oslo.config object that has the options of conf/libvirt.py."""
        kind = conf.libvirt.images_type
        if kind == 'default':
            kind = 'qcow2' if conf.use_cow_images else 'raw'
        return cls(
            instances_path=os.path.abspath(conf.instances_path), connection_uri=conf.libvirt.connection_uri,
            virt_type=conf.libvirt.virt_type, images_type='raw' if kind == 'flat' else kind,
            default_ephemeral_format=conf.default_ephemeral_format,
            cpu_mode=conf.libvirt.cpu_mode, cpu_models=tuple(conf.libvirt.cpu_models),
            machine_types=dict(item.split('=', 1) for item in conf.libvirt.hw_machine_type if '=' in item),
            rng_dev_path=conf.libvirt.rng_dev_path, mem_stats_period=conf.libvirt.mem_stats_period_seconds,
            vnc_listen=conf.vnc.server_listen if conf.vnc.enabled else None,
            spice_listen=conf.spice.server_listen if conf.spice.enabled else None, spice_agent=conf.spice.agent_enabled,
            serial_listen=conf.serial_console.proxyclient_address if conf.serial_console.enabled else None,
            serial_ports=tuple(int(port) for port in conf.serial_console.port_range.split(':')),
            console_addresses={console.VNC: conf.vnc.server_proxyclient_address,
                               console.SPICE: conf.spice.server_proxyclient_address,
                               console.SERIAL: conf.serial_console.proxyclient_address},
            my_ip=conf.my_ip, soft_reboot_seconds=conf.libvirt.wait_soft_reboot_seconds,
            cache_directory=conf.image_cache.subdirectory_name,
            cache_minimum_age=conf.image_cache.remove_unused_original_minimum_age_seconds,
            cache_ages=conf.image_cache.remove_unused_base_images,
            device_detach_attempts=conf.libvirt.device_detach_attempts,
            device_detach_timeout=conf.libvirt.device_detach_timeout)

    @property
    def has_screen(self):
        return bool(self.vnc_listen or self.spice_listen)

    def cache_path(self, name=''):
        """The directory of the image cache, or the path of a file in it."""
        return os.path.join(self.instances_path, self.cache_directory, name).rstrip('/')

    def instance_path(self, uuid, name=''):
        """The directory of a guest, or the path of a file in it."""
        return os.path.join(self.instances_path, uuid, name) if name else os.path.join(self.instances_path, uuid)
