# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Options that every process has."""

import socket

from oslo_config import cfg

OPTIONS = {
    None: [
        cfg.StrOpt('host', default=socket.gethostname(), sample_default='<the machine\'s name>',
                   help='Name of this host in the cloud: the queue `compute.<host>`, the service list and '
                        'Placement use '
                        'it. Set it where two hosts share a name; never change it while servers run here.'),
        cfg.StrOpt('my_ip', default='127.0.0.1', help='Address by which other hosts reach this one.'),
        cfg.StrOpt('instance_name_template', default='instance-%08x', regex=r'^[\w.-]*%\d*[dx][\w.-]*$',
                   help='Name of a guest on the hypervisor, made from the number of its record. Set it where two '
                        'clouds share a hypervisor; never change it while servers run.'),
        cfg.StrOpt('state_path', default='/var/lib/nova', help='Directory for everything that has to outlive a '
                   'restart.'),
        cfg.IntOpt('report_interval', default=10, min=1,
                   help='Seconds between the heartbeats of a service.'),
        cfg.IntOpt('service_down_time', default=60, min=2,
                   help='Seconds without a heartbeat after which a service counts as down. Keep it at several times '
                        'report_interval.'),
        cfg.StrOpt('default_availability_zone', default='nova',
                   help='The availability zone of every host that is in no other. Set it before the first '
                        'server is made: '
                        'clients remember the name.'),
        cfg.StrOpt('default_schedule_zone',
                   help='The zone for servers whose owner names none; unset: any zone.'),
    ],
    'fault_points': [
        cfg.StrOpt('directory', help='For tests only: where to look for faults to act out (see faultpoints.py).'),
    ],
}
