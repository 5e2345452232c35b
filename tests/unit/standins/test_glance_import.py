# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Glance: images whose bytes are staged first and imported then."""

import pytest

from nova_lite.standins.glance import app as glance_app
from tests.unit.standins import cloud
from tests.unit.standins import test_glance

DIRECT = {'method': {'name': 'glance-direct'}}


@pytest.fixture
def images(conf, store, keystone, demo):
    return cloud.Client(glance_app.application(conf, store, keystone.identify), demo.token)


def stage(client, image, data=test_glance.RAW):
    return client('PUT', image['self'] + '/stage', data, test_glance.OCTETS)[0]


def status(client, image):
    return client('GET', image['self'])[1]['status']


def test_stage_and_import(images, conf):
    assert images('GET', '/v2/info/import')[1]['import-methods']['value'] == ['glance-direct']
    image = test_glance.create(images)
    assert images.headers['openstack-image-import-methods'] == 'glance-direct'
    assert stage(images, image) == 204
    shown = images('GET', image['self'])[1]
    assert (shown['status'], shown['size'], 'staged' in shown) == ('uploading', None, False)
    assert images('GET', image['file'])[0] == 204
    assert images('POST', image['self'] + '/import', DIRECT)[0] == 202
    shown = images('GET', image['self'])[1]
    assert (shown['status'], shown['size'], shown['virtual_size']) == ('active', 3000, 3000)
    assert images('GET', image['file'])[1] == test_glance.RAW
    assert test_glance.files(conf) == [image['id']]
    assert images('POST', image['self'] + '/import', DIRECT)[0] == 409


def test_what_is_not_what_it_says_is_not_imported(images, conf):
    image = test_glance.create(images, disk_format='qcow2')
    assert stage(images, image) == 204
    assert images('POST', image['self'] + '/import', DIRECT)[0] == 415
    assert (status(images, image), test_glance.files(conf)) == ('queued', [])
    assert stage(images, image, test_glance.qcow2()) == 204
    assert images('POST', image['self'] + '/import', DIRECT)[0] == 202
    assert images('GET', image['self'])[1]['virtual_size'] == 1 << 30


def test_refusals(images, conf):
    image = test_glance.create(images)
    assert images('POST', image['self'] + '/import', DIRECT)[0] == 409
    assert images('PUT', image['self'] + '/stage', b'x', {'Content-Type': 'text/plain'})[0] == 415
    assert stage(images, image) == 204
    assert stage(images, image) == 409 and test_glance.upload(images, image)[0] == 409
    for method in ('web-download', 'copy-image', ''):
        body = {'method': {'name': method, 'uri': 'http://169.254.169.254/'}}
        assert images('POST', image['self'] + '/import', body)[0] == 400
    assert images('POST', image['self'] + '/import', {'method': 'glance-direct'})[0] == 400
    assert status(images, image) == 'uploading'
    assert images('DELETE', image['self'])[0] == 204
    assert test_glance.files(conf) == []


def test_the_size_of_what_is_staged(images, conf):
    image = test_glance.create(images)
    for length in ('9' * 15, '3001'):       # more than an image may have; more than comes
        assert images('PUT', image['self'] + '/stage', test_glance.RAW, {
            **test_glance.OCTETS, 'Content-Length': length})[0] in (413, 400)
        assert (status(images, image), test_glance.files(conf)) == ('queued', [])


def test_what_was_staged_before_a_restart(images, conf, store, keystone):
    image = test_glance.create(images)
    assert stage(images, image) == 204
    later = cloud.Client(glance_app.application(conf, store, keystone.identify), images.token)
    assert (status(later, image), test_glance.files(conf)) == ('queued', [])
    assert stage(later, image) == 204
    assert later('POST', image['self'] + '/import', DIRECT)[0] == 202
