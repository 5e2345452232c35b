# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""A network service with its data plane in a process of its own, which tests may kill.

Run as `python -m tests.system.dataplane.service STATE_PATH METADATA_URL SECRET`: it reads a JSON list
[method, path, body] from each line of its input, calls the service as an administrator and answers [status, body].
"""

import json
import os
import sys

from oslo_config import cfg

from nova_lite.standins import identity
from nova_lite.standins import settings
from nova_lite.standins import store as stores
from nova_lite.standins.neutron import app
from nova_lite.standins.neutron.dataplane import plane
from tests.fixtures import wsgi

ADMIN = identity.Identity('u-admin', 'admin', 'default', frozenset(('admin', 'member', 'reader')),
                          project_id='p-admin')


def main(state_path, metadata_url, secret):
    plane.CHECK_SECONDS = 0.3
    os.makedirs(state_path, mode=0o700, exist_ok=True)
    conf = cfg.ConfigOpts()
    settings.register(conf)
    conf([], project='standins', default_config_files=[], default_config_dirs=[])
    conf.set_override('state_path', state_path)
    conf.set_override('dataplane', 'linuxbridge', 'network')
    conf.set_override('subnet', '10.203.0.0/24', 'network')
    conf.set_override('metadata_url', metadata_url, 'network')
    conf.set_override('metadata_proxy_shared_secret', secret, 'network')
    service = app.Neutron(conf, stores.Store(settings.database_url(conf)), lambda token: ADMIN, 'p-admin')
    service.start()
    for line in sys.stdin:
        method, path, body = json.loads(line)
        status, _headers, content = wsgi.call(service.app, method, '/v2.0' + path, body, {'X-Auth-Token': 'x'})
        print(json.dumps([status, json.loads(content) if content else None]), flush=True)
    service.stop()


if __name__ == '__main__':
    main(*sys.argv[1:])
