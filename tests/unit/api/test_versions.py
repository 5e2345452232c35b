# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Version documents, links, and what a proxy in front changes of them."""

import pytest
from oslo_config import cfg

from nova_lite.api import deploy
from tests.unit.api import client
from tests.unit.api import conftest


@pytest.fixture
def anyone(app):
    return client.Client(app, user=None, base='')


@pytest.mark.parametrize('path', ['/', ''])
def test_root(anyone, path):
    old, new = anyone.get(path)['versions']
    assert (old['id'], old['status'], old['version'], old['min_version']) == ('v2.0', 'SUPPORTED', '', '')
    assert (new['id'], new['status'], new['version'], new['min_version']) == ('v2.1', 'CURRENT', '2.104', '2.1')
    assert new['links'] == [{'rel': 'self', 'href': 'http://nova.test:8774/v2.1/'}]


@pytest.mark.parametrize(('path', 'id_'), [('/v2.1', 'v2.1'), ('/v2.1/', 'v2.1'), ('/v2', 'v2.0'), ('/v2/', 'v2.0')])
def test_one_version(anyone, path, id_):
    version = anyone.get(path)['version']
    assert version['id'] == id_
    assert version['media-types'][0]['base'] == 'application/json'
    assert anyone('POST', path).status == 405


@pytest.mark.parametrize('path', ['/v3', '/v3/servers', '/favicon.ico', '/v2.1x/servers', '//evil.example/%2F..'])
def test_other_roots(anyone, path):
    answer = anyone('GET', path)
    assert answer.status == 300 and [choice['id'] for choice in answer.json['choices']] == ['v2.0', 'v2.1']
    assert 'location' not in answer.headers
    assert answer.json['choices'][0]['links'][0]['href'].startswith('http://nova.test:8774/v2/')


def test_public_url(conf, services):
    conf.set_override('compute_link_prefix', 'https://cloud.example.org/compute/', 'api')
    app = deploy.load(str(conftest.PASTE), 'osapi_compute', services)
    admin = client.Client(app, 'admin', 'admin')
    admin.post('/flavors', {'flavor': {'name': 'f', 'id': '1', 'ram': 1, 'vcpus': 1, 'disk': 1}})
    assert admin.get('/admin/flavors/1')['flavor']['links'] == [
        {'rel': 'self', 'href': 'https://cloud.example.org/compute/v2.1/admin/flavors/1'},
        {'rel': 'bookmark', 'href': 'https://cloud.example.org/compute/admin/flavors/1'}]
    assert admin.get('/flavors?limit=1')['flavors_links'][0]['href'] == (
        'https://cloud.example.org/compute/v2.1/flavors?limit=1&marker=1')
    version = client.Client(app, user=None, base='').get('/v2.1')['version']
    assert version['links'][0]['href'] == 'https://cloud.example.org/compute/v2.1/'


FORWARDED = {'X-Forwarded-Proto': 'https', 'X-Forwarded-Host': 'evil.example', 'X-Forwarded-Prefix': '/p'}


def test_forwarded_headers_are_not_believed(admin):
    admin().post('/flavors', {'flavor': {'name': 'f', 'id': '1', 'ram': 1, 'vcpus': 1, 'disk': 1}})
    flavor = admin().get('/flavors/1', headers=FORWARDED)['flavor']
    assert flavor['links'][0]['href'] == 'http://nova.test:8774/v2.1/flavors/1'


@pytest.fixture
def trusting():
    """The filter reads the process-wide configuration."""
    cfg.CONF.set_override('enable_proxy_headers_parsing', True, 'oslo_middleware')
    yield
    cfg.CONF.clear_override('enable_proxy_headers_parsing', 'oslo_middleware')


def test_forwarded_headers_of_a_trusted_proxy(admin, trusting):
    admin().post('/flavors', {'flavor': {'name': 'f', 'id': '1', 'ram': 1, 'vcpus': 1, 'disk': 1}})
    flavor = admin(base='/v2').get('/flavors/1', headers=FORWARDED)['flavor']
    assert flavor['links'][0]['href'] == 'https://evil.example/p/v2/flavors/1'


def test_paste_file_that_is_not_there(services, tmp_path):
    with pytest.raises(OSError):
        deploy.load(str(tmp_path / 'nothing.ini'), 'osapi_compute', services)
    (tmp_path / 'empty.ini').write_text('')
    with pytest.raises(LookupError):
        deploy.load(str(tmp_path / 'empty.ini'), 'osapi_compute', services)
