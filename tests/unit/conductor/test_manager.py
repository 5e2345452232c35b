# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""What comes over RPC: the managers answer every method of rpcapi.py, in the form in which messages arrive."""

import inspect
import json

import pytest
from oslo_messaging.rpc import dispatcher

from nova_lite import exception
from nova_lite.compute import conductor_client
from nova_lite.conductor import manager
from nova_lite.conductor import rpcapi
from nova_lite.conductor import toolbox
from nova_lite.db import instances
from nova_lite.db import services
from nova_lite.objects import base
from nova_lite.objects import block_device
from nova_lite.objects import service
from tests.fixtures import records


class Client:
    """An RPC client whose messages go through JSON, as on the wire, to the endpoints of a manager."""

    def __init__(self, endpoints, namespace=None):
        self._endpoints = endpoints
        self._namespace = namespace

    def prepare(self, namespace=None, **kwargs):
        return Client(self._endpoints, namespace or self._namespace)

    def call(self, ctxt, method, **kwargs):
        endpoint = next(item for item in self._endpoints if item.target.namespace == self._namespace)
        assert endpoint.target.version == rpcapi.VERSION
        try:
            return over_the_wire(getattr(endpoint, method)(ctxt, **over_the_wire(kwargs)))
        except dispatcher.ExpectedException as exc:
            raise exc.exc_info[1] from None

    cast = call


class Transport:
    def __init__(self, endpoints):
        self._endpoints = endpoints

    def client(self, topic, version):
        assert (topic, version) == ('conductor', '1.0')
        return Client(self._endpoints)


def over_the_wire(value):
    return base.from_primitive(json.loads(json.dumps(base.to_primitive(value))))


@pytest.fixture
def conductor(tools):
    return manager.ConductorManager(tools, 10)


@pytest.fixture
def api(conductor):
    return rpcapi.ConductorAPI(Transport(conductor.endpoints))


@pytest.fixture
def task_api(conductor):
    return rpcapi.ComputeTaskAPI(Transport(conductor.endpoints))


@pytest.mark.parametrize('endpoint, client', [
    (manager.ConductorManager, rpcapi.ConductorAPI), (manager.ComputeTaskManager, rpcapi.ComputeTaskAPI)])
def test_every_method_is_answered(endpoint, client):
    for name, method in inspect.getmembers(client, inspect.isfunction):
        if not name.startswith('_'):
            answering = getattr(endpoint, name)
            assert list(inspect.signature(method).parameters) == list(inspect.signature(answering).parameters)


def test_a_boot_and_a_delete_over_rpc(tools, ctxt, api, task_api):
    compute = conductor_client.Conductor(api, task_api)
    [request] = instances.create(tools.db, records.build_requests(1, ctxt), ctxt)
    task_api.build_instances(ctxt, [request])
    uuid = request.instance.uuid
    assert tools.compute.casts == [('build', 'host1', uuid)]
    assert compute.build_request_get(ctxt, uuid) == tools.compute.orders[uuid]
    vif = records.vif('10.0.0.5')
    compute.instance_transition(ctxt, uuid, 'build_started', {'host': 'host1', 'node': 'host1'},
                                records.step(ctxt, begin=['whole']))
    for event in ('networking', 'block_device_mapping', 'spawning'):
        compute.instance_transition(ctxt, uuid, event, {}, records.step(ctxt))
    compute.block_devices_save(ctxt, uuid, [block_device.BlockDeviceMapping(device_name='/dev/vda')])
    assert [device.device_name for device in compute.block_devices_get(ctxt, uuid)] == ['/dev/vda']
    done = compute.instance_transition(ctxt, uuid, 'build_finished', {
        'launched_at': base.utcnow(), 'network_info': [vif], 'power_state': 1}, records.step(ctxt, action_done=True))
    assert done.vm_state == 'active' and done.network_info == [vif] and done.launched_at
    assert compute.instance_get(ctxt, uuid) == compute.instance_get_all_by_host(ctxt, 'host1')[0] == done
    compute.instance_update(ctxt, uuid, {'power_state': 4})
    assert compute.instance_get(ctxt, uuid).power_state == 4
    assert compute.build_request_get(ctxt, uuid) is None
    assert compute.instance_group_get_by_instance(ctxt, uuid) is None
    instances.request_delete(tools.db, uuid, ctxt)
    task_api.delete_instance(ctxt, uuid)
    assert tools.compute.casts[-1] == ('terminate', 'host1', uuid)
    compute.instance_transition(ctxt, uuid, 'deleted', {'terminated_at': base.utcnow()}, records.step(ctxt))
    with pytest.raises(exception.InstanceNotFound):
        compute.instance_get(ctxt, uuid)


def test_refusals_come_back_as_what_they_are(tools, ctxt, api):
    instance = records.created(tools.db, ctxt)
    with pytest.raises(exception.UnexpectedTaskStateError):
        api.instance_transition(ctxt, instance.uuid, 'spawning')
    instances.request_delete(tools.db, instance.uuid, ctxt)
    with pytest.raises(exception.UnexpectedDeletingTaskStateError):
        api.instance_transition(ctxt, instance.uuid, 'spawning')


def test_heartbeats_and_nodes(tools, ctxt, conductor, api):
    api.service_report(ctxt, 'host9', 'nova-compute', 'compute')
    conductor.report()
    assert services.get(tools.db, 'host9', 'nova-compute').up and services.get(tools.db, 'c', 'nova-conductor').up
    node = service.ComputeNode(uuid='0d1d7a3c-1c0a-4b6e-8a7e-4d6f8b7a9c10', host='host9', hypervisor_hostname='n',
                               vcpus=1, memory_mb=1, local_gb=1)
    assert api.compute_node_save(ctxt, node).id


def test_a_start_takes_up_what_an_earlier_run_left(tools, ctxt, conductor, clock):
    records.created(tools.db, ctxt)
    clock.forward(30)
    services.report(tools.db, 'host1', 'nova-compute', 'compute')
    conductor.init_host()
    conductor.post_start()
    assert len(tools.compute.casts) == 1
    [(name, seconds, function)] = conductor.periodic_tasks()
    assert (name, seconds) == ('sweep', 10)
    function()
    conductor.stop()


def test_without_a_database_it_goes_on(tools, conductor, monkeypatch):
    def away(*args):
        raise exception.ServiceUnreachable(service='database', reason='x')
    monkeypatch.setattr(tools.db, 'write', away)
    monkeypatch.setattr(tools.db, 'read', away)
    conductor.report()
    conductor.periodic_tasks()[0][2]()


def test_an_operation_waits_for_the_database(ctxt, monkeypatch):
    pauses, tries = [], []
    monkeypatch.setattr(toolbox.concurrency, 'sleep', pauses.append)

    def operation(tools, ctxt):
        tries.append(1)
        if len(tries) < 3:
            raise exception.ServiceUnreachable(service='database', reason='x')
    pool = toolbox.Pool()
    pool.spawn(operation, None, ctxt)
    toolbox.concurrency.spawn(lambda: None).wait()
    assert (len(tries), pauses, pool.running()) == (3, [5, 5], 0)


def test_an_operation_that_breaks_ends_alone(ctxt):
    def operation(tools, ctxt):
        raise RuntimeError('x')
    pool = toolbox.Pool()
    for _ in range(3):
        pool.spawn(operation, None, ctxt)
    toolbox.concurrency.spawn(lambda: None).wait()
    assert pool.running() == 0
