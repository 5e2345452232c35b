# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""What is known of an image: the record of the image service, never the bytes."""

import dataclasses

from nova_lite.objects import base


@base.register('1.0')
class ImageMeta:
    """size in bytes, min_disk in GiB, min_ram in MiB; `properties` are the image's own (hw_*, os_*, img_*, …).

    `os_hash_algo`/`os_hash_value` and `checksum` (md5) are what a download has to match.
    """

    id: str | None
    name: str | None = None
    status: str | None = None
    owner: str | None = None
    visibility: str | None = None
    disk_format: str | None = None
    container_format: str | None = None
    size: int | None = None
    virtual_size: int | None = None
    checksum: str | None = None
    os_hash_algo: str | None = None
    os_hash_value: str | None = None
    min_disk: int = 0
    min_ram: int = 0
    properties: dict = dataclasses.field(default_factory=dict)

    def property(self, name, default=None):
        return self.properties.get(name, default)
