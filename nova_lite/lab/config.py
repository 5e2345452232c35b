# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Writes the configuration of a cloud: nova.conf, standins.conf, api-paste.ini, openrc, openrc-admin, clouds.yaml."""

import json
import os
import shlex
import shutil
import socket

from nova_lite.lab import endpoints
from nova_lite.lab import layout as layouts
from nova_lite.lab import secrets

USERS = {"nova-lite": "demo", "nova-lite-admin": "admin"}
# Section of nova.conf: the service that it is about, and what the URL of a real one has behind it.
CLIENTS = {"glance": ("image", ""), "neutron": ("network", ""), "placement": ("placement", ""),
           "cinder": ("volume", "/v3/%(project_id)s")}
MEGABYTES_PER_LOG = 10
EXPORT_PORT = 10809     # the first for volumes that other hosts use


def write_all(layout, options, keys, *, virt_type):
    """Write every file; those with secrets are readable by their owner only.

    `keys` is what secrets.load returned, `virt_type` is `kvm` or `qemu`.
    """
    layout.nova_conf_d.mkdir(exist_ok=True)
    places = endpoints.Endpoints(layout, options, keys)
    sections = nova_conf(layout, options, keys, virt_type) | clients(places, keys)
    secrets.write_private(layout.nova_conf, _render(sections))
    secrets.write_private(layout.standins_conf, _render(standins_conf(layout, options, keys) | real(places)))
    secrets.write_private(layout.etc / "openrc", openrc(layout, places, "nova-lite"))
    secrets.write_private(layout.etc / "openrc-admin", openrc(layout, places, "nova-lite-admin"))
    secrets.write_private(layout.etc / "clouds.yaml", clouds_yaml(places))
    for name in ("openrc", "openrc-admin", "clouds.yaml"):
        _give_to_caller(layout.etc / name)
    shutil.copyfile(layouts.CLONE / "etc" / "nova" / "api-paste.ini", layout.etc / "api-paste.ini")


def _give_to_caller(path):
    """Logins belong to the person who typed `sudo ./stack.sh`, who could not read root's."""
    if os.getuid() == 0 and os.environ.get("SUDO_UID"):
        os.chown(path, int(os.environ["SUDO_UID"]), int(os.environ.get("SUDO_GID", -1)))


def transport_url(layout, keys):
    return f"rabbit://nova_lite:{keys['rabbit_password']}@127.0.0.1:{layout.port('amqp')}/"


def nova_conf(layout, options, keys, virt_type):
    """The sections of nova.conf but for those of `clients`: {section: {option: value}}."""
    database = options.database or f"sqlite:///{layout.state / 'nova.sqlite'}"
    libvirt = options.virt == "libvirt"
    sections = {
        "DEFAULT": {
            "host": socket.gethostname(), "my_ip": _own_address(),
            "state_path": layout.state, "instances_path": layout.instances,
            "log_dir": layout.log, "log_rotation_type": "size", "max_logfile_size_mb": MEGABYTES_PER_LOG,
            "max_logfile_count": 3,
            "transport_url": transport_url(layout, keys),
            # Two clouds on one machine share its libvirt, where names are unique.
            "instance_name_template": f"instance{layout.suffix}-%08x",
            "compute_driver": "libvirt.LibvirtDriver" if libvirt else "fake.FakeDriver",
            "allow_resize_to_same_host": "true" if libvirt or options.hosts == 1 else "false",
            "osapi_compute_listen": "127.0.0.1", "osapi_compute_listen_port": layout.port("compute"),
            "metadata_listen": "127.0.0.1", "metadata_listen_port": layout.port("metadata"),
        },
        "api": {"auth_strategy": "keystone"},
        "wsgi": {"api_paste_config": layout.etc / "api-paste.ini"},
        "api_database": {"connection": database},
        "database": {"connection": database},
    }
    if options.consoles:
        sections |= consoles(layout)
    if libvirt:
        sections["libvirt"] = {"virt_type": virt_type}
    else:
        sections["fake"] = {"hosts": options.hosts}
    return sections


def consoles(layout):
    """The sections of nova.conf on the consoles of servers and their proxies."""
    serial = layout.port("serial")
    return {
        "vnc": {"enabled": "true", "novncproxy_port": layout.port("novnc"),
                "novncproxy_base_url": layout.url("novnc", "/vnc_lite.html")},
        "serial_console": {"enabled": "true", "serialproxy_port": serial, "base_url": f"ws://127.0.0.1:{serial}/"},
    }


def clients(places, keys):
    """The sections of nova.conf on the services around Nova, which are at `places`, an endpoints.Endpoints."""
    login = _service_login(places)
    sections = {"keystone_authtoken": login | {"www_authenticate_uri": places.url("identity", "/v3")}}
    for section, (name, behind) in CLIENTS.items():
        sections[section] = dict(login)
        # A real Keystone's catalog need not know the stand-ins, nor that of the stand-in a service's inner URL.
        if places.real.keys() & {name, "identity"}:
            sections[section]["endpoint_override"] = places.url(name, behind)
    sections["neutron"] |= {"service_metadata_proxy": "true",
                            "metadata_proxy_shared_secret": keys["metadata_secret"]}
    sections["cinder"]["catalog_info"] = "volumev3:cinderv3:publicURL"
    sections["service_user"] = login | {"send_service_user_token": "true"}
    return sections


def real(places):
    """The section of standins.conf on the services that are real, and on the login at a real Keystone."""
    sections = {"real": places.real}
    if "identity" in places.real:
        login = _service_login(places)
        login.pop("region_name")
        sections["service_auth"] = login
    return sections


def standins_conf(layout, options, keys):
    """The sections of standins.conf but for those of `real`."""
    libvirt = options.virt == "libvirt"
    return {
        "DEFAULT": {"listen": "127.0.0.1", "public_host": "127.0.0.1", "region": endpoints.REGION,
                    "state_path": layout.state / "standins"},
        "ports": {name: layout.port(name) for name in ("identity", "image", "network", "placement", "volume",
                                                       "compute")},
        "identity": {name: keys[name] for name in ("admin_password", "demo_password", "service_password")},
        "network": {
            "dataplane": "linuxbridge" if libvirt else "none",
            "metadata_url": layout.url("metadata"), "metadata_proxy_shared_secret": keys["metadata_secret"],
        },
        "volume": {
            "path": layout.state / "volumes", **({"image_url": options.image} if options.image else {}),
            # The hosts of the fake driver are all this machine.
            "export": "nbd" if libvirt else "none", "export_port": EXPORT_PORT + layout.offset,
        },
    }


def openrc(layout, places, cloud):
    """Shell lines that log a user in: `source` them, then use the openstack client."""
    values = {"OS_AUTH_URL": places.url("identity", "/v3"), "OS_IDENTITY_API_VERSION": "3",
              "OS_REGION_NAME": places.region}
    values |= {f"OS_{name.upper()}": value for name, value in places.login(USERS[cloud]).items()}
    if cloud == "nova-lite-admin":
        # For rabbitmqctl: this cloud's own node, not whatever the machine runs besides.
        values["RABBITMQ_NODENAME"] = layout.rabbit_node
    return "".join(f"export {name}={shlex.quote(value)}\n" for name, value in values.items())


def clouds_yaml(places):
    """The same logins for openstacksdk and its tools, as clouds `nova-lite` and `nova-lite-admin`."""
    lines = ["clouds:"]
    for cloud, user in USERS.items():
        lines += [f"  {cloud}:", f"    region_name: {json.dumps(places.region)}", "    identity_api_version: 3",
                  "    auth:"]
        login = {"auth_url": places.url("identity", "/v3"), **places.login(user)}
        # A JSON string is a YAML string.
        lines += [f"      {name}: {json.dumps(value)}" for name, value in login.items()]
    return "\n".join(lines) + "\n"


def _service_login(places):
    return {"auth_type": "password", "auth_url": places.url("identity", "/v3"), **places.login("nova"),
            "region_name": places.region}


def _own_address():
    """The address that other machines reach this one by, 127.0.0.1 on a machine without network."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            # Nothing is sent: connecting a UDP socket only asks for the route.
            probe.connect(("192.0.2.1", 9))
            return probe.getsockname()[0]
        except OSError:
            return "127.0.0.1"


def _render(sections):
    lines = ["# Written by stack.sh, anew at each start."]
    for section, values in sections.items():
        lines.append(f"\n[{section}]")
        # oslo.config expands $name in values.
        lines += [f"{name} = {str(value).replace('$', '$$')}" for name, value in values.items()]
    return "\n".join(lines) + "\n"
