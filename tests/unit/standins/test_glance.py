# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Glance: records, uploads and downloads, patches, lists, sharing, and what must not be possible."""

import hashlib
import io
import json
import os
import struct

import pytest

from nova_lite.standins import rest
from nova_lite.standins.glance import app as glance_app
from nova_lite.standins.glance import patches
from tests.unit.standins import cloud

OCTETS = {'Content-Type': 'application/octet-stream'}
PATCH = {'Content-Type': patches.MEDIA_TYPE}
RAW = b'x' * 3000


def qcow2(size=1 << 30, backing=0, features=0):
    """The header of a version 3 qcow2 file."""
    header = struct.pack('>4sIQIIQIIQQIIQQQQII', b'QFI\xfb', 3, backing, 20 if backing else 0, 16, size, 0, 1, 65536,
                         131072, 1, 0, 0, features, 0, 0, 4, 104)
    return header + bytes(70000 - len(header))


@pytest.fixture
def glance(conf, store, keystone):
    return glance_app.application(conf, store, keystone.identify)


@pytest.fixture
def images(glance, demo):
    return cloud.Client(glance, demo.token)


@pytest.fixture
def boss(glance, admin):
    return cloud.Client(glance, admin.token)


def create(client, **fields):
    status, body = client('POST', '/v2/images', {
        'name': 'i', 'disk_format': 'raw', 'container_format': 'bare', **fields})
    assert status == 201, body
    return body


def upload(client, image, data=RAW):
    return client('PUT', image['file'], data, OCTETS)


def files(conf):
    return os.listdir(os.path.join(conf.state_path, 'images'))


def test_version_documents(glance):
    anyone = cloud.Client(glance)
    for path, status in (('/', 300), ('/v2/', 300), ('/versions', 200)):
        got, body = anyone('GET', path)
        assert (got, body['versions'][0]['status']) == (status, 'CURRENT')
        assert body['versions'][0]['links'][0]['href'] == 'http://localhost/v2/'
    assert anyone('GET', '/v2/images')[0] == 401


def test_life_of_an_image(images, conf):
    image = create(images, id='6b6a5a1c-6a9e-4c3c-9a34-0c9d3a3c9b10', hw_disk_bus='virtio', tags=['a', 'a'], min_ram=64)
    assert images.headers['location'] == 'http://localhost/v2/images/' + image['id']
    assert (image['status'], image['visibility'], image['hw_disk_bus'], image['tags'], image['size']) == (
        'queued', 'shared', 'virtio', ['a'], None)
    assert upload(images, image) == (204, b'')
    image = images('GET', image['self'])[1]
    assert (image['status'], image['size'], image['virtual_size']) == ('active', 3000, 3000)
    assert image['checksum'] == hashlib.md5(RAW).hexdigest()
    assert (image['os_hash_algo'], image['os_hash_value']) == ('sha512', hashlib.sha512(RAW).hexdigest())
    assert images('GET', image['file']) == (200, RAW)
    assert images.headers['content-md5'] == image['checksum']
    assert images.headers['content-length'] == '3000'
    assert images('GET', image['file'], headers={'Range': 'bytes=10-19'}) == (206, RAW[10:20])
    assert images.headers['content-range'] == 'bytes 10-19/3000'
    assert images('GET', image['file'], headers={'Range': 'bytes=-5'}) == (206, RAW[-5:])
    assert images('GET', image['file'], headers={'Range': 'bytes=3000-'})[0] == 416
    assert upload(images, image)[0] == 409
    assert images('DELETE', image['self'])[0] == 204
    assert images('GET', image['self'])[0] == 404
    assert files(conf) == []


@pytest.mark.parametrize('disk_format, content, status', [
    ('qcow2', qcow2(), 204), ('raw', RAW, 204), ('raw', b'', 204), ('aki', RAW, 204),
    ('raw', qcow2(), 415), ('qcow2', RAW, 415), ('vmdk', qcow2(), 415), ('iso', RAW, 415), ('vhdx', RAW, 415),
    ('qcow2', qcow2(backing=200), 415), ('qcow2', qcow2(features=4), 415), ('qcow2', qcow2(features=0x80), 415)])
def test_content_must_be_what_the_format_says(images, conf, disk_format, content, status):
    image = create(images, disk_format=disk_format)
    assert upload(images, image, content)[0] == status
    shown = images('GET', image['self'])[1]
    if status == 204:
        assert shown['status'] == 'active'
        assert shown['virtual_size'] == (1 << 30 if disk_format == 'qcow2' else len(content))
    else:
        assert (shown['status'], shown['size'], files(conf)) == ('queued', None, [])
        assert images('GET', image['file'])[0] == 204


@pytest.mark.parametrize('name', ['status', 'checksum', 'locations', 'size', 'os_hash_value', 'created_at', 'members',
                                  'virtual_size', 'file', 'os_glance_x'])
def test_what_callers_may_not_set(images, name):
    assert images('POST', '/v2/images', {'name': 'i', name: 'x'})[0] == 403
    image = create(images)
    for step in ({'op': 'add', 'path': '/' + name, 'value': 'x'}, {'op': 'replace', 'path': '/' + name, 'value': 'x'}):
        assert images('PATCH', image['self'], json.dumps([step]).encode(), PATCH)[0] == 403


@pytest.mark.parametrize('body', [
    [], {'name': 7}, {'name': 'a' * 256}, {'disk_format': 'floppy'}, {'container_format': 'box'}, {'min_ram': -1},
    {'min_disk': '1'}, {'visibility': 'secret'}, {'id': 'not-a-uuid'}, {'tags': 'a'}, {'protected': 'yes'}, {'prop': 7},
    {'prop': None}, {'p' * 256: 'x'}, {'tags': ['a' * 256]}])
def test_bad_bodies(images, body):
    assert images('POST', '/v2/images', body)[0] == 400


def test_limits(images):
    assert images('POST', '/v2/images', {'p%d' % n: 'x' for n in range(129)})[0] == 413
    image = create(images, id='6b6a5a1c-6a9e-4c3c-9a34-0c9d3a3c9b10')
    assert images('POST', '/v2/images', {'id': image['id']})[0] == 409


def test_rights(images, boss):
    assert images('POST', '/v2/images', {'name': 'i', 'visibility': 'public'})[0] == 403
    assert images('POST', '/v2/images', {'name': 'i', 'owner': 'somebody'})[0] == 403
    private = create(boss, visibility='private')
    public = create(boss, visibility='public')
    community = create(boss, visibility='community')
    for method, path in (('GET', private['self']), ('GET', private['file']), ('DELETE', private['self']),
                         ('PUT', private['self'] + '/tags/x'), ('GET', private['self'] + '/members')):
        assert images(method, path)[0] == 404
    assert upload(images, private)[0] == 404
    for image in (public, community):
        assert images('GET', image['self'])[0] == 200
        assert images('DELETE', image['self'])[0] == 403
        assert upload(images, image)[0] == 403
        assert images('PATCH', image['self'], b'[]', PATCH)[0] == 403
    listed = images('GET', '/v2/images')[1]['images']
    assert [image['id'] for image in listed] == [public['id']]
    listed = images('GET', '/v2/images?visibility=community')[1]['images']
    assert [image['id'] for image in listed] == [community['id']]


def test_reader_may_not_create(admin, glance, keystone):
    user = admin('POST', '/v3/users', {'user': {'name': 'eye', 'password': 'x'}})[1]['user']
    project = admin('GET', '/v3/projects?name=demo')[1]['projects'][0]
    role = admin('GET', '/v3/roles?name=reader')[1]['roles'][0]
    admin('PUT', '/v3/projects/%s/users/%s/roles/%s' % (project['id'], user['id'], role['id']))
    cloud.PASSWORDS['eye'] = 'x'
    eye = cloud.Client(glance, cloud.login(keystone.app, 'eye', 'demo'))
    assert eye('POST', '/v2/images', {'name': 'i'})[0] == 403
    assert eye('GET', '/v2/images')[0] == 200


def test_patch(images):
    image = create(images, old='1')
    steps = [{'op': 'replace', 'path': '/name', 'value': 'new'}, {'op': 'add', 'path': '/a~1b', 'value': 'x'},
             {'op': 'replace', 'path': '/tags', 'value': ['t', 't']}, {'op': 'remove', 'path': '/old'},
             {'op': 'replace', 'path': '/min_disk', 'value': 3}]
    status, image = images('PATCH', image['self'], json.dumps(steps).encode(), PATCH)
    assert (status, image['name'], image['a/b'], image['tags'], image['min_disk']) == (200, 'new', 'x', ['t'], 3)
    assert 'old' not in image
    assert images('PATCH', image['self'], b'[]')[0] == 415
    for step, status in (
            ({'op': 'remove', 'path': '/name'}, 403), ({'op': 'remove', 'path': '/nope'}, 409),
            ({'op': 'replace', 'path': '/nope', 'value': 'x'}, 409), ({'op': 'add', 'path': '/x', 'value': 1}, 400),
            ({'op': 'move', 'path': '/x'}, 400), ({'op': 'add', 'path': '/x/y', 'value': 'x'}, 400),
            ({'op': 'add', 'path': '/x'}, 400), ({'op': 'replace', 'path': '/visibility', 'value': 'public'}, 403),
            ({'op': 'replace', 'path': '/min_disk', 'value': 'x'}, 400)):
        assert images('PATCH', image['self'], json.dumps([step]).encode(), PATCH)[0] == status, step
    upload(images, image)
    step = {'op': 'replace', 'path': '/disk_format', 'value': 'qcow2'}
    assert images('PATCH', image['self'], json.dumps([step]).encode(), PATCH)[0] == 403


def test_a_patch_in_the_form_of_old(images):
    image, old = create(images, old='1'), {'Content-Type': patches.OLD_MEDIA_TYPE}
    steps = [{'add': '/hw_rescue_bus', 'value': 'usb'}, {'replace': '/name', 'value': 'new'}, {'remove': '/old'}]
    status, image = images('PATCH', image['self'], json.dumps(steps).encode(), old)
    assert (status, image['name'], image['hw_rescue_bus']) == (200, 'new', 'usb')
    assert 'old' not in image
    for step in ({'move': '/x'}, {'value': 'x'}, {'add': '/x'}, {'add': '/x', 'remove': '/y'}, {}, {'add': 'x'},
                 {'op': 'add', 'path': '/x', 'value': 'x'}):
        assert images('PATCH', image['self'], json.dumps([step]).encode(), old)[0] == 400, step


def test_protected_image_stays(images):
    image = create(images, protected=True)
    assert images('DELETE', image['self'])[0] == 403
    step = {'op': 'replace', 'path': '/protected', 'value': False}
    images('PATCH', image['self'], json.dumps([step]).encode(), PATCH)
    assert images('DELETE', image['self'])[0] == 204


def test_list_filters_and_order(images):
    for name, fmt, tags in (('b', 'raw', ['x']), ('a', 'qcow2', ['x', 'y']), ('c,d', 'raw', [])):
        create(images, name=name, disk_format=fmt, tags=tags, kind='k' + name)

    def names(query):
        status, body = images('GET', '/v2/images?' + query)
        assert status == 200, body
        return [image['name'] for image in body['images']]
    assert names('sort=name:asc') == ['a', 'b', 'c,d']
    assert names('sort_key=name&sort_dir=desc') == ['c,d', 'b', 'a']
    assert names('name=a') == ['a']
    assert names('sort=name:asc&name=in:a,%22c,d%22') == ['a', 'c,d']
    assert names('tag=x&tag=y') == ['a']
    assert names('disk_format=qcow2') == ['a']
    assert names('kind=kb') == ['b']
    assert names('status=active') == []
    assert names('os_hidden=true') == []
    assert names('created_at=gt:2999-01-01T00:00:00Z') == []
    assert len(names('created_at=lte:2999-01-01T00:00:00Z')) == 3
    for query in ('limit=x', 'marker=nope', 'sort=colour', 'sort_key=name&sort_dir=up', 'visibility=none',
                  'os_hidden=perhaps', 'size_min=small', 'created_at=gt:yesterday', 'member_status=x'):
        assert images('GET', '/v2/images?' + query)[0] == 400, query


def test_pages(images):
    for number in range(5):
        create(images, name='i%d' % number)
    path, seen = '/v2/images?limit=2&sort=name:asc', []
    while path:
        body = images('GET', path)[1]
        assert body['first'] == '/v2/images?limit=2&sort=name%3Aasc'
        seen += [image['name'] for image in body['images']]
        path = body.get('next')
    assert seen == ['i0', 'i1', 'i2', 'i3', 'i4']


def test_tags_and_actions(images):
    image = create(images)
    assert images('PUT', image['self'] + '/tags/x')[0] == 204
    assert images('GET', image['self'])[1]['tags'] == ['x']
    assert images('DELETE', image['self'] + '/tags/x')[0] == 204
    assert images('DELETE', image['self'] + '/tags/x')[0] == 404
    assert images('POST', image['self'] + '/actions/deactivate')[0] == 403
    upload(images, image)
    assert images('POST', image['self'] + '/actions/deactivate')[0] == 204
    assert images('GET', image['file'])[0] == 403
    assert images('POST', image['self'] + '/actions/reactivate')[0] == 204
    assert images('GET', image['file'])[0] == 200


def test_sharing(images, boss, keystone):
    demo = keystone.project_id('demo')
    image = create(boss)
    assert images('GET', image['self'])[0] == 404
    status, member = boss('POST', image['self'] + '/members', {'member': demo})
    assert (status, member['status'], member['member_id']) == (200, 'pending', demo)
    assert boss('POST', image['self'] + '/members', {'member': demo})[0] == 409
    assert images('GET', image['self'])[0] == 200
    assert images('GET', '/v2/images')[1]['images'] == []
    assert images('POST', image['self'] + '/members', {'member': 'other'})[0] == 403
    assert images('PUT', image['self'] + '/members/' + demo, {'status': 'accepted'})[1]['status'] == 'accepted'
    assert [item['id'] for item in images('GET', '/v2/images')[1]['images']] == [image['id']]
    assert images('GET', image['self'] + '/members')[1]['members'][0]['status'] == 'accepted'
    assert images('DELETE', image['self'] + '/members/' + demo)[0] == 403
    assert boss('DELETE', image['self'] + '/members/' + demo)[0] == 204
    assert images('GET', image['self'])[0] == 404


def test_upload_that_ends_early_leaves_nothing(images, conf):
    image = create(images)
    assert images('PUT', image['file'], b'abc', {**OCTETS, 'Content-Length': '10'})[0] == 400
    assert (images('GET', image['self'])[1]['status'], files(conf)) == ('queued', [])
    assert upload(images, image)[0] == 204


def test_chunked_upload_and_size_cap(images, conf, store, keystone):
    def chunked(image, data):
        environ = {'REQUEST_METHOD': 'PUT', 'PATH_INFO': image['file'], 'HTTP_X_AUTH_TOKEN': images.token,
                   'HTTP_TRANSFER_ENCODING': 'chunked', 'CONTENT_TYPE': 'application/octet-stream',
                   'wsgi.input': io.BytesIO(data)}
        statuses = []
        list(images.app(environ, lambda status, headers: statuses.append(status[:3])))
        return statuses[0]
    image = create(images)
    assert chunked(image, RAW) == '204'
    assert images('GET', image['self'])[1]['size'] == 3000
    images('DELETE', image['self'])
    conf.set_override('image_size_cap', 2999, 'image')
    images.app = glance_app.application(conf, store, keystone.identify)
    image = create(images)
    assert chunked(image, RAW) == '413'
    assert upload(images, image)[0] == 413
    assert (images('GET', image['self'])[1]['status'], files(conf)) == ('queued', [])


def test_quota(conf, store, keystone, demo):
    conf.set_override('user_storage_quota', 5000, 'image')
    images = cloud.Client(glance_app.application(conf, store, keystone.identify), demo.token)
    first, second = create(images), create(images)
    assert upload(images, first)[0] == 204
    assert upload(images, second)[0] == 413
    images('DELETE', first['self'])
    assert upload(images, second)[0] == 204


def test_deletion_during_the_upload(images, conf, glance):
    image = create(images)

    class Body(io.BytesIO):
        def read(self, size=-1):
            images('DELETE', image['self'])
            return super().read(size)
    environ = {'REQUEST_METHOD': 'PUT', 'PATH_INFO': image['file'], 'HTTP_X_AUTH_TOKEN': images.token,
               'CONTENT_LENGTH': '3000', 'CONTENT_TYPE': 'application/octet-stream', 'wsgi.input': Body(RAW)}
    statuses = []
    glance(environ, lambda status, headers: statuses.append(status[:3]))
    assert (statuses, files(conf)) == (['410'], [])


def test_restart_tidies_up(images, conf, store, keystone, glance):
    image, done = create(images), create(images)
    upload(images, done)
    directory = os.path.join(conf.state_path, 'images')
    for name in (image['id'] + '.part', 'stray'):
        with open(os.path.join(directory, name), 'w') as file:
            file.write('x')
    again = cloud.Client(glance_app.application(conf, store, keystone.identify), images.token)
    assert files(conf) == [done['id']]
    assert again('GET', done['file']) == (200, RAW)
    assert os.stat(directory).st_mode & 0o777 == 0o700
    assert os.stat(os.path.join(directory, done['id'])).st_mode & 0o777 == 0o600


def test_schemas(images):
    assert images('GET', '/v2/schemas/image')[1]['properties']['disk_format']['enum'][0] is None
    assert images('GET', '/v2/schemas/images')[1]['name'] == 'images'
    assert images('GET', '/v2/schemas/nope')[0] == 404


def test_error_body(images):
    status, body = images('GET', '/v2/images/nope')
    assert (status, body['error']['code'], body['error']['message']) == (404, 404, 'No image found with ID nope')
    assert rest.REASONS[404] == body['error']['title']


def test_nothing_is_under_way_on_an_image(images):
    assert images('GET', '/v2/images/%s/tasks' % create(images)['id']) == (200, {'tasks': []})
    assert images('GET', '/v2/images/nope/tasks')[0] == 404
