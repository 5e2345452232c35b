# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""The client of the volume service, against the stand-in."""

import json

import pytest
import requests
from keystoneauth1 import exceptions as ks_exc
from oslo_config import cfg

from nova_lite import exception
from nova_lite.compute import power_state
from nova_lite.conf import registry
from nova_lite.objects import instance as instance_obj
from nova_lite.volume import cinder
from tests.fixtures import cinder as cinder_fixture
from tests.unit.virt import samples

CONNECTOR = {'host': 'host1', 'ip': '10.1.1.1', 'platform': 'x86_64', 'os_type': 'linux', 'multipath': False}
SERVER = samples.UUID


@pytest.fixture
def cloud(tmp_path):
    return cinder_fixture.Cinder(tmp_path)


def broken(status, body=None):
    answer = requests.Response()
    answer.status_code = status
    answer._content = b'<html>' if body is None else json.dumps(body).encode()
    return answer


def test_a_volume_is_made_in_the_callers_project_and_seen_by_it_alone(cloud):
    made = cloud.api.create(cinder_fixture.user(), 2, 'data')
    assert (made.size, made.name, made.status) == (2, 'data', cinder.CREATING)
    cloud.service.jobs.wait()
    assert cloud.api.get(cinder_fixture.user(), made.id).status == cinder.AVAILABLE
    assert cloud.api.get(cinder_fixture.admin(), made.id).id == made.id
    with pytest.raises(exception.VolumeNotFound, match=made.id):
        cloud.api.get(cinder_fixture.user('other'), made.id)
    method, path, headers = cloud.log[0]
    assert (method, path) == ('POST', '/v3/%s/volumes' % cinder_fixture.PROJECT)
    assert (headers['X-Auth-Token'], headers['X-Service-Token']) == ('demo', 'cinder')
    assert headers['OpenStack-API-Version'] == 'volume 3.50'


def test_a_context_without_a_token_is_the_services_own(cloud):
    with pytest.raises(exception.VolumeNotFound):
        cloud.api.get(cinder_fixture.admin(), samples.UUID)
    _, path, headers = cloud.log[-1]
    assert path.startswith('/v3/%s/' % cinder_fixture.SERVICE)
    assert headers['X-Auth-Token'] == 'cinder' and 'X-Service-Token' not in headers


def test_the_life_of_an_attachment(cloud):
    volume, user, service = cloud.volume(), cinder_fixture.user(), cinder_fixture.admin()
    item = cloud.api.attachment_create(user, volume.id, SERVER)
    assert (item.volume_id, item.instance_id, item.connection_info) == (volume.id, SERVER, {})
    assert cloud.status(volume.id) == 'reserved'
    item = cloud.api.attachment_update(service, item.id, CONNECTOR, '/dev/vdb')
    assert item.connection_info['driver_volume_type'] == 'local'
    cloud.api.attachment_complete(service, item.id)
    held = cloud.api.get(user, volume.id)
    assert held.status == cinder.IN_USE and held.attachments == {SERVER: item.id}
    assert [found.id for found in cloud.api.attachment_get_all(service, SERVER)] == [item.id]
    cloud.api.attachment_delete(user, item.id)
    cloud.api.attachment_delete(user, item.id)      # gone already
    assert cloud.status(volume.id) == 'available' and cloud.api.attachment_get_all(service, SERVER) == []
    for call in (lambda: cloud.api.attachment_complete(service, item.id),
                 lambda: cloud.api.attachment_update(service, item.id, CONNECTOR, '/dev/vdb')):
        with pytest.raises(exception.VolumeAttachmentNotFound):
            call()


def test_without_a_service_token_a_volume_in_use_is_not_let_go(tmp_path):
    cloud = cinder_fixture.Cinder(tmp_path, vouching=False)
    item = cloud.api.attachment_create(cinder_fixture.user(), cloud.volume().id, SERVER)
    cloud.api.attachment_update(cinder_fixture.admin(), item.id, CONNECTOR, '/dev/vdb')
    with pytest.raises(exception.Conflict, match='ConflictNovaUsingAttachment'):
        cloud.api.attachment_delete(cinder_fixture.user(), item.id)


def test_all_pages_of_attachments(cloud, monkeypatch):
    monkeypatch.setattr(cinder, 'PAGE', 2)
    made = {cloud.api.attachment_create(cinder_fixture.user(), cloud.volume().id, SERVER).id for _ in range(3)}
    assert {item.id for item in cloud.api.attachment_get_all(cinder_fixture.admin(), SERVER)} == made


def test_what_may_not_be_attached(cloud):
    user, volume = cinder_fixture.user(), cloud.volume()
    cloud.api.attachment_create(user, volume.id, SERVER)
    with pytest.raises(exception.InvalidVolume, match='status reserved'):
        cloud.api.check_attach(user, cloud.api.get(user, volume.id))
    with pytest.raises(exception.InvalidVolume, match='status must be available'):
        cloud.api.attachment_create(user, volume.id, cinder_fixture.PROJECT)
    with pytest.raises(exception.VolumeNotFound):
        cloud.api.attachment_create(cinder_fixture.user('other'), volume.id, SERVER)


@pytest.mark.parametrize(('fields', 'text'), [
    ({'status': 'in-use'}, 'another server'), ({'status': 'error'}, 'status error'),
    ({'status': 'in-use', 'attachments': {SERVER: 'a'}}, 'this server'),
    ({'status': 'in-use', 'multiattach': True, 'attachments': {SERVER: 'a'}}, 'this server'),
    ({'status': 'in-use', 'multiattach': True, 'attachments': {'other': 'a'}}, None), ({}, None)])
def test_check_attach(fields, text):
    api = cinder.API(None)
    volume = cinder.Volume(**{'id': 'v', 'status': 'available', 'size': 1, **fields})
    if text is None:
        api.check_attach(None, volume, instance())
    else:
        with pytest.raises(exception.InvalidVolume, match=text):
            api.check_attach(None, volume, instance())


def test_zones(cloud):
    volume = cinder.Volume(id='v', status='available', size=1, availability_zone='a')
    cinder.API(None).check_attach(None, volume, instance(zone='b'))
    strict = cinder.API(None, cross_az_attach=False)
    strict.check_attach(None, volume, instance(zone='a'))
    with pytest.raises(exception.InvalidVolume, match='zone a, the server in b'):
        strict.check_attach(None, volume, instance(zone='b'))


def test_refusals_are_told_apart(cloud):
    user, volume = cinder_fixture.user(), cloud.volume()
    with pytest.raises(exception.SnapshotNotFound):
        cloud.api.get_snapshot(user, samples.UUID)
    with pytest.raises(exception.Invalid):
        cloud.api.create(user, 1, 'x', volume_type='no such type')
    with pytest.raises(exception.VolumeLimitExceeded):
        cloud.api.create(user, 5000, 'x')
    with pytest.raises(exception.Forbidden):
        cloud.api.create(cinder_fixture.user('reader'), 1, 'x')
    cloud.api.attachment_create(user, volume.id, SERVER)
    with pytest.raises(exception.InvalidVolume):
        cloud.api.delete(user, volume.id)
    cloud.api.delete(user, samples.UUID)


@pytest.mark.parametrize('answer', [
    broken(500), broken(503), broken(401), broken(200), ks_exc.ConnectFailure('no'), requests.ConnectionError('no')])
def test_a_service_that_does_not_work(cloud, answer):
    cloud.failures = [answer, answer]
    with pytest.raises(exception.ServiceUnreachable):
        cloud.api.get(cinder_fixture.user(), samples.UUID)


def test_where_the_catalog_has_it_is_configured():
    conf = cfg.ConfigOpts()
    registry.register_all(conf)
    conf([], default_config_files=[], default_config_dirs=[])
    conf.set_override('catalog_info', 'block-storage:cinder:internalURL', 'cinder')
    conf.set_override('cross_az_attach', False, 'cinder')
    api = cinder.from_conf(conf)
    assert (api._adapter.service_type, api._adapter.service_name, api._adapter.interface) == (
        'block-storage', 'cinder', 'internal')
    assert api._adapter.connect_retries == 3 and not api.cross_az_attach


def instance(zone='nova'):
    return instance_obj.Instance(
        uuid=SERVER, project_id='p', user_id='u', display_name='s', flavor=samples.flavor(), vm_state='active',
        image_meta=samples.image(), power_state=power_state.RUNNING, availability_zone=zone)
