# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Sessions to other services: whom they trust, by default and by what a person may write."""

import ssl
import subprocess
import threading
from http import server as http_server

import pytest
from oslo_config import cfg

from nova_lite import exception
from nova_lite import http
from nova_lite.conf import services
from nova_lite.volume import cinder

GROUPS = ('glance', 'neutron', 'cinder', 'placement')


class Handler(http_server.BaseHTTPRequestHandler):
    """Any GET is answered with an empty object."""

    def do_GET(self):
        self.send_response(200)
        self.send_header('Content-Length', '2')
        self.end_headers()
        self.wfile.write(b'{}')

    def log_message(self, *args):
        """Requests are no output of a test."""


@pytest.fixture(scope='module')
def stranger(tmp_path_factory):
    """URL of a server whose certificate it has signed itself, and the file of that certificate."""
    folder = tmp_path_factory.mktemp('tls')
    subprocess.run(['openssl', 'req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', '-subj', '/CN=127.0.0.1',
                    '-addext', 'subjectAltName=IP:127.0.0.1', '-keyout', folder / 'key', '-out', folder / 'cert'],
                   check=True, capture_output=True)
    server = http_server.ThreadingHTTPServer(('127.0.0.1', 0), Handler)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(folder / 'cert', folder / 'key')
    server.socket = context.wrap_socket(server.socket, server_side=True)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield 'https://127.0.0.1:%d' % server.server_port, folder / 'cert'
    server.shutdown()
    server.server_close()


def configured(tmp_path, group, **options):
    """A configuration as a person writes it: everything is text."""
    path = tmp_path / 'nova.conf'
    path.write_text('[%s]\n' % group + ''.join('%s = %s\n' % item for item in options.items()))
    conf = cfg.ConfigOpts()
    for name, found in services.OPTIONS.items():
        conf.register_opts(found, group=name)
    services.register(conf)
    conf([], project='nova', default_config_files=[str(path)], default_config_dirs=[])
    return conf


def ask(conf, group):
    return http.request(http.adapter(conf, group), 'GET', '/', group).status_code


@pytest.mark.parametrize('group', GROUPS)
def test_a_self_signed_certificate_is_refused_unless_it_is_known(tmp_path, stranger, group):
    url, certificate = stranger
    own = {'auth_type': 'none', 'endpoint_override': url}
    for options in ({}, {'insecure': 'False'}, {'insecure': 'false'}, {'insecure': '0'}):
        with pytest.raises(exception.ServiceUnreachable):
            ask(configured(tmp_path, group, **own, connect_retries=0, **options), group)
    assert ask(configured(tmp_path, group, **own, cafile=certificate), group) == 200
    assert ask(configured(tmp_path, group, **own, insecure='True'), group) == 200


def test_what_is_no_truth_value_is_no_configuration(tmp_path):
    conf = configured(tmp_path, 'glance', insecure='perhaps')
    with pytest.raises(cfg.ConfigFileValueError):
        conf.glance.insecure  # noqa: B018


@pytest.mark.parametrize('vouches, errors', [('False', 1), ('True', 0)])
def test_volumes_without_a_service_token_are_complained_of(tmp_path, caplog, vouches, errors):
    conf = configured(tmp_path, 'cinder', auth_type='none', endpoint_override='http://127.0.0.1:1')
    conf.set_override('send_service_user_token', vouches == 'True', 'service_user')
    cinder.from_conf(conf)
    said = [record for record in caplog.records if record.levelname == 'ERROR']
    assert len(said) == errors and all('send_service_user_token' in record.getMessage() for record in said)
