# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""The libvirt driver by itself with the machine's own libvirtd: guests that really boot, on a network of their own."""

import base64
import os
import pathlib
import re
import shutil
import socket
import subprocess
import sys
import threading
import time
import uuid

import pytest

from nova_lite import concurrency
from nova_lite import exception
from nova_lite import instance_metadata
from nova_lite.compute import power_state
from nova_lite.lab import guest as guest_image
from nova_lite.lab import libvirtd
from nova_lite.virt import driver
from nova_lite.virt.libvirt import driver as libvirt_driver
from nova_lite.virt.libvirt import events
from nova_lite.virt.libvirt import settings
from tests.fixtures import disk_images
from tests.unit.virt import samples

URI = 'qemu:///system'
BOOT_SECONDS = 240      # a few seconds where nothing else runs
TAG = 'nlt%d' % (os.getpid() % 100000)      # names of this run's bridge, namespace and links
SUBNET, ADDRESS, SERVER, METADATA = '198.51.100.%d', '198.51.100.10', '198.51.100.2', '169.254.169.254'
TOOLS = ('virsh', 'qemu-img', 'dnsmasq', 'ip', 'ebtables', 'mcopy')
# What the guest is told to try: each line ends on its console as `NAME reached` or `NAME blocked`.
TRIES = '''#!/bin/sh
reach() { ping -c 3 -W 2 "$@" %(server)s >/dev/null 2>&1; }
try() { name=$1; shift; reach "$@" && echo "$name reached" || echo "$name blocked"; }
try own_address -I eth0
ip addr add %(other)s/24 dev eth0; try other_address -I %(other)s; ip addr del %(other)s/24 dev eth0
try own_address_again -I eth0
ip link set eth0 down; ip link set eth0 address fa:16:3e:66:66:66; ip link set eth0 up; try other_mac -I eth0
''' % {'server': SERVER, 'other': SUBNET % 66}
GOLDEN = pathlib.Path(__file__).parents[1] / 'unit' / 'virt' / 'libvirt' / 'golden'

pytestmark = pytest.mark.skipif(
    os.getuid() != 0 or not all(shutil.which(tool, path=os.environ['PATH'] + ':/usr/sbin:/sbin') for tool in TOOLS),
    reason='real guests need root and ' + ', '.join(TOOLS))


def shell(*command, check=True, **options):
    return subprocess.run(list(map(str, command)), check=check, capture_output=True, text=True, timeout=60,
                          env=os.environ | {'PATH': os.environ['PATH'] + ':/usr/sbin:/sbin'}, **options).stdout


@pytest.fixture(scope='module')
def folder():
    """A directory that QEMU's user can reach, as those of pytest are not."""
    path = pathlib.Path('/tmp') / ('nova-lite-' + TAG)
    path.mkdir(mode=0o711)
    yield path
    shutil.rmtree(path)


@pytest.fixture(scope='module')
def daemon():
    libvirtd.ensure()


@pytest.fixture(scope='module')
def network(folder):
    """A bridge with DHCP and metadata servers, in a namespace, that know one guest; the metadata are plain files."""
    shell('ip', 'link', 'add', TAG, 'type', 'bridge')
    shell('ip', 'netns', 'add', TAG)
    shell('ip', 'link', 'add', TAG + 'a', 'type', 'veth', 'peer', 'name', TAG + 'b')
    shell('ip', 'link', 'set', TAG + 'a', 'master', TAG)
    shell('ip', 'link', 'set', TAG + 'b', 'netns', TAG)
    for link in (TAG, TAG + 'a'):
        shell('ip', 'link', 'set', link, 'up')
    for address in (SERVER + '/24', METADATA + '/32'):
        shell('ip', '-n', TAG, 'addr', 'add', address, 'dev', TAG + 'b')
    shell('ip', '-n', TAG, 'link', 'set', TAG + 'b', 'up')
    (folder / 'metadata').mkdir()
    inside = ['ip', 'netns', 'exec', TAG]
    servers = [subprocess.Popen(inside + command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) for command in (
        [shutil.which('dnsmasq', path='/usr/sbin:/usr/bin'), '--keep-in-foreground', '--conf-file=/dev/null',
         '--port=0', '--dhcp-range=%s,static' % (SUBNET % 0), '--dhcp-host=%s,%s' % (samples.vif().address, ADDRESS),
         '--interface=' + TAG + 'b', '--dhcp-option=121,%s/32,%s' % (METADATA, SERVER),
         '--dhcp-leasefile=%s' % (folder / 'leases')],
        [sys.executable, '-m', 'http.server', '80', '--bind', METADATA, '--directory', str(folder / 'metadata')])]
    yield TAG
    for server in servers:
        server.terminate()
        server.wait()
    shell('ip', 'netns', 'del', TAG)
    shell('ip', 'link', 'del', TAG)


@pytest.fixture(scope='module')
def images(folder):
    found = disk_images.Images()
    path = guest_image.build(folder / 'guest.qcow2')
    found.add(samples.IMAGE_ID, path, 'qcow2')
    found.path = path
    return found


@pytest.fixture
def make_driver(folder, daemon, images):
    """Drivers whose guests are all gone after the test."""
    made = []

    def make(uri=URI, **options):
        found = libvirt_driver.LibvirtDriver(
            settings.Settings(instances_path=str(folder / 'instances'), connection_uri=uri, **options), images)
        found.init_host('host')
        made.append(found)
        return found
    yield make
    for host in made:
        for left in host.list_instance_uuids():
            host.destroy(None, samples.instance(uuid=left), [], [])


def vif(bridge, **changes):
    fixed = samples.fixed_ip(ADDRESS, cidr=SUBNET % 0 + '/24', gateway=None, dns=[], dhcp=True)
    return samples.vif(**{'bridge': bridge, 'id': str(uuid.uuid4()), 'fixed_ips': [fixed]} | changes)


def second_vif(bridge):
    """One with all that a filter can have to hold."""
    fixed = [samples.fixed_ip('198.51.100.20', dhcp=False),
             samples.fixed_ip('2001:db8::20', version=6, cidr='2001:db8::/64', dhcp=False)]
    pairs = [{'ip_address': '203.0.113.0/24', 'mac_address': 'fa:16:3e:ff:ff:ff'}, {'ip_address': '2001:db8:1::/48'}]
    return vif(bridge, address='fa:16:3e:01:02:04', fixed_ips=fixed, allowed_address_pairs=pairs)


def request(images, vifs, **changes):
    image = images.get(None, samples.IMAGE_ID)
    instance = samples.instance(**{'uuid': str(uuid.uuid4()), 'image_meta': image} | changes)
    return driver.SpawnRequest(instance, image, vifs, [])


def spawn(host, order):
    host.prepare_for_spawn(order.instance)
    host.prepare_networks_before_block_device_mapping(order.instance, order.network_info)
    host.spawn(None, order)


def wait_for(condition, seconds=BOOT_SECONDS):
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if condition():
            return True
        concurrency.sleep(0.3)
    return False


def console(host, order):
    try:
        return host.get_console_output(None, order.instance).decode(errors='replace')
    except exception.ConsoleLogNotFound:
        return ''


def leftovers(folder, order):
    chains = shell('ebtables', '-t', 'nat', '-L')
    found = [item.devname for item in order.network_info
             if os.path.exists('/sys/class/net/' + item.devname) or item.devname in chains]
    found += [str(path) for path in (folder / 'instances').iterdir() if path.name == order.instance.uuid]
    return found + [order.instance.uuid] * (order.instance.uuid in shell('virsh', '-c', URI, 'list', '--all', '--uuid'))


def test_a_guest_from_boot_to_destroy(make_driver, network, images, folder):
    host = make_driver()
    order = request(images, [vif(network), second_vif(network)], config_drive=True,
                    flavor=samples.flavor(swap=16, ephemeral_gb=1),
                    user_data=base64.b64encode(TRIES.encode()).decode())
    for path, content in instance_metadata.InstanceMetadata(order.instance, order.network_info).files():
        (folder / 'metadata' / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / 'metadata' / path).write_bytes(content)
    spawn(host, order)
    assert host.get_info(order.instance).state == power_state.RUNNING
    assert wait_for(lambda: 'ready after' in console(host, order)), console(host, order)
    said = console(host, order)
    assert 'address %s/24' % ADDRESS in said
    assert 'guest: uuid %s' % order.instance.uuid in said
    assert re.search('config drive .* uuid %s' % order.instance.uuid, said), said
    assert re.findall('(.*) (reached|blocked)', said) == [
        ('own_address', 'reached'), ('other_address', 'blocked'), ('own_address_again', 'reached'),
        ('other_mac', 'blocked')]

    files = {path.name: path for path in (folder / 'instances' / order.instance.uuid).iterdir()}
    assert set(files) == {'libvirt.xml', 'disk', 'disk.config', 'disk.info', 'disk.eph0', 'disk.swap', 'console.log'}
    everything = [*files.values(), *(folder / 'instances').rglob('_base/*')]
    assert not [path for path in everything if path.stat().st_mode & 0o007]

    chains = shell('ebtables', '-t', 'nat', '-L')
    assert 'libvirt-I-' + order.network_info[0].devname in chains
    assert re.search('-s fa:16:3e:01:02:03 --ip-src %s -j ACCEPT' % ADDRESS, chains), chains
    assert re.search('--ip6-src 2001:db8::20.* -j ACCEPT', chains), chains

    host.destroy(None, order.instance, order.network_info, [])
    assert leftovers(folder, order) == []
    host.destroy(None, order.instance, order.network_info, [])


def test_a_guest_that_powers_itself_off_is_reported(make_driver, images, monkeypatch):
    monkeypatch.setattr(events, 'STOP_DELAY', 0.5)
    host, seen = make_driver(images_type='raw'), []
    host.register_event_listener(lambda event: seen.append((event.uuid, event.state)))
    order = request(images, [])
    spawn(host, order)
    assert wait_for(lambda: 'ready after' in console(host, order)), console(host, order)
    shell('virsh', '-c', URI, 'shutdown', order.instance.uuid)
    assert wait_for(lambda: (order.instance.uuid, power_state.SHUTDOWN) in seen, 30)
    assert host.get_info(order.instance).state == power_state.SHUTDOWN


def test_a_kernel_without_boot_loader(make_driver, images, folder):
    raw = folder / 'guest.raw'
    shell('qemu-img', 'convert', '-f', 'qcow2', '-O', 'raw', images.path, raw)
    for name, kind, file in (('kernel', 'aki', 'vmlinuz'), ('ramdisk', 'ari', 'initrd.gz')):
        shell('mcopy', '-i', raw, '::' + file, folder / file)
        images.add(name, folder / file, kind, container_format=kind)
    image = images.add('ami', b'\0' * 65536, 'ami', container_format='ami', properties={
        'kernel_id': 'kernel', 'ramdisk_id': 'ramdisk', 'os_command_line': 'console=ttyS0 from_the_image'})
    host = make_driver()
    order = request(images, [], image_meta=image)
    order.image = image
    spawn(host, order)
    assert wait_for(lambda: 'ready after' in console(host, order)), console(host, order)
    assert 'from_the_image' in console(host, order)


def test_bad_images_are_refused_and_the_canary_stays_where_it_is(make_driver, images, folder):
    host = make_driver()
    bad = folder / 'bad'
    bad.mkdir()
    for name, sample in disk_images.bad(bad).items():
        image = images.add(name, sample.path, sample.disk_format)
        order = request(images, [], image_meta=image)
        order.image = image
        with pytest.raises((exception.ImageUnacceptable, exception.FlavorDiskSmallerThanImage)):
            spawn(host, order)
        for path in (folder / 'instances').rglob('*'):
            assert not path.is_file() or disk_images.CANARY not in path.read_bytes(), (name, path)
        host.destroy(None, order.instance, [], [])
        assert leftovers(folder, order) == []


@pytest.mark.parametrize('golden', sorted(path.name for path in GOLDEN.glob('*.xml')))
def test_the_golden_xml_is_what_libvirt_takes(golden, daemon, folder):
    if golden == 'kvm.xml' and not os.path.exists('/dev/kvm'):
        pytest.skip('there is no KVM')
    identity = str(uuid.uuid4())
    document = (GOLDEN / golden).read_text().replace(samples.UUID, identity).replace('instance-0000000a', TAG + golden)
    (folder / golden).write_text(document)
    try:
        shell('virsh', '-c', URI, 'define', '--validate', folder / golden)
    finally:
        shell('virsh', '-c', URI, 'undefine', identity, check=False)


class Relay:
    """Stands between a client and libvirtd's socket, so that the connection can be broken without harm to others."""

    def __init__(self, path, target='/run/libvirt/libvirt-sock'):
        self._path, self._target = path, target
        self._sockets = []
        self.start()

    def start(self):
        self._server = socket.socket(socket.AF_UNIX)
        self._server.bind(str(self._path))
        self._server.listen()
        threading.Thread(target=self._serve, args=(self._server,), daemon=True).start()

    def stop(self):
        os.unlink(self._path)
        for item in (self._server, *self._sockets):
            try:
                item.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
            item.close()
        self._sockets.clear()

    def _serve(self, server):
        while True:
            try:
                client, _ = server.accept()
            except OSError:
                return
            daemon = socket.socket(socket.AF_UNIX)
            daemon.connect(self._target)
            self._sockets += [client, daemon]
            for source, sink in ((client, daemon), (daemon, client)):
                threading.Thread(target=self._copy, args=(source, sink), daemon=True).start()

    @staticmethod
    def _copy(source, sink):
        try:
            while data := source.recv(65536):
                sink.sendall(data)
        except OSError:
            pass


def test_a_libvirtd_that_goes_and_comes_back(make_driver, images, folder, monkeypatch):
    monkeypatch.setattr(events, 'RECONNECT_DELAY', 0.2)
    monkeypatch.setattr(events, 'STOP_DELAY', 0.2)
    relay = Relay(folder / 'relay')
    host, seen = make_driver('qemu+unix:///system?socket=%s' % (folder / 'relay')), []
    host.register_event_listener(lambda event: seen.append(event))
    relay.stop()
    concurrency.sleep(1)
    order = request(images, [])
    with pytest.raises(exception.HypervisorError):
        host.spawn(None, order)
    relay.start()
    assert wait_for(lambda: host._connection._connection.isAlive(), 10)
    spawn(host, order)
    assert wait_for(lambda: seen, 10)
    host.destroy(None, order.instance, [], [])
    assert order.instance.uuid not in host.list_instance_uuids()
