# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""The libvirt driver: guests, their disks and the image cache."""

from oslo_config import cfg

OPTIONS = {
    None: [
        cfg.StrOpt('instances_path', default='$state_path/instances',
                   help='Directory of the guests\' disks, one folder each, and of the image cache. Put it on the '
                        'largest and fastest disk. QEMU\'s own user must be able to pass through every directory '
                        'above it.'),
        cfg.BoolOpt('use_cow_images', default=True,
                    help='Let a guest\'s disk hold only what differs from its image (qcow2). Unset it for raw copies: '
                         'more disk and a slower start, somewhat faster guests. [libvirt] images_type overrides it.'),
        cfg.StrOpt('default_ephemeral_format', default='ext4', choices=('ext2', 'ext3', 'ext4', 'vfat'),
                   help='File system of ephemeral disks for which the user asked for none.'),
    ],
    'libvirt': [
        cfg.StrOpt('virt_type', default='qemu', choices=('kvm', 'qemu'),
                   help='kvm: the processor runs the guests itself. Needs hardware that can; qemu works everywhere, '
                        'many times slower.'),
        cfg.StrOpt('connection_uri', default='qemu:///system', help='Where libvirt is.'),
        cfg.StrOpt('images_type', default='default', choices=('default', 'qcow2', 'raw', 'flat'),
                   help='Kind of a guest\'s disk files: qcow2 (differences to the image), raw or flat (whole copies); '
                        'default: by use_cow_images.'),
        cfg.StrOpt('cpu_mode', choices=('host-model', 'host-passthrough', 'maximum', 'custom', 'none'),
                   help='The processor that guests see. Unset: host-model for kvm, a plain Nehalem for qemu. '
                        'custom takes the first of cpu_models; none leaves it to the hypervisor.'),
        cfg.ListOpt('cpu_models', default=[], help='Name of the processor model for cpu_mode = custom.'),
        cfg.ListOpt('hw_machine_type', default=[],
                    help='Machine type of guests by architecture, as x86_64=q35, where the image does not ask for one. '
                         'Guests that exist keep theirs.'),
        cfg.StrOpt('rng_dev_path', default='/dev/urandom', help='Where guests\' random numbers come from.'),
        cfg.IntOpt('wait_soft_reboot_seconds', default=120, min=0,
                   help='Seconds that a guest has to shut down in a soft reboot before it is rebooted the hard way. '
                        'Raise it for guests that take long to stop.'),
        cfg.IntOpt('device_detach_attempts', default=8, min=1,
                   help='How often a running guest is asked to let go of a device before detaching it fails.'),
        cfg.IntOpt('device_detach_timeout', default=20, min=1,
                   help='Seconds that a guest gets each time. Raise it where guests are slow; a guest that boots lets '
                        'go of nothing.'),
        cfg.IntOpt('mem_stats_period_seconds', default=10, min=0,
                   help='Seconds between a guest\'s reports of its memory; 0: none.'),
    ],
    'image_cache': [
        cfg.StrOpt('subdirectory_name', default='_base', help='Folder of the image cache under instances_path.'),
        cfg.BoolOpt('remove_unused_base_images', default=True,
                    help='Remove images from the cache that no guest of this host uses any more.'),
        cfg.IntOpt('remove_unused_original_minimum_age_seconds', default=86400, min=0,
                   help='Seconds that an image stays in the cache after its last use. Lower it on small disks; raise '
                        'it where images are large and come back.'),
    ],
}
