# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""The fake driver: delays, faults and many hosts."""

from oslo_config import cfg
from oslo_config import types

OPTIONS = {
    'fake': [
        cfg.IntOpt('hosts', default=1, min=1, max=1000,
                   help='How many hosts one nova-compute answers for. With more than one they are called <host>-1, '
                        '<host>-2 and so on.'),
        cfg.IntOpt('vcpus', default=64, min=1, help='Processors of each host.'),
        cfg.IntOpt('memory_mb', default=262144, min=1, help='Memory of each host in MiB.'),
        cfg.IntOpt('local_gb', default=8192, min=1, help='Disk of each host in GiB.'),
        cfg.FloatOpt('spawn_delay', default=0.0, min=0,
                     help='Seconds that making a guest takes. Set it to see the task states go by.'),
        cfg.FloatOpt('destroy_delay', default=0.0, min=0, help='Seconds that removing a guest takes.'),
        cfg.FloatOpt('operation_delay', default=0.0, min=0,
                     help='Seconds that stopping, starting or otherwise changing a guest takes.'),
        cfg.Opt('fail_operations', default={}, type=types.Dict(types.Float(min=0, max=1)),
                help='By method of the driver, such as power_off or finish_migration, the share of its calls that '
                     'fail, by chance: reboot:0.5,pause:1'),
        cfg.FloatOpt('fail_spawn_probability', default=0.0, min=0, max=1,
                     help='The share of guests that cannot be made, by chance.'),
        cfg.StrOpt('fail_spawn_pattern',
                   help='A regular expression: a guest cannot be made when it is found in the name of the server or of '
                        'its image.'),
        cfg.ListOpt('fail_spawn_hosts', default=[], help='Hosts that cannot make any guest.'),
        cfg.FloatOpt('fail_destroy_probability', default=0.0, min=0, max=1,
                     help='The share of guests that cannot be removed, by chance, each time it is tried.'),
        cfg.PortOpt('console_port', default=6969, min=1,
                    help='Port of 127.0.0.1 to which the consoles of all guests lead. Nothing listens there unless you '
                         'start something.'),
    ],
}
