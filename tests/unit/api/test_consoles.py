# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Remote consoles: URLs with a token, by the old actions and the new call, and what a token stands for."""

import logging
import urllib.parse

import pytest

from nova_lite import exception
from nova_lite.db import instances
from nova_lite.objects import console
from tests.unit.api import servers_cloud
from tests.unit.api import test_servers

BASES = {console.VNC: 'https://proxy:6080/vnc_lite.html?x=1', console.SPICE: 'http://proxy:6082/spice_auto.html',
         console.SERIAL: 'ws://proxy:6083/'}


@pytest.fixture
def cloud(tmp_path):
    return servers_cloud.Cloud(tmp_path)


@pytest.fixture
def server(cloud, monkeypatch):
    """uuid of a server that runs on a host with every kind of console, on port 5901."""
    uuid = cloud.make()
    cloud.host()
    cloud.run(uuid)

    def answer(kind):
        def get(ctxt, host, instance, console_type):
            if console_type != console.TYPES[kind]:
                raise exception.ConsoleTypeInvalid(console_type=console_type)
            return {'host': '127.0.0.1', 'port': 5901, 'internal_access_path': None, 'access_url_base': BASES[kind]}
        return get
    for kind in BASES:
        monkeypatch.setattr(cloud.compute, 'get_%s_console' % kind, answer(kind), raising=False)
    return uuid


def create(cloud, uuid, protocol, kind, version='2.6'):
    return cloud.ask('POST', '/servers/%s/remote-consoles' % uuid,
                     {'remote_console': {'protocol': protocol, 'type': kind}}, version=version)


def token_of(url):
    query = urllib.parse.parse_qs(urllib.parse.urlsplit(url).query)
    if 'path' in query:
        query = urllib.parse.parse_qs(query['path'][0].removeprefix('?'))
    return query['token'][0]


@pytest.mark.parametrize('protocol, kind', [('vnc', 'novnc'), ('spice', 'spice-html5'), ('serial', 'serial')])
def test_a_console(cloud, server, protocol, kind):
    answer = create(cloud, server, protocol, kind)
    assert answer.status == 200
    made = answer.body['remote_console']
    assert made['protocol'] == protocol and made['type'] == kind
    assert made['url'].startswith(BASES[protocol]) and len(token_of(made['url'])) == 36
    told = cloud.ask('GET', '/os-console-auth-tokens/' + token_of(made['url']), version='2.31', admin=True)
    assert told.body == {'console': {'instance_uuid': server, 'host': '127.0.0.1', 'port': 5901,
                                     'internal_access_path': None}}


def test_the_url_of_novnc_keeps_what_its_base_has(cloud, server):
    url = create(cloud, server, 'vnc', 'novnc').body['remote_console']['url']
    assert url == 'https://proxy:6080/vnc_lite.html?x=1&path=%3Ftoken%3D' + token_of(url)


@pytest.mark.parametrize('action, kind', [
    ('os-getVNCConsole', 'novnc'), ('os-getSPICEConsole', 'spice-html5'), ('os-getSerialConsole', 'serial')])
def test_the_old_actions(cloud, server, action, kind):
    answer = test_servers.act(cloud, server, {action: {'type': kind}})
    assert answer.status == 200 and answer.body['console']['type'] == kind
    assert token_of(answer.body['console']['url'])
    assert cloud.ask('POST', '/servers/%s/action' % server, {action: {'type': kind}}, version='2.6').status == 404


@pytest.mark.parametrize('protocol, kind, version', [
    ('vnc', 'xvpvnc', '2.6'), ('vnc', 'serial', '2.6'), ('serial', 'novnc', '2.6'), ('rdp', 'rdp-html5', '2.6'),
    ('mks', 'webmks', '2.6'), ('mks', 'webmks', '2.8'), ('spice', 'spice-direct', '2.98'),
    ('spice', 'spice-direct', '2.99'), ('vnc', 'nonsense', '2.6')])
def test_what_there_is_none_of(cloud, server, protocol, kind, version):
    assert create(cloud, server, protocol, kind, version).status == 400


def test_a_server_that_has_no_console(cloud, server, monkeypatch):
    def fail(error):
        def get(ctxt, host, instance, console_type):
            raise error
        monkeypatch.setattr(cloud.compute, 'get_vnc_console', get)
    fail(exception.ConsoleTypeUnavailable(console_type='novnc'))
    refused = create(cloud, server, 'vnc', 'novnc')
    assert (refused.status, refused.message) == (400, 'Unavailable console type novnc.')
    fail(exception.InstanceNotReady(instance_id=server))
    assert create(cloud, server, 'vnc', 'novnc').status == 409
    cloud.run(server, host='down')
    assert create(cloud, server, 'vnc', 'novnc').status == 409
    assert create(cloud, cloud.make(), 'vnc', 'novnc').status == 409


def test_tokens_are_for_admins_and_end_with_the_server(cloud, server):
    token = token_of(create(cloud, server, 'vnc', 'novnc').body['remote_console']['url'])
    path = '/os-console-auth-tokens/' + token
    assert cloud.ask('GET', path, version='2.31').status == 403
    assert cloud.ask('GET', path, version='2.1', admin=True).status == 401
    assert cloud.ask('GET', path + 'x', version='2.31', admin=True).status == 404
    assert cloud.ask('GET', path, version='2.99', admin=True).body['console']['tls_port'] is None
    assert test_servers.delete(cloud, server) == 204
    instances.transition(cloud.db, server, 'deleted')
    assert cloud.ask('GET', path, version='2.31', admin=True).status == 404


def test_security_2020_001_no_token_in_log_or_database(cloud, server, caplog):
    caplog.set_level(logging.DEBUG)
    token = token_of(create(cloud, server, 'vnc', 'novnc').body['remote_console']['url'])
    cloud.ask('GET', '/os-console-auth-tokens/' + token, version='2.31', admin=True)
    assert token not in caplog.text
    with open(cloud.db.engine.url.database, 'rb') as database:
        assert token.encode() not in database.read()
