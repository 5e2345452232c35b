# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Deadlines and the sweep."""

from oslo_config import cfg

OPTIONS = {
    None: [
        cfg.IntOpt('instance_build_timeout', default=900, min=0,
                   help='Seconds that a server may wait for a host, and that one host may take to build it. Past that '
                        'the build is undone and another host tried, or the server ends in ERROR. Raise it when hosts '
                        'need longer to fetch large images. 0: no limit.'),
    ],
    'conductor': [
        cfg.IntOpt('workers', default=1, min=1,
                   help='Processes. Raise it when one processor is not enough; they share an SQLite database badly.'),
        cfg.IntOpt('sweep_interval', default=10, min=1,
                   help='Seconds between two looks for builds and deletes that are past their deadline.'),
        cfg.IntOpt('resend_after', default=20, min=1,
                   help='Seconds without progress after which a message counts as lost: an order that no conductor '
                        'took, a build that the chosen host did not begin, a delete that did not end. It is sent again '
                        'then; one that was only late does no harm.'),
        cfg.IntOpt('take_over_after', default=90, min=1,
                   help='Seconds after which an order that a conductor took and did not find a host for is taken over. '
                        'Keep it above the 60 seconds that a conductor waits for the scheduler.'),
    ],
}
