# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""The domain XML of each kind of guest, compared with a file in `golden/`.

After a change that is meant: `WRITE_GOLDEN=1 pytest tests/unit/virt/libvirt/test_domain.py`, then read the diff.
"""

import dataclasses
import datetime
import os
import pathlib
from xml.etree import ElementTree

import pytest

from nova_lite import exception
from nova_lite.objects import block_device
from nova_lite.virt import driver
from nova_lite.virt.libvirt import blockinfo
from nova_lite.virt.libvirt import rescue
from nova_lite.virt.libvirt import settings
from nova_lite.virt.libvirt.domain import builder
from nova_lite.virt.libvirt.domain import properties
from nova_lite.virt.libvirt.domain import spec
from nova_lite.virt.libvirt.volume import kinds
from tests.unit.virt import samples

GOLDEN = pathlib.Path(__file__).parent / 'golden'
HOST = spec.HostFacts('x86_64', frozenset(('pc', 'q35', 'pc-i440fx-7.2')))
CREATED = datetime.datetime(2026, 1, 2, 3, 4, 5)
SECOND_VIF = {'id': '99998888-7777-4666-8555-444433332222', 'address': 'fa:16:3e:0a:0b:0c', 'bridge': 'br1',
              'mtu': None}
V6 = {'version': 6, 'cidr': '2001:db8::/64', 'dhcp': False}


def make_spec(vifs=(), flavor=None, image=None, options=None, config_drive=False, devices=(), by=None, **fields):
    """A GuestSpec. by: properties of the image that the guest is rescued with."""
    image = samples.image(**image or {})
    instance = samples.instance(flavor=samples.flavor(**flavor or {}), image_meta=image, root_device_name=None)
    config = settings.Settings(instances_path='/srv/instances', **options or {})
    wishes = properties.read(image, HOST)
    request = driver.SpawnRequest(instance, image, list(vifs), list(devices))
    disks = blockinfo.plan(request, wishes, config, spec.machine_type(wishes, config, HOST), config_drive)
    wanted = spec.GuestSpec(name=instance.name, instance=instance, image=image, properties=wishes, settings=config,
                            host=HOST, disks=disks, vifs=list(vifs), created_at=CREATED, **fields)
    if by is not None:
        wanted.disks = rescue.plan(wanted, samples.image(id='rescue', properties=by))
    return wanted


NBD = {'driver_volume_type': 'nbd', 'serial': 'c0ffee00-0000-4000-8000-000000000001', 'data': {
    'name': 'volume-1', 'hosts': ['192.0.2.7'], 'ports': ['10809'], 'format': 'raw', 'discard': True,
    'auth_enabled': False, 'access_mode': 'rw', 'qos_specs': {'total_iops_sec': '100', 'comment': 'gold'}}}
LOCAL = {'driver_volume_type': 'local', 'serial': 'c0ffee00-0000-4000-8000-000000000002', 'data': {
    'device_path': '/dev/null', 'format': 'raw', 'access_mode': 'ro'}}
VOLUMES = [block_device.BlockDeviceMapping(source_type='volume', destination_type='volume', **fields) for fields in (
    {'boot_index': 0, 'device_name': '/dev/vda', 'connection_info': NBD},
    {'boot_index': 1, 'device_name': '/dev/vdb', 'connection_info': LOCAL},
    {'device_name': '/dev/vdc', 'disk_bus': 'scsi', 'connection_info': {**LOCAL, 'multiattach': True}},
    {'device_name': '/dev/vdd'})]       # being attached

GUESTS = {
    'volumes': {'devices': VOLUMES, 'config_drive': True},
    'qemu': {'vifs': [samples.vif()]},
    'kvm': {'vifs': [samples.vif()], 'options': {'virt_type': 'kvm'}, 'flavor': {'vcpus': 4, 'memory_mb': 2048}},
    'no_nic': {},
    'raw_disk': {'options': {'images_type': 'raw'}},
    'config_drive': {'config_drive': True},
    'swap_and_ephemeral': {'flavor': {'swap': 64, 'ephemeral_gb': 2}, 'config_drive': True},
    'kernel': {'kernel': '/srv/kernel', 'ramdisk': '/srv/ramdisk',
               'image': {'disk_format': 'ami', 'container_format': 'ami'}},
    'kernel_command_line': {'kernel': '/k', 'image': {'properties': {'os_command_line': 'root=/dev/vda1 quiet'}}},
    'two_nics': {'vifs': [
        samples.vif(fixed_ips=[samples.fixed_ip(), samples.fixed_ip('2001:db8::5', **V6)],
                    allowed_address_pairs=[{'ip_address': '192.0.2.0/24', 'mac_address': 'fa:16:3e:ff:ff:ff'}]),
        samples.vif(**SECOND_VIF, port_security=False)]},
    'scsi_q35': {'config_drive': True, 'image': {'properties': {
        'hw_disk_bus': 'scsi', 'hw_machine_type': 'q35', 'hw_vif_model': 'e1000e', 'hw_video_model': 'virtio'}},
        'vifs': [samples.vif()]},
    'ide_windows': {'config_drive': True, 'image': {'properties': {
        'hw_disk_bus': 'ide', 'os_type': 'windows', 'hw_vif_model': 'rtl8139', 'hw_qemu_guest_agent': 'yes',
        'hw_watchdog_action': 'reset', 'hw_cpu_cores': '2', 'hw_cpu_threads': 1}}, 'flavor': {'vcpus': 4}},
    'iso': {'image': {'disk_format': 'iso'}},
    'serial_and_spice': {'options': {'spice_listen': '127.0.0.1', 'serial_listen': '127.0.0.1'}, 'serial_port': 10001},
    'rescue': {'by': {}, 'config_drive': True, 'flavor': {'swap': 64}},
    'rescue_beside_volumes': {'by': {'hw_rescue_device': 'cdrom', 'hw_rescue_bus': 'scsi'}, 'devices': VOLUMES,
                              'config_drive': True},
    'vnc': {'options': {'vnc_listen': '127.0.0.1', 'mem_stats_period': 0},
            'flavor': {'extra_specs': {'hw_rng:allowed': 'False'}}},
}


@pytest.mark.parametrize('name', GUESTS)
def test_golden(name):
    document = builder.build(make_spec(**GUESTS[name]))
    path = GOLDEN / (name + '.xml')
    if os.environ.get('WRITE_GOLDEN'):
        path.write_text(document)
    assert document == path.read_text()


def test_every_golden_file_has_its_guest():
    assert {path.stem for path in GOLDEN.glob('*.xml')} == set(GUESTS)


def test_a_disk_that_lies_on_nothing_says_so():
    wanted = make_spec()
    wanted.disks = [dataclasses.replace(disk, base=None) for disk in wanted.disks]
    disk = ElementTree.fromstring(builder.build(wanted)).find('devices/disk')
    assert disk.find('driver').get('type') == 'qcow2' and len(disk.find('backingStore')) == 0


def test_a_name_that_xml_cannot_hold_is_cleaned():
    wanted = make_spec()
    wanted.instance.display_name = 'a\x00b\ud800<&">'
    tree = ElementTree.fromstring(builder.build(wanted))
    assert 'ab<&">' in [element.text for element in tree.iter()]


@pytest.mark.parametrize('options, mode, model', [
    ({}, 'custom', 'Nehalem'), ({'virt_type': 'kvm'}, 'host-model', None), ({'cpu_mode': 'none'}, None, None),
    ({'cpu_mode': 'host-passthrough'}, 'host-passthrough', None),
    ({'cpu_mode': 'custom', 'cpu_models': ('SandyBridge',)}, 'custom', 'SandyBridge')])
def test_cpu_mode(options, mode, model):
    cpu = ElementTree.fromstring(builder.build(make_spec(options=options))).find('cpu')
    assert (cpu.get('mode'), cpu.findtext('model')) == (mode, model)


@pytest.mark.parametrize('wish, vcpus, expected', [
    ({}, 4, (4, 1, 1)), ({'hw_cpu_cores': 2}, 4, (2, 2, 1)), ({'hw_cpu_sockets': 2}, 4, (2, 2, 1)),
    ({'hw_cpu_sockets': 1, 'hw_cpu_threads': 2}, 4, (1, 2, 2)), ({'hw_cpu_cores': 3}, 4, None),
    ({'hw_cpu_sockets': 8}, 4, None)])
def test_cpu_topology(wish, vcpus, expected):
    wanted = make_spec(image={'properties': wish}, flavor={'vcpus': vcpus})
    if expected is None:
        with pytest.raises(exception.ImageUnacceptable):
            builder.build(wanted)
    else:
        topology = ElementTree.fromstring(builder.build(wanted)).find('cpu/topology')
        assert tuple(int(topology.get(name)) for name in ('sockets', 'cores', 'threads')) == expected


@pytest.mark.parametrize('wish', [
    {'hw_disk_bus': 'floppy'}, {'hw_vif_model': 'warp'}, {'hw_video_model': 'x'}, {'hw_rng_model': 'x'},
    {'hw_scsi_model': 'x'}, {'hw_machine_type': 'pdp11'}, {'hw_machine_type': 'q35', 'hw_disk_bus': 'ide'},
    {'hw_firmware_type': 'uefi'}, {'os_secure_boot': 'required'}, {'hw_tpm_version': '2.0'},
    {'hw_mem_encryption': 'true'}, {'hw_mem_encryption': 'maybe'}, {'hw_qemu_guest_agent': 'perhaps'},
    {'hw_cpu_cores': 'many'}, {'hw_cpu_cores': '-1'}, {'hw_architecture': 'aarch64'}, {'hw_cpu_policy': 'dedicated'}])
def test_what_cannot_be_had_is_refused(wish):
    with pytest.raises(exception.ImageUnacceptable):
        properties.read(samples.image(properties=wish), HOST)


def test_harmless_properties_pass():
    wishes = {'hw_mem_encryption': 'false', 'hw_architecture': 'amd64', 'os_distro': 'debian', 'hw_disk_bus': None,
              'hw_video_model': 'VGA', 'hw_machine_type': 'q35'}
    found = properties.read(samples.image(properties=wishes), HOST)
    assert (found.disk_bus, found.video_model, found.machine_type) == ('virtio', 'vga', 'q35')


def bdm(**fields):
    return block_device.BlockDeviceMapping(**fields)


def plan_of(*devices, flavor=None, image=None):
    return [(disk.name, disk.dev, disk.bus, disk.size, disk.filesystem)
            for disk in make_spec(devices=devices, flavor=flavor, image=image).disks]


def test_disks_as_asked_for():
    found = plan_of(bdm(boot_index=0, device_name='/dev/vda'),
                    bdm(source_type='blank', guest_format='swap', volume_size=32, device_name='/dev/vdc'),
                    bdm(source_type='blank', volume_size=1, disk_bus='sata'),
                    bdm(source_type='blank', volume_size=2, guest_format='vfat'),
                    flavor={'swap': 64, 'ephemeral_gb': 3})
    assert found == [('disk', 'vda', 'virtio', 1 << 30, None), ('disk.eph0', 'sda', 'sata', 1 << 30, 'ext4'),
                     ('disk.eph1', 'vdb', 'virtio', 2 << 30, 'vfat'), ('disk.swap', 'vdc', 'virtio', 32 << 20, None)]


@pytest.mark.parametrize('device', [
    {'source_type': 'volume', 'destination_type': 'volume', 'boot_index': 0},
    {'source_type': 'image', 'boot_index': 1}, {'source_type': 'blank', 'disk_bus': 'fdc'},
    {'source_type': 'blank', 'guest_format': 'ntfs', 'volume_size': 1}])
def test_devices_that_cannot_be_had_are_refused(device):
    with pytest.raises(exception.BuildAbort):
        plan_of(bdm(**device))


@pytest.mark.parametrize('info', [
    {**LOCAL, 'driver_volume_type': 'iscsi'}, {**LOCAL, 'data': {'device_path': 'volume-1'}},
    {**LOCAL, 'data': {**LOCAL['data'], 'format': 'qcow2'}}, {**NBD, 'data': {**NBD['data'], 'encrypted': True}},
    {**NBD, 'data': {**NBD['data'], 'hosts': []}}, {**NBD, 'data': {**NBD['data'], 'auth_enabled': True}}, {}])
def test_volumes_that_cannot_be_had_are_refused(info):
    with pytest.raises(exception.VolumeUnsupported):
        kinds.check(info)


def test_a_volume_may_be_a_cdrom_and_no_tape():
    cdrom = bdm(source_type='volume', destination_type='volume', device_type='cdrom', disk_bus='ide',
                connection_info=NBD)
    assert [(disk.dev, disk.device) for disk in make_spec(devices=[bdm(boot_index=0), cdrom]).disks] == [
        ('vda', 'disk'), ('hda', 'cdrom')]
    with pytest.raises(exception.BuildAbort):
        blockinfo.check([bdm(source_type='volume', destination_type='volume', device_type='lun')])


def test_a_bus_that_is_full_is_refused():
    with pytest.raises(exception.BuildAbort):
        plan_of(*(bdm(source_type='blank', volume_size=1, disk_bus='ide') for _ in range(5)))


def test_device_names_are_given_by_bus_and_kept_where_they_fit():
    devices = [bdm(boot_index=0), bdm(source_type='blank', guest_format='swap'),
               bdm(source_type='blank', device_name='/dev/vdb'), bdm(source_type='blank', device_name='/dev/sda'),
               bdm(source_type='blank', disk_bus='scsi'), bdm(no_device=True)]
    blockinfo.name_devices(devices, '/dev/vda', 'virtio', properties.Properties())
    assert [device.device_name for device in devices] == [
        '/dev/vda', '/dev/vdd', '/dev/vdb', '/dev/vdc', '/dev/sda', None]
