# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""What the commands share: configuration, logging and an end that a person can read."""

import logging
import sys

from oslo_log import log

from nova_lite import exception
from nova_lite import faultpoints
from nova_lite.conf import registry
from nova_lite.objects import instance

LOG = logging.getLogger(__name__)


def prepare(prog, argv=None):
    """Configuration and logging of a command; returns the configuration."""
    conf = registry.load(argv or sys.argv, prog)
    log.setup(conf, 'nova')
    faultpoints.enable(conf.fault_points.directory)
    instance.Instance.name_template = conf.instance_name_template
    return conf


def run(prog, start):
    """Call `start(conf)`, which returns a launcher, and wait for it; exit with one line for what a user can mend."""
    conf = prepare(prog)
    try:
        launcher = start(conf)
    except (exception.NovaException, OSError) as exc:
        LOG.error('%s cannot start: %s', prog, exc)
        sys.exit('%s: %s' % (prog, exc))
    launcher.wait()
