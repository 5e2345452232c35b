# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""What is done to a guest after it was made, with one that really boots: its console and virsh say what happened."""

import dataclasses
import os
import re
import types

import pytest

from nova_lite import exception
from nova_lite.compute import power_state
from nova_lite.virt import abilities
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
        self._starts = 0
        self._shell = None

    def started(self, expected=None):
        """Wait until it started once more, or `expected` times in all."""
        self._starts = expected or self._starts + 1
        self.back()

    def back(self):
        """It is on a new serial line."""
        if self._shell is not None:
            self._shell.close()
        self._shell = booted.Shell(self.host, self.order, self._starts)

    def ask(self, command):
        """What a command prints in the guest."""
        return self._shell(command, 60)

    def virsh_state(self):
        return booted.virsh('domstate', self.instance.uuid).strip()

    def write_marker(self):
        self.ask('printf %s | dd of=/dev/vda bs=512 seek=%d conv=notrunc,fsync 2>/dev/null' % (MARKER, PLACE))

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


@pytest.fixture(scope='module')
def guest(make_drivers, images):
    """One for all tests of the module, in their order; it runs, and its disk has the marker."""
    host = make_drivers()
    order = booted.request(images, [], config_drive=True)
    booted.spawn(host, order)
    found = Guest(host, order)
    found.started()
    found.write_marker()
    return found


def test_pause(guest):
    guest.host.pause(guest.instance)
    assert guest.virsh_state() == 'paused'
    guest.host.unpause(guest.instance)
    assert guest.virsh_state() == 'running'
    assert guest.ask('echo awake') == 'awake'


def test_suspend(guest):
    guest.ask('kept=in-memory')
    guest.host.suspend(None, guest.instance)
    assert guest.virsh_state() == 'shut off'
    assert re.search('Managed save: *yes', booted.virsh('dominfo', guest.instance.uuid))
    guest.host.resume(None, guest.instance, [], [])
    guest.back()
    assert guest.ask('echo $kept') == 'in-memory'


def test_reboot(guest):
    guest.ask('kept=in-memory')
    guest.host.reboot(None, guest.instance, [], abilities.SOFT, [])
    guest.started()
    assert guest.ask('echo lost$kept') == 'lost'
    booted.virsh('destroy', guest.instance.uuid)
    booted.virsh('undefine', guest.instance.uuid)
    guest.host.reboot(None, guest.instance, [], abilities.HARD, [])
    guest.started()


def test_rescue(guest, images, rescue_image):
    guest.host.rescue(None, guest.instance, [], rescue_image, 'secret', [])
    guest.started()
    assert 'from=rescue' in guest.ask('cat /proc/cmdline')
    assert not guest.disk_has_marker('vda') and guest.disk_has_marker('vdb')

    stable = dataclasses.replace(rescue_image, properties={'hw_rescue_device': 'disk', 'hw_rescue_bus': 'scsi'})
    guest.host.rescue(None, guest.instance, [], stable, 'secret', [])
    guest.started()
    assert 'from=rescue' in guest.ask('cat /proc/cmdline')
    assert guest.disk_has_marker('vda')

    guest.host.unrescue(None, guest.instance, [], [])
    guest.started()
    assert 'from=rescue' not in guest.ask('cat /proc/cmdline')
    assert guest.disk_has_marker()


def test_a_snapshot_of_a_running_guest_boots(guest, images):
    with guest.host.snapshot(None, guest.instance, []) as copy:
        assert guest.ask('echo still here') == 'still here'
        image = images.add('snapshot', copy.path, copy.disk_format)
    assert not os.path.exists(copy.path)
    order = booted.request(images, [], image_meta=image)
    order.image = image
    booted.spawn(guest.host, order)
    other = Guest(guest.host, order)
    other.started()
    assert other.disk_has_marker()
    guest.host.destroy(None, order.instance, [], [])


def test_counters_and_interrupt(guest):
    found = guest.host.get_instance_diagnostics(guest.instance)
    assert (found['state'], found['num_cpus'], found['num_disks']) == ('running', 1, 2)
    assert found['cpu_details'][0]['time'] > 0 and found['disk_details'][0]['read_bytes'] > 0
    assert found['memory_details']['maximum'] == 128
    assert guest.host.get_diagnostics(guest.instance)['vda_read'] > 0
    with pytest.raises(exception.GuestAgentNotEnabled):
        guest.host.set_admin_password(guest.instance, 'secret')
    guest.host.trigger_crash_dump(guest.instance)
    assert booted.wait_for(lambda: 'NMI' in booted.console(guest.host, guest.order), 30)


def test_resize(guest):
    host, instance, small = guest.host, guest.instance, guest.instance.flavor
    big = samples.flavor(memory_mb=192, root_gb=2)
    # The power button, which the guest's own software hears.
    info = host.migrate_disk_and_power_off(None, instance, None, big, [], [], timeout=60, retry_interval=5)
    instance.flavor = big
    host.finish_migration(None, HERE, instance, info, [], instance.image_meta, True, [])
    guest.started()
    assert guest.ask('cat /sys/block/vda/size') == str(2 * 1024 ** 3 // 512)
    assert int(guest.ask("awk '/MemTotal/ {print $2}' /proc/meminfo")) > 128 * 1024
    assert guest.disk_has_marker()
    instance.flavor = small
    host.finish_revert_migration(None, instance, [], HERE, [], power_on=False)
    assert guest.virsh_state() == 'shut off'
    assert int(booted.virsh('domblkinfo', instance.uuid, 'vda').split()[1]) == 1024 ** 3


def test_a_snapshot_of_a_stopped_guest_has_what_it_wrote(guest):
    with guest.host.snapshot(None, guest.instance, [], 'raw') as copy, open(copy.path, 'rb') as disk:
        disk.seek(PLACE * 512)
        assert disk.read(len(MARKER)) == MARKER.encode()


def test_a_guest_with_an_agent_that_does_not_answer(make_driver, images, folder):
    host = make_driver(images_type='raw')
    image = images.add('agent', images.path, 'qcow2', properties={'hw_qemu_guest_agent': 'yes'})
    order = booted.request(images, [], image_meta=image)
    order.image = image
    booted.spawn(host, order)
    with pytest.raises(exception.InstancePasswordSetFailed):
        host.set_admin_password(order.instance, 'secret')
    with host.snapshot(None, order.instance, [], 'qcow2') as copy:      # of a raw disk, without its help
        assert copy.disk_format == 'qcow2' and os.path.getsize(copy.path) > 0
    order.instance.image_meta.properties['os_require_quiesce'] = 'yes'
    with pytest.raises(exception.GuestAgentError), host.snapshot(None, order.instance, []):
        pass
    assert host.get_info(order.instance).state == power_state.RUNNING
    assert not list((folder / 'instances' / order.instance.uuid).glob('snapshot-*'))
