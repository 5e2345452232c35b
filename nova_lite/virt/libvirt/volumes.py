# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Volumes of guests that exist: what `abilities_volumes.Volumes` asks, as a part of the libvirt driver."""

import os
import platform
import sys
from xml.etree import ElementTree

from nova_lite import exception
from nova_lite.virt.libvirt import blockinfo
from nova_lite.virt.libvirt.domain import disks
from nova_lite.virt.libvirt.domain import spec
from nova_lite.virt.libvirt.volume import kinds


class VolumeOps:
    """devices: a devices.Devices; host: this host's name, as the volume service knows it; ip: its address."""

    def __init__(self, devices, host, ip):
        self._devices = devices
        self._connector = {'host': host, 'ip': ip, 'platform': platform.machine(), 'os_type': sys.platform,
                           'multipath': False, 'do_local_attach': False}

    def connector(self):
        return dict(self._connector)

    @staticmethod
    def check(connection_info):
        kinds.check(connection_info)

    def name(self, instance, block_devices, bdm, properties):
        """A free `/dev/vdb` for a further volume; what the user asked for where that is free."""
        taken = {_dev(item.device_name) for item in block_devices if item.device_name}
        taken.add(_dev(instance.root_device_name))
        names = blockinfo.DeviceNames(taken | self._devices.names(instance.uuid))
        return '/dev/' + names.take(bdm.disk_bus or properties.disk_bus, _dev(bdm.device_name))

    def attach(self, connection_info, instance, mountpoint, bus):
        kinds.check(connection_info)
        self._devices.attach(instance.uuid, _finder(mountpoint), _document(connection_info, mountpoint, bus))

    def detach(self, instance, mountpoint):
        try:
            self._devices.detach(instance.uuid, _finder(mountpoint))
        except exception.InstanceNotFound:
            pass        # without a guest nothing uses the volume

    def swap(self, connection_info, instance, mountpoint, bus):
        kinds.check(connection_info)
        self._devices.copy(instance.uuid, _dev(mountpoint), _document(connection_info, mountpoint, bus))

    def extend(self, instance, mountpoint, size):
        self._devices.resize(instance.uuid, _dev(mountpoint), size)


def _dev(device_name):
    return os.path.basename(device_name or '')


def _finder(mountpoint):
    """A function that finds the disk of that name in the tree of a domain."""
    path = "devices/disk/target[@dev='%s']/.." % _dev(mountpoint)
    return lambda tree: tree.find(path)


def _document(connection_info, mountpoint, bus):
    parent = ElementTree.Element('devices')
    disk = spec.Disk('', spec.VOLUME, bus, _dev(mountpoint), 'raw', connection_info=connection_info)
    return ElementTree.tostring(disks.add_volume(parent, disk), encoding='unicode')
