# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""A whole cloud with a real guest that boots from a volume, and gets and loses another one."""

import pathlib
import shutil
import subprocess
import sys

import pytest

from nova_lite.lab import layout as layouts
from nova_lite.lab import preflight
from nova_lite.lab import secrets
from tests.fixtures import cloud
from tests.fixtures import rest
from tests.fixtures import volumes
from tests.system import booted

OFFSET = 1730

pytestmark = pytest.mark.skipif(bool(booted.MISSING), reason='real guests need ' + ', '.join(booted.MISSING))


def lab(module, *arguments):
    done = subprocess.run([sys.executable, '-m', module, *arguments], stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=400)
    assert done.returncode == 0, done.stdout


@pytest.fixture(scope='module')
def admin():
    """The administrator of a cloud under a directory that QEMU's user can reach."""
    above = pathlib.Path('/tmp') / ('nova-lite-%s-volumes' % booted.TAG)
    above.mkdir(mode=0o711)
    layout = layouts.under(above / 'data', OFFSET)
    preflight.make_directories(layout)
    where = ['--data-dir', str(layout.data_dir), '--port-offset', str(OFFSET)]
    try:
        lab('nova_lite.lab.start', '--virt', 'libvirt', '--no-boot', *where)
        login = {'auth_url': layout.url('identity', '/v3'), 'username': 'admin', 'project_name': 'admin',
                 'password': secrets.load(layout)['admin_password']}
        yield rest.Client(login, layout.url('compute', '/v2.1'))
    finally:
        lab('nova_lite.lab', 'unstack', *where, '--purge')
        shutil.rmtree(above, ignore_errors=True)


@pytest.fixture(scope='module')
def image(admin, images):
    made = admin.request('POST', '/v2/images', ok=201, service='image', json={
        'name': 'guest', 'disk_format': 'qcow2', 'container_format': 'bare'}).json()['id']
    admin.request('PUT', '/v2/images/%s/file' % made, ok=204, service='image', data=images.path.read_bytes(),
                  headers={'Content-Type': 'application/octet-stream'})
    return made


def said(admin, uuid):
    return admin.request('POST', '/servers/%s/action' % uuid, json={'os-getConsoleOutput': {}}).json().get('output', '')


def status(admin, uuid, wanted, seconds=120):
    def reached():
        server = admin.get('/servers/%s' % uuid)['server']
        assert server['status'] != 'ERROR', server.get('fault')
        return server['status'] == wanted and not server['OS-EXT-STS:task_state']
    cloud.wait_for(reached, seconds, poll=0.3)


def test_the_life_of_a_server_with_volumes(admin, image):
    uuid = admin.request('POST', '/servers', ok=202, json={'server': {
        'name': 'from-volume', 'flavorRef': '42', 'imageRef': '', 'networks': 'none', 'block_device_mapping_v2': [{
            'source_type': 'image', 'destination_type': 'volume', 'uuid': image, 'boot_index': 0, 'volume_size': 1,
            'delete_on_termination': True}]}}).json()['server']['id']
    status(admin, uuid, 'ACTIVE')
    cloud.wait_for(lambda: 'ready after' in said(admin, uuid), booted.BOOT_SECONDS)
    [root] = [item['volumeId'] for item in volumes.attached(admin, uuid)]
    volume = volumes.make(admin)
    assert volumes.attach(admin, uuid, volume).json()['volumeAttachment']['device'] == '/dev/vdb'
    volumes.wait(admin, volume, 'in-use')
    cloud.wait_for(lambda: '[vdb]' in said(admin, uuid), 20)
    admin.request('POST', '/servers/%s/action' % uuid, ok=202, json={'reboot': {'type': 'HARD'}})
    status(admin, uuid, 'ACTIVE')
    disks = booted.virsh('domblklist', uuid)        # it was made anew, with both
    assert all('volume-%s' % name in disks for name in (root, volume)), disks
    assert volumes.detach(admin, uuid, volume).status_code == 202
    volumes.wait(admin, volume, 'available', 300)       # while it boots, a guest lets go of nothing
    assert volumes.attached(admin, uuid)[0]['volumeId'] == root and 'vdb' not in booted.virsh('domblklist', uuid)
    admin.request('DELETE', '/servers/%s' % uuid, ok=204)
    cloud.wait_for(lambda: admin.request('GET', '/servers/%s' % uuid).status_code == 404, 60)
    volumes.wait(admin, root, None)
    volumes.delete(admin, volume)
