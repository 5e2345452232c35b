# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""The files that stack.sh writes, read back by those that use them."""

import os
import stat
import subprocess

import pytest
import yaml
from oslo_config import cfg

from nova_lite.conf import registry
from nova_lite.lab import config
from nova_lite.lab import endpoints
from nova_lite.lab import layout as layouts
from nova_lite.lab import options as lab_options
from nova_lite.lab import secrets
from nova_lite.standins import settings


@pytest.fixture
def layout(tmp_path):
    place = layouts.under(tmp_path, 300)
    for folder in (place.etc, place.state, place.log):
        folder.mkdir(parents=True)
    return place


def write(layout, **values):
    keys = secrets.load(layout)
    config.write_all(layout, lab_options.Options(port_offset=300, **values), keys, virt_type="qemu")
    return keys


def read(path, register):
    conf = cfg.ConfigOpts()
    register(conf)
    conf([], default_config_files=[str(path)])
    return conf


def unknown_options(path, register):
    """Names in the file that nobody registered."""
    conf = read(path, register)
    names = set()
    for section, values in conf._namespace._parsed[0].items():
        group = None if section == "DEFAULT" else section
        known = conf._opts if group is None else (conf._groups[group]._opts if group in conf._groups else {})
        names |= {f"{section}.{name}" for name in values if name.replace("-", "_") not in known}
    return names


def test_nova_conf_says_where_everything_is(layout):
    keys = write(layout, virt="fake", hosts=3, database="mysql+pymysql://u:a$b%c@h/n")
    conf = read(layout.nova_conf, registry.register_all)
    assert conf.state_path == str(layout.state)
    assert conf.instance_name_template % 10 == "instance-300-0000000a"
    assert conf.neutron.metadata_proxy_shared_secret == keys["metadata_secret"]
    assert conf.neutron.service_metadata_proxy is True
    values = conf._namespace._parsed[0]
    assert values["fake"]["hosts"] == ["3"]
    assert values["DEFAULT"]["transport_url"] == [f"rabbit://nova_lite:{keys['rabbit_password']}@127.0.0.1:5982/"]
    assert values["DEFAULT"]["osapi_compute_listen_port"] == ["9074"]


def test_dollars_in_the_database_url_survive(layout):
    write(layout, virt="fake", database="mysql+pymysql://u:a$b%c@h/n")
    conf = read(layout.nova_conf, lambda conf: conf.register_opt(cfg.StrOpt("connection"), "database"))
    assert conf.database.connection == "mysql+pymysql://u:a$b%c@h/n"


@pytest.mark.parametrize("virt", ["libvirt", "fake"])
def test_the_stand_ins_know_each_option(layout, virt):
    keys = write(layout, virt=virt)
    assert unknown_options(layout.standins_conf, settings.register) == set()
    conf = read(layout.standins_conf, settings.register)
    assert conf.ports.identity == 5300
    assert conf.identity.demo_password == keys["demo_password"]
    assert conf.network.dataplane == ("linuxbridge" if virt == "libvirt" else "none")


def test_files_with_secrets_are_private(layout):
    write(layout, virt="fake")
    modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in layout.etc.iterdir() if path.is_file()}
    assert modes.pop("api-paste.ini") & 0o077 == 0o044
    assert len(modes) == 6
    assert set(modes.values()) == {0o600}


def test_a_later_start_keeps_the_secrets(layout):
    assert write(layout, virt="fake") == write(layout, virt="libvirt")
    assert len(set(secrets.load(layout).values())) == len(secrets.NAMES)


@pytest.mark.parametrize(("name", "user"), [("openrc", "demo"), ("openrc-admin", "admin")])
def test_a_shell_can_source_openrc(layout, name, user):
    keys = write(layout, virt="fake")
    shown = subprocess.run(["sh", "-c", f". {layout.etc / name}; env"], capture_output=True, text=True, check=True,
                           env={"PATH": "/usr/bin:/bin"}).stdout.splitlines()
    assert f"OS_USERNAME={user}" in shown
    assert f"OS_PASSWORD={keys[user + '_password']}" in shown
    assert "OS_AUTH_URL=http://127.0.0.1:5300/v3" in shown
    assert ("RABBITMQ_NODENAME=nova_lite_300@localhost" in shown) == (user == "admin")


def test_odd_passwords_are_quoted(layout):
    keys = secrets.load(layout) | {"demo_password": "a'b \"c\" $d`e\\"}
    places = endpoints.Endpoints(layout, lab_options.Options(), keys)
    (layout.etc / "openrc").write_text(config.openrc(layout, places, "nova-lite"))
    shown = subprocess.run(["sh", "-c", f". {layout.etc}/openrc; printf %s \"$OS_PASSWORD\""], capture_output=True,
                           text=True, check=True).stdout
    assert shown == keys["demo_password"]
    assert yaml.safe_load(config.clouds_yaml(places))["clouds"]["nova-lite"]["auth"]["password"] == shown


def test_clouds_yaml_names_both_users(layout):
    write(layout, virt="fake")
    clouds = yaml.safe_load((layout.etc / "clouds.yaml").read_text())["clouds"]
    assert {name: entry["auth"]["username"] for name, entry in clouds.items()} == {
        "nova-lite": "demo", "nova-lite-admin": "admin"}


@pytest.mark.skipif(os.getuid() != 0, reason="only root gives files away")
def test_logins_belong_to_who_used_sudo(layout, monkeypatch):
    monkeypatch.setenv("SUDO_UID", "65534")
    config.write_all(layout, lab_options.Options(), dict.fromkeys(secrets.NAMES, "s"), virt_type="qemu")
    names = ("openrc", "openrc-admin", "clouds.yaml", "nova.conf")
    owners = {name: (layout.etc / name).stat().st_uid for name in names}
    assert owners == {"openrc": 65534, "openrc-admin": 65534, "clouds.yaml": 65534, "nova.conf": 0}
