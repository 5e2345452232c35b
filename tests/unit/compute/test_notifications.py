# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""What is told, in which form, and that no secret is in it."""

import json

import pytest
from oslo_messaging.notify import _impl_test

from nova_lite import rpc
from nova_lite.compute import notification_payloads
from nova_lite.compute import notifications
from nova_lite.compute import vm_states
from nova_lite.objects import instance as instance_obj
from tests.unit.compute import doubles

LEGACY_FIELDS = {
    'tenant_id', 'user_id', 'instance_id', 'display_name', 'reservation_id', 'hostname', 'instance_type',
    'instance_type_id', 'instance_flavor_id', 'architecture', 'memory_mb', 'disk_gb', 'vcpus', 'root_gb',
    'ephemeral_gb', 'host', 'node', 'availability_zone', 'cell_name', 'created_at', 'terminated_at', 'deleted_at',
    'launched_at', 'image_ref_url', 'os_type', 'kernel_id', 'ramdisk_id', 'state', 'state_description', 'progress',
    'access_ip_v4', 'access_ip_v6', 'image_meta', 'metadata'}
VERSIONED_FIELDS = {
    'uuid', 'user_id', 'tenant_id', 'reservation_id', 'display_name', 'display_description', 'host_name', 'host',
    'node', 'os_type', 'architecture', 'availability_zone', 'flavor', 'image_uuid', 'key_name', 'kernel_id',
    'ramdisk_id', 'created_at', 'launched_at', 'terminated_at', 'deleted_at', 'updated_at', 'state', 'power_state',
    'task_state', 'progress', 'ip_addresses', 'block_devices', 'metadata', 'locked', 'locked_reason',
    'auto_disk_config', 'request_id', 'action_initiator_user', 'action_initiator_project', 'fault'}


def kinds(notifier):
    return [(priority, event) for priority, event, _ in notifier.sent]


def test_a_boot_and_a_delete(world):
    uuid = world.build(world.order()).uuid
    world.delete(uuid)
    world.ended(uuid)
    assert kinds(world.legacy) == [('INFO', 'compute.instance.create.start'), ('INFO', 'compute.instance.create.end'),
                                   ('INFO', 'compute.instance.delete.start'), ('INFO', 'compute.instance.delete.end')]
    assert kinds(world.versioned) == [('INFO', 'instance.create.start'), ('INFO', 'instance.create.end'),
                                      ('INFO', 'instance.delete.start'), ('INFO', 'instance.delete.end')]
    start, end, _, deleted = [payload for *_, payload in world.legacy.sent]
    assert set(start) == LEGACY_FIELDS | {'image_name'} and start['state'] == 'building'
    assert set(end) == LEGACY_FIELDS | {'fixed_ips', 'message'} and end['state'] == 'active'
    assert end['message'] == 'Success' and end['fixed_ips'][0]['address'] == '10.0.0.5' and end['launched_at']
    assert set(deleted) == LEGACY_FIELDS and deleted['state'] == vm_states.DELETED and deleted['terminated_at']


def test_the_versioned_form(world):
    world.build(world.order(key_name='k', key_data='ssh-rsa AAAA', tags=['t']))
    payload = world.versioned.sent[1][2]
    assert (payload['nova_object.name'], payload['nova_object.version'], payload['nova_object.namespace']) == (
        'InstanceCreatePayload', '1.12', 'nova')
    data = payload['nova_object.data']
    assert set(data) == VERSIONED_FIELDS | {'keypairs', 'tags', 'trusted_image_certificates'}
    assert data['flavor']['nova_object.data']['flavorid'] == '1' and data['power_state'] == 'running'
    [address] = data['ip_addresses']
    assert address['nova_object.data']['address'] == '10.0.0.5'
    assert data['keypairs'][0]['nova_object.data']['public_key'] == 'ssh-rsa AAAA'
    json.dumps(payload)


def test_an_error(world, fault):
    fault('compute.before_spawn', 'raise it broke')
    world.build(world.order())
    assert kinds(world.legacy)[-1] == ('ERROR', 'compute.instance.create.error')
    assert kinds(world.versioned)[-1] == ('ERROR', 'instance.create.error')
    legacy, versioned = world.legacy.sent[-1][2], world.versioned.sent[-1][2]
    assert (legacy['exception'], legacy['message'], legacy['code']) == ('RuntimeError', 'it broke', 500)
    error = versioned['nova_object.data']['fault']['nova_object.data']
    assert error['exception'] == 'RuntimeError' and 'Traceback' in error['traceback']


def test_a_delete_during_the_build_ends_the_create(world, fault):
    path = fault('compute.before_bdm', 'once sleep 0.1')
    request = world.order()
    world.manager.build_and_run_instance(doubles.new_context(), request)
    doubles.wait_for(lambda: not path.exists())
    world.delete(request.instance.uuid)
    world.ended(request.instance.uuid)
    assert [event for _, event in kinds(world.legacy)] == [
        'compute.instance.create.start', 'compute.instance.create.error', 'compute.instance.delete.start',
        'compute.instance.delete.end']


def test_no_secret_is_told(world):
    request = world.order(user_data='c2VjcmV0LXVzZXItZGF0YQ==', system_metadata={'secret': 'secret-meta'})
    request.admin_password = 'secret-password'
    request.injected_files = [['/etc/secret', 'c2VjcmV0']]
    world.build(request)
    text = json.dumps(world.legacy.sent + world.versioned.sent)
    for secret in ('secret-password', 'secret-token', 'secret-meta', '/etc/secret', 'c2VjcmV0'):
        assert secret not in text


def test_one_that_cannot_be_sent_fails_nothing(world, monkeypatch):
    def broken(*args):
        raise RuntimeError('no broker')
    monkeypatch.setattr(world.legacy, 'info', broken)
    assert world.build(world.order()).vm_state == vm_states.ACTIVE


def test_nothing_is_composed_for_nobody(monkeypatch):
    def never(*args, **kwargs):
        raise AssertionError('composed')
    monkeypatch.setattr(notification_payloads, 'legacy', never)
    monkeypatch.setattr(notification_payloads, 'versioned', never)
    notifier = notifications.InstanceNotifier()
    notifier.notify(doubles.new_context(), doubles.new_instance(), notifications.CREATE, notifications.START)


@pytest.mark.parametrize('drivers, anybody', [([], False), (['noop'], False), (['messagingv2'], True)])
def test_a_notifier_needs_a_driver(conf, drivers, anybody):
    transport = rpc.Transport(conf)
    transport.notifier('first')     # registers the option
    conf.set_override('driver', drivers, 'oslo_messaging_notifications')
    assert (transport.notifier('compute.h') is not None) is anybody


def test_payloads_go_out_as_they_are(conf):
    transport = rpc.Transport(conf)
    transport.notifier('first')     # registers the option
    conf.set_override('driver', ['test'], 'oslo_messaging_notifications')
    conf.set_override('notification_format', 'versioned', 'notifications')
    sent = _impl_test.NOTIFICATIONS
    before = len(sent)
    ctxt = doubles.new_context()
    notifications.from_conf(conf, transport, 'h').notify(
        ctxt, doubles.new_instance(), notifications.CREATE, notifications.START)
    [(told, message, priority, _)] = sent[before:]
    assert (message['publisher_id'], message['event_type'], priority) == (
        'nova-compute:h', 'instance.create.start', 'INFO')
    assert message['payload']['nova_object.name'] == 'InstanceCreatePayload'
    assert told['request_id'] == ctxt.request_id and 'auth_token' not in told


class Transport:
    """An rpc.Transport that notes which notifiers are asked for."""

    def __init__(self):
        self.made = []

    def notifier(self, publisher_id, topics=None):
        self.made.append((publisher_id, topics))
        return doubles.Notifier()


@pytest.mark.parametrize('form, made', [
    ('unversioned', [('compute.h', None)]), ('versioned', [('nova-compute:h', ['versioned_notifications'])]),
    ('both', [('compute.h', None), ('nova-compute:h', ['versioned_notifications'])])])
def test_the_form_is_configured(conf, form, made):
    conf.set_override('notification_format', form, 'notifications')
    transport = Transport()
    notifications.from_conf(conf, transport, 'h')
    assert transport.made == made


def test_a_server_without_an_image(world):
    instance = doubles.new_instance(image_ref='')
    instance.image_meta.disk_format = None
    assert notification_payloads.legacy(instance)['image_ref_url'] == ''
    assert isinstance(instance, instance_obj.Instance)
