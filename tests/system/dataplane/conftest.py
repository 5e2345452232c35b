# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""A network service with its data plane on this machine; all that it makes is removed, and nothing may be left.

Needs root, iproute2, nftables, dnsmasq and busybox with udhcpc; skipped with the reason where something is missing.
"""

import contextlib
import http.server
import os
import shutil
import threading

import pytest

from tests.system.dataplane import host

MISSING = [tool for tool in ('ip', 'nft', 'dnsmasq', 'busybox')
           if shutil.which(tool, path=os.environ['PATH'] + ':/usr/sbin:/sbin') is None]
HERE = os.path.dirname(__file__)


def pytest_collection_modifyitems(items):
    reason = 'needs root: it makes bridges and namespaces' if os.getuid() else (
        'not installed: ' + ', '.join(MISSING) if MISSING else None)
    for item in items:
        if reason and str(item.path).startswith(HERE):
            item.add_marker(pytest.mark.skip(reason=reason))


@pytest.fixture(scope='module')
def metadata_url():
    server = http.server.ThreadingHTTPServer(('127.0.0.1', 0), host.Metadata)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield 'http://127.0.0.1:%d' % server.server_port
    server.shutdown()
    server.server_close()


@pytest.fixture
def make(tmp_path, metadata_url):
    """Builds started services; removes all that they made, and sees that nothing is left."""
    made = []

    def build(name='state'):
        service = host.Service(tmp_path / name, metadata_url)
        service.start()
        made.append(service)
        return service
    yield build
    for service in made:
        service.kill()
        service.teardown()
        assert host.remains(service) == []


@pytest.fixture
def service(make):
    return make()


@pytest.fixture
def plug(service, tmp_path):
    """Plugs guests into ports; unplugs them before the service goes."""
    with contextlib.ExitStack() as stack:
        yield lambda port: host.Guest(stack, tmp_path, port)
