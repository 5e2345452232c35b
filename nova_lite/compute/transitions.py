# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""The one table of what may happen to an instance's vm_state and task_state.

Each event has the states it may start from and the state it leads to.  The database compares and swaps by this table
(`db/instances.py`), so two processes can never both move an instance, and an event that is not listed raises.
`python -m nova_lite.compute.transitions` prints the diagram that stands in `doc/states.md`.
"""

import dataclasses

from nova_lite import exception
from nova_lite.compute import task_states
from nova_lite.compute import vm_states

KEEP = object()     # the event leaves this half of the state as it is
ANY = object()      # the event may start from every value of this half


@dataclasses.dataclass(frozen=True)
class Transition:
    """vm_states × task_states (tuples, or ANY) → to_vm, to_task (a value, or KEEP); `why` is for the reader."""

    vm_states: object
    task_states: object
    to_vm: object
    to_task: object
    why: str

    def allows(self, vm_state, task_state):
        return ((self.vm_states is ANY or vm_state in self.vm_states)
                and (self.task_states is ANY or task_state in self.task_states))

    def target(self, vm_state, task_state):
        return (vm_state if self.to_vm is KEEP else self.to_vm,
                task_state if self.to_task is KEEP else self.to_task)


_BUILDING = (vm_states.BUILDING,)
_COPIED = (vm_states.ACTIVE, vm_states.STOPPED, vm_states.PAUSED, vm_states.SUSPENDED)  # whose disk can be copied
_COPYING = (task_states.IMAGE_SNAPSHOT_PENDING, task_states.IMAGE_BACKUP, task_states.IMAGE_SNAPSHOT,
            task_states.IMAGE_PENDING_UPLOAD, task_states.IMAGE_UPLOADING)

_SHELVING = (task_states.SHELVING, task_states.SHELVING_IMAGE_PENDING_UPLOAD, task_states.SHELVING_IMAGE_UPLOADING,
             task_states.SHELVING_OFFLOADING)


# Where devices can be changed.
_CHANGED = (vm_states.ACTIVE, vm_states.PAUSED, vm_states.STOPPED, vm_states.RESIZED)


def _requested(from_vm, task, why):
    """An operation begins, on a server that has one of some vm_states and nothing under way."""
    return Transition(from_vm, (None,), KEEP, task, why)


def _during(tasks, task, why):
    """A step of an operation begins, or begins again."""
    return Transition(ANY, tasks, KEEP, task, why)


def _finished(tasks, to_vm, why):
    """An operation has done what was asked."""
    return Transition(ANY, tasks, to_vm, None, why)


def _beside(why):
    """The end of an operation that shows nothing: another one may be waiting for its turn, whose state stays."""
    return Transition(ANY, task_states.OPERATION, KEEP, KEEP, why)


TRANSITIONS = {
    'build_started': Transition(
        _BUILDING, (task_states.SCHEDULING, None), vm_states.BUILDING, None,
        'the chosen host has taken the build'),
    'networking': Transition(
        _BUILDING, (None,), vm_states.BUILDING, task_states.NETWORKING,
        'the claim holds; ports are being made or bound'),
    'block_device_mapping': Transition(
        _BUILDING, (task_states.NETWORKING,), vm_states.BUILDING, task_states.BLOCK_DEVICE_MAPPING,
        'networks are asked for; volumes are being prepared'),
    'spawning': Transition(
        _BUILDING, (task_states.BLOCK_DEVICE_MAPPING,), vm_states.BUILDING, task_states.SPAWNING,
        'all resources are there; the driver makes the guest'),
    'build_finished': Transition(
        _BUILDING, (task_states.SPAWNING,), vm_states.ACTIVE, None,
        'the guest runs'),
    'rescheduled': Transition(
        _BUILDING, task_states.BUILD, vm_states.BUILDING, task_states.SCHEDULING,
        'the host could not build it and is clean again; the next alternate is tried'),
    'build_failed': Transition(
        _BUILDING, task_states.BUILD, vm_states.ERROR, None,
        'no host is left, or none could help'),
    'delete_requested': Transition(
        ANY, ANY, KEEP, task_states.DELETING,
        'a user deletes it; allowed in every state, and again'),
    'deleted': Transition(
        ANY, (task_states.DELETING,), vm_states.DELETED, None,
        'nothing of it is left'),
    'delete_failed': Transition(
        ANY, (task_states.DELETING,), vm_states.ERROR, None,
        'the host could not remove it; it can be deleted again'),
    'reset_to_active': Transition(
        ANY, ANY, vm_states.ACTIVE, None, 'an administrator says that it is active'),
    'reset_to_error': Transition(
        ANY, ANY, vm_states.ERROR, None, 'an administrator says that it is broken'),
    'guest_stopped': Transition(
        (vm_states.ACTIVE,), (None,), vm_states.STOPPED, None,
        'the guest shut itself down'),
    'guest_started': Transition(
        (vm_states.STOPPED,), (None,), vm_states.ACTIVE, None,
        'the hypervisor runs a guest that was stopped'),
    'guest_lost': Transition(
        (vm_states.ACTIVE, vm_states.STOPPED), (None,), vm_states.ERROR, None,
        'the hypervisor does not know the guest any more'),
    'operation_undone': Transition(
        ANY, task_states.OPERATION, KEEP, None,
        'an operation failed and everything is as before'),
    'beside_undone': _beside('an operation that shows nothing failed, and everything is as before'),
    'operation_failed': Transition(
        ANY, task_states.OPERATION, vm_states.ERROR, None,
        'an operation failed and could not be undone'),
    'start_requested': _requested(
        (vm_states.STOPPED,), task_states.POWERING_ON, 'a user starts it'),
    'started': _finished((task_states.POWERING_ON,), vm_states.ACTIVE, 'the guest runs'),
    'stop_requested': _requested(
        (vm_states.ACTIVE, vm_states.ERROR), task_states.POWERING_OFF, 'a user stops it'),
    'stopped': _finished((task_states.POWERING_OFF,), vm_states.STOPPED, 'the guest has shut down'),
    'soft_reboot_requested': _requested(
        (vm_states.ACTIVE,), task_states.REBOOTING, 'a user asks the guest to restart'),
    'hard_reboot_requested': _requested(
        (vm_states.ACTIVE, vm_states.STOPPED, vm_states.PAUSED, vm_states.SUSPENDED, vm_states.ERROR),
        task_states.REBOOTING_HARD, 'a user has the guest made anew from its records'),
    'rebooted': _finished(
        (task_states.REBOOTING, task_states.REBOOTING_HARD), vm_states.ACTIVE, 'the guest runs again'),
    'pause_requested': _requested((vm_states.ACTIVE,), task_states.PAUSING, 'a user freezes it'),
    'paused': _finished((task_states.PAUSING,), vm_states.PAUSED, 'the guest stands still, in memory'),
    'unpause_requested': _requested((vm_states.PAUSED,), task_states.UNPAUSING, 'a user lets it go on'),
    'unpaused': _finished((task_states.UNPAUSING,), vm_states.ACTIVE, 'the guest runs'),
    'suspend_requested': _requested((vm_states.ACTIVE,), task_states.SUSPENDING, 'a user puts it to disk'),
    'suspended': _finished((task_states.SUSPENDING,), vm_states.SUSPENDED, 'the memory is on disk'),
    'resume_requested': _requested((vm_states.SUSPENDED,), task_states.RESUMING, 'a user wants it back'),
    'resumed': _finished((task_states.RESUMING,), vm_states.ACTIVE, 'the guest runs'),
    'crash_dump_requested': _requested(
        (vm_states.ACTIVE, vm_states.PAUSED, vm_states.RESCUED, vm_states.RESIZED, vm_states.ERROR), None,
        'a user has its kernel dump its memory; nothing shows'),
    'crash_dump_triggered': _beside('the guest was interrupted'),
    'rescue_requested': _requested(
        (vm_states.ACTIVE, vm_states.STOPPED, vm_states.ERROR), task_states.RESCUING,
        'a user has it started from another image, to repair it'),
    'rescued': _finished((task_states.RESCUING,), vm_states.RESCUED, 'the guest runs from the other image'),
    'unrescue_requested': _requested(
        (vm_states.RESCUED,), task_states.UNRESCUING, 'a user has it started from its own disk again'),
    'unrescued': _finished((task_states.UNRESCUING,), vm_states.ACTIVE, 'the guest runs'),
    'rebuild_requested': _requested(
        (vm_states.ACTIVE, vm_states.STOPPED, vm_states.ERROR), task_states.REBUILDING,
        'a user has it made anew from an image'),
    'rebuild_block_device_mapping': Transition(
        ANY, (task_states.REBUILDING, task_states.REBUILD_BLOCK_DEVICE_MAPPING), KEEP,
        task_states.REBUILD_BLOCK_DEVICE_MAPPING, 'the guest goes, with its disks'),
    'rebuild_spawning': Transition(
        ANY, (task_states.REBUILD_BLOCK_DEVICE_MAPPING, task_states.REBUILD_SPAWNING), KEEP,
        task_states.REBUILD_SPAWNING, 'the driver makes the guest anew'),
    'rebuilt': _finished((task_states.REBUILD_SPAWNING,), vm_states.ACTIVE, 'the guest runs'),
    'rebuilt_stopped': _finished((task_states.REBUILD_SPAWNING,), vm_states.STOPPED, 'the guest is off, as it was'),
    'attach_interface_requested': _requested(
        (vm_states.ACTIVE, vm_states.PAUSED, vm_states.STOPPED), None,
        'a user gives it a network interface; nothing shows'),
    'interface_attached': _beside('the guest has the interface'),
    'detach_interface_requested': _requested(
        (vm_states.ACTIVE, vm_states.PAUSED, vm_states.STOPPED), None,
        'a user takes a network interface away; nothing shows'),
    'interface_detached': _beside('the guest does not have the interface any more'),
    'attach_volume_requested': _requested(_CHANGED, None, 'a user gives it a volume; nothing shows'),
    'volume_attached': _beside('the guest has the volume'),
    'detach_volume_requested': _requested(_CHANGED, None, 'a user takes a volume away; nothing shows'),
    'volume_detached': _beside('the volume is free'),
    'swap_volume_requested': _requested(
        (vm_states.ACTIVE, vm_states.PAUSED), None, 'its volume is exchanged for another; nothing shows'),
    'volume_swapped': _beside('the guest has the other volume'),
    'password_requested': _requested(
        (vm_states.ACTIVE,), task_states.UPDATING_PASSWORD, 'a user wants another password inside'),
    'password_set': _finished((task_states.UPDATING_PASSWORD,), KEEP, 'the guest has the password'),
    'shelve_requested': _requested(_COPIED, task_states.SHELVING, 'a user puts it away as an image'),
    'shelving_image_pending_upload': Transition(
        ANY, _SHELVING, KEEP, task_states.SHELVING_IMAGE_PENDING_UPLOAD, 'the copy of its disk is whole'),
    'shelving_image_uploading': Transition(
        ANY, _SHELVING, KEEP, task_states.SHELVING_IMAGE_UPLOADING, 'the image service is being given the copy'),
    'shelved': _finished(_SHELVING, vm_states.SHELVED, 'the image is whole; the host has the guest still, off'),
    'shelve_offload_requested': _requested(
        (vm_states.SHELVED,), task_states.SHELVING_OFFLOADING, 'the host is to forget it'),
    'shelving_offloading': Transition(
        ANY, _SHELVING, vm_states.SHELVED, task_states.SHELVING_OFFLOADING, 'the guest is being removed'),
    'shelve_offloaded': _finished(
        (task_states.SHELVING_OFFLOADING,), vm_states.SHELVED_OFFLOADED, 'no host has it any more'),
    'unshelve_requested': _requested((vm_states.SHELVED,), task_states.UNSHELVING, 'a user wants it back'),
    'unshelve_offloaded_requested': _requested(
        (vm_states.SHELVED_OFFLOADED,), task_states.UNSHELVING, 'a user wants it back, on whatever host'),
    'unshelved': _finished((task_states.UNSHELVING,), vm_states.ACTIVE, 'the guest runs'),
    'soft_delete_requested': _requested(
        (vm_states.ACTIVE, vm_states.PAUSED, vm_states.SUSPENDED, vm_states.STOPPED, vm_states.RESCUED,
         vm_states.SHELVED, vm_states.ERROR), task_states.SOFT_DELETING, 'a user deletes it, and may take that back'),
    'soft_deleted': _finished((task_states.SOFT_DELETING,), vm_states.SOFT_DELETED, 'the guest is off, and kept'),
    'restore_requested': _requested((vm_states.SOFT_DELETED,), task_states.RESTORING, 'a user takes that back'),
    'restored': _finished((task_states.RESTORING,), vm_states.ACTIVE, 'the guest runs again'),
    'snapshot_requested': _requested(_COPIED, task_states.IMAGE_SNAPSHOT_PENDING, 'a user makes an image of it'),
    'backup_requested': _requested(_COPIED, task_states.IMAGE_BACKUP, 'a user makes one of its backups'),
    'image_snapshot': Transition(
        ANY, _COPYING, KEEP, task_states.IMAGE_SNAPSHOT, 'its disk is being copied'),
    'image_pending_upload': Transition(
        ANY, _COPYING, KEEP, task_states.IMAGE_PENDING_UPLOAD, 'the copy is whole'),
    'image_uploading': Transition(
        ANY, _COPYING, KEEP, task_states.IMAGE_UPLOADING, 'the image service is being given the copy'),
    'image_made': _finished(_COPYING, KEEP, 'the image is whole'),
    'resize_requested': _requested(
        (vm_states.ACTIVE, vm_states.STOPPED), task_states.RESIZE_PREP,
        'a user wants another flavor, or an administrator another host'),
    'resize_migrating': _during(
        (task_states.RESIZE_PREP, task_states.RESIZE_MIGRATING), task_states.RESIZE_MIGRATING,
        'there is room for it; the guest stops and its disks go to their new host'),
    'resize_migrated': _during(
        (task_states.RESIZE_MIGRATING, task_states.RESIZE_MIGRATED), task_states.RESIZE_MIGRATED,
        'the disks are there; the ports follow'),
    'resize_finish': _during(
        (task_states.RESIZE_MIGRATED, task_states.RESIZE_FINISH), task_states.RESIZE_FINISH,
        'the new guest is made'),
    'resized': _finished(
        (task_states.RESIZE_FINISH,), vm_states.RESIZED, 'it waits for the user to confirm or to go back'),
    'confirm_resize_requested': _requested(
        (vm_states.RESIZED,), task_states.RESIZE_CONFIRMING, 'a user keeps what was resized, or time has done so'),
    'resize_confirmed': _finished(
        (task_states.RESIZE_CONFIRMING,), vm_states.ACTIVE, 'the way back is forgotten; the guest runs'),
    'resize_confirmed_off': _finished(
        (task_states.RESIZE_CONFIRMING,), vm_states.STOPPED, 'the way back is forgotten; the guest is off'),
    'revert_resize_requested': _requested(
        (vm_states.RESIZED,), task_states.RESIZE_REVERTING, 'a user wants it as it was'),
    'live_migrate_requested': _requested(
        (vm_states.ACTIVE, vm_states.PAUSED), task_states.MIGRATING,
        'an administrator has it go to another host while it runs'),
    'live_migrated': _finished((task_states.MIGRATING,), KEEP, 'the guest runs on another host'),
    'evacuate_requested': _requested(
        (vm_states.ACTIVE, vm_states.STOPPED, vm_states.ERROR), task_states.REBUILDING,
        'its host is down; an administrator has it made anew on another'),
    'evacuating': _during(
        (task_states.REBUILDING, task_states.REBUILD_BLOCK_DEVICE_MAPPING), task_states.REBUILD_BLOCK_DEVICE_MAPPING,
        'there is room for it; its ports and volumes follow'),
    'evacuate_spawning': _during(
        (task_states.REBUILD_BLOCK_DEVICE_MAPPING, task_states.REBUILD_SPAWNING), task_states.REBUILD_SPAWNING,
        'the driver makes the guest'),
    'evacuated': _finished((task_states.REBUILD_SPAWNING,), vm_states.ACTIVE, 'the guest runs on another host'),
    'evacuated_off': _finished(
        (task_states.REBUILD_SPAWNING,), vm_states.STOPPED, 'the guest is there, and off, on another host'),
    'resize_reverted': _finished(
        (task_states.RESIZE_REVERTING,), vm_states.ACTIVE, 'everything is as before; the guest runs'),
    'resize_reverted_off': _finished(
        (task_states.RESIZE_REVERTING,), vm_states.STOPPED, 'everything is as before; the guest is off'),
}


def get(event):
    """The Transition of an event. :raises InvalidTransition: the event is not in the table."""
    try:
        return TRANSITIONS[event]
    except KeyError:
        raise exception.InvalidTransition(event=event, vm_state='?', task_state='?') from None


def next_state(event, vm_state, task_state):
    """(vm_state, task_state) after the event. :raises InvalidTransition: it may not start from these states."""
    transition = get(event)
    if not transition.allows(vm_state, task_state):
        raise exception.InvalidTransition(event=event, vm_state=vm_state, task_state=task_state)
    return transition.target(vm_state, task_state)


def diagram():
    """The table as a Mermaid state diagram (text)."""
    def name(vm_state, task_state):
        vm = 'any' if vm_state in (ANY, KEEP) else vm_state
        task = {None: '', ANY: '/any', KEEP: '/any'}.get(task_state, '/%s' % task_state)
        return (vm + task).replace('-', '_').replace('/', '__')
    lines = ['stateDiagram-v2', '    [*] --> %s: create' % name(vm_states.BUILDING, task_states.SCHEDULING)]
    for event, row in TRANSITIONS.items():
        sources = [(vm, task) for vm in ((ANY,) if row.vm_states is ANY else row.vm_states)
                   for task in ((ANY,) if row.task_states is ANY else row.task_states)]
        for vm, task in sources:
            to = name(*row.target(vm, task))
            lines.append('    %s --> %s: %s' % (name(vm, task), to, event))
    return '\n'.join(lines) + '\n'


if __name__ == '__main__':
    print(diagram(), end='')
