# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""MariaDB and PostgreSQL, for real: the whole suite of the database, a server that goes away, and a boot."""

import os
import pathlib
import subprocess
import sys
import threading
import time

import pytest

from nova_lite.db import engine
from nova_lite.db import migration
from nova_lite.db import quotas
from tests.fixtures import cloud
from tests.fixtures import databases

TESTS = pathlib.Path(__file__).parents[1]


@pytest.fixture(scope='module', params=[databases.MariaDB, databases.PostgreSQL], ids=['mariadb', 'postgresql'])
def server(request):
    with databases.running(request.param) as running:
        yield running


def test_the_suite_of_the_database(server):
    url = server.new_database('suite')
    done = subprocess.run(
        [sys.executable, '-m', 'pytest', '-p', 'no:cacheprovider', '-p', 'no:xdist', str(TESTS / 'unit' / 'db'),
         '--ignore', str(TESTS / 'unit' / 'db' / 'test_manage.py')],       # commands have a file of their own
        cwd=TESTS.parent, env={**os.environ, 'NOVA_LITE_TEST_DATABASE': url}, stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=270)
    assert done.returncode == 0, done.stdout[-8000:]


@pytest.mark.parametrize('crash', [False, True], ids=['stopped', 'killed'])
def test_writes_wait_for_a_server_that_comes_back(server, crash):
    db = engine.Database(server.new_database('away_%d' % crash))
    migration.sync(db)
    done = []

    def write():
        for value in range(200):
            quotas.set_(db, 'p', {'cores': value})
            time.sleep(0.005)
        done.append(True)
    writer = threading.Thread(target=write)
    writer.start()
    time.sleep(0.2)
    server.stop(crash)
    time.sleep(0.5)
    assert not done, 'it went away in the middle'
    server.start()
    writer.join(60)
    assert done and quotas.get(db, 'p') == {'cores': 199}
    db.close()


def test_a_boot_and_a_delete(server, tmp_path):
    overrides = {**cloud.SHORT, **cloud.ROOMY, 'database': {'connection': server.new_database('cloud')}}
    stack = cloud.Cloud(tmp_path, hosts=2, overrides=overrides)
    stack.start()
    try:
        admin = stack.client()
        body = {'name': 'many', 'imageRef': stack.image_id(admin), 'flavorRef': '42', 'min_count': 4, 'max_count': 4,
                'networks': [{'uuid': stack.network_id(admin)}]}
        admin.request('POST', '/servers', ok=202, json={'server': body})
        cloud.wait_for(lambda: len(admin.get('/servers?status=ACTIVE')['servers']) == 4, 60)
        for server_ in admin.get('/servers')['servers']:
            admin.request('DELETE', '/servers/%s' % server_['id'], ok=204)
        cloud.wait_for(lambda: not admin.get('/servers')['servers'], 60)
        assert not (stack.layout.state / 'nova.sqlite').exists(), 'it was this database'
    finally:
        stack.stop()
