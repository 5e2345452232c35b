# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Volumes made from images, and images made from volumes."""

import os
import shutil
import subprocess

import pytest

from tests.unit.standins import cloud

OCTETS = {'Content-Type': 'application/octet-stream'}
RAW = b'a disk' + bytes(5000)

needs_qemu = pytest.mark.skipif(shutil.which('qemu-img') is None, reason='qemu-img is not installed')


@pytest.fixture
def images(glance):
    return cloud.Client(glance, 'demo')


@pytest.fixture
def upload(images):
    """Makes an image with content; its record."""
    def make_one(content=RAW, disk_format='raw', **fields):
        status, image = images('POST', '/v2/images', {
            'name': 'i', 'disk_format': disk_format, 'container_format': 'bare', **fields})
        assert status == 201, image
        assert images('PUT', image['file'], content, OCTETS)[0] == 204
        return images('GET', image['self'])[1]
    return make_one


@pytest.fixture
def qcow2(tmp_path):
    """The bytes of a qcow2 image of 64 MiB that holds RAW."""
    (tmp_path / 'raw').write_bytes(RAW)
    os.truncate(tmp_path / 'raw', 64 << 20)
    subprocess.run(['qemu-img', 'convert', '-f', 'raw', '-O', 'qcow2', tmp_path / 'raw', tmp_path / 'q'], check=True)
    return (tmp_path / 'q').read_bytes()


def content(service, volume):
    with open(service.files.path('volume', volume['id']), 'rb') as file:
        return file.read(len(RAW))


def shrink(service, volume):
    """Let a volume's file have a megabyte only, so that its upload is quick."""
    os.truncate(service.files.path('volume', volume['id']), 1 << 20)


def test_raw_image(upload, create, service, callers):
    image = upload(hw_disk_bus='virtio', min_ram=64)
    volume = create(imageRef=image['id'], size=2)
    assert (volume['status'], volume['bootable']) == ('available', 'true')
    assert content(service, volume) == RAW
    assert os.path.getsize(service.files.path('volume', volume['id'])) == 2 << 30
    metadata = volume['volume_image_metadata']
    assert metadata['image_id'] == image['id']
    assert (metadata['hw_disk_bus'], metadata['min_ram'], metadata['disk_format'], metadata['size']) == (
        'virtio', '64', 'raw', str(len(RAW)))
    assert not {'os_hash_value', 'visibility', 'tags', 'status'} & set(metadata)
    clone = create(source_volid=volume['id'], size=2)
    assert clone['volume_image_metadata'] == metadata
    callers.demo('POST', '/snapshots', {'snapshot': {'volume_id': volume['id']}})
    service.jobs.wait()
    snapshot = callers.demo('GET', '/snapshots')[1]['snapshots'][0]
    assert create(snapshot_id=snapshot['id'], size=3)['volume_image_metadata'] == metadata


@needs_qemu
def test_qcow2_image(upload, create, service, files, qcow2):
    volume = create(imageRef='http://image:9292/v2/images/' + upload(qcow2, 'qcow2')['id'])
    assert volume['status'] == 'available'
    assert content(service, volume) == RAW
    assert os.path.getsize(service.files.path('volume', volume['id'])) == 1 << 30
    assert os.stat(service.files.path('volume', volume['id'])).st_blocks < 1000
    assert files() == ['volume-' + volume['id']]


@pytest.mark.parametrize('fields, text', [
    ({'min_disk': 2}, 'Volume size 1GB cannot be smaller than the image minDisk size 2GB.'),
    ({'disk_format': 'ploop'}, 'from which no volume can be made'),
    ({'container_format': 'ova'}, 'from which no volume can be made')])
def test_image_that_does_not_fit(upload, callers, fields, text):
    image = upload(**fields)
    status, body = callers.demo('POST', '/volumes', {'volume': {'size': 1, 'imageRef': image['id']}})
    assert status == 400
    assert text in body['badRequest']['message']


@needs_qemu
def test_image_that_is_larger_than_the_volume(upload, callers, tmp_path):
    subprocess.run(['qemu-img', 'create', '-q', '-f', 'qcow2', tmp_path / 'large', '3G'], check=True)
    image = upload((tmp_path / 'large').read_bytes(), 'qcow2')
    status, body = callers.demo('POST', '/volumes', {'volume': {'size': 2, 'imageRef': image['id']}})
    assert (status, body['badRequest']['message']) == (
        400, 'Invalid input received: Size of specified image 3GB is larger than volume size 2GB.')


def test_image_of_somebody_else_or_without_content(images, upload, callers):
    private = upload(visibility='private')
    queued = images('POST', '/v2/images', {'name': 'q', 'disk_format': 'raw', 'container_format': 'bare'})[1]
    for call, image, text in (
            (callers.other, private, 'Invalid image identifier or unable to access requested image.'),
            (callers.demo, queued, 'Invalid input received: Image %s is not active.' % queued['id'])):
        status, body = call('POST', '/volumes', {'volume': {'size': 1, 'imageRef': image['id']}})
        assert (status, body['badRequest']['message']) == (400, text)


@pytest.mark.parametrize('change, text', [
    ({'os_hash_value': 'f' * 128}, 'The content of the image does not have the checksum of its record.'),
    ({'os_hash_algo': 'none'}, 'The image has a checksum of the unknown kind none.'),
    ({'os_hash_value': None, 'checksum': 'f' * 32}, 'The content of the image does not have the checksum'),
    ({'size': 10}, 'The image did not come as the 10 bytes that it should have.'),
    ({'size': 10 ** 6}, 'The image did not come as the 1000000 bytes that it should have.'),
    ({'disk_format': 'qcow2'}, 'The content of the image is not qcow2, as its disk_format says.'),
    ({'disk_format': 'iso'}, 'The content of the image is not iso, as its disk_format says.'),
    ({'status': 'deactivated'}, ' is not active.')])
def test_content_is_checked_again(upload, create, callers, service, files, monkeypatch, change, text):
    image = upload()
    read = service.worker._images.read

    def changed(identifier):
        monkeypatch.setattr(service.worker._images, '_body', lambda answer, status: {**answer.json(), **change})
        return read(identifier)
    monkeypatch.setattr(service.worker._images, 'read', changed)
    volume = create(imageRef=image['id'])
    assert volume['status'] == 'error'
    message, = callers.demo('GET', '/messages')[1]['messages']
    assert text in message['user_message']
    assert (message['resource_uuid'], message['message_level']) == (volume['id'], 'ERROR')
    assert files() == []


@needs_qemu
@pytest.mark.parametrize('extra', [['-u', '-b', '/etc/passwd', '-F', 'raw'], ['-o', 'data_file=data,data_file_raw=on']])
def test_image_that_names_a_file_of_the_host(upload, create, service, callers, monkeypatch, tmp_path, extra):
    subprocess.run(['qemu-img', 'create', '-q', '-f', 'qcow2', *extra, 'evil', '1M'], check=True, cwd=tmp_path)
    evil = (tmp_path / 'evil').read_bytes()
    image = {**upload(), 'disk_format': 'qcow2', 'size': len(evil), 'os_hash_value': None, 'checksum': None}
    monkeypatch.setattr(service.worker._images, 'read', lambda identifier: (image, iter([evil])))
    assert create(imageRef=image['id'])['status'] == 'error'
    message, = callers.demo('GET', '/messages')[1]['messages']
    assert message['user_message'].startswith('The image is not safe to use: ')


def test_image_service_that_does_not_answer(upload, callers, service, create):
    image = upload()
    service.worker._images._url = 'https://localhost:1'
    status, body = callers.demo('POST', '/volumes', {'volume': {'size': 1, 'imageRef': image['id']}})
    assert (status, list(body)) == (503, ['serviceUnavailable'])


@pytest.mark.parametrize('disk_format', ['raw', pytest.param('qcow2', marks=needs_qemu),
                                         pytest.param('vmdk', marks=needs_qemu)])
def test_upload(upload, create, callers, service, images, files, disk_format):
    volume = create(imageRef=upload(hw_disk_bus='virtio')['id'])
    shrink(service, volume)
    status, body = callers.demo('POST', '/volumes/%s/action' % volume['id'], {'os-volume_upload_image': {
        'image_name': 'mine', 'disk_format': disk_format, 'force': 'False', 'visibility': 'private'}})
    assert status == 202
    answer = body['os-volume_upload_image']
    assert (answer['status'], answer['disk_format'], answer['image_name'], answer['visibility']) == (
        'uploading', disk_format, 'mine', 'private')
    service.jobs.wait()
    assert callers.demo('GET', '/volumes/' + volume['id'])[1]['volume']['status'] == 'available'
    image = images('GET', '/v2/images/' + answer['image_id'])[1]
    assert (image['status'], image['owner'], image['min_disk'], image['hw_disk_bus'], image['disk_format']) == (
        'active', 'd' * 32, 1, 'virtio', disk_format)
    assert image['virtual_size'] == 1 << 20
    assert 'image_id' not in image
    assert files() == ['volume-' + volume['id']]


@needs_qemu
def test_a_guest_that_writes_an_image_header_gains_nothing(create, callers, service, images, tmp_path):
    """What a guest wrote is the content of a raw disk, whatever it looks like (OSSA 2014-033, 2015-011)."""
    volume = create()
    (tmp_path / 'secret').write_bytes(b'of the host' * 100)
    subprocess.run(['qemu-img', 'create', '-q', '-f', 'qcow2', '-b', tmp_path / 'secret', '-F', 'raw',
                    tmp_path / 'evil', '1M'], check=True)
    evil = (tmp_path / 'evil').read_bytes()
    with open(service.files.path('volume', volume['id']), 'r+b') as file:
        file.write(evil)
    clone = create(source_volid=volume['id'])
    with open(service.files.path('volume', clone['id']), 'rb') as file:
        assert file.read(len(evil)) == evil
    shrink(service, volume)
    answer = callers.demo('POST', '/volumes/%s/action' % volume['id'], {'os-volume_upload_image': {
        'image_name': 'x', 'disk_format': 'qcow2'}})[1]['os-volume_upload_image']
    service.jobs.wait()
    (tmp_path / 'up').write_bytes(images('GET', '/v2/images/%s/file' % answer['image_id'])[1])
    subprocess.run(['qemu-img', 'convert', '-f', 'qcow2', '-O', 'raw', tmp_path / 'up', tmp_path / 'raw'], check=True)
    assert (tmp_path / 'raw').read_bytes()[:len(evil)] == evil
    assert b'of the host' not in (tmp_path / 'raw').read_bytes()


def test_upload_of_what_is_not_ones_own_or_in_use(create, callers):
    volume = create()
    path, body = '/volumes/%s/action' % volume['id'], {'os-volume_upload_image': {'image_name': 'x'}}
    assert callers.other('POST', path, body)[0] == 404
    status, answer = callers.demo('POST', path, {'os-volume_upload_image': {'image_name': 'x',
                                                                            'visibility': 'public'}})
    assert (status, list(answer)) == (403, ['forbidden'])
    assert callers.demo('POST', path, {'os-volume_upload_image': {'image_name': 'x', 'disk_format': 'ploop'}})[0] == 400
    callers.demo('POST', path, {'os-reserve': {}})
    assert callers.demo('POST', path, body)[0] == 400


def test_upload_to_an_image_that_is_deleted_meanwhile(create, callers, service, images, monkeypatch):
    volume = create()
    shrink(service, volume)
    monkeypatch.setattr(service.worker, 'upload', lambda volume, request_id: None)
    answer = callers.demo('POST', '/volumes/%s/action' % volume['id'], {
        'os-volume_upload_image': {'image_name': 'x'}})[1]['os-volume_upload_image']
    assert images('DELETE', '/v2/images/' + answer['image_id'])[0] == 204
    service.worker._upload(volume['id'], None)
    assert callers.demo('GET', '/volumes/' + volume['id'])[1]['volume']['status'] == 'available'


def test_upload_that_fails_leaves_no_image(create, callers, service, images, conf, monkeypatch):
    volume = create()
    monkeypatch.setattr(service.files, 'image_of', _no_program)
    callers.demo('POST', '/volumes/%s/action' % volume['id'], {
        'os-volume_upload_image': {'image_name': 'x', 'disk_format': 'qcow2'}})
    service.jobs.wait()
    assert callers.demo('GET', '/volumes/' + volume['id'])[1]['volume']['status'] == 'available'
    assert images('GET', '/v2/images')[1]['images'] == []
    assert len(callers.demo('GET', '/messages')[1]['messages']) == 1


def _no_program(*args):
    raise OSError(2, 'No such file or directory', 'qemu-img')


def test_image_metadata(create, callers, service):
    volume = create()
    shrink(service, volume)
    path = '/volumes/%s/action' % volume['id']
    assert callers.demo('POST', path, {'os-set_image_metadata': {'metadata': {'a': 'b', 'min_ram': 'x'}}})[1] == {
        'metadata': {'a': 'b', 'min_ram': 'x'}}
    assert callers.demo('POST', path, {'os-unset_image_metadata': {'key': 'a'}})[0] == 200
    assert callers.demo('POST', path, {'os-unset_image_metadata': {'key': 'a'}})[0] == 404
    assert callers.demo('POST', path, {'os-show_image_metadata': {}})[1] == {'metadata': {'min_ram': 'x'}}
    assert callers.demo('POST', path, {'os-volume_upload_image': {'image_name': 'x'}})[0] == 202
