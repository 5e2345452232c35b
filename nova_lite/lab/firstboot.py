# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Boots a first server through plain REST, as any client would, and shows what happens while it does."""

import base64
import re
import time

from nova_lite.lab import errors
from nova_lite.lab import progress
from nova_lite.lab import rest

NAME = "first"
# Marks the server that stack.sh boots, so that a later start replaces it and no other.
METADATA = {"nova_lite": "first"}
ACTIVE_SECONDS = 120
CONSOLE_SECONDS = 180
CONSOLE_LINES = 12
# CirrOS runs this and so prints what the small guest prints by itself.
USER_DATA = """#!/bin/sh
[ -d /modules ] && exit 0
exec >/dev/console 2>&1
echo "nova_lite guest: address $(ip -4 -o addr show dev eth0 | awk '{print $4; exit}')"
echo "nova_lite guest: uuid $(curl -s http://169.254.169.254/openstack/latest/meta_data.json |
    sed 's/.*"uuid": *"\\([^"]*\\)".*/\\1/')"
"""
ADDRESS_LINE = re.compile(r"nova_lite guest: address ([0-9.]+)")
UUID_LINE = re.compile(r"nova_lite guest: uuid ([0-9a-f-]{36})")


def boot(endpoints, image, *, real):
    """Upload `image` where it is missing, boot a server from it and show its way to ACTIVE.

    With `real` guests wait for the guest's own words too. Returns {server, image, network, project, token} for
    the hints on how to go on. Raises LabError when the server fails or the guest stays silent.
    """
    admin = rest.Cloud(endpoints, "admin")
    demo = rest.Cloud(endpoints, "demo")
    image_id = _image(admin, image)
    network_id = _network(admin)
    _remove_earlier(demo)
    progress.say(f"\nBooting the server '{NAME}' (POST {endpoints.url('compute', '/v2.1/servers')}):")
    started = time.monotonic()
    server = demo.post("compute", "/v2.1/servers", {"server": {
        "name": NAME, "imageRef": image_id, "flavorRef": image.flavor, "networks": [{"uuid": network_id}],
        "metadata": METADATA, "user_data": _base64(USER_DATA)}})["server"]
    _show_states(demo, server["id"], started)
    if real:
        _show_console(demo, server["id"])
    return {"server": server["id"], "image": image_id, "network": network_id, "flavor": image.flavor,
            "project": demo.project_id, "token": demo.token}


def _image(admin, image):
    """Id of the public image of that name; uploaded when there is none that is active."""
    found = admin.get("image", "/v2/images", name=image.name, status="active")["images"]
    if found:
        return found[0]["id"]
    created = admin.post("image", "/v2/images", {
        "name": image.name, "disk_format": image.disk_format, "container_format": "bare", "visibility": "public"})
    with open(image.path, "rb") as data:
        admin.upload(f"/v2/images/{created['id']}/file", data)
    return created["id"]


def _network(admin):
    """Id of a network that every project may use; made when there is none."""
    found = admin.get("network", "/v2.0/networks", shared="true")["networks"]
    if found:
        return found[0]["id"]
    network = admin.post("network", "/v2.0/networks", {"network": {"name": "private", "shared": True}})["network"]
    admin.post("network", "/v2.0/subnets", {"subnet": {
        "network_id": network["id"], "ip_version": 4, "cidr": "10.0.0.0/24", "name": "private-subnet"}})
    return network["id"]


def _remove_earlier(demo):
    """Delete what an earlier start booted; its guest ended with that cloud."""
    for server in demo.get("compute", "/v2.1/servers/detail", name=f"^{NAME}$")["servers"]:
        if server["metadata"] == METADATA:
            demo.delete("compute", f"/v2.1/servers/{server['id']}")


def _show_states(demo, server_id, started):
    """Print each state as it is reached, until ACTIVE."""
    shown = None
    while True:
        server = demo.get("compute", f"/v2.1/servers/{server_id}")["server"]
        state = (server["status"], server["OS-EXT-STS:vm_state"], server["OS-EXT-STS:task_state"])
        elapsed = time.monotonic() - started
        if state != shown:
            status, vm_state, task_state = (word or "-" for word in state)
            progress.say(f"  {elapsed:6.2f} s  {status:<7} vm_state {vm_state:<9} task_state {task_state}")
            shown = state
        if state[0] == "ACTIVE":
            return
        if state[0] == "ERROR":
            fault = server.get("fault", {}).get("message", "no fault recorded")
            raise errors.LabError(f"the server {server_id} failed: {fault}")
        if elapsed > ACTIVE_SECONDS:
            raise errors.LabError(f"the server {server_id} is still {state[0]} ({state[2]}) after {ACTIVE_SECONDS} s")
        time.sleep(0.05)


def _show_console(demo, server_id):
    """Wait until the guest has printed its address and uuid, then print its last lines."""
    with progress.step("the guest boots"):
        deadline = time.monotonic() + CONSOLE_SECONDS
        while True:
            text = demo.post("compute", f"/v2.1/servers/{server_id}/action", {"os-getConsoleOutput": {}})["output"]
            address, uuid = ADDRESS_LINE.search(text), UUID_LINE.search(text)
            if address and uuid:
                break
            if time.monotonic() > deadline:
                raise errors.LabError(f"the guest said nothing of its address and uuid within {CONSOLE_SECONDS} s: "
                                      f"openstack console log show {server_id}")
            time.sleep(0.3)
    progress.say(f"\nThe last lines of its console (address {address[1]}, uuid {uuid[1]}):")
    for line in console_lines(text)[-CONSOLE_LINES:]:
        progress.say(f"  | {line}")
    if uuid[1] != server_id:
        raise errors.LabError(f"the metadata service told the guest the uuid {uuid[1]} instead of {server_id}")


def console_lines(text):
    """The lines of a console without what only a terminal understands."""
    plain = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", text)
    plain = re.sub(r"[^\x20-\x7e\n]", "", plain)
    return [line.rstrip() for line in plain.split("\n") if line.strip()]


def _base64(text):
    return base64.b64encode(text.encode()).decode()
