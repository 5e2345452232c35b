# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""What the door to eventlet leaves alone until patch() is called."""

import subprocess
import sys

import pytest

SERVER = """
import http.server, threading
from nova_lite import concurrency
server = http.server.ThreadingHTTPServer(('127.0.0.1', 0), http.server.BaseHTTPRequestHandler)
threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
server.shutdown()
"""


@pytest.mark.parametrize('first', ['', 'from nova_lite import concurrency'])
def test_http_servers_in_real_threads_can_be_shut_down(first):
    subprocess.run([sys.executable, '-c', first + SERVER], check=True, timeout=30)
