# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""The machine: name, uuid, memory, firmware tables, how it boots, its clock, and what ends it."""

from nova_lite.virt.libvirt.domain import elements
from nova_lite.virt.libvirt.domain import metadata

KERNEL_COMMAND_LINE = 'root=/dev/%s console=tty0 console=ttyS0'


def configure_identity(domain, spec):
    domain.set('type', spec.settings.virt_type)
    elements.add(domain, 'name', spec.name)
    elements.add(domain, 'uuid', spec.instance.uuid)
    elements.add(domain, 'memory', spec.instance.flavor.memory_mb, unit='MiB')
    elements.add(domain, 'vcpu', spec.instance.flavor.vcpus)


def configure_sysinfo(domain, spec):
    """The SMBIOS strings by which software in a guest knows that it runs in this cloud, and as whom."""
    if not spec.x86:
        return
    system = elements.add(elements.add(domain, 'sysinfo', type='smbios'), 'system')
    for name, value in (('manufacturer', 'OpenStack Foundation'), ('product', 'OpenStack Nova'),
                        ('version', metadata.VERSION), ('serial', spec.instance.uuid),
                        ('uuid', spec.instance.uuid), ('family', 'Virtual Machine')):
        elements.add(system, 'entry', value, name=name)


def configure_boot(domain, spec):
    """From the boot loader of the root disk, or straight into a kernel that the image names."""
    boot = elements.add(domain, 'os')
    elements.add(boot, 'type', 'hvm', arch=spec.host.arch, machine=spec.machine)
    if spec.kernel:
        elements.add(boot, 'kernel', spec.kernel)
        if spec.ramdisk:
            elements.add(boot, 'initrd', spec.ramdisk)
        elements.add(boot, 'cmdline', spec.properties.command_line or KERNEL_COMMAND_LINE % spec.boot_disk.dev)
    if spec.x86:
        elements.add(boot, 'smbios', mode='sysinfo')


def configure_features(domain, spec):
    if spec.x86:
        features = elements.add(domain, 'features')
        elements.add(features, 'acpi')
        elements.add(features, 'apic')
    clock = elements.add(domain, 'clock', offset='localtime' if spec.properties.windows else 'utc')
    if spec.x86:
        elements.add(clock, 'timer', name='pit', tickpolicy='delay')
        elements.add(clock, 'timer', name='rtc', tickpolicy='catchup')
        elements.add(clock, 'timer', name='hpet', present='no')


def configure_lifecycle(domain, _spec):
    """A guest that powers itself off stays defined, so that it can be started again."""
    elements.add(domain, 'on_poweroff', 'destroy')
    elements.add(domain, 'on_reboot', 'restart')
    elements.add(domain, 'on_crash', 'destroy')
