# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""What the services around Nova cost it: verifying a token, and finding hosts for a server among a thousand.

`python -m tests.perf.services_around` prints a table; the identity service runs in a process of its own, as in a cloud.
"""

import contextlib
import gc
import pathlib
import socket
import statistics
import subprocess
import sys
import tempfile
import time

import os_traits
import requests
from keystonemiddleware import auth_token
from oslo_config import cfg

from nova_lite.api.openstack import auth
from nova_lite.standins import settings
from nova_lite.standins import store as stores
from nova_lite.standins.keystone import app as keystone_app
from nova_lite.standins.placement import app as placement_app
from tests.fixtures import cloud
from tests.fixtures import wsgi

PASSWORDS = {'admin_password': 'admin-pw', 'demo_password': 'demo-pw', 'service_password': 'service-pw'}
SERVICES = ('identity', 'image', 'network', 'placement', 'volume')
HOSTS, TOKENS, TIMES = 1000, 100, 100
SIZE = {'VCPU': 32, 'MEMORY_MB': 131072, 'DISK_GB': 2000}
TRAITS = sorted(os_traits.get_traits('HW_CPU_X86_'))[:40]      # about as many as a real host has
VERSION = {'OpenStack-API-Version': 'placement 1.36'}
QUERY = '/allocation_candidates?resources=DISK_GB:1,MEMORY_MB:512,VCPU:1&limit=1000'


def main():
    with tempfile.TemporaryDirectory(prefix='nova-lite-perf-') as folder:
        results = {**tokens(pathlib.Path(folder, 'identity')), **candidates(pathlib.Path(folder, 'placement'))}
    print('| what | p50, elapsed (ms) | mean, CPU (ms) |\n|---|---|---|')
    for name, (elapsed, cpu) in results.items():
        print('| %s | %.2f | %.2f |' % (name, elapsed, cpu))


@contextlib.contextmanager
def identity(folder):
    """(application, store) of an identity service with its files in `folder`."""
    folder.mkdir(exist_ok=True)
    conf = cfg.ConfigOpts()
    settings.register(conf)
    conf([], project='standins', default_config_files=[], default_config_dirs=[])
    conf.set_override('state_path', str(folder))
    for option, password in PASSWORDS.items():
        conf.set_override(option, password, 'identity')
    store = stores.Store(settings.database_url(conf))
    try:
        yield keystone_app.Keystone(conf, store), store
    finally:
        store.close()


def measured(calls):
    """(median of the elapsed times, mean of the CPU times of this process) of the calls, in milliseconds."""
    elapsed, started = [], time.process_time()
    for call in calls:
        before = time.perf_counter()
        call()
        elapsed.append(time.perf_counter() - before)
    return statistics.median(elapsed) * 1000, (time.process_time() - started) / len(elapsed) * 1000


# ---- tokens --------------------------------------------------------------------------------------------------

def tokens(folder):
    ports = free_ports()
    folder.mkdir()
    config = folder / 'standins.conf'
    config.write_text('\n'.join((
        '[DEFAULT]', 'state_path = %s' % (folder / 'state'), '[ports]', *('%s = %d' % item for item in ports.items()),
        '[identity]', *('%s = %s' % item for item in PASSWORDS.items()))))
    with open(folder / 'log', 'w') as log:
        process = subprocess.Popen([sys.executable, '-m', 'nova_lite.cmd.standins', '--config-file', str(config)],
                                   stdin=subprocess.DEVNULL, stdout=log, stderr=log)
    try:
        url = 'http://127.0.0.1:%d/v3' % ports['identity']
        cloud.wait_for(lambda: answers(url), 60)
        found = [log_in(url) for _ in range(TOKENS + 1)]
        app = pipeline(url, folder)
        ask(app, found.pop())       # nova-api logs in itself
        return {'a token that nova-api does not know yet': measured([lambda t=t: ask(app, t) for t in found]),
                'a token that it knows': measured([lambda t=t: ask(app, t) for t in found] * 10)}
    finally:
        process.terminate()
        process.wait(30)


def free_ports():
    with contextlib.ExitStack() as stack:
        sockets = {name: stack.enter_context(socket.socket()) for name in SERVICES}
        for sock in sockets.values():
            sock.bind(('127.0.0.1', 0))
        return {name: sock.getsockname()[1] for name, sock in sockets.items()}


def answers(url):
    with contextlib.suppress(requests.RequestException):
        return requests.get(url, timeout=5).ok


def log_in(url):
    answer = requests.post(url + '/auth/tokens', timeout=30, json={'auth': {
        'identity': {'methods': ['password'], 'password': {'user': {
            'name': 'demo', 'domain': {'id': 'default'}, 'password': PASSWORDS['demo_password']}}},
        'scope': {'project': {'name': 'demo', 'domain': {'id': 'default'}}}}})
    assert answer.status_code == 201, answer.text
    return answer.headers['X-Subject-Token']


def pipeline(url, folder):
    """What a request passes in nova-api before it is anybody's, with the options that nova.conf has."""
    path = folder / 'nova.conf'
    path.write_text('\n'.join((
        '[keystone_authtoken]', 'auth_type = password', 'auth_url = ' + url, 'www_authenticate_uri = ' + url,
        'username = nova', 'password = ' + PASSWORDS['service_password'], 'project_name = service',
        'user_domain_name = Default', 'project_domain_name = Default')))
    conf = cfg.ConfigOpts()
    conf([], project='nova', default_config_files=[str(path)])

    def app(environ, start_response):
        start_response('200 OK', [])
        return [b'{}']
    return auth.CachedTokens(auth_token.AuthProtocol(auth.KeystoneContext(app), {
        'oslo_config_config': conf, 'cache': auth.TOKEN_CACHE}), auth.TokenCache())


def ask(app, token):
    status, _, content = wsgi.call(app, 'GET', '/', None, {'X-Auth-Token': token})
    assert status == 200, content


# ---- hosts ---------------------------------------------------------------------------------------------------

def candidates(folder):
    with identity(folder) as (keystone, store):
        token = wsgi.call(keystone.app, 'POST', '/v3/auth/tokens', {'auth': {
            'identity': {'methods': ['password'], 'password': {'user': {
                'name': 'nova', 'domain': {'id': 'default'}, 'password': PASSWORDS['service_password']}}},
            'scope': {'project': {'name': 'service', 'domain': {'id': 'default'}}}}})[1]['x-subject-token']
        app = placement_app.application(store, keystone.identify)

        def placement(method, path, body=None):
            status, _, content = wsgi.call(app, method, path, body, {'X-Auth-Token': token, **VERSION})
            assert status in (200, 201, 204), content
            return content
        for number in range(HOSTS):
            uuid = '00000000-0000-4000-8000-%012d' % number
            placement('POST', '/resource_providers', {'name': 'host-%d' % number, 'uuid': uuid})
            placement('PUT', '/resource_providers/%s/inventories' % uuid, {
                'resource_provider_generation': 0, 'inventories': {key: {'total': SIZE[key]} for key in SIZE}})
            placement('PUT', '/resource_providers/%s/traits' % uuid, {
                'resource_provider_generation': 1, 'traits': TRAITS})
        placement('GET', QUERY)
        gc.freeze()     # as nova-lite-standins does
        return {'candidates among %d hosts' % HOSTS: measured([lambda: placement('GET', QUERY)] * TIMES)}


if __name__ == '__main__':
    main()
