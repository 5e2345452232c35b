# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Servers that boot from volumes, and volumes that servers get and lose, through all processes."""

import concurrent.futures

import pytest

from tests.fixtures import audit
from tests.fixtures import cloud
from tests.fixtures import volumes


@pytest.fixture
def image(stack, admin):
    return stack.image_id(admin)


def bdm(source, identifier=None, **fields):
    return {'source_type': source, 'destination_type': 'volume', 'boot_index': 0, **fields,
            **({'uuid': identifier} if identifier else {})}


def bootable(admin, image):
    return volumes.make(admin, imageRef=image)


def gone(admin, uuid):
    admin.request('DELETE', '/servers/%s' % uuid, ok=204)
    cloud.wait_for(lambda: admin.request('GET', '/servers/%s' % uuid).status_code == 404, 40)


def test_boot_from_a_volume_that_there_is(stack, admin, boot, settled, image):
    volume = bootable(admin, image)
    server = settled(boot('bfv', imageRef='', block_device_mapping_v2=[bdm('volume', volume)]))
    assert server['status'] == 'ACTIVE' and server['image'] == ''
    assert server['os-extended-volumes:volumes_attached'] == [{'id': volume, 'delete_on_termination': False}]
    shown = volumes.show(admin, volume)
    assert shown['status'] == 'in-use' and shown['attachments'][0]['server_id'] == server['id']
    provider = admin.request('GET', '/allocations/%s' % server['id'], ok=200, service='placement').json()
    [held] = provider['allocations'].values()
    assert 'DISK_GB' not in held['resources']
    audit.check(stack)
    answer = admin.request('DELETE', volumes_url(admin, server['id']))
    assert answer.status_code == 400 and 'root device volume' in answer.text
    gone(admin, server['id'])
    volumes.wait(admin, volume, 'available')
    audit.check(stack)
    volumes.delete(admin, volume)


def volumes_url(admin, uuid):
    return '/servers/%s/os-volume_attachments/%s' % (uuid, volumes.attached(admin, uuid)[0]['volumeId'])


def test_volumes_made_with_a_server(stack, admin, boot, settled, image):
    source = volumes.make(admin)
    snapshot = volumes.snapshot(admin, source)
    server = settled(boot('made', imageRef='', block_device_mapping_v2=[
        bdm('image', image, volume_size=1, delete_on_termination=True),
        bdm('snapshot', snapshot, boot_index=-1, delete_on_termination=True),
        bdm('blank', boot_index=-1, volume_size=1)]))
    assert server['status'] == 'ACTIVE', server.get('fault')
    devices = {item['device']: item['volumeId'] for item in volumes.attached(admin, server['id'])}
    assert sorted(devices) == ['/dev/vda', '/dev/vdb', '/dev/vdc']
    assert volumes.show(admin, devices['/dev/vda'])['volume_image_metadata']['image_id'] == image
    assert volumes.show(admin, devices['/dev/vdb'])['snapshot_id'] == snapshot
    audit.check(stack)
    gone(admin, server['id'])
    volumes.wait(admin, devices['/dev/vda'], None)
    volumes.wait(admin, devices['/dev/vdb'], None)
    volumes.wait(admin, devices['/dev/vdc'], 'available')
    audit.check(stack)
    volumes.ask(admin, 'DELETE', '/snapshots/' + snapshot)
    volumes.delete(admin, devices['/dev/vdc'])


def test_attach_and_detach(stack, admin, boot, settled):
    uuid, volume = settled(boot('data'))['id'], volumes.make(admin)
    answer = volumes.attach(admin, uuid, volume, tag='db', delete_on_termination=False)
    assert answer.status_code == 200 and answer.json()['volumeAttachment']['device'] == '/dev/vdb', answer.text
    volumes.wait(admin, volume, 'in-use')
    audit.check(stack)
    assert volumes.attach(admin, uuid, volume).status_code == 400
    assert volumes.detach(admin, uuid, volume).status_code == 202
    volumes.wait(admin, volume, 'available')
    cloud.wait_for(lambda: volumes.attached(admin, uuid) == [])
    audit.check(stack)
    actions = [item['action'] for item in admin.get('/servers/%s/os-instance-actions' % uuid)['instanceActions']]
    assert actions[:2] == ['detach_volume', 'attach_volume']
    admin.request('POST', '/servers/%s/action' % uuid, ok=202, json={'os-stop': None})
    cloud.wait_for(lambda: admin.get('/servers/' + uuid)['server']['status'] == 'SHUTOFF')
    assert volumes.attach(admin, uuid, volume).status_code == 200
    volumes.wait(admin, volume, 'in-use')
    gone(admin, uuid)
    volumes.wait(admin, volume, 'available')
    volumes.delete(admin, volume)


def test_one_of_many_gets_the_volume(stack, admin, boot, settled):
    servers, volume = [settled(uuid)['id'] for uuid in (boot('first'), boot('second'))], volumes.make(admin)
    with concurrent.futures.ThreadPoolExecutor(6) as pool:
        codes = sorted(pool.map(lambda uuid: volumes.attach(admin, uuid, volume).status_code, servers * 3))
    assert codes[0] == 200 and set(codes[1:]) <= {400, 409}
    volumes.wait(admin, volume, 'in-use')
    audit.check(stack)
    for uuid in servers:
        gone(admin, uuid)
    volumes.delete(admin, volumes.wait(admin, volume, 'available'))


def test_no_host_gives_the_volumes_back(stack, admin, boot, settled, image):
    volume = bootable(admin, image)
    before = len(volumes.ask(admin, 'GET', '/volumes').json()['volumes'])
    with stack.fault('conductor.before_schedule', 'once raise'):
        server = settled(boot('nowhere', imageRef='', block_device_mapping_v2=[
            bdm('volume', volume), bdm('blank', boot_index=-1, volume_size=1)]))
    assert server['status'] == 'ERROR'
    volumes.wait(admin, volume, 'available')
    cloud.wait_for(lambda: len(volumes.ask(admin, 'GET', '/volumes').json()['volumes']) == before, 120)
    volumes.delete(admin, volume)


@pytest.mark.parametrize('line', ['once raise', 'once exit'])
@pytest.mark.parametrize('point', ['compute.after_attach', 'compute.before_spawn'])
def test_another_host_gets_the_volumes(stack, admin, boot, settled, image, point, line):
    volume = bootable(admin, image)
    with stack.fault(point, line):
        server = settled(boot('moved', imageRef='', block_device_mapping_v2=[
            bdm('volume', volume), bdm('blank', boot_index=-1, volume_size=1, delete_on_termination=True)]), 90)
    assert server['status'] == 'ACTIVE', server.get('fault')
    assert volumes.show(admin, volume)['attachments'][0]['host_name'] == server['OS-EXT-SRV-ATTR:host']
    audit.check(stack)
    gone(admin, server['id'])
    volumes.delete(admin, volumes.wait(admin, volume, 'available'))


def test_a_delete_in_the_middle_frees_the_volumes(stack, admin, boot, image):
    volume = bootable(admin, image)
    with stack.fault('compute.after_attach', 'once sleep 3'):
        uuid = boot('unwanted', imageRef='', block_device_mapping_v2=[bdm('volume', volume)])
        volumes.wait(admin, volume, 'in-use')
    gone(admin, uuid)
    volumes.wait(admin, volume, 'available')
    audit.check(stack)
    volumes.delete(admin, volume)
