# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""The properties of an image that say which virtual hardware its guests get, checked.

What an image asks for and this driver cannot give is an error, not a guest that lacks it.
"""

import dataclasses

from oslo_utils import strutils

from nova_lite import exception

DISK_BUSES = ('virtio', 'scsi', 'ide', 'sata', 'usb')
CHOICES = {
    'hw_disk_bus': DISK_BUSES,
    'hw_cdrom_bus': DISK_BUSES,
    'hw_scsi_model': ('virtio-scsi', 'lsilogic', 'lsisas1068', 'lsisas1078', 'vmpvscsi'),
    'hw_vif_model': ('virtio', 'e1000', 'e1000e', 'rtl8139', 'ne2k_pci', 'pcnet'),
    'hw_video_model': ('vga', 'cirrus', 'virtio', 'bochs', 'vmvga', 'none'),
    'hw_rng_model': ('virtio',),
    'hw_watchdog_action': ('disabled', 'reset', 'poweroff', 'pause', 'none'),
    'hw_firmware_type': ('bios',),
    'img_config_drive': ('mandatory', 'optional'),
    'os_secure_boot': ('disabled', 'optional'),
    'hw_cpu_policy': ('shared',),
}
# Hardware that this driver does not have, whatever the value.
UNKNOWN_HARDWARE = ('hw_tpm_model', 'hw_tpm_version', 'hw_numa_nodes', 'hw_mem_page_size')
# Wishes that only "no" to can be kept.
REFUSED_SWITCHES = ('hw_mem_encryption', 'hw_ephemeral_encryption')
SWITCHES = ('hw_qemu_guest_agent',)
NUMBERS = ('hw_cpu_sockets', 'hw_cpu_cores', 'hw_cpu_threads')
ARCHITECTURES = {'amd64': 'x86_64', 'x64': 'x86_64', 'i386': 'i686', 'i486': 'i686', 'i586': 'i686', 'arm64': 'aarch64'}


@dataclasses.dataclass(frozen=True)
class Properties:
    """The virtual hardware that an image asks for; None where it leaves the choice to the driver."""

    disk_bus: str = 'virtio'
    cdrom_bus: str | None = None
    scsi_model: str = 'virtio-scsi'
    vif_model: str = 'virtio'
    video_model: str = 'vga'
    rng_model: str = 'virtio'
    machine_type: str | None = None
    watchdog_action: str = 'disabled'
    guest_agent: bool = False
    windows: bool = False
    command_line: str | None = None
    sockets: int | None = None
    cores: int | None = None
    threads: int | None = None


def read(image, host):
    """The Properties of an ImageMeta for guests of a host (HostFacts).

    :raises ImageUnacceptable: a value that means nothing, or hardware that guests cannot have here.
    """
    given = {name: value for name, value in image.properties.items() if value not in (None, '')}
    for name, choices in CHOICES.items():
        if name in given and str(given[name]).lower() not in choices:
            raise _refused(image, 'property %s cannot be %r, only %s' % (name, given[name], ', '.join(choices)))
    for name in UNKNOWN_HARDWARE:
        if name in given:
            raise _refused(image, 'property %s asks for what this hypervisor does not have' % name)
    switches = {name: _switch(image, name, given.get(name, False)) for name in (*SWITCHES, *REFUSED_SWITCHES)}
    for name in REFUSED_SWITCHES:
        if switches[name]:
            raise _refused(image, 'property %s asks for what this hypervisor does not have' % name)
    _check_architecture(image, given, host)
    _check_machine(image, given, host)
    numbers = {name: _number(image, name, given[name]) for name in NUMBERS if name in given}
    choices = {name: str(given[name]).lower() for name in CHOICES if name in given}
    fields = {
        'disk_bus': choices.get('hw_disk_bus'), 'cdrom_bus': choices.get('hw_cdrom_bus'),
        'scsi_model': choices.get('hw_scsi_model'), 'vif_model': choices.get('hw_vif_model'),
        'video_model': choices.get('hw_video_model'), 'watchdog_action': choices.get('hw_watchdog_action'),
        'machine_type': given.get('hw_machine_type'), 'guest_agent': switches['hw_qemu_guest_agent'],
        'windows': given.get('os_type') == 'windows', 'command_line': given.get('os_command_line'),
        'sockets': numbers.get('hw_cpu_sockets'),
        'cores': numbers.get('hw_cpu_cores'), 'threads': numbers.get('hw_cpu_threads'),
    }
    return Properties(**{name: value for name, value in fields.items() if value is not None})


def _check_architecture(image, given, host):
    wanted = str(given.get('hw_architecture', given.get('architecture', host.arch))).lower()
    if ARCHITECTURES.get(wanted, wanted) != host.arch:
        raise _refused(image, 'it is made for the architecture %s' % wanted)


def _check_machine(image, given, host):
    machine = given.get('hw_machine_type')
    if machine and host.machines and machine not in host.machines:
        raise _refused(image, 'property hw_machine_type: there is no machine type %s here' % machine)
    if machine and 'q35' in machine and 'ide' in (given.get('hw_disk_bus'), given.get('hw_cdrom_bus')):
        raise _refused(image, 'the machine type %s has no IDE disks' % machine)


def _switch(image, name, value):
    try:
        return strutils.bool_from_string(value, strict=True)
    except ValueError as exc:
        raise _refused(image, 'property %s cannot be %r, only true or false' % (name, value)) from exc


def _number(image, name, value):
    try:
        number = int(value)
    except (TypeError, ValueError):
        number = 0
    if number < 1:
        raise _refused(image, 'property %s cannot be %r, only a positive number' % (name, value))
    return number


def _refused(image, reason):
    return exception.ImageUnacceptable(image_id=image.id, reason=reason)
