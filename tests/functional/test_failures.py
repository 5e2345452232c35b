# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Failure is part of the main job: an error, a kill and a delete at every step of a boot, and nothing is left.

The points are those that the code passes (`faultpoints.hit`), so a new step is covered without a new test.
"""

import pathlib
import re

import pytest

import nova_lite
from tests.fixtures import audit
from tests.fixtures import cloud

SOURCE = pathlib.Path(nova_lite.__path__[0])
POINTS = sorted({point for path in SOURCE.rglob('*.py')
                 for point in re.findall(r"faultpoints\.hit\('([\w.]+)'", path.read_text())})
BUILD = [point for point in POINTS if not point.endswith(('before_destroy', 'after_destroy', 'before_deleted'))
         and point != 'api.before_cast']
DELETE = [point for point in POINTS if point.endswith(('before_destroy', 'after_destroy', 'before_deleted'))]
SERVICE = {'api': 'nova-api', 'conductor': 'nova-conductor', 'scheduler': 'nova-scheduler', 'compute': 'nova-compute'}


def gone(admin, uuid, seconds=30):
    cloud.wait_for(lambda: admin.request('GET', '/servers/%s' % uuid).status_code == 404, seconds)


def test_there_are_points_at_every_step():
    assert len(BUILD) >= 12 and len(DELETE) == 3


@pytest.mark.parametrize('point', BUILD)
def test_an_error_once_ends_on_another_host_or_with_a_fault(stack, admin, boot, settled, point):
    with stack.fault(point, 'once raise something secret'):
        server = settled(boot())
    if server['status'] == 'ERROR':
        assert server['fault']['message'] and 'secret' not in server['fault']['message']
    else:
        assert server['status'] == 'ACTIVE'
    if point.startswith('compute.'):
        assert server['status'] == 'ACTIVE', 'another host was free'
    audit.check(stack)


@pytest.mark.parametrize('point', [point for point in BUILD if point.startswith('compute.')])
def test_an_error_everywhere_ends_in_error_with_a_fault(stack, admin, boot, settled, point):
    with stack.fault(point, 'raise something secret'):
        server = settled(boot())
    assert server['status'] == 'ERROR'
    assert server['fault']['message'] and 'secret' not in server['fault']['message']
    audit.check(stack)


@pytest.mark.parametrize('point', BUILD)
def test_a_kill_ends_on_another_host_or_with_a_fault(stack, admin, boot, settled, point):
    before = stack.pids(SERVICE[point.partition('.')[0]])
    with stack.fault(point, 'once exit') as path:
        uuid = boot()
        cloud.wait_for(lambda: not path.exists(), 30)
    server = settled(uuid, 90)
    assert server['status'] in ('ACTIVE', 'ERROR')
    if server['status'] == 'ERROR':
        assert server['fault']['message']
    assert stack.pids(SERVICE[point.partition('.')[0]]) != before, 'it was killed and came back'
    audit.check(stack)


def test_a_server_that_nova_api_recorded_is_built_though_its_request_died(stack, admin, settled):
    """The client got no answer; what it finds in the list must not stay BUILD."""
    server = {'name': 'orphan', 'imageRef': stack.image_id(admin), 'flavorRef': '42',
              'networks': [{'uuid': stack.network_id(admin)}]}
    with stack.fault('api.before_cast', 'once exit'), pytest.raises(OSError):
        admin.request('POST', '/servers', json={'server': server})
    cloud.wait_for(lambda: _answers(admin), 30)
    [found] = admin.get('/servers?name=^orphan$')['servers']
    assert settled(found['id'], 90)['status'] == 'ACTIVE'
    audit.check(stack)
    admin.request('DELETE', '/servers/%s' % found['id'], ok=204)
    gone(admin, found['id'])


@pytest.mark.parametrize('point', [point for point in BUILD if not point.startswith('api.')])
def test_a_delete_during_a_step_leaves_nothing(stack, admin, boot, point):
    with stack.fault(point, 'once sleep 2') as path:
        uuid = boot()
        cloud.wait_for(lambda: not path.exists(), 30)
        admin.request('DELETE', '/servers/%s' % uuid, ok=204)
        gone(admin, uuid)
    audit.check(stack)


@pytest.mark.parametrize('line', ['once raise boom', 'once exit'])
@pytest.mark.parametrize('point', DELETE)
def test_a_delete_that_breaks_is_finished(stack, admin, boot, settled, point, line):
    uuid = boot()
    settled(uuid)
    with stack.fault(point, line) as path:
        admin.request('DELETE', '/servers/%s' % uuid, ok=204)
        cloud.wait_for(lambda: not path.exists(), 30)
    if line == 'once raise boom':
        cloud.wait_for(lambda: admin.request('GET', '/servers/%s' % uuid).status_code == 404
                       or admin.get('/servers/%s' % uuid)['server']['status'] == 'ERROR')
        admin.request('DELETE', '/servers/%s' % uuid, ok=(204, 404))
    gone(admin, uuid, 60)
    audit.check(stack)


def test_rabbitmq_restarted_in_the_middle_of_ten_boots(stack, admin, boot, settled):
    uuids = [boot('ten-%d' % number) for number in range(5)]
    stack.kill('beam.smp')
    uuids += [boot('ten-%d' % number) for number in range(5, 10)]
    for uuid in uuids:
        assert settled(uuid, 90)['status'] in ('ACTIVE', 'ERROR')
    audit.check(stack, 60)


@pytest.mark.parametrize('service', cloud.SERVICES)
def test_each_service_killed_with_ten_boots_under_way(stack, admin, boot, settled, service):
    uuids = [boot('killed-%d' % number) for number in range(10)]
    stack.kill(service)
    for uuid in uuids:
        cloud.wait_for(lambda: _answers(admin), 30)
        assert settled(uuid, 90)['status'] in ('ACTIVE', 'ERROR')
    audit.check(stack, 60)


def _answers(admin):
    try:
        return admin.request('GET', '/').status_code == 200
    except OSError:
        return False
