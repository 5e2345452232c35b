# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Volumes of guests, as far as libvirt's own test driver has such things; real guests are in tests/system."""

from xml.etree import ElementTree

import pytest

from nova_lite import concurrency
from nova_lite import exception
from nova_lite.objects import block_device
from tests.fixtures import disk_images
from tests.unit.virt import samples
from tests.unit.virt.libvirt import scene

libvirt = pytest.importorskip('libvirt', reason='needs libvirt-python')
from nova_lite.virt.libvirt import connection  # noqa: E402 (only where libvirt is)
from nova_lite.virt.libvirt import devices  # noqa: E402

pytestmark = pytest.mark.skipif(not disk_images.available(), reason='needs qemu-img')


def local_volume(path, serial='11111111-2222-4333-8444-555555555555', **more):
    return {'driver_volume_type': 'local', 'serial': serial, 'data': {'device_path': str(path), 'format': 'raw'},
            **more}


def test_a_guest_that_boots_from_a_volume_has_no_disk_of_its_own(host, images, tmp_path):
    (tmp_path / 'vol').write_bytes(b'boot me')
    request = scene.make_request(images, image_ref='', root_device_name=None)
    request.image = samples.image(id=None)
    request.block_devices = [block_device.BlockDeviceMapping(
        source_type='volume', destination_type='volume', boot_index=0, connection_info=local_volume(tmp_path / 'vol'))]
    host.default_device_names_for_instance(request.instance, '/dev/vda', request.block_devices)
    host.spawn(None, request)
    tree = ElementTree.fromstring(libvirt.open(scene.URI).lookupByUUIDString(request.instance.uuid).XMLDesc())
    assert [(disk.find('target').get('dev'), disk.find('source').get('file'))
            for disk in tree.iterfind('devices/disk')] == [('vda', str(tmp_path / 'vol'))]
    assert (scene.directory(tmp_path, request.instance) / 'disk.info').read_text() == '{}'
    host.destroy(None, request.instance, [], request.block_devices)
    assert (tmp_path / 'vol').read_bytes() == b'boot me'


def test_a_volume_that_is_not_there_is_an_error_without_its_path(host, images, tmp_path):
    instance = scene.spawn(host, images)
    with pytest.raises(exception.HypervisorError) as caught:
        host.attach_volume(None, local_volume(tmp_path / 'gone'), instance, '/dev/vdb', None)
    assert str(tmp_path) not in caught.value.message
    with pytest.raises(exception.VolumeUnsupported, match='iscsi'):
        host.check_volume({'driver_volume_type': 'iscsi', 'data': {}})


def test_the_connector_names_the_host(host):
    assert host.get_volume_connector(None)['host'] == 'host'


def test_a_further_volume_gets_a_name_that_the_guest_does_not_have(host, images):
    instance = scene.spawn(host, images)
    bdm = block_device.BlockDeviceMapping(source_type='volume', destination_type='volume', device_name='/dev/vda')
    assert host.get_device_name_for_instance(instance, [], bdm) == '/dev/vdb'       # whatever the records say
    bdm.device_name = '/dev/vdk'
    assert host.get_device_name_for_instance(instance, [], bdm) == '/dev/vdk'
    host.destroy(None, instance, [], [])
    host.detach_volume(None, None, instance, '/dev/vdb')
    with pytest.raises(exception.InstanceNotFound):
        host.attach_volume(None, local_volume('/dev/null'), instance, '/dev/vdb', None)


class Stubborn:
    """Stands at the door to libvirt for a running guest that lets go of its device at the `tries`th request, or later
    than anybody waits, or never; it reports as libvirt does."""

    def __init__(self, tries=1, reports=True, error=None):
        self.tries, self.reports, self.error, self.asked = tries, reports, error, 0
        self.device = ElementTree.fromstring("<disk><target dev='vdb'/><alias name='virtio-disk1'/></disk>")

    def listen_for_devices(self, callback):
        self.tell = callback

    def call(self, operation, function, uuid, find, *args, **kwargs):
        if function is devices._running:
            return self.device
        if args == (False,):
            self.asked += 1
            gone = self.asked >= self.tries
            self.device = None if gone else self.device
            if self.error and not gone:
                raise self.error
            if self.reports:
                concurrency.spawn(self.tell, connection.DeviceEvent(uuid, 'virtio-disk1', gone))
        return None


@pytest.mark.parametrize(('guest_door', 'asked'), [
    (Stubborn(), 1), (Stubborn(tries=3), 3), (Stubborn(reports=False), 1),
    (Stubborn(tries=2, error=exception.HypervisorError('busy')), 2)])
def test_a_guest_is_asked_again_to_let_go_of_a_device(guest_door, asked):
    devices.Devices(guest_door, guest_door, 4, 0.05).detach('u', lambda tree: None)
    assert guest_door.asked == asked


def test_a_guest_that_does_not_let_go(host):
    door = Stubborn(tries=99)
    with pytest.raises(exception.DeviceDetachFailed, match='vdb'):
        devices.Devices(door, door, 3, 0.05).detach('u', lambda tree: None)
    assert door.asked == 3
