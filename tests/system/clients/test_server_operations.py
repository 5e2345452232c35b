# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""One real guest through all that one host lets its user do to it: the guest's console and `virsh` say what happened.

The guest tells at each boot how much memory it has and whether its disk carries a mark that an earlier boot left there,
then once a second which disks and links it sees. Tests go in order: each leaves the guest running.
"""

import base64
import contextlib
import os
import re
import subprocess
import time

import pytest

from nova_lite.lab import secrets
from tests.fixtures import rest

BOOT_SECONDS = 240      # a few seconds where nothing else runs
WAIT_SECONDS = 120
TELL = '''#!/bin/sh
where="bs=512 count=1"
mark=$(dd if=/dev/vda skip=1000000 $where 2>/dev/null | head -c 6)
[ "$mark" = marked ] && mark=there || mark=none
echo marked | dd of=/dev/vda seek=1000000 $where conv=notrunc,sync 2>/dev/null
sync
echo "boot $(cat /proc/sys/kernel/random/boot_id) memory $(awk '/MemTotal/ {print $2}' /proc/meminfo) mark $mark"
tell() {
    tick=0
    while :; do
        tick=$((tick + 1))
        echo "tick $tick disks $(ls /sys/block | grep -c vd) links $(ls /sys/class/net | grep -c eth)"
        sleep 1
    done
}
tell &
'''
NANO, MICRO = '42', '84'

pytestmark = pytest.mark.skipif(os.getuid() != 0, reason='real guests need root')


class Guest:
    """One server, as its user sees it by REST and its host by virsh."""

    def __init__(self, client, cloud, uuid):
        self._client = client
        self._path = '/servers/%s' % uuid
        self.uuid = uuid
        self.known_boots = {None}       # ids; a guest that goes back to its old disk has its old console again, too
        self.directory = cloud.state / 'instances' / uuid

    def server(self):
        return self._client.get(self._path)['server']

    def act(self, name, value=None, ok=202):
        return self._client.request('POST', self._path + '/action', ok=ok, json={name: value})

    def becomes(self, status):
        """Wait until nothing is under way, and the status is this one."""
        def settled():
            server = self.server()
            return not server['OS-EXT-STS:task_state'] and server['status'] in (status, 'ERROR') and server
        server = wait_for(settled, WAIT_SECONDS, lambda: self.server())
        assert server['status'] == status, server.get('fault')
        return server

    def does(self, name, value=None, status='ACTIVE', ok=202):
        self.act(name, value, ok)
        return self.becomes(status)

    def console(self):
        return self.act('os-getConsoleOutput', {}, ok=200).json()['output']

    def says(self, pattern, seconds=WAIT_SECONDS):
        return wait_for(lambda: re.findall(pattern, self.console()), seconds, self.console)

    @contextlib.contextmanager
    def booting(self):
        """What the block does boots the guest; in the end it has told of itself: [(memory in KiB, mark)]."""
        told = []
        self.known_boots.add(self.last_boot()[0])
        yield told

        def again():
            boot = self.last_boot()
            return boot if boot[0] not in self.known_boots else None
        _, memory, mark = wait_for(again, BOOT_SECONDS, self.console)
        told.append((int(memory), mark))

    def last_boot(self):
        """(id, memory in KiB, mark) of the guest's last boot; (None, None, None) before it has told of one."""
        found = re.findall(r'boot (\S+) memory (\d+) mark (\w+)\s', self.console())
        return found[-1] if found else (None, None, None)

    def tick(self):
        return int(re.findall(r'tick (\d+) ', self.console())[-1])

    def sees(self, disks=None, links=None):
        """Wait until the guest has so many disks and links."""
        def there():
            now = re.findall(r'disks (\d+) links (\d+)', self.console())[-1]
            return all(want in (None, int(found)) for want, found in zip((disks, links), now, strict=True))
        wait_for(there, WAIT_SECONDS, self.console)

    def virsh(self, command, *more):
        done = subprocess.run(['virsh', '-q', '-c', 'qemu:///system', command, self.uuid, *more], capture_output=True,
                              text=True, timeout=60)
        return done.stdout.strip() if not done.returncode else None


def wait_for(condition, seconds, what):
    deadline = time.monotonic() + seconds
    while True:
        result = condition()
        if result:
            return result
        assert time.monotonic() < deadline, what()
        time.sleep(0.5)


@pytest.fixture(scope='module')
def client(cloud):
    login = {'auth_url': cloud.url('identity', '/v3'), 'username': 'admin', 'project_name': 'admin',
             'password': secrets.load(cloud)['admin_password']}
    return rest.Client(login, cloud.url('compute', '/v2.1'))


@pytest.fixture(scope='module')
def image(client):
    return client.request('GET', '/v2/images', ok=200, service='image').json()['images'][0]['id']


@pytest.fixture(scope='module')
def network(client):
    [found] = client.request('GET', '/v2.0/networks?name=private', ok=200, service='network').json()['networks']
    return found['id']


@pytest.fixture(scope='module')
def make(client, cloud, network):
    """make(name, image id) → a Guest that has told of itself; all are deleted in the end."""
    made = []

    def boot(name, image):
        answer = client.request('POST', '/servers', ok=202, json={'server': {
            'name': name, 'imageRef': image, 'flavorRef': NANO, 'networks': [{'uuid': network}],
            'user_data': base64.b64encode(TELL.encode()).decode()}})
        made.append(Guest(client, cloud, answer.json()['server']['id']))
        made[-1].becomes('ACTIVE')
        made[-1].says(r'tick \d', BOOT_SECONDS)
        return made[-1]
    yield boot
    for guest in made:
        client.request('DELETE', '/servers/%s' % guest.uuid, ok=(204, 404))


@pytest.fixture(scope='module')
def guest(make, image):
    return make('walker', image)


def test_stop_and_start(guest):
    guest.does('os-stop', status='SHUTOFF')
    assert guest.virsh('domstate') == 'shut off'
    with guest.booting() as told:
        guest.does('os-start')
    assert guest.virsh('domstate') == 'running'
    assert told[0][1] == 'there', 'its disk is as it was'


@pytest.mark.parametrize('kind', ['SOFT', 'HARD'])
def test_reboot(guest, kind):
    with guest.booting() as told:
        guest.does('reboot', {'type': kind})
    assert guest.virsh('domstate') == 'running' and told[0][1] == 'there'


def test_pause(guest):
    guest.does('pause', status='PAUSED')
    assert guest.virsh('domstate') == 'paused'
    before = guest.tick()
    time.sleep(3)
    assert guest.tick() == before
    guest.does('unpause')
    wait_for(lambda: guest.tick() > before, WAIT_SECONDS, guest.console)


def test_suspend(guest):
    before = guest.tick()
    guest.does('suspend', status='SUSPENDED')
    assert guest.virsh('domstate') == 'shut off'
    assert re.search(r'Managed save:\s+yes', guest.virsh('dominfo'))
    guest.does('resume')
    assert guest.virsh('domstate') == 'running'
    ticks = wait_for(lambda: re.findall(r'tick (\d+) ', guest.console()), WAIT_SECONDS, guest.console)
    assert int(ticks[-1]) >= before, 'it goes on and does not boot'


def test_a_lock_keeps_its_owner_from_accidents(guest, cloud):
    guest.act('lock', {'locked_reason': 'precious'})
    login = {'auth_url': cloud.url('identity', '/v3'), 'username': 'demo', 'project_name': 'demo',
             'password': secrets.load(cloud)['demo_password']}
    server = guest.server()
    assert server['locked'] and server['locked_reason'] == 'precious'
    demo = rest.Client(login, cloud.url('compute', '/v2.1'))
    assert demo.request('GET', '/servers/%s' % guest.uuid).status_code == 404
    guest.act('unlock')
    assert not guest.server()['locked']


def test_diagnostics(guest, client):
    found = client.get('/servers/%s/diagnostics' % guest.uuid)
    assert (found['state'], found['hypervisor'], found['num_nics'], found['num_disks']) == ('running', 'qemu', 1, 1)
    assert found['uptime'] >= 0 and found['memory_details']['maximum'] == 128


# ---- what is attached ----------------------------------------------------------------------------------------

def test_a_volume(guest, client):
    volume = client.request('POST', '/volumes', ok=202, service='volumev3', json={
        'volume': {'size': 1, 'name': 'more'}}).json()['volume']['id']

    def status():
        return client.request('GET', '/volumes/%s' % volume, ok=200, service='volumev3').json()['volume']['status']
    wait_for(lambda: status() == 'available', WAIT_SECONDS, status)
    path = '/servers/%s/os-volume_attachments' % guest.uuid
    client.request('POST', path, ok=200, json={'volumeAttachment': {'volumeId': volume}})
    guest.sees(disks=2)
    assert status() == 'in-use'
    assert len(guest.virsh('domblklist').splitlines()) == 2
    with guest.booting() as told:
        guest.does('reboot', {'type': 'HARD'})
    assert told[0][1] == 'there'
    guest.sees(disks=2)
    client.request('DELETE', '%s/%s' % (path, volume), ok=202)
    guest.sees(disks=1)
    wait_for(lambda: status() == 'available', WAIT_SECONDS, status)
    assert len(guest.virsh('domblklist').splitlines()) == 1
    client.request('DELETE', '/volumes/%s' % volume, ok=202, service='volumev3')


def test_an_interface(guest, client, network):
    path = '/servers/%s/os-interface' % guest.uuid
    added = client.request('POST', path, ok=200, json={'interfaceAttachment': {'net_id': network}}).json()
    port = added['interfaceAttachment']['port_id']
    guest.sees(links=2)
    assert len(guest.virsh('domiflist').splitlines()) == 2
    addresses = [item['addr'] for items in guest.server()['addresses'].values() for item in items]
    assert added['interfaceAttachment']['fixed_ips'][0]['ip_address'] in addresses
    client.request('DELETE', '%s/%s' % (path, port), ok=202)
    guest.sees(links=1)
    wait_for(lambda: client.request('GET', '/v2.0/ports/%s' % port, service='network').status_code == 404,
             WAIT_SECONDS, guest.console)


# ---- copies, other sizes, no host at all ---------------------------------------------------------------------

def test_a_snapshot_boots_and_carries_what_was_written(guest, make, client):
    image = guest.act('createImage', {'name': 'kept'}).json()['image_id']

    def status():
        return client.request('GET', '/v2/images/%s' % image, ok=200, service='image').json()['status']
    wait_for(lambda: status() == 'active', WAIT_SECONDS, status)
    before = guest.tick()
    wait_for(lambda: guest.tick() > before, WAIT_SECONDS, guest.console)
    copy = make('copy', image)
    assert copy.last_boot()[2] == 'there'
    client.request('DELETE', '/servers/%s' % copy.uuid, ok=204)
    wait_for(lambda: client.request('GET', '/servers/%s' % copy.uuid).status_code == 404, WAIT_SECONDS, copy.server)
    client.request('DELETE', '/v2/images/%s' % image, ok=204, service='image')


def test_rescue(guest):
    with guest.booting() as told:
        guest.does('rescue', {}, status='RESCUE', ok=200)
    assert len(guest.virsh('domblklist').splitlines()) == 2
    assert told[0][1] == 'none', 'it runs from the image of the rescue'
    with guest.booting() as told:
        guest.does('unrescue')
    assert len(guest.virsh('domblklist').splitlines()) == 1 and told[0][1] == 'there'


def test_resize(guest):
    with guest.booting() as told:
        guest.does('resize', {'flavorRef': MICRO}, status='VERIFY_RESIZE')
    larger, mark = told[0]
    assert mark == 'there' and 'memory unit=\'KiB\'>196608<' in guest.virsh('dumpxml')
    with guest.booting() as told:
        guest.does('revertResize')
    assert told[0][0] < larger and told[0][1] == 'there'
    with guest.booting() as told:
        guest.does('resize', {'flavorRef': MICRO}, status='VERIFY_RESIZE')
    guest.does('confirmResize', ok=204)
    assert told[0] == (larger, 'there')
    assert guest.server()['flavor']['original_name'] == 'm1.micro'


def test_shelve(guest):
    guest.does('shelve', status='SHELVED_OFFLOADED')
    assert guest.virsh('domstate') is None and not guest.directory.exists(), 'its host has nothing of it'
    guest.does('unshelve')
    guest.says(r'tick \d', BOOT_SECONDS)
    assert guest.last_boot()[2] == 'there'


def test_rebuild(guest, image):
    addresses = guest.server()['addresses']
    with guest.booting() as told:
        guest.does('rebuild', {'imageRef': image, 'metadata': {'made': 'anew'}})
    assert told[0][1] == 'none', 'its disk is new'
    server = guest.server()
    assert server['addresses'] == addresses and server['metadata'] == {'made': 'anew'}


def test_in_the_end_nothing_is_left(guest, client):
    client.request('DELETE', '/servers/%s' % guest.uuid, ok=204)
    wait_for(lambda: client.request('GET', '/servers/%s' % guest.uuid).status_code == 404, WAIT_SECONDS, guest.server)
    assert guest.virsh('domstate') is None and not guest.directory.exists()
    left = client.request('GET', '/v2.0/ports?device_id=%s' % guest.uuid, ok=200, service='network').json()['ports']
    assert left == []
    held = client.request('GET', '/allocations/%s' % guest.uuid, ok=200, service='placement').json()['allocations']
    assert held == {}
