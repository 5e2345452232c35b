# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""nova-lite-standins: small Keystone, Glance, Neutron, Cinder and Placement services in one process, on their ports."""

from nova_lite import concurrency

concurrency.patch()

import gc
import logging
import os
import sys

import sqlalchemy
from oslo_config import cfg
from oslo_log import log
from oslo_service import service as oslo_service

from nova_lite import service
from nova_lite import wsgi
from nova_lite.standins import remote_identity
from nova_lite.standins import rest
from nova_lite.standins import settings
from nova_lite.standins import store as stores
from nova_lite.standins.cinder import app as cinder
from nova_lite.standins.glance import app as glance
from nova_lite.standins.keystone import app as keystone
from nova_lite.standins.neutron import app as neutron
from nova_lite.standins.placement import app as placement

PROG = 'nova-lite-standins'
CONFIG_FILE = '/etc/nova/standins.conf'
LOG = logging.getLogger(__name__)


class Background(oslo_service.ServiceBase):
    """What a service does besides answering requests, started and stopped with the process."""

    def __init__(self, part):
        self._part = part

    def start(self):
        self._part.start()

    def stop(self):
        self._part.stop()

    def wait(self):
        """Return at once: `stop` has waited."""

    def reset(self):
        """Nothing is kept that a re-read configuration could change."""


def load(argv):
    """The configuration of standins.conf and of the command line, apart from Nova's."""
    conf = cfg.ConfigOpts()
    log.register_options(conf)
    settings.register(conf)
    files = [CONFIG_FILE] if os.access(CONFIG_FILE, os.R_OK) else []
    conf(argv, project='nova', prog=PROG, default_config_files=files, default_config_dirs=[])
    return conf


def services(conf):
    """What runs: a listener for each service, and the work of those that have more to do than to answer."""
    settings.prepare_state(conf)
    store = stores.Store(settings.database_url(conf))
    apps, busy = {}, []
    if conf.real.identity:
        identity = remote_identity.RemoteIdentity(conf)
    else:
        identity = keystone.Keystone(conf, store, concurrency.run_native)
        apps['identity'] = identity.app
    if not conf.real.image:
        apps['image'] = glance.application(conf, store, identity.identify, run=concurrency.run_native,
                                           challenge=identity.challenge)
    if not conf.real.network:
        network = neutron.Neutron(conf, store, identity.identify, identity.project_id('admin'),
                                  lambda: identity.service_token('neutron'))
        apps['network'] = network.app
        busy.append(network)
    if not conf.real.placement:
        apps['placement'] = placement.application(store, identity.identify, identity.challenge)
    if conf.volume.enabled and not conf.real.volume:
        volume = cinder.Cinder(conf, store, identity, concurrency.run_native)
        apps['volume'] = volume.app
        busy.append(volume)
    if not apps:
        raise ValueError('there is nothing to serve: [real] names a service for each')
    return [*(listener(name, app, conf.listen, conf.ports[name]) for name, app in apps.items()),
            *(Background(part) for part in busy)]


def listener(name, app, host, port):
    """The listener of one service; OSError, which names the place, when it is taken."""
    try:
        return wsgi.Server(name, app, host, port)
    except OSError as error:
        raise OSError('the %s service cannot listen on %s:%d: %s' % (name, host, port, error.strerror)) from error


def main():
    try:
        conf = load(sys.argv[1:])
        log.setup(conf, PROG)
        parts = services(conf)
        gc.freeze()     # what is loaded by now stays: collections need not go through it again and again
        launcher = service.serve(conf, *parts)
    except rest.Fault as error:
        _give_up(error.__cause__ or error)
    except (cfg.Error, OSError, ValueError, sqlalchemy.exc.SQLAlchemyError) as error:
        _give_up(error)
    launcher.wait()


def _give_up(error):
    """End with one line that says why."""
    reason = str(error).splitlines()[0]
    LOG.error('%s cannot start: %s', PROG, reason)
    sys.exit('%s: %s' % (PROG, reason))


if __name__ == '__main__':
    main()
