# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""What a killed process leaves is finished or tidied up by the next."""

import os

import pytest

from nova_lite.standins.cinder import worker
from tests.unit.standins import cloud
from tests.unit.standins.cinder import conftest


class Killed(BaseException):
    """Ends a job as the end of the process would: nothing after it happens."""


@pytest.fixture
def halt(service, monkeypatch):
    """Lets no job begin, as if the process were killed right after the answer."""
    monkeypatch.setattr(service.jobs, 'submit', lambda *args: None)


@pytest.fixture
def again(make, callers):
    """Starts the service over the same database and files, and waits for what it goes on with."""
    def start():
        service = make()
        service.worker.recover()
        service.jobs.wait()
        callers.service = service
        return service
    return start


def upload(glance, content=b'a disk'):
    images = cloud.Client(glance, 'demo')
    image = images('POST', '/v2/images', {'name': 'i', 'disk_format': 'raw', 'container_format': 'bare'})[1]
    images('PUT', image['file'], content, {'Content-Type': 'application/octet-stream'})
    return image['id']


def show(callers, kind, document):
    status, body = callers.demo('GET', '/%ss/%s' % (kind, document['id']))
    return body[kind] if status == 200 else None


@pytest.mark.parametrize('source', ['nothing', 'image', 'volume', 'snapshot'])
def test_creation_begins_again(callers, create, service, glance, again, monkeypatch, source):
    fields = {'size': 1}
    if source == 'image':
        fields['imageRef'] = upload(glance)
    elif source != 'nothing':
        volume = create()
        with open(service.files.path('volume', volume['id']), 'r+b') as file:
            file.write(b'a disk')
        fields['source_volid'] = volume['id']
        if source == 'snapshot':
            status, body = callers.demo('POST', '/snapshots', {'snapshot': {'volume_id': volume['id']}})
            fields['snapshot_id'] = body['snapshot']['id']
            del fields['source_volid']
            service.jobs.wait()
    monkeypatch.setattr(service.jobs, 'submit', lambda *args: None)
    status, body = callers.demo('POST', '/volumes', {'volume': fields})
    assert body['volume']['status'] == 'creating'
    leftover = service.files.path('volume', body['volume']['id']) + '.part'
    with open(leftover, 'wb') as file:
        file.write(b'half')
    after = again()
    volume = show(callers, 'volume', body['volume'])
    assert volume['status'] == 'available'
    assert not os.path.exists(leftover)
    with open(after.files.path('volume', volume['id']), 'rb') as file:
        assert file.read(6) == (bytes(6) if source == 'nothing' else b'a disk')


@pytest.mark.parametrize('step', ['_receive', '_inspect', '_sync'])
def test_killed_within_the_download(callers, service, glance, again, monkeypatch, step):
    def die(*args):
        raise Killed
    monkeypatch.setattr('nova_lite.standins.cinder.files.' + step, die)
    monkeypatch.setattr(service.jobs, 'submit', lambda *args: None)
    status, body = callers.demo('POST', '/volumes', {'volume': {'size': 1, 'imageRef': upload(glance)}})
    with pytest.raises(Killed):
        service.worker._create_volume(body['volume']['id'], None)
    assert show(callers, 'volume', body['volume'])['status'] == 'downloading'
    monkeypatch.undo()
    again()
    volume = show(callers, 'volume', body['volume'])
    assert (volume['status'], volume['bootable']) == ('available', 'true')
    assert sorted(os.listdir(service.files.directory)) == ['exports', 'volume-' + volume['id']]


def test_image_that_is_gone_at_the_next_start(callers, service, glance, again, halt):
    image = upload(glance)
    status, body = callers.demo('POST', '/volumes', {'volume': {'size': 1, 'imageRef': image}})
    cloud.Client(glance, 'demo')('DELETE', '/v2/images/' + image)
    again()
    assert show(callers, 'volume', body['volume'])['status'] == 'error'
    assert os.listdir(service.files.directory) == ['exports']


def test_deletion_goes_on(callers, create, service, again, monkeypatch):
    volume = create()
    callers.demo('POST', '/snapshots', {'snapshot': {'volume_id': volume['id']}})
    service.jobs.wait()
    monkeypatch.setattr(service.jobs, 'submit', lambda *args: None)
    callers.demo('DELETE', '/volumes/%s?cascade=1' % volume['id'])
    assert show(callers, 'volume', volume)['status'] == 'deleting'
    again()
    assert show(callers, 'volume', volume) is None
    assert os.listdir(service.files.directory) == ['exports']


def test_snapshot_revert_and_upload_go_on(callers, create, service, again, glance, monkeypatch):
    volume, other = create(), create()
    os.truncate(service.files.path('volume', other['id']), 1 << 20)  # a quick upload
    monkeypatch.setattr(service.jobs, 'submit', lambda *args: None)
    status, body = callers.demo('POST', '/snapshots', {'snapshot': {'volume_id': volume['id']}})
    snapshot = body['snapshot']
    callers.demo('POST', '/volumes/%s/action' % other['id'], {'os-volume_upload_image': {'image_name': 'x'}})
    service = again()
    assert show(callers, 'snapshot', snapshot)['status'] == 'available'
    assert show(callers, 'volume', other)['status'] == 'available'
    image, = cloud.Client(glance, 'demo')('GET', '/v2/images')[1]['images']
    assert image['status'] == 'active'
    monkeypatch.setattr(service.jobs, 'submit', lambda *args: None)
    with open(service.files.path('volume', volume['id']), 'r+b') as file:
        file.write(b'later')
    callers.demo('POST', '/volumes/%s/action' % volume['id'], {'revert': {'snapshot_id': snapshot['id']}})
    assert show(callers, 'snapshot', snapshot)['status'] == 'restoring'
    again()
    assert show(callers, 'volume', volume)['status'] == 'available'
    assert show(callers, 'snapshot', snapshot)['status'] == 'available'
    with open(service.files.path('volume', volume['id']), 'rb') as file:
        assert file.read(5) == bytes(5)


def test_a_status_alone_starts_nothing(callers, create, again, service):
    """An administrator may set any status; a volume that says it is being created or deleted keeps its content."""
    volumes = [create() for _ in range(3)]
    for volume, status in zip(volumes, ('creating', 'deleting', 'uploading'), strict=True):
        with open(service.files.path('volume', volume['id']), 'r+b') as file:
            file.write(b'mine')
        callers.admin('POST', '/volumes/%s/action' % volume['id'], {'os-reset_status': {'status': status}})
    after = again()
    for volume in volumes:
        with open(after.files.path('volume', volume['id']), 'rb') as file:
            assert file.read(4) == b'mine'


def test_a_reset_calls_work_off(callers, create, service, monkeypatch):
    volume = create()
    submitted = []
    monkeypatch.setattr(service.jobs, 'submit', lambda names, function, *args: submitted.append((function, args)))
    callers.demo('DELETE', '/volumes/' + volume['id'])
    callers.admin('POST', '/volumes/%s/action' % volume['id'], {'os-reset_status': {'status': 'available'}})
    for function, args in submitted:
        function(*args)
    assert show(callers, 'volume', volume)['status'] == 'available'
    assert service.files.there('volume', volume['id'])


def test_a_file_that_is_gone_and_one_that_nobody_knows(callers, create, again, service, caplog):
    volume = create()
    os.unlink(service.files.path('volume', volume['id']))
    unknown = service.files.path('volume', 'c0ffee00-0000-4000-8000-000000000000')
    for path in (unknown, os.path.join(service.files.directory, 'note')):
        with open(path, 'w') as file:
            file.write('somebody else\'s')
    again()
    assert show(callers, 'volume', volume)['status'] == 'error'
    assert os.path.exists(unknown) and os.path.exists(os.path.join(service.files.directory, 'note'))
    assert unknown in caplog.text


def test_a_file_that_cannot_be_removed(callers, create, service, monkeypatch):
    volume = create()

    def refuse(*args):
        raise PermissionError(1, 'Operation not permitted')
    monkeypatch.setattr(service.files, 'remove', refuse)
    callers.demo('DELETE', '/volumes/' + volume['id'])
    service.jobs.wait()
    assert show(callers, 'volume', volume)['status'] == 'error_deleting'
    monkeypatch.undo()
    callers.admin('POST', '/volumes/%s/action' % volume['id'], {'os-force_delete': {}})
    service.jobs.wait()
    assert show(callers, 'volume', volume) is None


def test_an_error_that_nobody_expected(callers, service, create, monkeypatch, caplog):
    monkeypatch.setattr(worker.Worker, '_fill', lambda *args: 1 / 0)
    assert create()['status'] == 'error'
    assert 'ZeroDivisionError' in caplog.text
    message, = callers.demo('GET', '/messages', headers=conftest.LATEST)[1]['messages']
    assert 'division' not in message['user_message']
