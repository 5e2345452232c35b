# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Block devices of an instance, in the words of the API's block_device_mapping_v2."""

from nova_lite.objects import base


@base.register('1.0')
class BlockDeviceMapping:
    """source_type: image, volume, snapshot or blank; destination_type: local or volume; volume_size in GiB.

    `guest_format` is swap, ephemeral or a file system; `connection_info` and `attachment_id` come with a volume.
    """

    instance_uuid: str | None = None
    source_type: str = 'image'
    destination_type: str = 'local'
    guest_format: str | None = None
    device_type: str = 'disk'
    disk_bus: str | None = None
    boot_index: int | None = None
    device_name: str | None = None
    delete_on_termination: bool = False
    image_id: str | None = None
    volume_id: str | None = None
    snapshot_id: str | None = None
    volume_size: int | None = None
    volume_type: str | None = None
    connection_info: dict | None = None
    attachment_id: str | None = None
    no_device: bool = False
    tag: str | None = None
    uuid: str | None = None
    id: int | None = None


def is_volume_backed(block_devices):
    """Whether the root disk of these BlockDeviceMappings is a volume."""
    return any(device.boot_index == 0 and device.destination_type == 'volume' for device in block_devices)
