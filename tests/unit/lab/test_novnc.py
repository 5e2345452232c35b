# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Where the web client of screens is, and what is configured of consoles."""

from nova_lite.lab import config
from nova_lite.lab import layout as layouts
from nova_lite.lab import novnc
from nova_lite.lab import services


def test_the_proxy_serves_what_was_fetched(tmp_path, monkeypatch):
    layout = layouts.under(tmp_path)
    layout.state.mkdir()
    monkeypatch.setattr(novnc, "INSTALLED", tmp_path / "nowhere")
    commands = {service.name: service.command for service in services.table(layout)}
    assert "--web" not in commands["nova-novncproxy"]
    layout.novnc.mkdir(parents=True)
    (layout.novnc / novnc.PAGE).write_text("noVNC")
    commands = {service.name: service.command for service in services.table(layout)}
    assert commands["nova-novncproxy"][-2:] == ("--web", str(layout.novnc))
    assert "--web" not in commands["nova-serialproxy"]


def test_a_package_that_cannot_be_had_is_said(tmp_path, monkeypatch, capsys):
    layout = layouts.under(tmp_path)
    layout.log.mkdir()
    monkeypatch.setattr(novnc, "INSTALLED", tmp_path / "nowhere")
    monkeypatch.setenv("PATH", str(tmp_path))
    novnc.obtain(layout)
    assert "noVNC could not be fetched" in capsys.readouterr().out


def test_urls_have_the_ports_of_the_cloud(tmp_path):
    sections = config.consoles(layouts.under(tmp_path, 100))
    assert sections["vnc"]["novncproxy_base_url"] == "http://127.0.0.1:6180/vnc_lite.html"
    assert sections["vnc"]["novncproxy_port"] == 6180
    assert sections["serial_console"]["base_url"] == "ws://127.0.0.1:6183/"
