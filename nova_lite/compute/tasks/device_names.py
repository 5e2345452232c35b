# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Names of devices that guests are to get while they are there."""

from nova_lite import exception
from nova_lite.virt import abilities_volumes


def further(driver, instance, block_devices, bdm):
    """A free `/dev/vdb` for a BlockDeviceMapping; block_devices: those that there are.

    :raises Invalid: there is no room, or the driver has no volumes
    """
    if not isinstance(driver, abilities_volumes.Volumes):
        raise exception.Invalid('The hypervisor of the server has no volumes.')
    try:
        return driver.get_device_name_for_instance(instance, block_devices, bdm)
    except exception.BuildAbort as exc:
        raise exception.Invalid(exc.message) from exc
