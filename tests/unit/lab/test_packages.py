# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Which packages are missing, and how their installation ends without the means for it."""

import os
import pathlib

import pytest

from nova_lite.lab import errors
from nova_lite.lab import options as lab_options
from nova_lite.lab import packages
from nova_lite.lab import preflight
from nova_lite.lab import virtualenv


def test_fake_asks_for_the_broker_only(monkeypatch):
    monkeypatch.setattr(packages, "_present", lambda proof: False)
    assert set(packages.needed("fake")) - {"python3-venv"} == {"rabbitmq-server"}
    missing = packages.needed("libvirt")
    assert {"rabbitmq-server", "qemu-system-x86", "libvirt-daemon-system", "syslinux"} <= set(missing)
    assert all(missing.values())


def test_without_root_the_message_is_the_command(tmp_path, monkeypatch):
    monkeypatch.setattr(os, "getuid", lambda: 1000)
    with pytest.raises(errors.LabError, match="apt-get install rabbitmq-server' as root"):
        packages.install({"rabbitmq-server": "broker"}, tmp_path / "log")
    packages.install({}, tmp_path / "log")


def test_on_another_distribution(tmp_path, monkeypatch):
    monkeypatch.setattr(os, "getuid", lambda: 0)
    monkeypatch.setattr(preflight, "distribution", lambda: ("fedora", "44"))
    with pytest.raises(errors.LabError, match="this is fedora 44: .* install rabbitmq-server by hand"):
        packages.install({"rabbitmq-server": "broker"}, tmp_path / "log")


def test_the_last_word_of_apt_is_shown(tmp_path, monkeypatch):
    monkeypatch.setattr(os, "getuid", lambda: 0)
    monkeypatch.setattr(preflight, "distribution", lambda: ("debian", "12"))
    monkeypatch.setattr(packages.shutil, "which", lambda *arguments, **values: "/usr/bin/apt-get")
    monkeypatch.setattr(packages, "POLICY", tmp_path / "policy-rc.d")
    policies = []

    def apt(arguments, output):
        policies.append(packages.POLICY.read_text())
        print("E: Unable to locate package x", file=output, flush=True)
        return 100

    monkeypatch.setattr(packages, "_apt", apt)
    with pytest.raises(errors.LabError, match="E: Unable to locate package x"):
        packages.install({"x": "why"}, tmp_path / "log")
    assert "rabbitmq-server" in policies[0]
    assert not packages.POLICY.exists()


def test_a_policy_of_the_machine_stays(tmp_path, monkeypatch):
    monkeypatch.setattr(packages, "POLICY", tmp_path / "policy-rc.d")
    packages.POLICY.write_text("its own")
    with packages._policy():
        assert packages.POLICY.read_text() == "its own"
    assert packages.POLICY.read_text() == "its own"


@pytest.mark.parametrize(("values", "extras"), [
    ({}, {"libvirt"}), ({"virt": "fake"}, set()),
    ({"virt": "fake", "database": "mysql+pymysql://h/n"}, {"mariadb"}),
    ({"database": "postgresql+pg8000://h/n"}, {"libvirt", "postgresql"}),
])
def test_the_virtualenv_has_what_the_cloud_needs(values, extras):
    assert virtualenv.extras(lab_options.Options(**values)) == extras


def test_a_virtualenv_of_other_requirements_is_not_used(tmp_path):
    assert virtualenv._extras_in(tmp_path) is None
    (tmp_path / virtualenv.STAMP).write_text(virtualenv._requirements() + " libvirt mariadb\n")
    assert virtualenv._extras_in(tmp_path) == {"libvirt", "mariadb"}
    (tmp_path / virtualenv.STAMP).write_text("0000 libvirt\n")
    assert virtualenv._extras_in(pathlib.Path(tmp_path)) is None
