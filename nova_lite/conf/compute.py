# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""What nova-compute does on its host."""

from oslo_config import cfg

_RATIO = ('times what the hardware has. Raise it where guests leave most of what they hold unused; 1.0 promises '
          'nothing that is not there.')

OPTIONS = {
    None: [
        cfg.StrOpt('compute_driver', default='libvirt.LibvirtDriver',
                   help='The hypervisor driver: libvirt.LibvirtDriver, fake.FakeDriver (no guests at all, for tests '
                        'and labs), or the dotted path of a class of your own.'),
        cfg.IntOpt('max_concurrent_builds', default=10, min=0,
                   help='How many servers are built at once on a host; 0: no limit. Lower it when builds starve the '
                        'guests that run of disk or processor time.'),
        cfg.IntOpt('update_resources_interval', default=60, min=0,
                   help='Seconds between recounts of what is in use on the host; 0: only at start.'),
        cfg.IntOpt('sync_power_state_interval', default=600, min=-1,
                   help='Seconds between comparisons of the servers\' power states with the hypervisor\'s; -1 or 0: '
                        'never. Guests that stop by themselves are usually seen at once, by the hypervisor\'s events.'),
        cfg.StrOpt('running_deleted_instance_action', default='reap', choices=('noop', 'log', 'reap'),
                   help='What to do with a guest that belongs to no server of this host: remove it, say so in the log, '
                        'or nothing.'),
        cfg.IntOpt('running_deleted_instance_poll_interval', default=300, min=0,
                   help='Seconds between looks for such guests; 0: only at start.'),
        cfg.IntOpt('block_device_allocate_retries', default=60, min=0,
                   help='How often a build looks whether a volume that comes with the server is there before it fails. '
                        'Raise it where volumes are made from large images.'),
        cfg.IntOpt('block_device_allocate_retries_interval', default=3, min=0,
                   help='Seconds between those looks.'),
        cfg.IntOpt('shutdown_timeout', default=60, min=0,
                   help='Seconds that a guest gets to shut down when it is stopped, shelved or resized, before its '
                        'power is cut; 0: none.'),
        cfg.IntOpt('shelved_offload_time', default=0, min=-1,
                   help='Seconds after which a shelved server is taken from its host; 0: at once, -1: never. Raise it '
                        'where servers are often wanted back soon, and hosts have room to spare.'),
        cfg.IntOpt('shelved_poll_interval', default=3600, min=-1,
                   help='Seconds between looks for such servers; -1 or 0: never.'),
        cfg.ListOpt('non_inheritable_image_properties', default=['cache_in_nova', 'bittorrent'],
                    help='Properties of a server\'s image that images made of the server do not get.'),
        cfg.IntOpt('reclaim_instance_interval', default=0, min=0,
                   help='Seconds for which a deleted server is kept, off, so that its owner can restore it; 0: it is '
                        'deleted at once, as is always one that was never built, is busy, or whose host is down. Set '
                        'it for nova-api and nova-compute alike.'),
        cfg.IntOpt('heal_instance_info_cache_interval', default=60, min=-1,
                   help='Seconds between looks at the ports of one server after the other, so that what is recorded of '
                        'their addresses follows changes of which nobody told; -1 or 0: never.'),
        cfg.BoolOpt('allow_resize_to_same_host', default=False,
                    help='Whether a server may stay on its host when it gets another flavor. Set it, for nova-api,'
                         ' where there is one host only.'),
        cfg.IntOpt('resize_confirm_window', default=0, min=0,
                   help='Seconds after which a resize that nobody confirmed is confirmed; 0: never.'),
        cfg.FloatOpt('cpu_allocation_ratio', default=4.0, min=0.01,
                     help='Virtual processors that may be in use, %s' % _RATIO),
        cfg.FloatOpt('ram_allocation_ratio', default=1.0, min=0.01, help='Memory that may be in use, %s' % _RATIO),
        cfg.FloatOpt('disk_allocation_ratio', default=1.0, min=0.01, help='Disk that may be in use, %s' % _RATIO),
        cfg.IntOpt('reserved_host_memory_mb', default=512, min=0,
                   help='MiB of memory that are kept for the host itself.'),
        cfg.IntOpt('reserved_host_disk_mb', default=0, min=0,
                   help='MiB of disk that are kept for the host itself, rounded up to GiB.'),
        cfg.IntOpt('reserved_host_cpus', default=0, min=0,
                   help='Processors that are kept for the host itself.'),
    ],
    'image_cache': [
        cfg.IntOpt('manager_interval', default=2400, min=-1,
                   help='Seconds between runs of the image cache\'s ageing; -1 or 0: never.'),
    ],
    'workarounds': [
        cfg.BoolOpt('handle_virt_lifecycle_events', default=True,
                    help='Take up the hypervisor\'s own reports that a guest stopped or started. Unset it where they '
                         'come late or wrong; the periodic comparison goes on.'),
    ],
}
