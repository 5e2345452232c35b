# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""The crash matrix: whatever fails at any step of any operation, it ends, leaves nothing, and can be asked for again.

Each test takes all steps of all operations at once, every one with a server on a host of its own.
"""

import contextlib

import pytest

from nova_lite.compute import operations
from tests.fixtures import audit
from tests.fixtures import cloud
from tests.functional import matrix

CASES = matrix.CASES


@pytest.fixture(scope='module')
def stack(tmp_path_factory):
    options = {section: dict(values) for section, values in {**cloud.SHORT, **cloud.ROOMY}.items()}
    options['DEFAULT']['reclaim_instance_interval'] = 3600      # for soft_delete and restore
    running = cloud.Cloud(tmp_path_factory.mktemp('matrix'), hosts=len(CASES) + 1, overrides=options)
    running.start()
    yield running
    running.stop()


@pytest.fixture
def servers(stack):
    made = matrix.Servers(stack)
    try:
        made.boot()
        made.prepare()
        yield made
    finally:
        made.delete()


@contextlib.contextmanager
def faults(stack, servers, line):
    """Every case meets the fault at its own step, on its own host."""
    with contextlib.ExitStack() as all_of_them:
        yield {case: all_of_them.enter_context(stack.fault(
            case.point, line, None if matrix.ROWS[case.name].crosses_hosts else servers.hosts[case])) for case in CASES}


def all_in_their_steps(paths):
    """Every server's operation has reached the step in question."""
    def reached():
        return not any(path.exists() for path in paths.values())
    try:
        cloud.wait_for(reached, 90)
    except AssertionError:
        left = [str(case) for case, path in paths.items() if path.exists()]
        raise AssertionError('never reached: %s' % ', '.join(left)) from None


def begin(servers):
    for case in CASES:
        servers.asked(case)


def again(servers):
    """What did not end as asked can be asked for again, from the state it is in, and then does."""
    found = servers.settle(CASES)
    left = [case for case in CASES if found[case] != matrix.ROWS[case.name].end]
    servers.ask_again(left)
    servers.expect({case: matrix.ROWS[case.name].end for case in CASES})


def test_every_operation_is_here():
    assert {*matrix.ROWS, *matrix.ELSEWHERE} == set(operations.SPECS)


def test_all_of_them_end_well(stack, servers):
    begin(servers)
    servers.expect({case: matrix.ROWS[case.name].end for case in CASES})
    audit.check(stack)


def test_an_error_at_each_step(stack, servers):
    with faults(stack, servers, 'once raise something secret') as paths:
        begin(servers)
        all_in_their_steps(paths)
        servers.settle(CASES)
    audit.check(stack)
    for case in CASES:
        [action] = servers.admin.get('/servers/%s/os-instance-actions' % servers.uuids[case])['instanceActions'][:1]
        assert action['message'] == 'Error', '%s failed, and the user can see it' % case
    again(servers)
    audit.check(stack)


@pytest.mark.parametrize('service', ['nova-compute', 'nova-conductor', 'beam.smp'])
def test_a_kill_at_each_step(stack, servers, service):
    with faults(stack, servers, 'once sleep 5') as paths:
        begin(servers)
        all_in_their_steps(paths)
        stack.kill(service)
        servers.settle(CASES, 120)
    audit.check(stack, 60)
    again(servers)
    audit.check(stack)


def test_a_delete_at_each_step(stack, servers):
    with faults(stack, servers, 'once sleep 3') as paths:
        begin(servers)
        all_in_their_steps(paths)
        servers.delete()
    audit.check(stack)


def test_past_the_deadline_at_each_step(stack, servers):
    with faults(stack, servers, 'once sleep 20') as paths:
        begin(servers)
        all_in_their_steps(paths)
        stack.write("UPDATE operations SET created_at = '2020-01-01 00:00:00.000000', "
                    "updated_at = '2020-01-01 00:00:00.000000'")
        servers.settle(CASES, 120)
    audit.check(stack, 60)
    again(servers)
    audit.check(stack)
