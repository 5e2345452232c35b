# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Under eventlet: a write that waits for another process's lock does not hold up the green threads."""

import subprocess
import sys

from tests.fixtures import records

RIVAL = '''
import sqlite3, sys, time
connection = sqlite3.connect(sys.argv[1], isolation_level=None)
connection.execute('BEGIN IMMEDIATE')
print('locked', flush=True)
time.sleep(1)
connection.execute('COMMIT')
'''
WRITERS = '''
from nova_lite import concurrency
concurrency.patch()
import sys, time
from nova_lite.db import engine, quotas
database, gaps = engine.Database(sys.argv[1]), []

def tick():
    last = time.monotonic()
    while True:
        concurrency.sleep(0.005)
        gaps.append(time.monotonic() - last)
        last = time.monotonic()
quotas.get(database, 'p')
concurrency.spawn(tick)
pool = concurrency.GreenPool(30)
for number in range(30):
    pool.spawn_n(quotas.set_, database, 'project-%d' % number, {'cores': number})
pool.waitall()
print(sorted(gaps)[len(gaps) * 9 // 10])
'''


def test_others_run_while_writers_wait(tmp_path):
    records.database(tmp_path).close()
    path = tmp_path / 'nova.sqlite'
    rival = subprocess.Popen([sys.executable, '-c', RIVAL, str(path)], stdout=subprocess.PIPE, text=True)
    assert rival.stdout.readline() == 'locked\n'
    shown = subprocess.run([sys.executable, '-c', WRITERS, 'sqlite:///%s' % path], capture_output=True, text=True,
                           timeout=60)
    rival.wait()
    rival.stdout.close()
    assert shown.returncode == 0, shown.stderr
    assert float(shown.stdout) < 0.25, 'most pauses of another green thread are short'
