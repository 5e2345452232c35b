# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""The stand-ins' database under eventlet: a transaction that is left open for a moment holds nobody up for long."""

import subprocess
import sys

TWO = '''
from nova_lite import concurrency
concurrency.patch()
import sys
from nova_lite.standins import store as stores
store = stores.Store(sys.argv[1])

def hold():
    with store.begin():
        print('first begins', flush=True)
        concurrency.sleep(0.01)
        print('first ends', flush=True)

def follow():
    with store.begin():
        print('second begins', flush=True)

threads = [concurrency.spawn(hold), concurrency.spawn(follow)]
for thread in threads:
    thread.wait()
'''


def test_transactions_take_turns(tmp_path):
    done = subprocess.run([sys.executable, '-c', TWO, 'sqlite:///%s/s.sqlite' % tmp_path], capture_output=True,
                          text=True, timeout=60)
    assert done.stdout.splitlines() == ['first begins', 'first ends', 'second begins'], done.stderr[-500:]
