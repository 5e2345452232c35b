# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""What some drivers can do with a guest besides making and removing it: one Protocol for each ability.

Callers ask with `isinstance(driver, abilities.Power)` and refuse with a 4xx what the driver of the host cannot do.

Every method may be called again after a crash, with the domain or the guest's files partly gone: it finishes what an
earlier call began, and does nothing where all is done. A guest that has to be there and is not: InstanceNotFound. Other
errors are those of `exception.py`, with a message that a tenant may read.

`network_info` is a list of VIF, `block_devices` one of BlockDeviceMapping, `image` an ImageMeta.
"""

import dataclasses
import typing

SOFT, HARD = 'SOFT', 'HARD'


@dataclasses.dataclass(frozen=True)
class Snapshot:
    """A file that stands for itself, without a file below it; `disk_format` as the image service calls it."""

    path: str
    disk_format: str


@typing.runtime_checkable
class ConsoleLog(typing.Protocol):
    """Drivers that keep what the guest prints."""

    def get_console_output(self, ctxt, instance):
        """The console log as bytes, oldest first, bounded by the driver. :raises ConsoleLogNotFound:"""


@typing.runtime_checkable
class Consoles(typing.Protocol):
    """Drivers whose guests have a screen or a serial line that can be reached by TCP."""

    def get_console(self, instance, kind):
        """(host, port) of a guest's console; kind: see objects/console.py.

        :raises ConsoleTypeUnavailable: the guest has none of that kind; InstanceNotRunning
        """


@typing.runtime_checkable
class ImageCache(typing.Protocol):
    """Drivers that keep images on the host."""

    def update_images(self, ctxt, in_use):
        """Periodic: age the cache; `in_use` is the set of image ids of this host's instances."""


@typing.runtime_checkable
class Power(typing.Protocol):
    """Stop, start and reboot."""

    def power_off(self, instance, timeout=0, retry_interval=0):
        """Stop the guest; one that is not running is fine.

        With a `timeout` it is asked to shut down, again each `retry_interval` seconds, and stopped at once only when
        it still runs after `timeout` seconds; 0: stopped at once.
        """

    def power_on(self, ctxt, instance, network_info, block_devices):
        """Start the guest, made anew from the records; a running one is left alone."""

    def reboot(self, ctxt, instance, network_info, reboot_type, block_devices):
        """Restart the guest; it runs when this returns.

        SOFT: it is asked to shut down and started again; one that does not shut down is restarted HARD. HARD: stopped
        at once and made anew from the records, whatever is left of it, also when the hypervisor does not know it.
        """


@typing.runtime_checkable
class Pause(typing.Protocol):
    """Stop a guest's processors, with its memory kept in memory."""

    def pause(self, instance):
        """:raises InstanceNotRunning: it is off."""

    def unpause(self, instance):
        """:raises InstanceNotRunning: it is off."""


@typing.runtime_checkable
class Suspend(typing.Protocol):
    """Save a guest's memory on the host's disk and stop it."""

    def suspend(self, ctxt, instance):
        """:raises InstanceNotRunning: it is off and nothing of it is saved; DiskFull."""

    def resume(self, ctxt, instance, network_info, block_devices):
        """Let the guest go on where it was suspended; started from its disks when nothing is saved any more."""


@typing.runtime_checkable
class Rescue(typing.Protocol):
    """Boot a guest from another image to repair its own disk."""

    def rescue(self, ctxt, instance, network_info, image, rescue_password, block_devices):    # noqa: PLR0913 (as Nova)
        """Restart the guest from `image`, with its own root disk as the second one.

        An image with hw_rescue_device (disk or cdrom) or hw_rescue_bus is added behind all the guest's disks, which
        keep their places, and is booted from first. :raises: as spawn, of the image; InstanceNotRescuable
        """

    def unrescue(self, ctxt, instance, network_info, block_devices):
        """Restart the guest from its own disk and remove the rescue's."""


@typing.runtime_checkable
class Interfaces(typing.Protocol):
    """Give network interfaces to guests, running or not, and take them away."""

    def attach_interface(self, ctxt, instance, image, vif):
        """Let the guest have an interface, now and whenever it starts; one that it has is fine.

        :raises PortBindingFailed, VirtualInterfaceCreateException: this host cannot plug it; HypervisorError:
        """

    def detach_interface(self, ctxt, instance, vif):
        """Take an interface away; one that is gone is fine.

        :raises DeviceDetachFailed: the guest does not let go of it; it has it still
        """


@typing.runtime_checkable
class Snapshots(typing.Protocol):
    """Copy a guest's root disk while it runs, or of a stopped guest."""

    def snapshot(self, ctxt, instance, block_devices, extract=None):
        """A context manager of a Snapshot, whose file is removed at the end of the block, however it ends.

        `extract`: the disk format to make, qcow2 or raw; None: the driver's choice. The guest runs on. When its image
        has hw_qemu_guest_agent it is asked to bring its file systems in order first; where it does not answer and the
        image has os_require_quiesce: GuestAgentError. :raises DiskFull, SnapshotNotPossible (no root disk of its own).
        """


@typing.runtime_checkable
class AdminPassword(typing.Protocol):
    """Change a password inside a guest."""

    def set_admin_password(self, instance, password):
        """:raises GuestAgentNotEnabled, InstanceNotRunning, InstancePasswordSetFailed:"""


@typing.runtime_checkable
class CrashDump(typing.Protocol):
    """Have the guest's kernel dump its memory."""

    def trigger_crash_dump(self, instance):
        """Send a non-maskable interrupt. :raises InstanceNotRunning, CrashDumpNotSupported:"""


@typing.runtime_checkable
class Diagnostics(typing.Protocol):
    """Counters of a guest."""

    def get_diagnostics(self, instance):
        """{name: number} as the API shows it before 2.48; the names are the driver's. :raises InstanceNotRunning:"""

    def get_instance_diagnostics(self, instance):
        """A dict with the fields of the API since 2.48, all of them; None for what is unknown.

        state (lower-case name of the power state), driver, hypervisor, hypervisor_os, uptime (s), config_drive,
        num_cpus, num_nics, num_disks, cpu_details [{id, time (ns), utilisation (%)}], nic_details [{mac_address,
        rx_octets, rx_errors, rx_drop, rx_packets, rx_rate and the same with tx}], disk_details [{read_bytes,
        read_requests, write_bytes, write_requests, errors_count}], memory_details {maximum, used (MiB)}.
        :raises InstanceNotRunning:
        """


@typing.runtime_checkable
class Resize(typing.Protocol):
    """Give a guest another flavor, on this host or another one.

    Order of calls: migrate_disk_and_power_off where it was; finish_migration where it goes to (instance.flavor is the
    new one); then confirm_migration, or finish_revert_migration (instance.flavor is the old one again), where it was.
    On another host than its own, a revert begins with `destroy` there; on its own host it does not.
    `migration` has `source_compute` and `dest_compute`.
    """

    def migrate_disk_and_power_off(self, ctxt, instance, dest_host_ip, flavor, network_info,   # noqa: PLR0913 (as Nova)
                                   block_devices, timeout=0, retry_interval=0):
        """Stop the guest, as power_off does, and make its disks ready for `finish_migration` at `dest_host_ip`.

        :returns: a dict for finish_migration, which JSON can hold.
        :raises ResizeError: such a flavor cannot be had (disks do not shrink); nothing was changed.
        """

    def finish_migration(self, ctxt, migration, instance, disk_info, network_info, image,      # noqa: PLR0913 (as Nova)
                         resize_instance, block_devices, power_on=True):
        """Make the guest with instance.flavor from the disks of `disk_info`, grown where `resize_instance`."""

    def finish_revert_migration(self, ctxt, instance, network_info, migration, block_devices, power_on=True):
        """Bring back the guest as it was before migrate_disk_and_power_off."""

    def confirm_migration(self, ctxt, migration, instance, network_info):
        """Forget what a revert would need."""


@typing.runtime_checkable
class LiveMigration(typing.Protocol):
    """Take a guest to another host while it runs.

    Order of calls: pre_live_migration where it goes to, live_migration where it is, then the two post_… there and here.
    Until live_migration has returned, `destroy` where it was to go to undoes it all.
    """

    def pre_live_migration(self, ctxt, instance, network_info, block_devices):
        """Make ready for a guest that will come."""

    def live_migration(self, ctxt, instance, dest_host, network_info, block_devices, report):   # noqa: PLR0913 (as Nova)
        """Take the guest there; it has left when this returns, and one that has left already is fine.

        `report(progress)` is called now and then: {memory_total_bytes, memory_processed_bytes,
        memory_remaining_bytes}. When an exception interrupts it, the guest runs on here.
        """

    def live_migration_force_complete(self, instance):
        """Have a live migration under way end soon, whatever that does to the guest. :raises InstanceNotFound:"""

    def post_live_migration_at_destination(self, ctxt, instance, network_info, block_devices):
        """The guest has come: let it be as its record says."""

    def post_live_migration(self, ctxt, instance, network_info, block_devices):
        """The guest has gone: remove what is left of it here."""
