# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""All options of nova_lite in one place: what a process registers and what the sample file is generated from."""

from oslo_config import cfg
from oslo_log import log
from oslo_policy import opts as policy_opts

from nova_lite.conf import api
from nova_lite.conf import base
from nova_lite.conf import compute
from nova_lite.conf import conductor
from nova_lite.conf import consoles
from nova_lite.conf import database
from nova_lite.conf import fake
from nova_lite.conf import libvirt
from nova_lite.conf import notifications
from nova_lite.conf import quota
from nova_lite.conf import scheduler
from nova_lite.conf import services

MODULES = (base, api, compute, conductor, consoles, database, fake, libvirt, notifications, quota, scheduler, services)


def register_all(conf):
    """Declare every option on `conf`."""
    for module in MODULES:
        for group, options in module.OPTIONS.items():
            conf.register_opts(options, group)
    services.register(conf)
    log.register_options(conf)
    policy_opts.set_defaults(conf)


def list_opts():
    """[(group, options)…] for oslo-config-generator."""
    return [(group, options) for module in MODULES for group, options in module.OPTIONS.items()]


def load(argv, prog, default_files=('/etc/nova/nova.conf',)):
    """The process-wide configuration from command line and files.

    oslo.messaging reads some options from the global object only, so it is that one.
    :raises SystemExit: with a usage line, for a bad option; with the reason, for a bad file.
    """
    conf = cfg.CONF
    register_all(conf)
    log.set_defaults(default_log_levels=log.get_default_log_levels() + [
        'oslo.messaging=WARNING', 'oslo_messaging=WARNING', 'amqp=WARNING', 'keystoneauth=WARNING',
        'oslo_policy=WARNING'])
    conf(argv[1:], project='nova', prog=prog, default_config_files=_existing(default_files))
    return conf


def _existing(paths):
    return [path for path in paths if _readable(path)]


def _readable(path):
    try:
        with open(path):
            return True
    except OSError:
        return False
