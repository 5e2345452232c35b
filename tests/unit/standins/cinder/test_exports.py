# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Exports to other hosts: begun on demand, kept as the records say, and ended. A script stands for qemu-nbd."""

import os
import signal
import stat
import sys
import textwrap
import time
import uuid

import pytest

from tests.unit.standins.cinder import conftest

SERVER = str(uuid.UUID(int=1))
HERE, THERE, BEYOND = {'host': 'here'}, {'host': 'there'}, {'host': 'beyond'}
PROGRAM = '''\
    #!%s
    import os, sys, time
    options = dict(word[2:].split('=', 1) for word in sys.argv[1:] if '=' in word and word.startswith('--'))
    if os.path.exists(sys.argv[0] + '.taken-' + options['port']):
        sys.exit('qemu-nbd: Failed to find an available port: Address already in use')
    if os.path.exists(sys.argv[0] + '.broken'):
        sys.exit('qemu-nbd: nothing works')
    if os.fork():
        sys.exit()
    os.setsid()
    for descriptor in range(3):
        os.close(descriptor)
    with open(options['pid-file'], 'w') as file:
        file.write('%%d\\n' %% os.getpid())
    time.sleep(600)
'''


@pytest.fixture
def program(tmp_path, monkeypatch):
    path = tmp_path / 'bin' / 'qemu-nbd'
    path.parent.mkdir()
    path.write_text(textwrap.dedent(PROGRAM) % sys.executable)
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv('PATH', '%s:%s' % (path.parent, os.environ['PATH']))
    return path


@pytest.fixture
def service(make, program):
    made = make(host='here', export='nbd', export_address='192.0.2.9', export_port=20000)
    yield made
    for name in os.listdir(os.path.join(made.files.directory, 'exports')):
        pid = made.exports._process(name.removesuffix('.pid'))
        if pid:
            os.kill(pid, signal.SIGKILL)


@pytest.fixture
def attach(callers):
    """Attaches a volume to a server on a host; (status, the attachment or the fault)."""
    def make_one(volume, connector, server=SERVER):
        status, body = callers.demo('POST', '/attachments', {'attachment': {
            'volume_uuid': volume['id'], 'instance_uuid': server, 'connector': connector}}, conftest.BY_NOVA)
        return status, next(iter(body.values()))
    return make_one


@pytest.fixture
def command(service):
    """The words of the command line of a volume's export, None where none runs."""
    def words(volume):
        for _ in range(100):  # the pid file comes a moment after the program has gone to the background
            pid = service.exports._process(volume['id'])
            if pid is not None:
                with open('/proc/%d/cmdline' % pid, 'rb') as file:
                    return file.read().decode().split('\0')
            time.sleep(0.01)
        return None
    return words


def detach(callers, item):
    status, body = callers.demo('DELETE', '/attachments/' + item['id'], headers=conftest.BY_NOVA)
    assert status == 200, body


def wait_for(condition):
    deadline = time.monotonic() + 10
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def test_the_host_decides(create, attach, callers, service, command):
    near, far = create(), create()
    assert attach(near, HERE)[1]['connection_info']['driver_volume_type'] == 'local'
    status, item = attach(far, THERE)
    assert status == 200
    info = item['connection_info']
    assert (info['driver_volume_type'], info['name'], info['hosts'], info['ports'], info['format']) == (
        'nbd', 'volume-' + far['id'], ['192.0.2.9'], ['20000'], 'raw')
    words = command(far)
    assert {'--bind=192.0.2.9', '--port=20000', '--export-name=volume-' + far['id'], '--persistent'} <= set(words)
    image, = [word for word in words if word.startswith('driver=')]
    assert image == 'driver=raw,file.driver=file,file.locking=off,file.filename=' + service.files.path(
        'volume', far['id'])
    assert '--read-only' not in words
    detach(callers, item)
    assert service.exports._process(far['id']) is None
    assert os.listdir(os.path.join(service.files.directory, 'exports')) == []


def test_readonly_and_ports(create, attach, callers, command, program):
    volumes = [create() for _ in range(3)]
    callers.demo('POST', '/volumes/%s/action' % volumes[2]['id'], {'os-update_readonly_flag': {'readonly': True}})
    (program.parent / 'qemu-nbd.taken-20001').touch()
    items = [attach(volume, THERE)[1] for volume in volumes]
    assert [item['connection_info']['ports'] for item in items] == [['20000'], ['20002'], ['20003']]
    assert '--read-only' in command(volumes[2])
    detach(callers, items[0])
    again, _ = attach(volumes[0], THERE)
    assert again == 200


def test_one_export_for_all_hosts(create, attach, callers, service, command):
    volume = create()
    _, first = attach(volume, THERE)
    pid = command(volume) and service.exports._process(volume['id'])
    _, second = attach(volume, BEYOND)  # the server moves from one to the other
    assert second['connection_info']['ports'] == first['connection_info']['ports']
    assert service.exports._process(volume['id']) == pid
    detach(callers, first)
    assert service.exports._process(volume['id']) == pid
    detach(callers, second)
    assert service.exports._process(volume['id']) is None


def test_an_export_that_does_not_start(create, attach, callers, program):
    volume = create()
    (program.parent / 'qemu-nbd.broken').touch()
    status, fault = attach(volume, THERE)
    assert (status, fault['message']) == (503, 'The volume cannot be exported: qemu-nbd failed: qemu-nbd: nothing '
                                               'works')
    assert callers.demo('GET', '/volumes/' + volume['id'])[1]['volume']['status'] == 'available'
    assert callers.demo('GET', '/attachments')[1] == {'attachments': []}
    program.unlink()
    os.environ['PATH'] = str(program.parent)
    status, fault = attach(volume, THERE)
    assert status == 503
    assert attach(volume, HERE)[0] == 200


def test_older_actions_export_too(create, callers, service, command):
    volume = create()

    def act(action, **content):
        return callers.demo('POST', '/volumes/%s/action' % volume['id'], {action: content}, conftest.BY_NOVA)
    status, body = act('os-initialize_connection', connector=THERE)
    assert (status, body['connection_info']['driver_volume_type']) == (200, 'nbd')
    assert command(volume)
    assert callers.demo('DELETE', '/volumes/' + volume['id'])[0] == 400
    assert act('os-terminate_connection', connector=THERE)[0] == 202
    assert service.exports._process(volume['id']) is None


def test_the_records_decide_at_the_next_start(create, attach, callers, service, make, command):
    """One that was killed runs again at its port; one that nobody needs any more ends."""
    killed, forgotten, kept = create(), create(), create()
    items = [attach(volume, THERE)[1] for volume in (killed, forgotten, kept)]
    for volume in (killed, forgotten, kept):
        assert command(volume)
    before = {volume['id']: service.exports._process(volume['id']) for volume in (killed, forgotten, kept)}
    os.kill(before[killed['id']], signal.SIGKILL)
    with service._records.change() as change:
        change.delete(service._records.attachments, service._records.attachments.by_id[items[1]['id']])
    after = make()
    wait_for(lambda: after.exports._process(killed['id']) is None)
    after.exports.settle_all()
    assert '--port=' + items[0]['connection_info']['ports'][0] in command(killed)
    assert after.exports._process(killed['id']) != before[killed['id']]
    assert after.exports._process(forgotten['id']) is None
    assert after.exports._process(kept['id']) == before[kept['id']]


def test_a_pid_that_is_somebody_elses(create, attach, service, command):
    volume = create()
    attach(volume, THERE)
    pid = command(volume) and service.exports._process(volume['id'])
    with open(service.exports._pid_file(volume['id']), 'w') as file:
        file.write('%d\n' % os.getpid())
    assert service.exports._process(volume['id']) is None
    os.kill(pid, signal.SIGKILL)


def test_watch(create, attach, service, command, monkeypatch):
    monkeypatch.setattr('nova_lite.standins.cinder.exports.SETTLE_SECONDS', 0.05)
    volume = create()
    attach(volume, THERE)
    pid = command(volume) and service.exports._process(volume['id'])
    service.start()
    try:
        os.kill(pid, signal.SIGKILL)
        wait_for(lambda: service.exports._process(volume['id']) not in (None, pid))
    finally:
        service.stop()


def test_no_exports(make, program):
    plain = make(host='here', export='none')
    volume = {'id': 'x', 'export': None}
    assert plain.exports.connect(volume, THERE)[0] == 'local'
