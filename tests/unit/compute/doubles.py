# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""The doors of nova-compute for its unit tests: conductor, network and placement in memory; all behind them is real."""

import copy
import dataclasses
import uuid as uuid_module

from nova_lite import context
from nova_lite import exception
from nova_lite.compute import conductor_client
from nova_lite.compute import manager
from nova_lite.compute import notifications
from nova_lite.compute import operations
from nova_lite.compute import settings
from nova_lite.compute import task_states
from nova_lite.compute import toolbox
from nova_lite.compute import transitions
from nova_lite.compute import vm_states
from nova_lite.image import glance
from nova_lite.objects import action
from nova_lite.objects import base
from nova_lite.objects import block_device
from nova_lite.objects import flavor
from nova_lite.objects import image_meta
from nova_lite.objects import instance as instance_obj
from nova_lite.objects import network
from nova_lite.objects import operation as operation_obj
from nova_lite.objects import request_spec
from nova_lite.virt.fake import driver as fake_driver
from tests.unit.compute_api import doubles as api_doubles

HOST, PORT_NETWORK = 'host1', 'net-1'


class Database:
    """ConductorAPI and ComputeTaskAPI: records in memory, moved by the real transition table.

    `calls`: names of the calls in order; `lose`: {method name: how many of its next answers get lost}.
    """

    def __init__(self):
        self.instances, self.requests, self.devices, self.groups = {}, {}, {}, {}
        self.calls, self.events, self.open_events = [], [], []
        self.lose, self.away = {}, False
        self.rescheduled, self.transitions, self.nodes, self.answers = [], [], {}, {}
        self.failed_requests = []       # request ids of the steps that were reported as failed
        self.operations = {}            # {uuid: Operation} under way
        self.places = []                # [Place…] that migrations keep on the host
        self.before_answer = {}         # method name → function called once before it answers

    def _called(self, name):
        self.calls.append(name)
        if self.away:
            raise exception.MessagingUnavailable()

    def _answer(self, name, value):
        if name in self.before_answer:
            self.before_answer.pop(name)()
        if self.lose.get(name):
            self.lose[name] -= 1
            raise exception.MessagingUnavailable()
        return base.from_primitive(base.to_primitive(value))

    def _get(self, instance_uuid):
        instance = self.instances.get(instance_uuid)
        if instance is None or instance.deleted:
            raise exception.InstanceNotFound(instance_id=instance_uuid)
        return instance

    def instance_get(self, ctxt, instance_uuid):
        self._called('instance_get')
        return self._answer('instance_get', self._get(instance_uuid))

    def instance_get_all_by_host(self, ctxt, host):
        self._called('instance_get_all_by_host')
        found = [item for item in self.instances.values() if item.host == host and not item.deleted]
        return self._answer('instance_get_all_by_host', copy.deepcopy(found))

    def instance_transition(self, ctxt, instance_uuid, event, values=None, step=None, fault=None, token=None):
        self._called('instance_transition')
        if token not in self.answers:
            self.answers[token] = self._move(instance_uuid, event, values, step, fault)
        return self._answer('instance_transition', self.answers[token])

    def _move(self, instance_uuid, event, values, step, fault):
        instance = self._get(instance_uuid)
        row = transitions.get(event)
        if not row.allows(instance.vm_state, instance.task_state):
            error = (exception.UnexpectedDeletingTaskStateError if instance.task_state == task_states.DELETING
                     else exception.UnexpectedTaskStateError)
            raise error(instance_uuid=instance_uuid, expected=event, actual=instance.task_state)
        self._progress(step)
        instance.vm_state, instance.task_state = row.target(instance.vm_state, instance.task_state)
        for name, value in (values or {}).items():
            assert name in {field.name for field in dataclasses.fields(instance)}
            setattr(instance, name, value)
        instance.fault = fault or instance.fault
        instance.deleted = instance.vm_state == vm_states.DELETED
        if instance.deleted:
            self.operations = {key: item for key, item in self.operations.items()
                               if item.instance_uuid != instance_uuid}
        self.transitions.append(event)
        self._record(step)
        return copy.deepcopy(instance)

    def _progress(self, step):
        progress = step.progress if step is not None else None
        if progress is None:
            return
        if progress.done:
            self.operations.pop(progress.operation_uuid, None)
            return
        record = self.operations.get(progress.operation_uuid)
        if record is None or record.host != step.host:
            raise exception.OperationGone(operation_uuid=progress.operation_uuid)
        record.step, record.data = progress.step, copy.deepcopy(progress.data)
        record.undoing = progress.undoing

    def operation_get(self, ctxt, operation_uuid):
        self._called('operation_get')
        return self._answer('operation_get', self.operations.get(operation_uuid))

    def operations_get_by_host(self, ctxt, host):
        self._called('operations_get_by_host')
        return self._answer('operations_get_by_host', [
            item for item in self.operations.values() if item.host == host])

    def operation_hand_over(self, ctxt, operation, host):
        self._called('operation_hand_over')
        record = self.operations[operation.uuid]
        record.host, record.step, record.data = host, operation.step, operation.data
        record.undoing, record.fault = operation.undoing, operation.fault

    def places_kept_by_host(self, ctxt, host):
        self._called('places_kept_by_host')
        return self._answer('places_kept_by_host', self.places)

    def migration_is_under_way(self, ctxt, migration_uuid):
        return any(place.migration_uuid == migration_uuid for place in self.places)

    def operation_finish(self, ctxt, operation_uuid):
        self._called('operation_finish')
        self.operations.pop(operation_uuid, None)

    def _record(self, step):
        if step is None:
            return
        if step.result == 'Error':
            self.failed_requests.append(step.request_id)
        for name in step.end:
            if name in self.open_events:
                self.open_events.remove(name)
                self.events.append((name, step.result))
        self.open_events += step.begin

    def instance_update(self, ctxt, instance_uuid, values, step=None):
        self._called('instance_update')
        instance = self._get(instance_uuid)
        self._progress(step)
        for name, value in values.items():
            setattr(instance, name, value)
        self._record(step)
        return self._answer('instance_update', None)

    def unfinished_action_get(self, ctxt, instance_uuid):
        self._called('unfinished_action_get')
        return self._answer('unfinished_action_get', action.InstanceAction(
            action='create', instance_uuid=instance_uuid, request_id='req-first', user_id='u', project_id='p'))

    def build_request_get(self, ctxt, instance_uuid):
        self._called('build_request_get')
        return self._answer('build_request_get', self.requests.get(instance_uuid))

    def block_devices_get(self, ctxt, instance_uuid):
        self._called('block_devices_get')
        return self._answer('block_devices_get', self.devices.get(instance_uuid, []))

    def block_devices_save(self, ctxt, instance_uuid, block_devices):
        self._called('block_devices_save')
        self.devices[instance_uuid] = block_devices

    def block_device_save(self, ctxt, block_device):
        self._called('block_device_save')
        devices = self.devices.get(block_device.instance_uuid, [])
        self.devices[block_device.instance_uuid] = [
            self._answer('block_device_save', block_device) if item.uuid == block_device.uuid else item
            for item in devices]

    def block_device_delete(self, ctxt, block_device_uuid):
        self._called('block_device_delete')
        self.devices = {owner: [item for item in devices if item.uuid != block_device_uuid]
                        for owner, devices in self.devices.items()}

    def instance_group_get_by_instance(self, ctxt, instance_uuid):
        self._called('instance_group_get_by_instance')
        group = next((item for item in self.groups.values() if instance_uuid in item.members), None)
        if group is not None:
            others = [self.instances[item].host for item in group.members if item != instance_uuid]
            group = dataclasses.replace(group, hosts=[host for host in others if host])
        return self._answer('instance_group_get_by_instance', group)

    def service_report(self, ctxt, host, binary, topic):
        self._called('service_report')

    def compute_node_save(self, ctxt, compute_node):
        self._called('compute_node_save')
        kept = self.nodes.get(compute_node.hypervisor_hostname)
        saved = dataclasses.replace(compute_node, uuid=kept.uuid if kept else compute_node.uuid)
        self.nodes[compute_node.hypervisor_hostname] = saved
        return saved

    def reschedule_instance(self, ctxt, build_request, host, fault, retry):
        self._called('reschedule_instance')
        self.rescheduled.append((build_request.instance.uuid, host, fault, retry))
        instance = self.instances.get(build_request.instance.uuid)
        if instance is not None and instance.vm_state == vm_states.BUILDING and instance.task_state != 'deleting':
            instance.host, instance.task_state, instance.network_info = None, task_states.SCHEDULING, []


class Network:
    """Ports in memory. `fail`: an exception that the next allocation ends with, its first port left behind."""

    def __init__(self):
        self.ports, self.user_ports, self.fail, self.unreachable = {}, set(), None, False
        self.bound = {}     # {port: host} of those that were bound after they had been made

    def allocate_for_instance(self, ctxt, instance, requested_networks, security_groups, host):
        vifs = []
        for request in requested_networks or []:
            port_id = request.port_id or str(uuid_module.uuid4())
            self.ports[port_id] = instance.uuid
            if self.fail is not None:
                error, self.fail = self.fail, None
                raise error
            vifs.append(network.VIF(
                id=port_id, address='fa:16:3e:00:00:%02x' % len(self.ports),
                network_id=request.network_id or PORT_NETWORK, network_label='lab', vif_type='bridge',
                preserve_on_delete=request.port_id is not None,
                fixed_ips=[network.FixedIP(address='10.0.0.5', version=4, subnet_id='s', cidr='10.0.0.0/24')]))
        return vifs

    def release_port(self, ctxt, instance_uuid, port_id, preserve):
        if self.unreachable:
            raise exception.ServiceUnreachable(service='network', reason='ConnectFailure')
        if self.ports.get(port_id) == instance_uuid:
            self._release(port_id, preserve)

    def release_other_ports(self, ctxt, instance_uuid, known, users=()):
        for port_id, owner in list(self.ports.items()):
            if owner == instance_uuid and port_id not in known:
                self._release(port_id, port_id in users)

    def _release(self, port_id, preserve):
        if preserve:
            self.ports[port_id] = ''
        else:
            del self.ports[port_id]

    def deallocate_for_instance(self, ctxt, instance_uuid, vifs, requested_networks=None):
        if self.unreachable:
            raise exception.ServiceUnreachable(service='network', reason='ConnectFailure')
        preserved = {vif.id for vif in vifs if vif.preserve_on_delete}
        preserved |= {request.port_id for request in requested_networks or [] if request.port_id}
        for port_id, owner in list(self.ports.items()):
            if owner == instance_uuid:
                if port_id in preserved:
                    self.ports[port_id] = ''
                else:
                    del self.ports[port_id]


    def bind_to_host(self, ctxt, instance, host):
        if self.unreachable:
            raise exception.ServiceUnreachable(service='network', reason='ConnectFailure')
        vifs = [vif for vif in instance.network_info if vif.id in self.ports]
        self.bound.update((vif.id, host) for vif in vifs)
        return [dataclasses.replace(vif, vif_type='bridge' if host else 'unbound') for vif in vifs]


class Placement:
    """What the tracker reports, and the allocations: {consumer: {class: amount}} of the one provider there is."""

    def __init__(self):
        self.providers, self.allocations, self.updates, self.away = {}, {}, 0, False

    def _check(self):
        if self.away:
            raise exception.ServiceUnreachable(service='placement', reason='ConnectFailure')

    def update_provider(self, ctxt, provider_uuid, name, inventories, traits):
        self._check()
        self.updates += 1
        self.providers[provider_uuid] = (name, inventories, traits)

    def get_allocations_for_provider(self, ctxt, provider_uuid):
        self._check()
        return dict(self.allocations)

    def claim_resources(self, ctxt, consumer_uuid, allocation_request, project_id, user_id):
        self._check()
        self.allocations[consumer_uuid] = allocation_request
        return True

    def move_allocations(self, ctxt, from_uuid, to):
        self._check()
        if from_uuid in self.allocations:
            self.allocations[to.uuid] = self.allocations.pop(from_uuid)

    def delete_allocation_for_instance(self, ctxt, consumer_uuid):
        self._check()
        self.allocations.pop(consumer_uuid, None)


class Notifier:
    """An oslo.messaging Notifier that keeps what it is told: [(priority, event type, payload)…]."""

    def __init__(self):
        self.sent = []

    def info(self, ctxt, event_type, payload):
        self.sent.append(('INFO', event_type, payload))

    def error(self, ctxt, event_type, payload):
        self.sent.append(('ERROR', event_type, payload))


class World:
    """One host with a real manager and fake driver, and the doubles around it."""

    def __init__(self, directory, behaviour=None, patience=0.5, volume=None, **options):
        self.directory, self.behaviour = directory, behaviour or fake_driver.Behaviour()
        self.database, self.network, self.placement = Database(), Network(), Placement()
        self.volume, self.glance = volume, api_doubles.Glance()
        self.legacy, self.versioned = Notifier(), Notifier()
        self.settings = settings.Settings(**options)
        self.conductor = conductor_client.Conductor(self.database, self.database, patience)
        self.restart()

    def restart(self):
        """A new life of nova-compute on the same host; the caller sees to `init_host`."""
        self.driver = fake_driver.FakeDriver(self.directory, self.behaviour)
        self.manager = manager.ComputeManager(
            HOST, self.settings, self.driver, toolbox.Clients(
                network=self.network, placement=self.placement, volume=self.volume, image=glance.API(self.glance)),
            self.conductor, notifications.InstanceNotifier(self.legacy, self.versioned))
        self.tools, self.tracker = self.manager.tools, self.manager.tools.tracker

    def order(self, name='server', group=None, networks=1, **fields):
        """A BuildRequest as the conductor sends it, with its instance recorded as scheduled to this host."""
        instance = new_instance(name=name, **fields)
        self.database.instances[instance.uuid] = instance
        self.placement.allocations[instance.uuid] = {'VCPU': instance.flavor.vcpus}
        if group is not None:
            group.members.append(instance.uuid)
            self.database.groups[group.uuid] = group
        request = request_spec.BuildRequest(
            instance=copy.deepcopy(instance), image=instance.image_meta,
            request_spec=request_spec.RequestSpec(
                flavor=instance.flavor, image=instance.image_meta, project_id='p', user_id='u',
                instance_uuids=[instance.uuid], instance_group=group),
            requested_networks=[network.NetworkRequest(network_id=PORT_NETWORK) for _ in range(networks)],
            block_device_mapping=[block_device.BlockDeviceMapping(
                instance_uuid=instance.uuid, boot_index=0, image_id=instance.image_ref)], node=HOST)
        self.database.requests[instance.uuid] = copy.deepcopy(request)
        return request

    def record(self, uuid):
        return self.database.instances[uuid]

    def build(self, request):
        """Send an order; → the instance's record once the build has ended."""
        self.manager.build_and_run_instance(new_context(), request)
        return self.ended(request.instance.uuid)

    def ended(self, uuid):
        wait_for(lambda: uuid not in self.tools.builds and not self.tools.locks.held(uuid)
                 and uuid not in self.manager._deletes)
        return self.record(uuid)

    def request(self, uuid, name, data=None, **arguments):
        """What the API does to begin an operation, but for the cast. :returns: its Operation"""
        spec = operations.SPECS[name]
        self.database._move(uuid, spec.requested, {}, None, None)
        order = operation_obj.Operation(uuid=str(uuid_module.uuid4()), instance_uuid=uuid, name=name,
                                        request_id='req-operation', host=HOST, arguments=arguments, data=data or {})
        self.database.operations[order.uuid] = order
        return order

    def operate(self, uuid, name, data=None, **arguments):
        """Have an operation done; → the instance's record once it has ended."""
        order = self.request(uuid, name, data, **arguments)
        self.manager.run_operation(new_context(), uuid, order.uuid)
        return self.operated(uuid, order)

    def operated(self, uuid, order):
        wait_for(lambda: order.uuid not in self.tools.operations and not self.tools.locks.held(uuid))
        return self.record(uuid)

    def delete(self, uuid):
        """What the API does: the transition, then the cast."""
        self.database._move(uuid, 'delete_requested', {}, None, None)
        self.manager.terminate_instance(new_context(), uuid)

    def leftovers(self):
        """What is held for instances that do not run here, as sentences."""
        active = {item.uuid for item in self.database.instances.values()
                  if item.vm_state not in (vm_states.BUILDING, vm_states.DELETED) and item.host == HOST}
        found = ['guest %s' % item for item in set(self.driver.list_instance_uuids()) - active]
        found += ['port of %s' % owner for owner in self.network.ports.values() if owner and owner not in active]
        found += ['claim of %s' % item for item in self.tracker.instance_uuids() - active]
        found += ['event %s' % name for name in self.database.open_events]
        found += ['build %s' % item for item in self.tools.builds]
        found += ['operation %s' % item.name for item in self.database.operations.values()]
        return found


def new_context():
    return context.RequestContext(user_id='u', project_id='p', auth_token='secret-token', overwrite=False)


def new_instance(name='server', vcpus=1, memory_mb=128, root_gb=1, **fields):
    image = image_meta.ImageMeta(id='image-1', name='tiny', disk_format='raw', container_format='bare')
    values = dict(
        uuid=str(uuid_module.uuid4()), id=7, project_id='p', user_id='u', display_name=name, hostname=name,
        image_ref='image-1',
        flavor=flavor.Flavor(id=1, flavorid='1', name='m1.nano', memory_mb=memory_mb, vcpus=vcpus, root_gb=root_gb),
        image_meta=image, vm_state=vm_states.BUILDING, task_state=task_states.SCHEDULING, created_at=base.utcnow(),
        reservation_id='r-1')
    values.update(fields)
    return instance_obj.Instance(**values)


def wait_for(what, seconds=10):
    """Let the green threads work until `what()` is true. :raises AssertionError: it is not in time."""
    from_now = 0.0
    while not what():
        assert from_now < seconds, 'not within %d seconds' % seconds
        manager.concurrency.sleep(0.01)
        from_now += 0.01
