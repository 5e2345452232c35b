# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Under eventlet: a write that waits for another process's lock does not hold up the green threads."""

import subprocess
import sys

from tests.fixtures import records

RIVAL = '''
import sqlite3, sys
connection = sqlite3.connect(sys.argv[1], isolation_level=None)
connection.execute('BEGIN IMMEDIATE')
print('locked', flush=True)
sys.stdin.readline()
connection.execute('COMMIT')
'''
WRITERS = '''
from nova_lite import concurrency
concurrency.patch()
import sys
from nova_lite.db import engine, quotas
database = engine.Database(sys.argv[1])
quotas.get(database, 'p')
pool = concurrency.GreenPool(30)
for number in range(30):
    pool.spawn_n(quotas.set_, database, 'project-%d' % number, {'cores': number})
for _ in range(50):
    concurrency.sleep(0.005)
print('still running: %d wait' % pool.running(), flush=True)
pool.waitall()
print('done')
'''


def test_others_run_while_writers_wait(tmp_path):
    """The rival keeps the database until another green thread of the writers' process has run for a while."""
    records.database(tmp_path).close()
    path = tmp_path / 'nova.sqlite'
    pipes = {'stdin': subprocess.PIPE, 'stdout': subprocess.PIPE, 'text': True}
    with subprocess.Popen([sys.executable, '-c', RIVAL, str(path)], **pipes) as rival:
        assert rival.stdout.readline() == 'locked\n'
        with subprocess.Popen([sys.executable, '-c', WRITERS, 'sqlite:///%s' % path], **pipes) as writers:
            assert writers.stdout.readline() == 'still running: 30 wait\n'
            rival.communicate('go on\n')
            assert writers.communicate()[0] == 'done\n'
