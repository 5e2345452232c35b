# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Real services in the stand-ins' places: a cloud with the fake driver boots a server with them and deletes it.

NOVA_LITE_REAL_IDENTITY, _IMAGE, _NETWORK, _VOLUME and _PLACEMENT are their URLs, OS_USERNAME, OS_PASSWORD and
OS_PROJECT_NAME the service user's login at that Keystone. Neutron must bind ports on this machine's host name.
"""

import os
import socket
import subprocess
import time

import pytest

from nova_lite.lab import endpoints
from nova_lite.lab import layout as layouts
from nova_lite.lab import options as lab_options
from nova_lite.lab import rest

OFFSET = 7300
URLS = {name: os.environ[f"NOVA_LITE_REAL_{name.upper()}"] for name in lab_options.REAL
        if os.environ.get(f"NOVA_LITE_REAL_{name.upper()}")}
# The real services verify tokens at the real Keystone, so that one is there each time.
SETS = [("identity",), *(("identity", name) for name in URLS if name != "identity"), tuple(URLS)]

pytestmark = pytest.mark.skipif("identity" not in URLS, reason="NOVA_LITE_REAL_IDENTITY names no Keystone")


def run(script, *arguments):
    done = subprocess.run([str(layouts.CLONE / script), *arguments], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, timeout=500)
    assert done.returncode == 0, done.stdout
    return done.stdout


def login(layout):
    """The cloud's REST services, as the service user."""
    options = lab_options.Options(**lab_options.read_record(layout))
    return rest.Cloud(endpoints.Endpoints(layout, options, {}), "nova")


def gone(cloud, server_id):
    return server_id not in [server["id"] for server in cloud.get("compute", "/v2.1/servers")["servers"]]


@pytest.mark.parametrize("names", SETS, ids="+".join)
def test_boot_and_delete(tmp_path, names):
    place = ["--data-dir", str(tmp_path)]
    try:
        shown = run("stack.sh", *place, "--virt", "fake", "--port-offset", str(OFFSET),
                    *(word for name in names for word in (f"--{name}", URLS[name])))
        assert "ACTIVE  vm_state active" in shown
        cloud = login(layouts.under(tmp_path, OFFSET))
        server, = cloud.get("compute", "/v2.1/servers/detail", name="^first$")["servers"]
        server_id = server["id"]
        port, = cloud.get("network", "/v2.0/ports", device_id=server_id)["ports"]
        assert port["binding:vif_type"] not in ("unbound", "binding_failed")
        assert cloud.get("placement", f"/allocations/{server_id}")["allocations"]
        assert cloud.get("image", f"/v2/images/{server['image']['id']}")["status"] == "active"
        cloud.delete("compute", f"/v2.1/servers/{server_id}")
        deadline = time.monotonic() + 60
        while not gone(cloud, server_id):
            assert time.monotonic() < deadline
            time.sleep(0.3)
        assert cloud.get("network", "/v2.0/ports", device_id=server_id)["ports"] == []
        assert cloud.get("placement", f"/allocations/{server_id}")["allocations"] == {}
        # A real Placement outlives this cloud, and would refuse the next one's provider of the same name.
        for provider in cloud.get("placement", "/resource_providers", name=socket.gethostname())["resource_providers"]:
            cloud.delete("placement", f"/resource_providers/{provider['uuid']}")
    finally:
        run("unstack.sh", *place, "--purge")
