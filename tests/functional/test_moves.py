# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Moves between hosts of which one is down: evacuation, and a resize that loses its destination."""

import contextlib

from tests.fixtures import audit
from tests.fixtures import cloud


@contextlib.contextmanager
def down(stack, admin, host):
    """In the block, a host counts as down; after it nova-compute starts again, as it would there."""
    def force(value):
        [service] = [item for item in admin.get('/os-services?binary=nova-compute')['services'] if item['host'] == host]
        admin.request('PUT', '/os-services/%s' % service['id'], ok=200, json={'forced_down': value})
    force(True)
    try:
        yield
    finally:
        stack.kill('nova-compute')
        force(False)


def act(admin, uuid, body, ok=202):
    return admin.request('POST', '/servers/%s/action' % uuid, ok=ok, json=body)


def host_of(server):
    return server['OS-EXT-SRV-ATTR:host']


def migration_of(admin, uuid):
    return admin.get('/os-migrations?instance_uuid=%s' % uuid)['migrations'][0]


def test_evacuation(stack, admin, boot, settled):
    uuid = boot()
    host = host_of(settled(uuid))
    assert act(admin, uuid, {'evacuate': {}}, ok=400).json()['badRequest']['message'].endswith('is still in use.')
    with down(stack, admin, host):
        act(admin, uuid, {'evacuate': {}}, ok=200)
        server = settled(uuid)
        assert server['status'] == 'SHUTOFF', 'as of 2.95'
        assert host_of(server) != host
        assert uuid in stack.fake_guests()[host], 'that host cannot be asked'
    assert migration_of(admin, uuid)['status'] == 'done'
    audit.check(stack, 60)


def test_a_resize_that_loses_its_destination(stack, admin, boot, settled):
    uuid = boot()
    host = host_of(settled(uuid))
    with stack.fault('operation.resize.finish_resize', 'once sleep 60') as path:
        act(admin, uuid, {'resize': {'flavorRef': '1'}})
        cloud.wait_for(lambda: not path.exists(), 30)
        with down(stack, admin, migration_of(admin, uuid)['dest_compute']):
            server = settled(uuid, 90)
            assert (server['status'], host_of(server), server['flavor']['original_name']) == ('ACTIVE', host, 'm1.nano')
            assert server['OS-EXT-STS:power_state'] == 1, 'the guest runs again where it was'
    assert migration_of(admin, uuid)['status'] == 'error'
    audit.check(stack, 90)
