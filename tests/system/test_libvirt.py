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
import uuid

import pytest

from nova_lite import concurrency
from nova_lite import exception
from nova_lite import instance_metadata
from nova_lite.compute import power_state
from nova_lite.virt.libvirt import events
from tests.fixtures import disk_images
from tests.system import booted
from tests.unit.virt import samples

SUBNET, ADDRESS, SERVER, METADATA = '198.51.100.%d', '198.51.100.10', '198.51.100.2', '169.254.169.254'
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

pytestmark = pytest.mark.skipif(bool(booted.MISSING), reason='real guests need ' + ', '.join(booted.MISSING))


@pytest.fixture(scope='module')
def network(folder):
    """A bridge with DHCP and metadata servers, in a namespace, that know one guest; the metadata are plain files."""
    booted.shell('ip', 'link', 'add', booted.TAG, 'type', 'bridge')
    booted.shell('ip', 'netns', 'add', booted.TAG)
    booted.shell('ip', 'link', 'add', booted.TAG + 'a', 'type', 'veth', 'peer', 'name', booted.TAG + 'b')
    booted.shell('ip', 'link', 'set', booted.TAG + 'a', 'master', booted.TAG)
    booted.shell('ip', 'link', 'set', booted.TAG + 'b', 'netns', booted.TAG)
    for link in (booted.TAG, booted.TAG + 'a'):
        booted.shell('ip', 'link', 'set', link, 'up')
    for address in (SERVER + '/24', METADATA + '/32'):
        booted.shell('ip', '-n', booted.TAG, 'addr', 'add', address, 'dev', booted.TAG + 'b')
    booted.shell('ip', '-n', booted.TAG, 'link', 'set', booted.TAG + 'b', 'up')
    (folder / 'metadata').mkdir()
    inside = ['ip', 'netns', 'exec', booted.TAG]
    servers = [subprocess.Popen(inside + command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) for command in (
        [shutil.which('dnsmasq', path='/usr/sbin:/usr/bin'), '--keep-in-foreground', '--conf-file=/dev/null',
         '--port=0', '--dhcp-range=%s,static' % (SUBNET % 0), '--dhcp-host=%s,%s' % (samples.vif().address, ADDRESS),
         '--interface=' + booted.TAG + 'b', '--dhcp-option=121,%s/32,%s' % (METADATA, SERVER),
         '--dhcp-leasefile=%s' % (folder / 'leases')],
        [sys.executable, '-m', 'http.server', '80', '--bind', METADATA, '--directory', str(folder / 'metadata')])]
    yield booted.TAG
    for server in servers:
        server.terminate()
        server.wait()
    booted.shell('ip', 'netns', 'del', booted.TAG)
    booted.shell('ip', 'link', 'del', booted.TAG)


def vif(bridge, **changes):
    fixed = samples.fixed_ip(ADDRESS, cidr=SUBNET % 0 + '/24', gateway=None, dns=[], dhcp=True)
    return samples.vif(**{'bridge': bridge, 'id': str(uuid.uuid4()), 'fixed_ips': [fixed]} | changes)


def second_vif(bridge):
    """One with all that a filter can have to hold."""
    fixed = [samples.fixed_ip('198.51.100.20', dhcp=False),
             samples.fixed_ip('2001:db8::20', version=6, cidr='2001:db8::/64', dhcp=False)]
    pairs = [{'ip_address': '203.0.113.0/24', 'mac_address': 'fa:16:3e:ff:ff:ff'}, {'ip_address': '2001:db8:1::/48'}]
    return vif(bridge, address='fa:16:3e:01:02:04', fixed_ips=fixed, allowed_address_pairs=pairs)


def test_a_guest_from_boot_to_destroy(make_driver, network, images, folder):
    host = make_driver()
    order = booted.request(images, [vif(network), second_vif(network)], config_drive=True,
                           flavor=samples.flavor(swap=16, ephemeral_gb=1),
                           user_data=base64.b64encode(TRIES.encode()).decode())
    for path, content in instance_metadata.InstanceMetadata(order.instance, order.network_info).files():
        (folder / 'metadata' / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / 'metadata' / path).write_bytes(content)
    booted.spawn(host, order)
    assert host.get_info(order.instance).state == power_state.RUNNING
    assert booted.wait_for(lambda: 'ready after' in booted.console(host, order)), booted.console(host, order)
    said = booted.console(host, order)
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

    chains = booted.shell('ebtables', '-t', 'nat', '-L')
    assert 'libvirt-I-' + order.network_info[0].devname in chains
    assert re.search('-s fa:16:3e:01:02:03 --ip-src %s -j ACCEPT' % ADDRESS, chains), chains
    assert re.search('--ip6-src 2001:db8::20.* -j ACCEPT', chains), chains

    host.destroy(None, order.instance, order.network_info, [])
    assert booted.leftovers(folder, order) == []
    host.destroy(None, order.instance, order.network_info, [])


def test_a_guest_that_powers_itself_off_is_reported(make_driver, images, monkeypatch):
    monkeypatch.setattr(events, 'STOP_DELAY', 0.5)
    host, seen = make_driver(images_type='raw'), []
    host.register_event_listener(lambda event: seen.append((event.uuid, event.state)))
    order = booted.request(images, [])
    booted.spawn(host, order)
    assert booted.wait_for(lambda: 'ready after' in booted.console(host, order)), booted.console(host, order)
    booted.virsh('shutdown', order.instance.uuid)
    assert booted.wait_for(lambda: (order.instance.uuid, power_state.SHUTDOWN) in seen, 30)
    assert host.get_info(order.instance).state == power_state.SHUTDOWN


def test_a_kernel_without_boot_loader(make_driver, images, folder):
    raw = folder / 'guest.raw'
    booted.shell('qemu-img', 'convert', '-f', 'qcow2', '-O', 'raw', images.path, raw)
    for name, kind, file in (('kernel', 'aki', 'vmlinuz'), ('ramdisk', 'ari', 'initrd.gz')):
        booted.shell('mcopy', '-i', raw, '::' + file, folder / file)
        images.add(name, folder / file, kind, container_format=kind)
    image = images.add('ami', b'\0' * 65536, 'ami', container_format='ami', properties={
        'kernel_id': 'kernel', 'ramdisk_id': 'ramdisk', 'os_command_line': 'console=ttyS0 from_the_image'})
    host = make_driver()
    order = booted.request(images, [], image_meta=image)
    order.image = image
    booted.spawn(host, order)
    assert booted.wait_for(lambda: 'ready after' in booted.console(host, order)), booted.console(host, order)
    assert 'from_the_image' in booted.console(host, order)


def test_bad_images_are_refused_and_the_canary_stays_where_it_is(make_driver, images, folder):
    host = make_driver()
    bad = folder / 'bad'
    bad.mkdir()
    for name, sample in disk_images.bad(bad).items():
        image = images.add(name, sample.path, sample.disk_format)
        order = booted.request(images, [], image_meta=image)
        order.image = image
        with pytest.raises((exception.ImageUnacceptable, exception.FlavorDiskSmallerThanImage)):
            booted.spawn(host, order)
        for path in (folder / 'instances').rglob('*'):
            assert not path.is_file() or disk_images.CANARY not in path.read_bytes(), (name, path)
        host.destroy(None, order.instance, [], [])
        assert booted.leftovers(folder, order) == []


@pytest.mark.parametrize('golden', sorted(path.name for path in GOLDEN.glob('*.xml')))
def test_the_golden_xml_is_what_libvirt_takes(golden, daemon, folder):
    if golden == 'kvm.xml' and not os.path.exists('/dev/kvm'):
        pytest.skip('there is no KVM')
    identity = str(uuid.uuid4())
    document = (GOLDEN / golden).read_text().replace(samples.UUID, identity)
    document = document.replace('instance-0000000a', booted.TAG + golden)
    (folder / golden).write_text(document)
    try:
        booted.virsh('define', '--validate', folder / golden)
    finally:
        booted.virsh('undefine', identity, check=False)


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
    order = booted.request(images, [])
    with pytest.raises(exception.HypervisorError):
        host.spawn(None, order)
    relay.start()
    assert booted.wait_for(lambda: host._connection._connection.isAlive(), 10)
    booted.spawn(host, order)
    assert booted.wait_for(lambda: seen, 10)
    host.destroy(None, order.instance, [], [])
    assert order.instance.uuid not in host.list_instance_uuids()
