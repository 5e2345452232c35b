# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Images by way of the compute API."""

import pytest

from nova_lite.api import deploy
from nova_lite.api.openstack import frame
from nova_lite.api.openstack.compute import routes
from nova_lite.network import neutron
from tests.unit.api import servers_cloud
from tests.unit.compute_api import doubles


@pytest.fixture
def cloud(tmp_path):
    made = servers_cloud.Cloud(tmp_path)
    made.glance.images.clear()
    services = deploy.Services(conf=made.conf, db=made.db, enforcer=made.rules, compute_api=made.api,
                               network=neutron.API(made.neutron))
    made._app = frame.FaultWrapper(deploy.build_application(routes.TABLE, services))
    return made


def test_an_image_as_the_compute_api_shows_it(cloud):
    image_id = cloud.glance.add(name='copy', min_ram=64, min_disk=1, instance_uuid='server-1', auto_disk_config='True',
                                created_at='2026-01-01T00:00:00Z', updated_at='2026-01-02T00:00:00Z')
    image = cloud.ask('GET', '/images/%s' % image_id).body['image']
    links = {link['rel']: link['href'] for link in image.pop('links')}
    assert links == {'self': 'http://cloud:8774/v2.1/images/' + image_id,
                     'bookmark': 'http://cloud:8774/images/' + image_id, 'alternate': 'http://image/images/' + image_id}
    assert image.pop('server')['id'] == 'server-1'
    assert image == {
        'id': image_id, 'name': 'copy', 'status': 'ACTIVE', 'progress': 100, 'created': '2026-01-01T00:00:00Z',
        'updated': '2026-01-02T00:00:00Z', 'minRam': 64, 'minDisk': 1, 'OS-EXT-IMG-SIZE:size': 1000,
        'OS-DCF:diskConfig': 'AUTO', 'metadata': {'instance_uuid': 'server-1', 'auto_disk_config': 'True'}}


@pytest.mark.parametrize(('status', 'shown', 'progress'), [
    ('queued', 'SAVING', 25), ('saving', 'SAVING', 50), ('killed', 'ERROR', 0), ('deactivated', 'UNKNOWN', 0)])
def test_states(cloud, status, shown, progress):
    image = cloud.ask('GET', '/images/%s' % cloud.glance.add(status=status, size=None)).body['image']
    assert (image['status'], image['progress'], image['OS-EXT-IMG-SIZE:size']) == (shown, progress, 0)


@pytest.mark.parametrize('path', ['/images', '/images/detail'])
def test_lists_by_pages(cloud, path):
    ids = [cloud.glance.add(name='image-%d' % number) for number in range(3)][::-1]
    assert [image['id'] for image in cloud.ask('GET', path).body['images']] == ids
    assert 'images_links' not in cloud.ask('GET', path).body
    page = cloud.ask('GET', path + '?limit=2').body
    assert [image['id'] for image in page['images']] == ids[:2]
    [link] = page['images_links']
    assert link['href'].startswith('http://cloud:8774/v2.1%s?' % path)
    rest = cloud.ask('GET', '%s?%s' % (path, link['href'].partition('?')[2])).body['images']
    assert [image['id'] for image in rest] == ids[2:]
    assert ('metadata' in page['images'][0]) == (path != '/images')


@pytest.mark.parametrize(('query', 'found'), [
    ('name=one', ['one']), ('status=active', ['two', 'one']), ('status=SAVING', []), ('type=snapshot', ['two']),
    ('server=s-1', ['two']), ('server=http://cloud/servers/s-1', ['two']), ('minRam=64', ['one'])])
def test_filters(cloud, query, found):
    cloud.glance.add(name='one', min_ram='64')
    cloud.glance.add(name='two', image_type='snapshot', instance_uuid='s-1')
    assert [image['name'] for image in cloud.ask('GET', '/images?' + query).body['images']] == found


def test_changes_since(cloud):
    cloud.ask('GET', '/images?changes-since=2026-01-01T00:00:00Z')
    assert 'updated_at=gte%3A2026-01-01T00%3A00%3A00Z' in cloud.glance.log[-1][1]


@pytest.mark.parametrize('query', ['limit=-1', 'limit=x', 'changes-since=yesterday', 'minRam=x'])
def test_bad_queries(cloud, query):
    assert cloud.ask('GET', '/images?' + query).status == 400


def test_delete(cloud):
    image_id = cloud.glance.add(owner='p1')
    assert cloud.ask('DELETE', '/images/%s' % image_id).status == 204
    assert cloud.ask('DELETE', '/images/%s' % image_id).status == 404
    assert cloud.ask('DELETE', '/images/%s' % cloud.glance.add(protected=True)).status == 403


def test_not_since_2_36(cloud):
    image_id = cloud.glance.add()
    assert cloud.ask('GET', '/images/%s' % image_id, version='2.36').status == 404
    assert cloud.ask('GET', '/images/%s/metadata' % image_id, version='2.38').status == 200
    assert cloud.ask('GET', '/images/%s/metadata' % image_id, version='2.39').status == 404


def test_others_do_not_see_a_private_image(cloud):
    image_id = cloud.glance.add(visibility='private', owner='p1')
    assert cloud.ask('GET', '/images/%s' % image_id, project='p2').status == 404
    assert cloud.ask('GET', '/images/%s/metadata' % image_id, project='p2').status == 404


def test_metadata(cloud):
    path = '/images/%s/metadata' % cloud.glance.add(a='1', b='2')
    assert cloud.ask('GET', path).body == {'metadata': {'a': '1', 'b': '2'}}
    assert cloud.ask('GET', path + '/a').body == {'meta': {'a': '1'}}
    assert cloud.ask('POST', path, {'metadata': {'b': '3', 'c': '4'}}).body == {
        'metadata': {'a': '1', 'b': '3', 'c': '4'}}
    assert cloud.ask('PUT', path + '/a', {'meta': {'a': '9'}}).body == {'meta': {'a': '9'}}
    assert cloud.ask('DELETE', path + '/b').status == 204
    assert cloud.ask('GET', path).body == {'metadata': {'a': '9', 'c': '4'}}
    assert cloud.ask('PUT', path, {'metadata': {'d': '5'}}).body == {'metadata': {'d': '5'}}
    assert cloud.ask('GET', path).body == {'metadata': {'d': '5'}}


@pytest.mark.parametrize(('method', 'suffix', 'body', 'status'), [
    ('GET', '/x', None, 404), ('DELETE', '/x', None, 404), ('PUT', '/x', {'meta': {'y': '1'}}, 400),
    ('PUT', '/x', {'meta': {}}, 400), ('POST', '', {'metadata': {'x': 1}}, 400),
    ('POST', '', {'metadata': {'key-%d' % number: 'x' for number in range(129)}}, 403)])
def test_metadata_that_cannot_be(cloud, method, suffix, body, status):
    path = '/images/%s/metadata%s' % (cloud.glance.add(), suffix)
    assert cloud.ask(method, path, body).status == status
    missing = '/images/%s/metadata%s' % (doubles.new_id(), suffix)
    assert cloud.ask(method, missing, body).status in (404, status)
