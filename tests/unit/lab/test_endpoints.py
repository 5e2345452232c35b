# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Real services in the place of stand-ins: options, URLs, what the configuration says of them."""

import http.server
import threading

import pytest
from oslo_config import cfg

from nova_lite.conf import registry
from nova_lite.lab import config
from nova_lite.lab import endpoints
from nova_lite.lab import errors
from nova_lite.lab import layout as layouts
from nova_lite.lab import options as lab_options
from nova_lite.lab import secrets
from nova_lite.standins import settings

LOGIN = {"username": "nova", "password": "p$w", "project_name": "service", "user_domain_id": "default",
         "project_domain_name": "Ops", "region_name": "north"}
IDENTITY = {"identity": "https://keystone/id", "login": LOGIN}


@pytest.fixture
def layout(tmp_path):
    place = layouts.under(tmp_path, 300)
    for folder in (place.etc, place.state, place.log):
        folder.mkdir(parents=True)
    return place


def written(layout, **values):
    """(nova.conf, standins.conf, openrc) of a cloud with the options, the first two as {section: {option: value}}."""
    keys = secrets.load(layout)
    config.write_all(layout, lab_options.Options(virt="fake", **values), keys, virt_type="qemu")
    return *(parse(path) for path in (layout.nova_conf, layout.standins_conf)), (layout.etc / "openrc").read_text()


def parse(path):
    sections = {}
    cfg.ConfigParser(str(path), sections).parse()
    return {name: {option: value for option, (value,) in values.items()} for name, values in sections.items()}


@pytest.mark.parametrize(("name", "text", "url"), [
    ("identity", "http://h:5000/v3/", "http://h:5000"), ("identity", "https://h/identity", "https://h/identity"),
    ("image", "http://h:9292/v2", "http://h:9292"), ("network", "http://[::1]:9696/v2.0", "http://[::1]:9696"),
    ("volume", "http://h/volume/v3", "http://h/volume"), ("placement", "http://h/placement/", "http://h/placement"),
])
def test_urls_lose_their_version(tmp_path, name, text, url):
    options, _ = lab_options.parse_stack(["--data-dir", str(tmp_path), f"--{name}", text])
    assert getattr(options, name) == url
    assert options.said == {name}


@pytest.mark.parametrize("text", ["h:5000", "ftp://h", "http://", "http://h /x", "http://h?x=y", ""])
def test_what_is_no_url_is_refused(tmp_path, text, capsys):
    with pytest.raises(SystemExit):
        lab_options.parse_stack(["--data-dir", str(tmp_path), "--image", text])
    assert "is no URL of a service" in capsys.readouterr().err


def test_they_are_remembered_until_told_otherwise(layout):
    place = ["--data-dir", str(layout.data_dir)]
    lab_options.write_record(layout, lab_options.Options(port_offset=300, image="http://h:9292", **IDENTITY))
    options, _ = lab_options.parse_stack(place)
    assert (options.identity, options.image, options.login) == ("https://keystone/id", "http://h:9292", LOGIN)
    options, _ = lab_options.parse_stack([*place, "--image", "standin"])
    assert (options.identity, options.image) == ("https://keystone/id", "")


def test_a_cloud_without_identity_is_refused(tmp_path, capsys):
    with pytest.raises(SystemExit):
        lab_options.parse_stack(["--data-dir", str(tmp_path), "--cloud", "x"])
    assert "--cloud goes with --identity" in capsys.readouterr().err


def test_stand_ins_alone_are_found_in_the_catalog(layout):
    nova, standins, _ = written(layout)
    assert not any("endpoint_override" in values for values in nova.values())
    assert nova["glance"]["auth_url"] == "http://127.0.0.1:5300/v3"
    assert not standins.keys() & {"service_auth"} and not standins.get("real")


def test_one_real_service(layout):
    nova, standins, openrc = written(layout, image="http://h:9292")
    assert nova["glance"]["endpoint_override"] == "http://h:9292"
    assert "endpoint_override" not in nova["neutron"]
    assert standins["real"] == {"image": "http://h:9292"}
    assert standins["volume"]["image_url"] == "http://h:9292"
    assert "OS_AUTH_URL=http://127.0.0.1:5300/v3" in openrc


def test_a_real_keystone_and_the_stand_ins_beside_it(layout):
    nova, standins, openrc = written(layout, volume="http://h:8776", **IDENTITY)
    assert nova["keystone_authtoken"]["auth_url"] == "https://keystone/id/v3"
    assert nova["keystone_authtoken"]["password"] == "p$$w"
    assert {section: nova[section]["endpoint_override"] for section in config.CLIENTS} == {
        "glance": "http://127.0.0.1:9592", "neutron": "http://127.0.0.1:9996",
        "placement": "http://127.0.0.1:9078", "cinder": "http://h:8776/v3/%(project_id)s"}
    assert standins["service_auth"]["project_domain_name"] == "Ops"
    assert "OS_AUTH_URL=https://keystone/id/v3\n" in openrc
    assert "OS_PROJECT_DOMAIN_NAME=Ops\n" in openrc
    assert "OS_REGION_NAME=north\n" in openrc


def test_the_services_know_each_option(layout):
    written(layout, image="http://h:9292", **IDENTITY)
    conf = cfg.ConfigOpts()
    settings.register(conf)
    conf([], default_config_files=[str(layout.standins_conf)])
    assert (conf.real.identity, conf.real.image, conf.real.network) == ("https://keystone/id", "http://h:9292", None)
    assert conf.service_auth.auth_type == "password"
    conf = cfg.ConfigOpts()
    registry.register_all(conf)
    conf([], default_config_files=[str(layout.nova_conf)])
    assert conf.glance.endpoint_override == "http://h:9292"


def test_real_services_must_answer(layout):
    url = "http://127.0.0.1:1"
    places = endpoints.Endpoints(layout, lab_options.Options(network=url), {})
    assert places.stand_ins == ("identity", "image", "volume", "placement")
    with pytest.raises(errors.LabError, match=f"--network {url} does not answer: ConnectionError"):
        places.check()


def test_a_real_keystone_must_take_the_login(layout):
    class Refusal(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(200 if self.command == "GET" else 401, "Said")
            self.send_header("Content-Length", "0")
            self.end_headers()

        do_POST = do_GET

        def log_message(self, *args):
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Refusal) as server:
        threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
        url = f"http://127.0.0.1:{server.server_port}"
        places = endpoints.Endpoints(layout, lab_options.Options(identity=url, login=LOGIN), {})
        with pytest.raises(errors.LabError, match=f"POST {url}/v3/auth/tokens: 401"):
            places.check()
        server.shutdown()
