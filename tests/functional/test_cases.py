# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""What once went wrong with images and shelving elsewhere, tried on the whole cloud; named by the row of the list."""

import concurrent.futures

import pytest

from tests.fixtures import audit
from tests.fixtures import cloud

AT_ONCE = 20


def act(client, uuid, body):
    return client.request('POST', '/servers/%s/action' % uuid, json=body)


def image(admin, image_id):
    """The record of an image, None: there is none."""
    answer = admin.request('GET', '/v2/images/%s' % image_id, service='image')
    return None if answer.status_code == 404 else answer.json()


def shelved(admin, uuid, settled):
    """Have a server offloaded. :returns: the id of its image"""
    for body in ({'shelve': None}, {'shelveOffload': None}):
        assert act(admin, uuid, body).status_code == 202
        settled(uuid)
    assert admin.get('/servers/%s' % uuid)['server']['status'] == 'SHELVED_OFFLOADED'
    found = admin.request('GET', '/v2/images?instance_uuid=%s' % uuid, service='image').json()['images']
    return found[0]['id']


@pytest.mark.parametrize('body', [{'shelve': None}, {'os-stop': None}, {'createImage': {'name': 'copy'}}],
                         ids=['shelve', 'stop', 'createImage'])
def test_row_21_of_twenty_at_once_one_is_done(stack, admin, boot, settled, body):
    uuid = boot()
    settled(uuid)
    with stack.fault('api.before_cast', 'sleep 1'):
        clients = [stack.client() for _ in range(AT_ONCE)]
        with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
            answers = list(pool.map(lambda client: act(client, uuid, body), clients))
    assert sorted(answer.status_code for answer in answers) == [202] + [409] * (AT_ONCE - 1)
    for answer in answers:
        if answer.status_code == 409:
            assert 'while it is in' in answer.json()['conflictingRequest']['message']
    settled(uuid)
    audit.check(stack)


def test_row_23_a_delete_during_a_snapshot_leaves_no_image(stack, admin, boot, settled):
    uuid = boot()
    settled(uuid)
    with stack.fault('operation.create_image.snapshot.done', 'once sleep 3') as path:
        image_id = act(admin, uuid, {'createImage': {'name': 'copy'}}).json()['image_id']
        cloud.wait_for(lambda: not path.exists())
        admin.request('DELETE', '/servers/%s' % uuid, ok=204)
        cloud.wait_for(lambda: admin.request('GET', '/servers/%s' % uuid).status_code == 404, 40)
    cloud.wait_for(lambda: image(admin, image_id) is None)
    assert not list(stack.layout.state.glob('fake/*.snapshot'))
    audit.check(stack)


@pytest.mark.parametrize('step', ['instance_claim', 'bind_ports', 'attach_volumes', 'spawn'])
def test_row_26_an_unshelve_that_fails_can_be_tried_again(stack, admin, boot, settled, step):
    uuid = boot()
    settled(uuid)
    image_id = shelved(admin, uuid, settled)
    with stack.fault('operation.unshelve_offloaded.%s.done' % step, 'once raise boom') as path:
        assert act(admin, uuid, {'unshelve': None}).status_code == 202
        cloud.wait_for(lambda: not path.exists())
        assert settled(uuid)['status'] == 'SHELVED_OFFLOADED'
    assert image(admin, image_id)['status'] == 'active'
    audit.check(stack)
    assert act(admin, uuid, {'unshelve': None}).status_code == 202
    assert settled(uuid)['status'] == 'ACTIVE'
    cloud.wait_for(lambda: image(admin, image_id) is None)
    audit.check(stack)
