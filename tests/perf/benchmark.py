# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""The benchmark: boots on the fake driver through RabbitMQ, and prints a table beside the real Nova's figures.

`tox -e perf` starts a cloud of its own (fake driver, RabbitMQ, SQLite, one host); `--servers N --clients N` change the
load. Times depend on the machine: compare runs of one machine, or ratios.
"""

import argparse
import multiprocessing
import pathlib
import statistics
import tempfile
import time

import requests

from tests.fixtures import cloud

NOVA = {
    'POST /servers, alone, p50 (ms)': '191',
    'create → ACTIVE, alone, p50 (ms)': '1,662',
    'delete → gone, alone, p50 (ms)': '481',
    'servers to ACTIVE, per second': '0.47',
    'GET /servers/detail of 200, p50 (ms)': '1,673',
    'GET /servers?limit=1000 of 200, p50 (ms)': '615',
    'GET /servers/{id}, p50 (ms)': '93',
    'GET /flavors/detail, p50 (ms)': '15.7',
    'delete all, until gone (s)': '243',
    'PSS of the four services, fresh (MB)': '843',
    'PSS of the four services, after the boots (MB)': '1,053',
}
POLL, SLOW_POLL = 0.01, 0.2       # seconds; polling costs the API time of its own


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--servers', type=int, default=200)
    parser.add_argument('--clients', type=int, default=8)
    parser.add_argument('--singles', type=int, default=20)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix='nova-lite-perf-') as folder:
        stack = cloud.Cloud(pathlib.Path(folder), hosts=1, overrides=cloud.ROOMY)
        stack.start()
        try:
            results = measure(stack, options)
        finally:
            stack.stop()
    print('\n| what | nova_lite | Nova 34 |\n|---|---|---|')
    for name, value in results.items():
        print('| %s | %s | %s |' % (name, value, NOVA.get(name, '')))


def measure(stack, options):
    """{row of the table: figure}"""
    client = stack.client()
    server = {'imageRef': stack.image_id(client), 'flavorRef': '42', 'networks': [{'uuid': stack.network_id(client)}]}
    results = {'PSS of the four services, fresh (MB)': '%.0f' % stack.pss_mb()}
    results.update(alone(client, server, options.singles))
    results.update(together(client, server, options))
    for name, path in (('GET /servers/detail of %d' % options.servers, '/servers/detail'),
                       ('GET /servers?limit=1000 of %d' % options.servers, '/servers?limit=1000'),
                       ('GET /servers/{id}', '/servers/%s' % client.get('/servers?limit=1')['servers'][0]['id']),
                       ('GET /flavors/detail', '/flavors/detail')):
        results['%s, p50 (ms)' % name] = '%.1f' % median([timed(client.get, path) for _ in range(20)])
    results['PSS of the four services, after the boots (MB)'] = '%.0f' % stack.pss_mb()
    results['delete all, until gone (s)'] = '%.1f' % delete_all(client)
    return results


def alone(client, server, count):
    """One server at a time: the first is a warm-up."""
    posts, actives, deletes = [], [], []
    for number in range(count + 1):
        began = time.monotonic()
        answer = client.request('POST', '/servers', ok=202, json={'server': dict(server, name='alone-%d' % number)})
        posts.append(time.monotonic() - began)
        path = '/servers/%s' % answer.json()['server']['id']
        while (status := client.get(path)['server']['status']) == 'BUILD':
            time.sleep(POLL)
        assert status == 'ACTIVE', client.get(path)
        actives.append(time.monotonic() - began)
        began = time.monotonic()
        client.request('DELETE', path, ok=204)
        while client.request('GET', path).status_code != 404:
            time.sleep(POLL)
        deletes.append(time.monotonic() - began)
    return {'POST /servers, alone, p50 (ms)': '%.1f' % median(posts[1:]),
            'create → ACTIVE, alone, p50 (ms)': '%.1f' % median(actives[1:]),
            'delete → gone, alone, p50 (ms)': '%.1f' % median(deletes[1:])}


def together(client, server, options):
    """`servers` POSTs from `clients` processes, until all are ACTIVE."""
    jobs = [(client.token, client.endpoint, server, range(number, options.servers, options.clients))
            for number in range(options.clients)]
    with multiprocessing.get_context('spawn').Pool(options.clients) as pool:
        began = time.monotonic()
        posts = [seconds for part in pool.imap_unordered(boot_some, jobs) for seconds in part]
        while client.get('/servers?status=BUILD&limit=1')['servers']:
            time.sleep(SLOW_POLL)
        total = time.monotonic() - began
    active = len(client.get('/servers?status=ACTIVE&limit=1000')['servers'])
    assert active == options.servers, '%d of %d ACTIVE' % (active, options.servers)
    return {'servers to ACTIVE, per second': '%.1f' % (active / total),
            'POST /servers, %d clients, p50 (ms)' % options.clients: '%.1f' % median(posts)}


def boot_some(job):
    token, endpoint, server, numbers = job
    session = requests.Session()
    session.headers.update({'X-Auth-Token': token, 'OpenStack-API-Version': 'compute 2.96'})

    def post(number):
        answer = session.post('%s/servers' % endpoint, json={'server': dict(server, name='many-%d' % number)})
        assert answer.status_code == 202, answer.text
    return [timed(post, number) for number in numbers]


def delete_all(client):
    began = time.monotonic()
    for item in client.get('/servers?limit=1000')['servers']:
        client.request('DELETE', '/servers/%s' % item['id'], ok=204)
    while client.get('/servers?limit=1')['servers']:
        time.sleep(SLOW_POLL)
    return time.monotonic() - began


def timed(function, *args, **kwargs):
    began = time.monotonic()
    function(*args, **kwargs)
    return time.monotonic() - began


def median(seconds):
    """In milliseconds."""
    return 1000 * statistics.median(seconds)


if __name__ == '__main__':
    main()
