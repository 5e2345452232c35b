# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""What is done to a guest after it was made, with one that really boots: its console and virsh say what happened."""

import os
import subprocess
import types
from xml.etree import ElementTree

import pytest

from nova_lite import exception
from nova_lite.compute import power_state
from nova_lite.virt import abilities
from tests.fixtures import disk_images
from tests.system import booted
from tests.unit.virt import samples

pytestmark = pytest.mark.skipif(bool(booted.MISSING), reason='real guests need ' + ', '.join(booted.MISSING))

MARKER, PLACE = 'marker-of-the-guest', 1500000      # a sector behind the image's own file system
HERE = types.SimpleNamespace(source_compute='host', dest_compute='host')


class Guest:
    """A guest with a shell on its serial line."""

    def __init__(self, host, order):
        self.host = host
        self.order = order
        self.instance = order.instance
        self.starts = 0
        self._questions = 0

    def started(self):
        """Wait until it started once more."""
        self.starts += 1
        booted.wait_until_ready(self.host, self.order, self.starts)

    def ask(self, command):
        """What a command prints in the guest."""
        self._questions += 1
        begin, end = 'begin-%d-' % self._questions, 'end-%d-' % self._questions
        # The shell prints what is typed, too: the marks are put together by the guest only.
        typed = 'echo %s$((40+2)); %s; echo %s$((40+2))\n' % (begin, command, end)
        line = os.open(self._line(), os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK)
        try:
            os.write(line, typed.encode())
            assert booted.wait_for(lambda: end + '42' in self._said(line), 60), self._said(line)
        finally:
            os.close(line)
        return self._said().split(begin + '42')[1].split(end + '42')[0].strip()

    def _said(self, line=None):
        """The console log; what comes by an open serial line is taken away, so that it does not stand still."""
        try:
            while line is not None and os.read(line, 65536):
                pass
        except BlockingIOError:
            pass
        return booted.console(self.host, self.order)

    def _line(self):
        tree = ElementTree.fromstring(booted.virsh('dumpxml', self.instance.uuid))
        return tree.find('devices/serial/source').get('path')

    def virsh_state(self):
        return booted.virsh('domstate', self.instance.uuid).strip()

    def disk_has_marker(self, device='vda'):
        return self.ask('dd if=/dev/%s bs=512 skip=%d count=1 2>/dev/null | head -c %d' % (
            device, PLACE, len(MARKER))) == MARKER


@pytest.fixture(scope='module')
def rescue_image(images, folder):
    """The same system, which says where it was started from."""
    raw, settings = folder / 'rescue.raw', folder / 'syslinux.cfg'
    booted.shell('qemu-img', 'convert', '-f', 'qcow2', '-O', 'raw', images.path, raw)
    booted.shell('mcopy', '-n', '-i', raw, '::syslinux.cfg', settings)
    settings.write_text(settings.read_text().replace('APPEND', 'APPEND from=rescue'))
    booted.shell('mcopy', '-o', '-i', raw, settings, '::syslinux.cfg')
    return images.add('rescue', raw, 'raw')


@pytest.fixture
def guest(make_driver, images):
    host = make_driver()
    order = booted.request(images, [], config_drive=True)
    booted.spawn(host, order)
    found = Guest(host, order)
    found.started()
    return found


def has_marker(copy):
    """Whether a Snapshot shows the marker at its place."""
    done = subprocess.run(['qemu-img', 'dd', '-f', copy.disk_format, '-O', 'raw', 'if=' + copy.path,
                           'of=' + copy.path + '.part', 'bs=512', 'skip=%d' % PLACE, 'count=%d' % (PLACE + 1)],
                          check=True, capture_output=True)
    assert done.returncode == 0
    with open(copy.path + '.part', 'rb') as part:
        return part.read(len(MARKER)) == MARKER.encode()


def test_the_life_of_a_guest(guest, images, rescue_image, folder):
    host, instance = guest.host, guest.instance
    guest.ask('printf %s | dd of=/dev/vda bs=512 seek=%d conv=notrunc,fsync' % (MARKER, PLACE))
    guest.ask('kept=in-memory')

    host.pause(instance)
    assert guest.virsh_state() == 'paused'
    host.unpause(instance)
    assert guest.virsh_state() == 'running'

    host.suspend(None, instance)
    assert guest.virsh_state() == 'shut off'
    assert 'Managed save:   yes' in booted.virsh('dominfo', instance.uuid)
    host.resume(None, instance, [], [])
    assert guest.ask('echo $kept') == 'in-memory'

    with host.snapshot(None, instance, []) as copy:
        assert guest.ask('echo still here') == 'still here'
        assert has_marker(copy)
        images.add('snapshot', copy.path, copy.disk_format)
    assert not os.path.exists(copy.path)

    host.reboot(None, instance, [], abilities.SOFT, [])
    guest.started()
    assert guest.ask('echo lost$kept') == 'lost'

    booted.virsh('destroy', instance.uuid)
    booted.virsh('undefine', instance.uuid)
    host.reboot(None, instance, [], abilities.HARD, [])
    guest.started()

    host.rescue(None, instance, [], rescue_image, 'secret', [])
    guest.started()
    assert 'from=rescue' in guest.ask('cat /proc/cmdline')
    assert not guest.disk_has_marker('vda') and guest.disk_has_marker('vdb')
    host.unrescue(None, instance, [], [])
    guest.started()
    assert 'from=rescue' not in guest.ask('cat /proc/cmdline')
    assert guest.disk_has_marker()

    host.power_off(instance, timeout=60, retry_interval=5)
    assert guest.virsh_state() == 'shut off'
    _resize(guest)


def _resize(guest):
    """From 128 MiB and 1 GiB of a guest that is off, to more and back again."""
    host, instance, small = guest.host, guest.instance, guest.instance.flavor
    big = samples.flavor(memory_mb=192, root_gb=2)
    info = host.migrate_disk_and_power_off(None, instance, None, big, [], [])
    instance.flavor = big
    host.finish_migration(None, HERE, instance, info, [], instance.image_meta, True, [])
    guest.starts = 0        # the new guest's log begins with a copy of the old one's
    guest.starts = booted.console(host, guest.order).count('ready after')
    guest.started()
    assert guest.ask('cat /sys/block/vda/size') == str(2 * 1024 ** 3 // 512)
    assert int(guest.ask("awk '/MemTotal/ {print $2}' /proc/meminfo")) > 128 * 1024
    assert guest.disk_has_marker()
    instance.flavor = small
    host.finish_revert_migration(None, instance, [], HERE, [], power_on=False)
    assert guest.virsh_state() == 'shut off'
    assert int(booted.virsh('domblkinfo', instance.uuid, 'vda').split()[1]) == 1024 ** 3


def test_a_snapshot_boots_and_counters_count(make_driver, images, guest):
    host, instance = guest.host, guest.instance
    guest.ask('printf %s | dd of=/dev/vda bs=512 seek=%d conv=notrunc,fsync' % (MARKER, PLACE))
    found = host.get_instance_diagnostics(instance)
    assert (found['state'], found['num_cpus'], found['num_disks']) == ('running', 1, 2)
    assert found['cpu_details'][0]['time'] > 0 and found['disk_details'][0]['read_bytes'] > 0
    assert found['memory_details']['maximum'] == 128
    assert host.get_diagnostics(instance)['vda_write'] >= 512
    with pytest.raises(exception.GuestAgentNotEnabled):
        host.set_admin_password(instance, 'secret')
    host.trigger_crash_dump(instance)
    with host.snapshot(None, instance, [], 'raw') as copy:
        image = images.add('snapshot', copy.path, copy.disk_format)
    order = booted.request(images, [], image_meta=image)
    order.image = image
    booted.spawn(host, order)
    other = Guest(host, order)
    other.started()
    assert other.disk_has_marker()


def test_a_guest_with_an_agent_that_does_not_answer(make_driver, images, folder):
    host = make_driver(images_type='raw')
    image = images.add('agent', images.path, 'qcow2', properties={'hw_qemu_guest_agent': 'yes'})
    order = booted.request(images, [], image_meta=image)
    order.image = image
    booted.spawn(host, order)
    with pytest.raises(exception.InstancePasswordSetFailed):
        host.set_admin_password(order.instance, 'secret')
    with host.snapshot(None, order.instance, [], 'qcow2') as copy:      # of a raw disk, without its help
        assert disk_images.available() and copy.disk_format == 'qcow2'
    order.instance.image_meta.properties['os_require_quiesce'] = 'yes'
    with pytest.raises(exception.GuestAgentError), host.snapshot(None, order.instance, []):
        pass
    assert host.get_info(order.instance).state == power_state.RUNNING
    assert not list((folder / 'instances' / order.instance.uuid).glob('snapshot-*'))
