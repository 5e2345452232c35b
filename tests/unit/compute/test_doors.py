# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""The edges of nova-compute: its console, its calls to the conductor, its command."""

import subprocess
import sys

import pytest

from nova_lite import context
from nova_lite import exception
from nova_lite.compute import conductor_client
from nova_lite.compute import faults
from nova_lite.compute import settings
from nova_lite.compute.tasks import console
from tests.unit.compute import doubles

NO_DATABASE = """
import sys
import nova_lite.cmd.compute
import nova_lite.virt.fake.driver
found = [name for name in sys.modules if name.startswith(('nova_lite.db', 'sqlalchemy', 'libvirt'))]
sys.exit(', '.join(found) or 0)
"""


def test_nova_compute_imports_neither_a_database_nor_libvirt():
    done = subprocess.run([sys.executable, '-W', 'ignore', '-c', NO_DATABASE], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize('driver, hosts, names', [
    ('fake.FakeDriver', 1, ['me']), ('fake.FakeDriver', 3, ['me-1', 'me-2', 'me-3']),
    ('libvirt.LibvirtDriver', 3, ['me'])])
def test_hosts_of_a_process(conf, driver, hosts, names):
    conf.set_override('compute_driver', driver)
    conf.set_override('host', 'me')
    conf.set_override('hosts', hosts, 'fake')
    assert settings.host_names(conf) == names


def test_settings(conf):
    conf.set_override('reserved_host_disk_mb', 1500)
    made = settings.from_conf(conf)
    assert made == settings.Settings(reserved_disk_gb=2, host_ip='127.0.0.1')


# ---- console -------------------------------------------------------------------------------------------------

def test_console(world):
    record = world.build(world.order('talker'))
    ctxt = doubles.new_context()
    text = world.manager.get_console_output(ctxt, record)
    assert 'talker' in text and text.endswith('login:\n')
    assert world.manager.get_console_output(ctxt, record, tail_length=1) == 'login:\n'
    assert world.manager.get_console_output(ctxt, record, tail_length=0) == ''
    assert world.manager.get_console_output(ctxt, record, tail_length=-1) == text


def test_console_bytes_that_are_no_text(world, monkeypatch):
    record = world.build(world.order())
    monkeypatch.setattr(world.driver, 'get_console_output', lambda ctxt, instance: b'\xff\xfe ok\n')
    assert console.get_console_output(world.tools, None, record) == '\ufffd\ufffd ok\n'


def test_console_of_a_guest_that_is_not_there(world):
    with pytest.raises(exception.InstanceNotReady):
        console.get_console_output(world.tools, None, doubles.new_instance())


def test_console_of_a_driver_that_keeps_none(world):
    world.tools.driver = object()
    with pytest.raises(exception.ConsoleLogNotFound):
        console.get_console_output(world.tools, None, doubles.new_instance())


# ---- conductor -----------------------------------------------------------------------------------------------

@pytest.fixture
def sleeps(monkeypatch):
    """Time that passes only when somebody sleeps; → the pauses."""
    clock, pauses = [0.0], []

    def sleep(seconds):
        pauses.append(seconds)
        clock[0] += seconds
    monkeypatch.setattr(conductor_client.concurrency, 'sleep', sleep)
    monkeypatch.setattr(conductor_client.time, 'monotonic', lambda: clock[0])
    return pauses


def test_calls_are_repeated_for_a_minute(sleeps):
    database = doubles.Database()
    database.away = True
    conductor = conductor_client.Conductor(database, database)
    with pytest.raises(exception.ServiceUnreachable) as caught:
        conductor.instance_get(context.admin_context(), 'u')
    assert 'no answer to instance_get for 5' in str(caught.value)
    assert 50 <= sum(sleeps) <= 60 and max(sleeps) == conductor_client.LONGEST_PAUSE


def test_a_repeated_transition_has_the_same_token(sleeps):
    database = doubles.Database()
    instance = doubles.new_instance()
    database.instances[instance.uuid] = instance
    database.lose['instance_transition'] = 3
    conductor = conductor_client.Conductor(database, database)
    conductor.instance_transition(context.admin_context(), instance.uuid, 'build_started', {'host': 'h'})
    assert database.transitions == ['build_started'] and len(database.answers) == 1 and len(sleeps) == 3


def test_a_definite_answer_is_waited_for_without_end(sleeps):
    database = doubles.Database()
    instance = doubles.new_instance()
    database.instances[instance.uuid] = instance
    database.lose['instance_transition'] = 500
    conductor_client.Conductor(database, database).instance_transition(
        context.admin_context(), instance.uuid, 'build_started', {}, patience=conductor_client.FOR_EVER)
    assert len(sleeps) == 500


def test_other_errors_are_not_repeated(sleeps):
    with pytest.raises(exception.InstanceNotFound):
        conductor_client.Conductor(doubles.Database(), None).instance_get(context.admin_context(), 'u')
    assert sleeps == []


# ---- faults --------------------------------------------------------------------------------------------------

def test_details_are_bounded_and_keep_the_end():
    try:
        raise RuntimeError('x' * 20000 + 'the reason')
    except RuntimeError as exc:
        fault = faults.from_exception(exc, 'h', 'spawn')
    assert fault.message == 'RuntimeError' and fault.code == 500 and fault.host == 'h'
    assert len(fault.details) <= faults.DETAILS_LENGTH and fault.details.rstrip().endswith('the reason')
    assert fault.details.startswith('Step spawn on host h')
