# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""The volume stand-in as a process: images over HTTP, real NBD exports, and what `kill -9` leaves."""

import contextlib
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import sys
import time

import pytest
import requests

from tests.fixtures import rest

PASSWORDS = {'demo': 'demo-pw', 'nova': 'service-pw'}
SERVER = '3b241101-e2bb-4255-8caf-4136c566a962'
GIGABYTE = 1 << 30
MARKER = b'a marker in the middle of the disk'
PLACE = 20 << 20
CONFIG = '''
[DEFAULT]
state_path = {directory}/state
[ports]
identity = {identity}
image = {image}
network = {network}
placement = {placement}
volume = {volume}
[identity]
demo_password = demo-pw
service_password = service-pw
[volume]
host = this-host
export_port = {export}
'''

pytestmark = pytest.mark.skipif(not (shutil.which('qemu-img') and shutil.which('qemu-nbd')),
                                reason='needs qemu-img and qemu-nbd')


class Cloud:
    """The stand-ins in a process of their own, and calls to them."""

    def __init__(self, directory):
        self.directory = directory
        names = ('identity', 'image', 'network', 'placement', 'volume', 'export')
        self.ports = dict(zip(names, free_ports(len(names)), strict=True))
        self.config = directory / 'standins.conf'
        self.config.write_text(CONFIG.format(directory=directory, **self.ports))
        self.volumes = directory / 'state' / 'volumes'
        self.process = self._demo = self._nova = None

    def start(self):
        with open(self.directory / 'log', 'a') as log:
            self.process = subprocess.Popen(
                [sys.executable, '-m', 'nova_lite.cmd.standins', '--config-file', str(self.config)],
                stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        wait_for(self._answers, 60)

    def _answers(self):
        assert self.process.poll() is None, (self.directory / 'log').read_text()[-2000:]
        with contextlib.suppress(requests.RequestException):
            return requests.get('http://127.0.0.1:%d/' % self.ports['volume'], timeout=5).status_code == 300

    def kill(self):
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()

    def login(self, user, project):
        return rest.Client({'auth_url': 'http://127.0.0.1:%d/v3' % self.ports['identity'], 'username': user,
                            'password': PASSWORDS[user], 'project_name': project}, None)

    def call(self, service, method, path, body=None, *, by_nova=False, **more):
        """The answer to a call of the user demo; `by_nova`: with a token of the compute service beside."""
        if self._demo is None:
            self._demo, self._nova = self.login('demo', 'demo'), self.login('nova', 'service')
        headers = {'OpenStack-API-Version': 'volume 3.71', **more.pop('headers', {})}
        if by_nova:
            headers['X-Service-Token'] = self._nova.token
        return self._demo.request(method, path, service=service, json=body, headers=headers, **more)

    def upload(self, path, disk_format):
        image = self.call('image', 'POST', '/v2/images', {
            'name': path.name, 'disk_format': disk_format, 'container_format': 'bare'}).json()
        with open(path, 'rb') as file:
            done = self.call('image', 'PUT', '/v2/images/%s/file' % image['id'], data=file, headers={
                'Content-Type': 'application/octet-stream'})
        assert done.status_code == 204, done.text
        return image['id']

    def create(self, **fields):
        answer = self.call('volumev3', 'POST', '/volumes', {'volume': {'size': 1, **fields}})
        assert answer.status_code == 202, answer.text
        return answer.json()['volume']['id']

    def show(self, volume):
        answer = self.call('volumev3', 'GET', '/volumes/' + volume)
        return answer.json()['volume'] if answer.status_code == 200 else None

    def settled(self, volume):
        """The volume once nothing is under way."""
        wait_for(lambda: self.show(volume)['status'] not in ('creating', 'downloading', 'uploading'), 60)
        return self.show(volume)

    def attach(self, volume, host):
        answer = self.call('volumev3', 'POST', '/attachments', {'attachment': {
            'volume_uuid': volume, 'instance_uuid': SERVER, 'connector': {'host': host, 'ip': '192.0.2.7'}}},
            by_nova=True)
        assert answer.status_code == 200, answer.text
        return answer.json()['attachment']

    def file(self, volume):
        return self.volumes / ('volume-' + volume)


def wait_for(condition, seconds=30):
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, 'it did not come about in %d s' % seconds
        time.sleep(0.05)


def free_ports(count):
    with contextlib.ExitStack() as stack:
        sockets = [stack.enter_context(socket.socket()) for _ in range(count)]
        for sock in sockets:
            sock.bind(('127.0.0.1', 0))
        return [sock.getsockname()[1] for sock in sockets]


def qemu_img(*arguments):
    return subprocess.run(['qemu-img', *map(str, arguments)], check=True, capture_output=True, text=True,
                          timeout=120).stdout


def nbd_url(info):
    return 'nbd://%s:%s/%s' % (info['hosts'][0], info['ports'][0], info['name'])


def served(url):
    return subprocess.run(['qemu-img', 'info', '-f', 'raw', url], capture_output=True, timeout=30).returncode == 0


def read(path):
    with open(path, 'rb') as file:
        file.seek(PLACE)
        return file.read(len(MARKER))


@pytest.fixture(scope='module')
def disks(tmp_path_factory):
    """A raw disk of 64 MiB with a marker, and the same as qcow2."""
    directory = tmp_path_factory.mktemp('disks')
    raw, qcow2 = directory / 'raw', directory / 'qcow2'
    with open(raw, 'wb') as file:
        file.truncate(64 << 20)
        file.seek(PLACE)
        file.write(MARKER)
    qemu_img('convert', '-f', 'raw', '-O', 'qcow2', raw, qcow2)
    return {'raw': raw, 'qcow2': qcow2}


@pytest.fixture(scope='module')
def cloud(tmp_path_factory):
    made = Cloud(tmp_path_factory.mktemp('cloud'))
    made.start()
    yield made
    made.process.terminate()
    made.process.wait(30)
    for path in (made.volumes / 'exports').glob('*.pid'):
        with contextlib.suppress(ProcessLookupError):
            os.kill(int(path.read_text()), signal.SIGTERM)


@pytest.mark.parametrize('disk_format', ['raw', 'qcow2'])
def test_from_an_image_and_back(cloud, disks, tmp_path, disk_format):
    volume = cloud.create(imageRef=cloud.upload(disks[disk_format], disk_format))
    shown = cloud.settled(volume)
    assert (shown['status'], shown['bootable']) == ('available', 'true')
    assert read(cloud.file(volume)) == MARKER
    assert cloud.file(volume).stat().st_size == GIGABYTE
    answer = cloud.call('volumev3', 'POST', '/volumes/%s/action' % volume, {'os-volume_upload_image': {
        'image_name': 'back', 'disk_format': 'qcow2'}})
    assert answer.status_code == 202
    image = answer.json()['os-volume_upload_image']['image_id']
    assert cloud.settled(volume)['status'] == 'available'
    content = cloud.call('image', 'GET', '/v2/images/%s/file' % image)
    assert content.status_code == 200
    (tmp_path / 'back').write_bytes(content.content)
    qemu_img('convert', '-f', 'qcow2', '-O', 'raw', tmp_path / 'back', tmp_path / 'back.raw')
    assert read(tmp_path / 'back.raw') == MARKER
    cloud.call('volumev3', 'DELETE', '/volumes/' + volume)
    wait_for(lambda: cloud.show(volume) is None)
    assert not cloud.file(volume).exists()


def test_this_host_opens_the_file(cloud):
    volume = cloud.create()
    cloud.settled(volume)
    info = cloud.attach(volume, 'this-host')['connection_info']
    assert (info['driver_volume_type'], info['format']) == ('local', 'raw')
    assert pathlib.Path(info['device_path']).samefile(cloud.file(volume))


def test_other_hosts_get_an_export(cloud, disks, tmp_path):
    volume = cloud.create()
    cloud.settled(volume)
    attachment = cloud.attach(volume, 'another-host')
    info = attachment['connection_info']
    assert (info['driver_volume_type'], info['hosts']) == ('nbd', ['127.0.0.1'])
    url = nbd_url(info)
    assert '1 GiB (1073741824 bytes)' in qemu_img('info', '-f', 'raw', url)
    qemu_img('convert', '-n', '-f', 'raw', '-O', 'raw', disks['raw'], url)  # what a guest there would write
    assert read(cloud.file(volume)) == MARKER
    assert not served(url + '-of-somebody-else')
    path = '/attachments/' + attachment['id']
    refused = cloud.call('volumev3', 'DELETE', path)
    assert refused.status_code == 409
    assert refused.json()['conflictingRequest']['message'].startswith('ConflictNovaUsingAttachment: ')
    assert served(url)
    assert cloud.call('volumev3', 'DELETE', path, by_nova=True).status_code == 200
    assert not served(url)
    assert cloud.show(volume)['status'] == 'available'


def test_exports_outlive_the_service(cloud):
    volume = cloud.create()
    cloud.settled(volume)
    attachment = cloud.attach(volume, 'another-host')
    url = nbd_url(attachment['connection_info'])
    pid_file = cloud.volumes / 'exports' / (volume + '.pid')
    pid = int(pid_file.read_text())
    cloud.kill()
    assert served(url)
    cloud.start()
    assert served(url)
    assert int(pid_file.read_text()) == pid
    os.kill(pid, signal.SIGKILL)
    wait_for(lambda: served(url))  # at the same port, for the guest asks there
    assert int(pid_file.read_text()) != pid
    assert cloud.call('volumev3', 'DELETE', '/attachments/' + attachment['id'], by_nova=True).status_code == 200
    assert not served(url)


def test_killed_within_a_download(cloud, tmp_path):
    disk = tmp_path / 'large'
    with open(disk, 'wb') as file:
        file.truncate(512 << 20)
        file.seek(PLACE)
        file.write(MARKER)
    image = cloud.upload(disk, 'raw')
    before = {path.name for path in cloud.volumes.iterdir()}
    volume = cloud.create(imageRef=image)
    wait_for(lambda: any(path.suffix for path in cloud.volumes.iterdir() if path.is_file()))
    cloud.kill()
    left = {path.name for path in cloud.volumes.iterdir()} - before
    assert left and 'volume-' + volume not in left
    cloud.start()
    assert cloud.settled(volume)['status'] == 'available'
    assert read(cloud.file(volume)) == MARKER
    assert {path.name for path in cloud.volumes.iterdir()} - before == {'volume-' + volume}
