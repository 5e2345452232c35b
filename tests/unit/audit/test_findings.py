# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""What the audit calls a difference, and what is only on its way."""

import dataclasses
import uuid

import pytest

from nova_lite.audit import findings
from nova_lite.audit import view as views
from nova_lite.objects import block_device
from nova_lite.objects import instance as instance_obj
from nova_lite.objects import service
from nova_lite.volume import cinder
from tests.fixtures import records

NODE, OTHER_NODE = str(uuid.UUID(int=11)), str(uuid.UUID(int=12))
UUID, STRANGER = str(uuid.UUID(int=1)), str(uuid.UUID(int=2))
TAKEN = {'MEMORY_MB': 2048, 'VCPU': 1, 'DISK_GB': 20}
VIF = records.vif('10.0.0.5')


def node(name, node_uuid):
    return service.ComputeNode(uuid=node_uuid, host=name, hypervisor_hostname=name, vcpus=8, memory_mb=8192,
                               local_gb=100)


@pytest.fixture
def server():
    return instance_obj.Instance(
        uuid=UUID, project_id='p', user_id='u', display_name='server', flavor=records.FLAVOR,
        image_meta=records.IMAGE, image_ref=records.IMAGE.id, vm_state='active', host='host1', node='host1',
        network_info=[VIF])


@pytest.fixture
def view(server):
    """A server on host1 that is as it should be, and an empty host2."""
    return views.View(
        instances={UUID: server}, guests={'host1': {UUID}, 'host2': set()},
        directories={'host1': {UUID}, 'host2': set()},
        nodes={('host1', 'host1'): node('host1', NODE), ('host2', 'host2'): node('host2', OTHER_NODE)},
        providers={NODE: 'host1', OTHER_NODE: 'host2'}, allocations={UUID: {NODE: dict(TAKEN)}},
        ports=[{'id': VIF.id, 'device_id': UUID, 'binding:host_id': 'host1'}])


def brief(view):
    return {(item.kind, item.problem, item.instance_uuid, item.host, item.subject) for item in findings.compare(view)}


def test_nothing_differs(view):
    assert brief(view) == set()


def test_what_belongs_to_nobody(view):
    view.guests['host2'].add(STRANGER)
    view.directories['host2'].add(STRANGER)
    view.ports.append({'id': 'port', 'device_id': STRANGER, 'binding:host_id': 'host2'})
    view.allocations[STRANGER] = {OTHER_NODE: dict(TAKEN)}
    view.rows.append(('block_devices', STRANGER))
    assert brief(view) == {
        ('guest', 'orphan', STRANGER, 'host2', ''), ('files', 'orphan', STRANGER, 'host2', ''),
        ('port', 'orphan', STRANGER, 'host2', 'port'), ('allocation', 'orphan', STRANGER, 'host2', OTHER_NODE),
        ('row', 'orphan', STRANGER, '', 'block_devices')}


def test_what_a_server_lacks(view):
    view.guests['host1'].clear()
    view.directories['host1'].clear()
    view.ports.clear()
    view.allocations.clear()
    assert brief(view) == {
        ('guest', 'missing', UUID, 'host1', ''), ('files', 'missing', UUID, 'host1', ''),
        ('port', 'missing', UUID, 'host1', VIF.id), ('allocation', 'missing', UUID, 'host1', NODE)}


def test_what_is_in_the_wrong_place(view):
    view.guests['host2'].add(UUID)
    view.allocations[UUID] = {OTHER_NODE: dict(TAKEN)}
    assert brief(view) == {('guest', 'orphan', UUID, 'host2', ''), ('allocation', 'wrong', UUID, 'host1', NODE)}


def test_an_allocation_of_another_size(view):
    view.allocations[UUID][NODE]['VCPU'] = 2
    [found] = findings.compare(view)
    assert (found.kind, found.problem) == ('allocation', 'wrong') and 'VCPU 2 on host1' in found.details


def test_what_was_never_built_holds_nothing(view, server):
    view.instances[UUID] = dataclasses.replace(server, vm_state='error', host=None, node=None, network_info=[])
    assert {(item.kind, item.problem) for item in findings.compare(view)} == {
        ('guest', 'orphan'), ('files', 'orphan'), ('port', 'orphan'), ('allocation', 'orphan')}


@pytest.mark.parametrize('state', [
    {'task_state': 'deleting'}, {'vm_state': 'building', 'task_state': None}, {'vm_state': 'resized'}])
def test_what_is_under_way_is_left_alone(view, server, state):
    view.instances[UUID] = dataclasses.replace(server, **state)
    view.guests = {'host1': set(), 'host2': {UUID}}
    view.allocations = {UUID: {OTHER_NODE: dict(TAKEN)}}
    view.ports = []
    view.directories = {}
    assert brief(view) == set()


def test_a_host_that_does_not_answer(view):
    del view.guests['host1'], view.directories['host1']
    view.silent.append('host1')
    assert brief(view) == {('host', 'unseen', '', 'host1', '')}


def attachment(instance_id):
    return {'a': cinder.Attachment(id='a', volume_id='v', instance_id=instance_id, status='attached')}


@pytest.mark.parametrize('instance_id, known, found', [
    (UUID, True, None), (UUID, False, 'wrong'), (STRANGER, False, 'orphan')])
def test_reliability_51_attachments(view, instance_id, known, found):
    view.attachments = attachment(instance_id)
    if known:
        view.devices = [block_device.BlockDeviceMapping(instance_uuid=UUID, attachment_id='a', volume_id='v')]
    assert [(item.kind, item.problem, item.subject) for item in findings.compare(view)] == (
        [('attachment', found, 'a')] if found else [])


@pytest.mark.parametrize('there, problem', [({}, 'missing'), (None, 'unseen')])
def test_an_attachment_that_cannot_be_found(view, there, problem):
    view.attachments = there
    view.devices = [block_device.BlockDeviceMapping(instance_uuid=UUID, attachment_id='a', volume_id='v')]
    assert [(item.kind, item.problem) for item in findings.compare(view)] == [('attachment', problem)]


def test_a_cloud_without_volume_service(view):
    view.attachments = None
    assert brief(view) == set()


def test_what_a_migration_holds_is_no_orphan(view):
    move = str(uuid.UUID(int=9))
    view.allocations[move] = {OTHER_NODE: dict(TAKEN)}
    view.migrations = {move}
    assert brief(view) == set()
    view.migrations = set()
    assert brief(view) == {('allocation', 'orphan', move, 'host2', OTHER_NODE)}
