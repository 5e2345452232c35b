# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Writes the configuration of a cloud: nova.conf, standins.conf, api-paste.ini, openrc, openrc-admin, clouds.yaml."""

import json
import os
import shlex
import shutil
import socket

from nova_lite.lab import layout as layouts
from nova_lite.lab import secrets

REGION = "RegionOne"
USERS = {"nova-lite": ("demo", "demo", "demo_password"), "nova-lite-admin": ("admin", "admin", "admin_password")}
MEGABYTES_PER_LOG = 10
EXPORT_PORT = 10809     # the first for volumes that other hosts use


def write_all(layout, options, keys, *, virt_type):
    """Write every file; those with secrets are readable by their owner only.

    `keys` is what secrets.load returned, `virt_type` is `kvm` or `qemu`.
    """
    layout.nova_conf_d.mkdir(exist_ok=True)
    secrets.write_private(layout.nova_conf, _render(nova_conf(layout, options, keys, virt_type)))
    secrets.write_private(layout.standins_conf, _render(standins_conf(layout, options, keys)))
    secrets.write_private(layout.etc / "openrc", openrc(layout, keys, "nova-lite"))
    secrets.write_private(layout.etc / "openrc-admin", openrc(layout, keys, "nova-lite-admin"))
    secrets.write_private(layout.etc / "clouds.yaml", clouds_yaml(layout, keys))
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
    """The sections of nova.conf: {section: {option: value}}."""
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
            "osapi_compute_listen": "127.0.0.1", "osapi_compute_listen_port": layout.port("compute"),
            "metadata_listen": "127.0.0.1", "metadata_listen_port": layout.port("metadata"),
        },
        "api": {"auth_strategy": "keystone"},
        "wsgi": {"api_paste_config": layout.etc / "api-paste.ini"},
        "api_database": {"connection": database},
        "database": {"connection": database},
        "keystone_authtoken": {"www_authenticate_uri": layout.url("identity", "/v3"),
                               **_service_login(layout, keys, "nova"), "region_name": REGION},
        "glance": _service_login(layout, keys, "nova") | {"region_name": REGION},
        "neutron": _service_login(layout, keys, "nova") | {
            "region_name": REGION, "service_metadata_proxy": "true",
            "metadata_proxy_shared_secret": keys["metadata_secret"]},
        "placement": _service_login(layout, keys, "nova") | {"region_name": REGION},
        "cinder": _service_login(layout, keys, "nova") | {
            "region_name": REGION, "catalog_info": "volumev3:cinderv3:publicURL"},
    }
    if libvirt:
        sections["libvirt"] = {"virt_type": virt_type}
    else:
        sections["fake"] = {"hosts": options.hosts}
    return sections


def standins_conf(layout, options, keys):
    """The sections of standins.conf."""
    libvirt = options.virt == "libvirt"
    return {
        "DEFAULT": {"listen": "127.0.0.1", "public_host": "127.0.0.1", "region": REGION,
                    "state_path": layout.state / "standins"},
        "ports": {name: layout.port(name) for name in ("identity", "image", "network", "placement", "volume",
                                                       "compute")},
        "identity": {name: keys[name] for name in ("admin_password", "demo_password", "service_password")},
        "network": {
            "dataplane": "linuxbridge" if libvirt else "none",
            "metadata_url": layout.url("metadata"), "metadata_proxy_shared_secret": keys["metadata_secret"],
        },
        "volume": {
            "path": layout.state / "volumes",
            # The hosts of the fake driver are all this machine.
            "export": "nbd" if libvirt else "none", "export_port": EXPORT_PORT + layout.offset,
        },
    }


def openrc(layout, keys, cloud):
    """Shell lines that log a user in: `source` them, then use the openstack client."""
    user, project, key = USERS[cloud]
    values = {
        "OS_AUTH_URL": layout.url("identity", "/v3"), "OS_IDENTITY_API_VERSION": "3",
        "OS_USERNAME": user, "OS_PASSWORD": keys[key], "OS_PROJECT_NAME": project,
        "OS_USER_DOMAIN_ID": "default", "OS_PROJECT_DOMAIN_ID": "default", "OS_REGION_NAME": REGION,
    }
    if cloud == "nova-lite-admin":
        # For rabbitmqctl: this cloud's own node, not whatever the machine runs besides.
        values["RABBITMQ_NODENAME"] = layout.rabbit_node
    return "".join(f"export {name}={shlex.quote(value)}\n" for name, value in values.items())


def clouds_yaml(layout, keys):
    """The same logins for openstacksdk and its tools, as clouds `nova-lite` and `nova-lite-admin`."""
    lines = ["clouds:"]
    for cloud, (user, project, key) in USERS.items():
        lines += [f"  {cloud}:", f"    region_name: {json.dumps(REGION)}", "    identity_api_version: 3", "    auth:"]
        login = {"auth_url": layout.url("identity", "/v3"), "username": user, "password": keys[key],
                 "project_name": project, "user_domain_id": "default", "project_domain_id": "default"}
        # A JSON string is a YAML string.
        lines += [f"      {name}: {json.dumps(value)}" for name, value in login.items()]
    return "\n".join(lines) + "\n"


def _service_login(layout, keys, user):
    return {"auth_type": "password", "auth_url": layout.url("identity", "/v3"), "username": user,
            "password": keys["service_password"], "project_name": "service", "user_domain_id": "default",
            "project_domain_id": "default"}


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
