# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""The client of the image service."""

import pytest
from keystoneauth1 import exceptions as ks_exc

from nova_lite import context
from nova_lite import exception
from nova_lite.image import glance
from tests.unit.compute_api import doubles


def caller(project='p1', token=True, **kwargs):
    return context.RequestContext(project_id=project, user_id='u', auth_token='token-%s' % project if token else None,
                                  overwrite=False, **kwargs)


@pytest.fixture
def service():
    return doubles.Glance()


def test_the_record_is_split_into_fields_and_properties(service):
    image_id = service.add(hw_disk_bus='scsi', kernel_id='k', visibility='community', size=None)
    image = glance.API(service).get(caller(), image_id)
    assert (image.id, image.status, image.visibility, image.size) == (image_id, 'active', 'community', None)
    assert image.properties == {'hw_disk_bus': 'scsi', 'kernel_id': 'k'}
    assert (image.os_hash_algo, image.os_hash_value, image.checksum) == ('sha512', 'h', 'c')


def test_the_caller_asks_with_its_own_token(service):
    image_id = service.add(visibility='private', owner='p1')
    assert glance.API(service).get(caller('p1'), image_id).owner == 'p1'
    with pytest.raises(exception.ImageNotFound):
        glance.API(service).get(caller('p2'), image_id)
    assert [entry[2] for entry in service.log] == ['token-p1', 'token-p2']


@pytest.mark.parametrize(('visibility', 'owner', 'status', 'seen'), [
    ('private', 'p1', None, True), ('private', 'p2', None, False), ('public', 'p2', None, True),
    ('community', 'p2', None, True), ('shared', 'p2', None, False), ('shared', 'p2', 'pending', False),
    ('shared', 'p2', 'accepted', True)])
def test_the_service_user_sees_for_the_caller_what_the_caller_may_see(service, visibility, owner, status, seen):
    image_id = service.add(visibility=visibility, owner=owner)
    if status:
        service.members[image_id] = [{'member_id': 'p1', 'status': status}]
    api = glance.API(service)
    assert api.get(caller(token=False, is_admin=True), image_id).id == image_id
    if seen:
        assert api.get(caller(token=False), image_id).id == image_id
    else:
        with pytest.raises(exception.ImageNotFound):
            api.get(caller(token=False), image_id)
    assert {entry[2] for entry in service.log} == {'service'}


def test_an_id_never_leads_to_another_path(service):
    with pytest.raises(exception.ImageNotFound):
        glance.API(service).get(caller(), '../../v2/tasks')
    assert service.log[0][1] == '/v2/images/..%2F..%2Fv2%2Ftasks'


@pytest.mark.parametrize('answer', [
    doubles.Reply(500), doubles.Reply(503), doubles.Reply(401), ks_exc.ConnectFailure('no'),
    doubles.Reply(200, content=b'<html>')])
def test_a_service_that_does_not_work_is_told_from_a_missing_image(service, answer):
    service.fails, service.failures = '.', [answer]
    with pytest.raises(exception.ServiceUnreachable):
        glance.API(service).get(caller(), service.add())


def test_download(service):
    chunks = glance.API(service).download(caller(token=False), service.add())
    assert b''.join(chunks) == b'0123456789'
    with pytest.raises(exception.ImageNotFound):
        glance.API(service).download(caller(token=False), doubles.new_id())


def test_a_download_that_breaks(service):
    broken = doubles.BrokenReply(200, content=b'01')
    service.fails, service.failures = '/file', [broken]
    with pytest.raises(exception.ImageDownloadFailed):
        list(glance.API(service).download(caller(token=False), service.add()))
    assert broken.closed
    with pytest.raises(exception.ImageDownloadFailed):
        glance.API(service).download(caller(token=False), service.add(size=0))
