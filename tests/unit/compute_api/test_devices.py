# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""Block devices: what may be asked for and what a server gets."""

import pytest

from nova_lite import exception
from nova_lite.compute import api_devices
from nova_lite.objects import block_device
from nova_lite.objects import flavor as flavor_obj

IMAGE = {'source_type': 'image', 'uuid': 'i', 'boot_index': 0, 'destination_type': 'local'}
FLAVOR = flavor_obj.Flavor(flavorid='1', name='f', memory_mb=512, vcpus=1, root_gb=5, ephemeral_gb=10, swap=256)
BARE = flavor_obj.Flavor(flavorid='2', name='b', memory_mb=512, vcpus=1, root_gb=5)


def complete(items, flavor=FLAVOR, image='i', most=3):
    devices = [api_devices.from_request(item, image is not None) for item in items]
    return [(item.source_type, item.guest_format, item.boot_index, item.volume_size) for item in
            api_devices.complete([item for item in devices if item], flavor, image, most)]


def test_disks_that_follow_from_the_flavor():
    assert complete([], BARE) == [('image', None, 0, 5)]
    assert complete([]) == [('image', None, 0, 5), ('blank', None, -1, 10), ('blank', 'swap', -1, 256)]


def test_disks_that_were_asked_for():
    ephemeral = {'source_type': 'blank', 'volume_size': '4', 'boot_index': '-1', 'guest_format': 'ext4'}
    swap = {'source_type': 'blank', 'destination_type': 'local', 'guest_format': 'swap', 'volume_size': 100,
            'boot_index': None}
    assert complete([ephemeral, swap, IMAGE]) == [
        ('image', None, 0, 5), ('blank', 'ext4', -1, 4), ('blank', 'swap', None, 100)]
    assert complete([IMAGE, {'source_type': 'blank', 'device_name': 'vdb', 'no_device': True}], BARE) == [
        ('image', None, 0, 5)]


VOLUME = {'source_type': 'volume', 'uuid': 'v'}
BLANK = {'source_type': 'blank', 'destination_type': 'local'}


@pytest.mark.parametrize(('items', 'text'), [
    ([BLANK], 'Boot sequence'),
    ([IMAGE, IMAGE], 'Boot sequence'),
    ([IMAGE, dict(BLANK, boot_index=2)], 'Boot sequence'),
    ([dict(IMAGE, boot_index=None)], 'Mapping image to local is not supported'),
    ([dict(IMAGE, uuid='other')], 'root disk must be made from the image'),
    ([dict(BLANK, boot_index=0)], 'root disk must be made from the image'),
    ([IMAGE, dict(BLANK, volume_size='0')], 'Invalid volume_size'),
    ([IMAGE, dict(BLANK, volume_size=11)], 'Ephemeral disks requested are larger'),
    ([IMAGE, dict(BLANK, guest_format='swap', volume_size=257)], 'Swap drive requested is larger'),
    ([IMAGE, dict(BLANK, guest_format='swap'), dict(BLANK, guest_format='swap')], 'More than one swap'),
    ([IMAGE, BLANK, BLANK, BLANK], 'more local devices than the limit'),
    ([IMAGE, dict(BLANK, device_name='vdb', volume_size=1), dict(BLANK, device_name='vdb', volume_size=1)], 'twice'),
    ([IMAGE, {'source_type': 'blank', 'uuid': 'x'}], 'Invalid device UUID'),
    ([{'source_type': 'image'}], 'Missing device UUID'),
    ([{}], 'Invalid source_type'),
    ([dict(IMAGE, destination_type='moon')], 'Invalid destination_type'),
    ([dict(IMAGE, device_type='tape')], 'Invalid device_type'),
    ([dict(IMAGE, disk_bus='nvme9')], 'Invalid disk_bus'),
    ([VOLUME, VOLUME], 'Boot sequence'),
    ([dict(VOLUME, boot_index=0), dict(VOLUME, boot_index=1)], 'named twice'),
    ([dict(IMAGE, uuid='other', destination_type='volume', volume_size=1)], 'root volume must be made from the image'),
    ([{'source_type': 'volume', 'uuid': 'v', 'destination_type': 'local'}], 'Mapping volume to local'),
    ([dict(IMAGE, destination_type='volume')], 'needs a non-zero size'),
])
def test_what_makes_no_sense(items, text):
    with pytest.raises(exception.Invalid, match=text):
        complete(items)


def test_a_flavor_without_such_disks_gives_none():
    with pytest.raises(exception.Invalid, match='Ephemeral'):
        complete([IMAGE, BLANK], BARE)
    with pytest.raises(exception.Invalid, match='Swap'):
        complete([IMAGE, dict(BLANK, guest_format='swap')], BARE)
    with pytest.raises(exception.Invalid, match='Boot sequence'):
        complete([], BARE, image=None)


def test_servers_that_boot_from_volumes():
    assert complete([dict(VOLUME, boot_index=0)], BARE, image=None) == [('volume', None, 0, None)]
    root = dict(IMAGE, destination_type='volume', volume_size=7)
    for image in ('i', None):
        assert complete([root], image=image) == [
            ('image', None, 0, 7), ('blank', None, -1, 10), ('blank', 'swap', -1, 256)]
    devices = [api_devices.from_request(root, False)]
    assert block_device.is_volume_backed(devices) and not devices[0].delete_on_termination
    assert not block_device.is_volume_backed([api_devices.from_request(IMAGE, True)])


def test_volumes_beside_a_disk_of_the_host():
    blank = {'source_type': 'blank', 'destination_type': 'volume', 'volume_size': 3}
    snapshot = {'source_type': 'snapshot', 'uuid': 's', 'boot_index': 1}
    assert complete([VOLUME, blank, IMAGE, snapshot], BARE, most=1) == [
        ('image', None, 0, 5), ('volume', None, None, None), ('blank', None, None, 3), ('snapshot', None, 1, None)]
