# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""A conductor with a real database, and doubles of the processes that it talks to."""

import pytest

from nova_lite import exception
from nova_lite.conductor import toolbox
from nova_lite.db import services
from tests.fixtures import records

HOSTS = ('host1', 'host2', 'host3')


class Scheduler:
    """Gives every instance the hosts in `hosts`, the first one claimed; or raises what is in `errors`."""

    def __init__(self, placement):
        self.hosts = list(HOSTS)
        self.errors = []
        self.specs = []
        self.during = None      # called while a choice is being made
        self._placement = placement

    def select_destinations(self, ctxt, request_spec):
        self.specs.append(request_spec)
        if self.errors:
            raise self.errors.pop(0)
        hosts = [host for host in self.hosts if host not in request_spec.ignore_hosts]
        for uuid in request_spec.instance_uuids:
            self._placement.held[uuid] = hosts[0]
        if self.during is not None:
            self.during()
        return [[records.selection(host) for host in hosts] for _ in request_spec.instance_uuids]


class Compute:
    """Notes the casts: [(method, host, uuid)…]; the last BuildRequest of each uuid in `orders`."""

    def __init__(self):
        self.casts = []
        self.orders = {}
        self.errors = []

    def _note(self, method, host, uuid):
        if self.errors:
            raise self.errors.pop(0)
        self.casts.append((method, host, uuid))

    def build_and_run_instance(self, ctxt, host, build_request):
        self._note('build', host, build_request.instance.uuid)
        self.orders[build_request.instance.uuid] = build_request

    def terminate_instance(self, ctxt, host, instance_uuid):
        self._note('terminate', host, instance_uuid)

    def abort_build(self, ctxt, host, instance_uuid):
        self._note('abort', host, instance_uuid)

    def run_operation(self, ctxt, host, instance_uuid, operation_uuid):
        self._note('run_operation', host, operation_uuid)

    def remove_stray_guest(self, ctxt, host, instance_uuid):
        self._note('remove_stray_guest', host, instance_uuid)

    def abort_operation(self, ctxt, host, instance_uuid, operation_uuid):
        self._note('abort_operation', host, operation_uuid)


class Placement:
    """held: {consumer: host}; hosts in `full` have no room; `away`: it does not answer."""

    def __init__(self):
        self.held = {}
        self.full = set()
        self.away = False

    def _check(self):
        if self.away:
            raise exception.ServiceUnreachable(service='placement', reason='away')

    def claim_resources(self, ctxt, consumer_uuid, allocation_request, project_id, user_id, version):
        self._check()
        assert (project_id, user_id, version) == ('project', 'user', '1.36')
        host = allocation_request['host']
        if host in self.full:
            return False
        self.held[consumer_uuid] = host
        return True

    def move_allocations(self, ctxt, from_uuid, to):
        self._check()
        if from_uuid in self.held:
            self.held[to.uuid] = self.held.pop(from_uuid)

    def delete_allocation_for_instance(self, ctxt, consumer_uuid):
        self._check()
        self.held.pop(consumer_uuid, None)


class Network:
    """ports: {instance uuid: {port id…}}; those that requests name are kept (in `unbound`), the others deleted."""

    def __init__(self):
        self.ports = {}
        self.unbound = set()
        self.away = False

    def deallocate_for_instance(self, ctxt, instance_uuid, vifs, requested_networks=None):
        if self.away:
            raise exception.ServiceUnreachable(service='network', reason='away')
        kept = {vif.id for vif in vifs or () if vif.preserve_on_delete}
        kept |= {request.port_id for request in requested_networks or () if request.port_id}
        self.unbound |= self.ports.pop(instance_uuid, set()) & kept


class InlinePool(toolbox.Pool):
    """Runs operations at once, in the test's own thread, and notes what they raised."""

    def __init__(self):
        super().__init__()
        self.raised = []

    def spawn(self, function, tools, ctxt, *args):
        try:
            function(tools, ctxt, *args)
        except Exception as exc:
            self.raised.append(exc)


@pytest.fixture(scope='session')
def template(tmp_path_factory):
    directory = tmp_path_factory.mktemp('template')
    records.database(directory).close()
    return (directory / 'nova.sqlite').read_bytes()


@pytest.fixture
def clock():
    return records.Clock()


@pytest.fixture
def db(template, tmp_path, clock):
    (tmp_path / 'nova.sqlite').write_bytes(template)
    database = records.engine.Database('sqlite:///%s' % (tmp_path / 'nova.sqlite'), clock=clock, max_retries=2)
    yield database
    database.close()


@pytest.fixture
def tools(db):
    """The Toolbox of a conductor on the host `c`, with three compute hosts up."""
    placement = Placement()
    for host in HOSTS:
        services.report(db, host, 'nova-compute', 'compute')
    made = make_tools(db, placement)
    made.first_sweep = records.datetime.datetime(2000, 1, 1)
    return made


def make_tools(db, placement, network=None, volume=None):
    """A Toolbox with doubles; a second one of the same database is another run of the conductor."""
    return toolbox.Toolbox(
        host='c', db=db, scheduler=Scheduler(placement), compute=Compute(), placement=placement,
        network=network or Network(), volume=volume, max_attempts=3,
        deadlines=toolbox.Deadlines(resend=20, take_over=90, build=900), pool=InlinePool())


@pytest.fixture
def ctxt():
    return records.user_context()


@pytest.fixture
def beat(db):
    """beat(*hosts): heartbeats, of all hosts by default."""
    def report(*hosts):
        for host in hosts or HOSTS:
            services.report(db, host, 'nova-compute', 'compute')
    return report
