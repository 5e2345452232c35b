# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""What a user may have done to a server that is built: a row for each operation, known to API, conductor and compute.

How compute does it is in `compute/tasks/operations`, in the module that its registry names.
"""

import dataclasses

QUICK, SLOW = 300, 3600     # seconds from the request until the operation is given up


@dataclasses.dataclass(frozen=True)
class Spec:
    """requested: event of compute/transitions.py that it begins with; action: the name that users see in the server's
    list of actions. resumes: what a crash cut short is done again from the step where it was; else it is undone.
    placed: the conductor chooses the hosts first, by its stage of the same name (conductor/tasks/stages.py)."""

    requested: str
    action: str
    deadline: int = QUICK
    resumes: bool = True
    placed: bool = False


SPECS = {
    'start': Spec('start_requested', 'start'),
    'stop': Spec('stop_requested', 'stop'),
    'soft_reboot': Spec('soft_reboot_requested', 'reboot'),
    'hard_reboot': Spec('hard_reboot_requested', 'reboot'),
    'pause': Spec('pause_requested', 'pause'),
    'unpause': Spec('unpause_requested', 'unpause'),
    'suspend': Spec('suspend_requested', 'suspend', SLOW),
    'resume': Spec('resume_requested', 'resume', SLOW),
    'trigger_crash_dump': Spec('crash_dump_requested', 'trigger_crash_dump'),
    'set_admin_password': Spec('password_requested', 'changePassword'),
    'shelve': Spec('shelve_requested', 'shelve', SLOW),
    'shelve_offload': Spec('shelve_offload_requested', 'shelveOffload'),
    'unshelve': Spec('unshelve_requested', 'unshelve'),
    'unshelve_offloaded': Spec('unshelve_offloaded_requested', 'unshelve', SLOW, resumes=False, placed=True),
    'rescue': Spec('rescue_requested', 'rescue', SLOW),
    'unrescue': Spec('unrescue_requested', 'unrescue'),
    'rebuild': Spec('rebuild_requested', 'rebuild', SLOW),
    'attach_interface': Spec('attach_interface_requested', 'attach_interface'),
    'detach_interface': Spec('detach_interface_requested', 'detach_interface'),
    'attach_volume': Spec('attach_volume_requested', 'attach_volume'),
    'detach_volume': Spec('detach_volume_requested', 'detach_volume', SLOW),
    'swap_volume': Spec('swap_volume_requested', 'swap_volume', SLOW),
    'soft_delete': Spec('soft_delete_requested', 'delete'),
    'restore': Spec('restore_requested', 'restore'),
    'create_image': Spec('snapshot_requested', 'createImage', SLOW, resumes=False),
    'create_backup': Spec('backup_requested', 'createBackup', SLOW, resumes=False),
    'resize': Spec('resize_requested', 'resize', SLOW, placed=True),
    'migrate': Spec('resize_requested', 'migrate', SLOW, placed=True),
    'confirm_resize': Spec('confirm_resize_requested', 'confirmResize'),
    'revert_resize': Spec('revert_resize_requested', 'revertResize', SLOW),
    'live_migrate': Spec('live_migrate_requested', 'live-migration', SLOW, placed=True),
    'evacuate': Spec('evacuate_requested', 'evacuate', SLOW, placed=True),
}
