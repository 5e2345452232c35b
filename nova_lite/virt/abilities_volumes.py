# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""What drivers do with volumes. As in `abilities.py`, callers ask with `isinstance`, and every method may be called
again after a crash: what an earlier call has done already is fine.

connection_info: {'driver_volume_type', 'data', 'serial': the volume's id, 'multiattach'}, as the volume service and
`virt/block_device.py` made it; mountpoint: `/dev/vdb`.
"""

import typing


@typing.runtime_checkable
class Volumes(typing.Protocol):
    """Give volumes to guests, running or not, and take them away."""

    def get_volume_connector(self, instance):
        """What the volume service has to know of this host: a dict with `host` and whatever its kinds need."""

    def get_device_name_for_instance(self, instance, block_devices, bdm):
        """A free `/dev/vdb` for a further volume, a BlockDeviceMapping: the name that it has, where that is free.

        block_devices: [BlockDeviceMapping…] of what the guest has. :raises BuildAbort: there is no room
        """

    def check_volume(self, connection_info):
        """:raises VolumeUnsupported: guests of this driver cannot have a volume of this kind"""

    def attach_volume(self, ctxt, connection_info, instance, mountpoint, bdm):
        """Let the guest have a volume, now and whenever it starts. :raises VolumeUnsupported, HypervisorError:"""

    def detach_volume(self, ctxt, connection_info, instance, mountpoint):
        """Take a volume away; it is not in use on this host any more when this returns.

        :raises DeviceDetachFailed: the guest does not let go of it; it has it still
        """

    def swap_volume(self, ctxt, old_connection_info, new_connection_info, instance, mountpoint, bdm):     # noqa: PLR0913
        """Copy a volume's contents to another one while the guest runs, and let the guest have that one instead; a
        guest that has it already is left alone.

        :raises VolumeUnsupported: this cannot be done; HypervisorError: it failed. The guest has the old one then
        """

    def extend_volume(self, ctxt, connection_info, instance, mountpoint, requested_size):
        """Tell the guest that its volume has `requested_size` bytes now. A guest that is off sees it at its start."""
