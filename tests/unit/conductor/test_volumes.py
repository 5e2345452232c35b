# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Volumes of servers that are not built, or deleted without their host; with the real volume stand-in."""

import pytest

from nova_lite import exception
from nova_lite.conductor.tasks import build
from nova_lite.conductor.tasks import delete
from nova_lite.conductor.tasks import release
from nova_lite.db import block_devices
from nova_lite.db import build_requests
from nova_lite.db import instances
from nova_lite.db import orders
from nova_lite.objects import block_device
from tests.fixtures import cinder as cinder_fixture
from tests.fixtures import records

CONNECTOR = {'host': 'h1', 'ip': '192.0.2.1'}


@pytest.fixture
def volumes(tmp_path):
    return cinder_fixture.Cinder(tmp_path / 'volumes')


@pytest.fixture
def tools(db, tools, volumes):
    tools.volume = volumes.api
    return tools


@pytest.fixture
def request_(db, volumes, ctxt):
    """An order with a volume that there was, reserved, and one that was made for it."""
    [request] = records.build_requests()
    uuid = request.instance.uuid
    mine, made = volumes.volume(), volumes.volume()
    attachment = volumes.api.attachment_create(cinder_fixture.user(), mine.id, uuid)
    request.block_device_mapping = [
        block_device.BlockDeviceMapping(source_type='volume', destination_type='volume', boot_index=0,
                                        volume_id=mine.id, attachment_id=attachment.id, instance_uuid=uuid),
        block_device.BlockDeviceMapping(source_type='blank', destination_type='volume', volume_id=made.id,
                                        instance_uuid=uuid, delete_on_termination=False)]
    instances.create(db, [request], ctxt)
    return request


def ids(request):
    return [bdm.volume_id for bdm in request.block_device_mapping]


def test_a_server_without_a_host_gives_its_volumes_back(tools, volumes, ctxt, request_):
    tools.scheduler.errors = [exception.NoValidHost(reason='')]
    build.build_instances(tools, ctxt, [request_])
    assert instances.get(tools.db, request_.instance.uuid).vm_state == 'error'
    volumes.service.jobs.wait()
    mine, made = ids(request_)
    assert volumes.status(mine) == 'available' and volumes.status(made) is None and volumes.attachments() == []
    assert all(bdm.attachment_id is None for bdm in block_devices.get_all(tools.db, request_.instance.uuid))


def test_what_cannot_be_given_back_now_is_tried_again(tools, volumes, ctxt, request_):
    mine, made = ids(request_)
    volumes.service._records.volumes.by_id[made]['status'] = 'downloading'
    tools.scheduler.errors = [exception.NoValidHost(reason='')]
    build.build_instances(tools, ctxt, [request_])
    [(uuid, project_id, kept)] = orders.unreleased(tools.db, records.datetime.datetime(2100, 1, 1))
    volumes.service._records.volumes.by_id[made]['status'] = 'available'
    release.again(tools, ctxt, uuid, kept)
    volumes.service.jobs.wait()
    assert volumes.status(made) is None and volumes.status(mine) == 'available'
    assert orders.unreleased(tools.db, records.datetime.datetime(2100, 1, 1)) == []


def test_another_host_gets_the_volumes_reserved_anew(tools, volumes, ctxt, request_):
    mine, made = ids(request_)
    uuid, service = request_.instance.uuid, cinder_fixture.admin()
    old = [volumes.api.attachment_update(service, identifier, CONNECTOR, '/dev/vda') for identifier in (
        request_.block_device_mapping[0].attachment_id, volumes.api.attachment_create(service, made, uuid).id)]
    for _ in range(2):
        release.renew_volumes(tools, ctxt, request_)
        now = volumes.attachments(uuid)
        assert {(item['volume_id'], item['status'], item['attached_host']) for item in now} == {
            (mine, 'reserved', None), (made, 'reserved', None)}
        assert not {item['id'] for item in now} & {item.id for item in old}
        kept = block_devices.get_all(tools.db, uuid)
        assert [bdm.attachment_id for bdm in kept] == [
            bdm.attachment_id for bdm in request_.block_device_mapping] and len(now) == 2
    assert build_requests.get(tools.db, uuid).block_device_mapping[0].volume_id == mine


def test_a_delete_without_the_host(tools, volumes, ctxt, request_):
    mine, made = ids(request_)
    uuid = request_.instance.uuid
    bdms = request_.block_device_mapping
    bdms[1].delete_on_termination = True
    block_devices.save(tools.db, uuid, bdms)
    instances.request_delete(tools.db, uuid, ctxt)
    delete.delete_instance(tools, ctxt, uuid)
    volumes.service.jobs.wait()
    assert volumes.status(mine) == 'available' and volumes.status(made) is None and volumes.attachments() == []
    with pytest.raises(exception.InstanceNotFound):
        instances.get(tools.db, uuid)


def test_a_delete_waits_until_a_volume_can_go(tools, volumes, ctxt, request_):
    mine, made = ids(request_)
    uuid = request_.instance.uuid
    request_.block_device_mapping[1].delete_on_termination = True
    block_devices.save(tools.db, uuid, request_.block_device_mapping)
    volumes.service._records.volumes.by_id[made]['status'] = 'creating'
    instances.request_delete(tools.db, uuid, ctxt)
    delete.delete_instance(tools, ctxt, uuid)
    assert instances.get(tools.db, uuid).task_state == 'deleting'
    volumes.service._records.volumes.by_id[made]['status'] = 'available'
    delete.delete_instance(tools, ctxt, uuid)
    volumes.service.jobs.wait()
    assert volumes.status(made) is None
