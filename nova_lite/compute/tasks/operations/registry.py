# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Which class does which operation of compute/operations.py."""

from nova_lite.compute.tasks.operations import deferring
from nova_lite.compute.tasks.operations import evacuate
from nova_lite.compute.tasks.operations import inside
from nova_lite.compute.tasks.operations import interfaces
from nova_lite.compute.tasks.operations import live
from nova_lite.compute.tasks.operations import power
from nova_lite.compute.tasks.operations import remaking
from nova_lite.compute.tasks.operations import resize
from nova_lite.compute.tasks.operations import shelving
from nova_lite.compute.tasks.operations import snapshots
from nova_lite.compute.tasks.operations import volumes

OPERATIONS = {
    'start': power.Start,
    'stop': power.Stop,
    'soft_reboot': power.SoftReboot,
    'hard_reboot': power.HardReboot,
    'pause': power.Pause,
    'unpause': power.Unpause,
    'suspend': power.Suspend,
    'resume': power.Resume,
    'rescue': remaking.Rescue,
    'unrescue': remaking.Unrescue,
    'rebuild': remaking.Rebuild,
    'attach_interface': interfaces.AttachInterface,
    'detach_interface': interfaces.DetachInterface,
    'attach_volume': volumes.AttachVolume,
    'detach_volume': volumes.DetachVolume,
    'swap_volume': volumes.SwapVolume,
    'trigger_crash_dump': inside.CrashDump,
    'set_admin_password': inside.AdminPassword,
    'shelve': shelving.Shelve,
    'shelve_offload': shelving.ShelveOffload,
    'unshelve': shelving.Unshelve,
    'unshelve_offloaded': shelving.UnshelveOffloaded,
    'soft_delete': deferring.SoftDelete,
    'restore': deferring.Restore,
    'create_image': snapshots.CreateImage,
    'create_backup': snapshots.CreateBackup,
    'resize': resize.Resize,
    'migrate': resize.Migrate,
    'confirm_resize': resize.ConfirmResize,
    'revert_resize': resize.RevertResize,
    'live_migrate': live.LiveMigrate,
    'evacuate': evacuate.Evacuate,
}


def operation(name):
    """The ServerOperation class of a name."""
    return OPERATIONS[name]
