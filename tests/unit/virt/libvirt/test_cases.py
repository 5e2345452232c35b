# Copyright 2026 The nova_lite authors
# SPDX-License-Identifier: Apache-2.0
"""What once let guests read or exhaust hosts elsewhere, tried on copies of disks and on images; named by advisory."""

import os
import stat

import pytest

from nova_lite import exception
from nova_lite.virt import images as qemu
from tests.fixtures import disk_images
from tests.unit.virt.libvirt import scene

pytest.importorskip('libvirt', reason='needs libvirt-python')

pytestmark = pytest.mark.skipif(not disk_images.available(), reason='needs qemu-img')
KINDS = pytest.mark.parametrize('kind', ['raw', 'qcow2'])


def written_by_guest(host, tmp_path, instance, kind):
    """Have a guest write a header over its own disk that names a file of the host, and stop it."""
    header = disk_images.bad(tmp_path)['header over raw'].path.read_bytes()
    disk = scene.directory(tmp_path, instance) / 'disk'
    host.power_off(instance)
    if kind == 'raw':
        with open(disk, 'r+b') as target:
            target.write(header[:65536])
    else:       # what the guest sees is what the overlay shows
        plain = tmp_path / 'as-the-guest-sees-it'
        qemu.convert(disk, 'qcow2', plain, 'raw', 1 << 30)
        with open(plain, 'r+b') as target:
            target.write(header[:65536])
        qemu.convert(plain, 'raw', disk, 'qcow2', 1 << 30)
    return header[:65536]


@KINDS
@pytest.mark.parametrize('extract', ['raw', 'qcow2'])
def test_ossa_2016_001_a_snapshot_does_not_follow_a_header_of_the_guests(make_host, images, tmp_path, kind, extract):
    host = make_host(images_type=kind)
    instance = scene.spawn(host, images)
    header = written_by_guest(host, tmp_path, instance, kind)
    with host.snapshot(None, instance, [], extract) as copy:
        assert copy.disk_format == extract
        plain = tmp_path / 'plain'
        qemu.convert(copy.path, extract, plain, 'raw', 1 << 30)
        with open(plain, 'rb') as source:
            content = source.read(disk_images.MIB)
    assert content.startswith(header), 'the copy is what the guest wrote'
    assert content.count(disk_images.CANARY) == 0, 'and nothing of what the header names'


@KINDS
def test_ossa_2014_001_nobody_else_reads_a_copy_and_it_is_removed(make_host, images, tmp_path, kind):
    host = make_host(images_type=kind)
    instance = scene.spawn(host, images)
    host.power_off(instance)
    folder = scene.directory(tmp_path, instance)
    before = sorted(os.listdir(folder))
    seen = []
    for broken in (False, True):
        try:
            with host.snapshot(None, instance, []) as copy:
                scratch = os.path.dirname(copy.path)
                seen.append(scratch)
                assert stat.S_IMODE(os.stat(scratch).st_mode) & 0o007 == 0
                assert stat.S_IMODE(os.stat(folder).st_mode) & 0o007 == 0
                if broken:
                    raise RuntimeError
        except RuntimeError:
            assert broken
        assert sorted(os.listdir(folder)) == before
    assert seen[0] != seen[1], 'a name that cannot be guessed'


def test_row_59_a_full_disk_ends_in_a_fault_and_leaves_nothing(make_host, images, tmp_path, monkeypatch):
    host = make_host()
    instance = scene.spawn(host, images)
    host.power_off(instance)
    before = sorted(os.listdir(scene.directory(tmp_path, instance)))

    def full(*args, **kwargs):
        raise exception.DiskFull(what='a disk image')
    monkeypatch.setattr(qemu, 'convert', full)
    with pytest.raises(exception.DiskFull), host.snapshot(None, instance, []):
        pass
    assert sorted(os.listdir(scene.directory(tmp_path, instance))) == before
    monkeypatch.undo()
    with host.snapshot(None, instance, []) as copy:
        assert os.path.getsize(copy.path) > 0
