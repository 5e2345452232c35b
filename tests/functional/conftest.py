# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""One cloud with three fake hosts for all functional tests."""

import pytest

from tests.fixtures import cloud


@pytest.fixture(scope='session')
def stack(tmp_path_factory):
    options = {section: dict(values) for section, values in {**cloud.SHORT, **cloud.ROOMY}.items()}
    running = cloud.Cloud(tmp_path_factory.mktemp('cloud'), hosts=3, overrides=options)
    running.start()
    yield running
    running.stop()


@pytest.fixture
def admin(stack):
    return stack.client()


@pytest.fixture
def boot(stack, admin):
    """boot(name, **fields) → id of a new server on the shared network; all are deleted afterwards."""
    image, network = stack.image_id(admin), stack.network_id(admin)
    made = []

    def make(name='server', **fields):
        body = dict({'name': name, 'imageRef': image, 'flavorRef': '42', 'networks': [{'uuid': network}]}, **fields)
        answer = admin.request('POST', '/servers', ok=202, json={'server': body})
        made.append(answer.json()['server']['id'])
        return made[-1]
    yield make
    for uuid in made:
        admin.request('DELETE', '/servers/%s' % uuid, ok=(204, 404))
    for uuid in made:
        cloud.wait_for(lambda uuid=uuid: admin.request('GET', '/servers/%s' % uuid).status_code == 404, 40)


@pytest.fixture
def settled(admin):
    """settled(uuid, seconds) → the server once nothing is under way on it and it is ACTIVE or ERROR."""
    def wait(uuid, seconds=60):
        def done():
            server = admin.get('/servers/%s' % uuid)['server']
            return server if server['status'] != 'BUILD' and not server['OS-EXT-STS:task_state'] else None
        return cloud.wait_for(done, seconds)
    return wait
